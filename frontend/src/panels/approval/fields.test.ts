import { describe, expect, it } from "vitest";
import { type Draft, drafted, edits, read } from "./fields";

const MAIL = { to: ["ann@example.org"], subject: "Hello", body: "Dear Ann,\nyes.", reply_to: null };

function fieldOf(drafts: readonly Draft[], name: string): Draft {
  const found = drafts.find((draft) => draft.name === name);
  if (found === undefined) throw new Error(`no field ${name}`);
  return found;
}

function written(shown: Record<string, unknown>, name: string, change: Partial<Draft>): Draft[] {
  return drafted(shown).map((draft) => (draft.name === name ? { ...draft, ...change } : draft));
}

describe("arguments as fields", () => {
  it("each value gets the field that its kind asks for", () => {
    const shown = { ...MAIL, times: 3, urgent: true, options: { a: [1] }, long: "x".repeat(200), none: [] };
    expect(Object.fromEntries(drafted(shown).map((draft) => [draft.name, draft.kind]))).toEqual({
      to: "list",
      subject: "line",
      body: "text",
      reply_to: "line",
      times: "number",
      urgent: "boolean",
      options: "json",
      long: "text",
      none: "json",
    });
  });

  it("fields that were not touched change nothing, whatever they hold", () => {
    const shown = {
      ...MAIL,
      times: -0.5,
      urgent: false,
      nested: { b: 1, a: null },
      none: [],
      empty: "",
      spaced: "  as is  ",
      mixed: [1, "two"],
    };
    expect(edits(shown, drafted(shown))).toEqual({ changed: {}, problems: {} });
  });

  it("only what differs is sent", () => {
    expect(edits(MAIL, written(MAIL, "subject", { text: "Good morning" })).changed).toEqual({
      subject: "Good morning",
    });
  });

  it("empty and doubled lines of a list are no items, and their blanks are cut", () => {
    const drafts = written(MAIL, "to", { items: [" ann@example.org ", "", "bob@example.org"] });
    expect(edits(MAIL, drafts).changed).toEqual({ to: ["ann@example.org", "bob@example.org"] });
  });

  it("a value that was none stays none while its line is empty, and becomes text when it is not", () => {
    expect(read(fieldOf(drafted(MAIL), "reply_to"))).toEqual({ ok: true, value: null });
    expect(edits(MAIL, written(MAIL, "reply_to", { text: "me@example.org" })).changed).toEqual({
      reply_to: "me@example.org",
    });
  });

  it("what must not be empty is told, and not sent", () => {
    const drafts = written(MAIL, "to", { items: ["", " "] });
    expect(edits(MAIL, drafts, ["to", "subject", "body"])).toEqual({
      changed: {},
      problems: { to: "empty" },
    });
  });

  it.each(["", "abc", "0x10", "Infinity", "1e999", "--1", "1.2.3"])("%j is no number", (text) => {
    expect(edits({ times: 1 }, written({ times: 1 }, "times", { text })).problems).toEqual({
      times: "number",
    });
  });

  it.each([
    ["12", 12],
    [" -0.5 ", -0.5],
    ["1e3", 1000],
    [".5", 0.5],
  ])("%j is the number %d", (text, value) => {
    expect(edits({ times: 1 }, written({ times: 1 }, "times", { text })).changed).toEqual({ times: value });
  });

  it("nested values are JSON, which has to be valid", () => {
    const shown = { options: { a: 1 } };
    expect(edits(shown, written(shown, "options", { text: "{" })).problems).toEqual({ options: "json" });
    expect(edits(shown, written(shown, "options", { text: '{"a": 2}' })).changed).toEqual({
      options: { a: 2 },
    });
  });
});
