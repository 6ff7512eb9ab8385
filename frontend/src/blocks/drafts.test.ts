import { describe, expect, it } from "vitest";
import { address, fileName, filled, mailLink, open, pieces, words } from "./drafts";

const TEXT = "Dear [name],\nI bring [number] years.\n[your name]";
const BLANKS = ["[name]", "[number]", "[your name]"];

describe("blanks", () => {
  it("are those that stand in the text, each once", () => {
    expect(open([...BLANKS, "[gone]", "[name]", "", "x"], TEXT)).toEqual(BLANKS);
  });

  it("are filled where they stand; those without a value stay", () => {
    expect(filled(TEXT, BLANKS, { "[name]": " Ms Ito ", "[number]": "  " })).toBe(
      "Dear Ms Ito,\nI bring [number] years.\n[your name]",
    );
  });

  it("are filled once: a value that looks like another blank stays as it is", () => {
    expect(filled("[a] [b]", ["[a]", "[b]"], { "[a]": "[b]", "[b]": "$&" })).toBe("[b] $&");
  });

  it("may have names that mean something elsewhere", () => {
    const blanks = ["[.*]", "[constructor]", "__proto__"];
    expect(filled("[.*] [constructor] __proto__", blanks, {})).toBe("[.*] [constructor] __proto__");
  });

  it("the longer one is taken where one holds another", () => {
    expect(pieces("x [a [b]] y", ["[b]", "[a [b]]"], {}).map((piece) => piece.blank)).toEqual([
      null,
      "[a [b]]",
      null,
    ]);
  });
});

describe("a mail link", () => {
  it("carries recipient, subject and text", () => {
    expect(mailLink("hr@firm.example", "A & B?", "One\nTwo")).toEqual({
      href: "mailto:hr@firm.example?subject=A%20%26%20B%3F&body=One%0D%0ATwo",
      whole: true,
    });
  });

  it("leaves a text out that is too long for it", () => {
    const link = mailLink("hr@firm.example", "Hello", "ü".repeat(2_000));
    expect(link).toEqual({ href: "mailto:hr@firm.example?subject=Hello", whole: false });
    expect(mailLink("", "W".repeat(9_000), "x").href.length).toBeLessThanOrEqual(1_900);
  });

  it.each([
    "a@b.example?bcc=evil@c.example",
    "a@b.example,c@d.example",
    "Ann <a@b.example>",
    "nobody",
    "a@b@c",
    null,
  ])("names no recipient for %j", (to) => {
    expect(address(to)).toBe("");
  });

  it("can be made of broken text", () => {
    expect(mailLink("", "\ud83d", "\u202Ex").href).toBe("mailto:?subject=&body=x");
  });
});

describe("files and counts", () => {
  it("a title makes a file name without anything of a path", () => {
    expect(fileName("../../Größe: Data Analyst / Quillmark")).toBe("Größe-Data-Analyst-Quillmark.txt");
    expect(fileName("***")).toBe("letter.txt");
  });

  it("a dash is no word", () => {
    expect(words("Dear team – I am here.\n\n2 years")).toBe(7);
  });
});
