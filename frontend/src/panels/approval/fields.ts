/** A tool's arguments as fields that can be edited, and back. Pure: it knows no tool and no server. */

export type Kind = "line" | "text" | "number" | "boolean" | "list" | "json";

/** What a field holds while it is edited. `none`: an empty line means that there is no value. */
export interface Draft {
  readonly name: string;
  readonly kind: Kind;
  readonly none: boolean;
  readonly text: string;
  readonly items: readonly string[];
  readonly checked: boolean;
}

export type Problem = "empty" | "number" | "json";
export type Arguments = Readonly<Record<string, unknown>>;
export type Reading = { ok: true; value: unknown } | { ok: false; problem: Problem };

/** Longer than this is edited in several lines. */
const LONG = 80;
/** A number as people type it, without what `Number` takes besides: "", "0x1f", "Infinity". */
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

export function drafted(shown: Arguments): Draft[] {
  return Object.entries(shown).map(([name, value]) => draftOf(name, value));
}

function draftOf(name: string, value: unknown): Draft {
  const blank: Draft = { name, kind: "line", none: false, text: "", items: [], checked: false };
  if (value === null || value === undefined) return { ...blank, none: true };
  if (typeof value === "string")
    return { ...blank, kind: isLong(name, value) ? "text" : "line", text: value };
  if (typeof value === "number") return { ...blank, kind: "number", text: String(value) };
  if (typeof value === "boolean") return { ...blank, kind: "boolean", checked: value };
  if (isTexts(value)) return { ...blank, kind: "list", items: value };
  return { ...blank, kind: "json", text: JSON.stringify(value, null, 2) };
}

function isLong(name: string, value: string): boolean {
  return name === "body" || value.includes("\n") || value.length > LONG;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
}

export function read(draft: Draft): Reading {
  switch (draft.kind) {
    case "line":
      if (draft.none && draft.text.trim() === "") return { ok: true, value: null };
      return { ok: true, value: draft.text };
    case "text":
      return { ok: true, value: draft.text };
    case "boolean":
      return { ok: true, value: draft.checked };
    case "list":
      return { ok: true, value: draft.items.map((item) => item.trim()).filter((item) => item !== "") };
    case "number":
      return readNumber(draft.text.trim());
    case "json":
      return readJson(draft.text);
  }
}

function readNumber(text: string): Reading {
  const value = Number(text);
  return NUMBER.test(text) && Number.isFinite(value) ? { ok: true, value } : { ok: false, problem: "number" };
}

function readJson(text: string): Reading {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, problem: "json" };
  }
}

export interface Edits {
  /** Only what differs from what was shown: the rest stays exactly as the server has it. */
  readonly changed: Record<string, unknown>;
  readonly problems: Readonly<Record<string, Problem>>;
}

/** `needed`: fields that must not be left empty. */
export function edits(shown: Arguments, drafts: readonly Draft[], needed: readonly string[] = []): Edits {
  const changed: Record<string, unknown> = {};
  const problems: Record<string, Problem> = {};
  for (const draft of drafts) {
    const reading = read(draft);
    if (!reading.ok) problems[draft.name] = reading.problem;
    else if (needed.includes(draft.name) && isEmpty(reading.value)) problems[draft.name] = "empty";
    else if (!same(reading.value, shown[draft.name])) changed[draft.name] = reading.value;
  }
  return { changed, problems };
}

export function hasEdits(shown: Arguments, drafts: readonly Draft[]): boolean {
  const { changed, problems } = edits(shown, drafts);
  return Object.keys(changed).length + Object.keys(problems).length > 0;
}

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    (typeof value === "string" && value.trim() === "") ||
    (Array.isArray(value) && value.length === 0)
  );
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
}
