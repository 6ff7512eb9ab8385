import { Lexer } from "marked";
import { describe, expect, it } from "vitest";
import { nothingSplit, type Piece, type Split, split } from "./pieces";

const ANSWER = `# Jobs

Two of them fit, **both** in Berlin:

1. Backend, [Acme](https://acme.example)
   with a second line

2. Data

| a | b |
|---|---|
| 1 | 2 |

\`\`\`python
print("a")

print("b")
\`\`\`

> quoted
> twice

<div onclick="x()">no</div>

Setext
------

Last words.
`;

/** Split as a stream would have it: `step` characters more each time. */
function streamed(text: string, step: number): Split {
  let last = nothingSplit;
  for (let end = step; end < text.length; end += step) last = split(text.slice(0, end), last);
  return split(text, last);
}

const sources = (pieces: readonly Piece[]) => pieces.map(({ kind, source }) => `${kind}:${source.trimEnd()}`);

describe("split", () => {
  it.each([1, 2, 3, 7, 48])(
    "gives the same pieces whether the text came %i characters at a time or at once",
    (step) => {
      expect(sources(streamed(ANSWER, step).pieces)).toEqual(sources(split(ANSWER).pieces));
    },
  );

  it("loses no character but blank lines and fences", () => {
    const whole = new Lexer().blockTokens(ANSWER, []).map(({ raw }) => raw);
    expect(whole.join("")).toBe(ANSWER);
    expect(split(ANSWER).pieces.filter(({ kind }) => kind === "code")).toHaveLength(1);
  });

  it("keeps every settled piece the same object while text is added", () => {
    const before = split("One.\n\nTwo.\n\nThree.\n\nFo");
    const after = split("One.\n\nTwo.\n\nThree.\n\nFour and more", before);
    expect(after.pieces[0]).toBe(before.pieces[0]);
    expect(after.pieces[1]).toBe(before.pieces[1]);
    expect(after.pieces[2]).toBe(before.pieces[2]);
    expect(after.pieces[3]).not.toBe(before.pieces[3]);
  });

  it("takes an open code fence as code from its first line on", () => {
    expect(split("Look:\n\n```ts\nconst a = 1;\n").pieces.at(-1)).toMatchObject({
      kind: "code",
      language: "ts",
    });
  });

  it("starts anew when the text is another one", () => {
    const before = split("One.\n\nTwo.\n\nThree.\n\nFour.");
    expect(sources(split("Other.", before).pieces)).toEqual(["text:Other."]);
  });

  it("cuts a paragraph without end into parts that stay", () => {
    const text = "word ".repeat(6_000);
    const before = split(text.slice(0, 20_000));
    const after = split(text, before);
    expect(after.pieces.length).toBeGreaterThan(12);
    expect(after.pieces.map(({ source }) => source).join("")).toBe(text);
    expect(after.pieces[2]).toBe(before.pieces[2]);
    expect(after.pieces.filter(({ joined }) => !joined)).toHaveLength(1);
  });

  it("does not cut within what is emphasised", () => {
    const text = `${"word ".repeat(380)}**${"bold ".repeat(30)}**${" word".repeat(300)}`;
    for (const { source } of split(text).pieces) expect(source.split("**").length % 2).toBe(1);
  });

  it.each([48, 500])("cuts alike however the paragraph came (%i characters at a time)", (step) => {
    const text = "A sentence (with **marks**) and `code`. ".repeat(300);
    expect(sources(streamed(text, step).pieces)).toEqual(sources(split(text).pieces));
    expect(streamed(text, step).pieces.filter(({ joined }) => !joined)).toHaveLength(1);
  });

  it("cuts a single word of 100,000 characters too", () => {
    expect(split("x".repeat(100_000)).pieces.every(({ source }) => source.length <= 2_000)).toBe(true);
  });

  const ITEMS = Array.from(
    { length: 250 },
    (_, at) => `${at + 1}. Item with **bold** words\n     - and one below\n`,
  );
  const ROWS = Array.from({ length: 250 }, (_, at) => `| row ${at} | some words | **x** |\n`);
  const LONG = {
    list: `Here they are:\n\n${ITEMS.join("")}\nThat is all.\n`,
    table: `Here they are:\n\n| a | b | c |\n|---|:-:|--:|\n${ROWS.join("")}\nThat is all.\n`,
    bullets: ITEMS.map((item) => item.replace(/^\d+\./, "-")).join("\n"),
  };

  it.each(["list", "table", "bullets"] as const)("settles a long %s while it is written", (kind) => {
    const text = LONG[kind];
    const half = streamed(text.slice(0, 9_000), 97);
    expect(half.settledLength).toBeGreaterThan(5_000);
    const whole = split(text, half);
    expect(whole.pieces[2]).toBe(half.pieces[2]);
    expect(sources(whole.pieces)).toEqual(sources(split(text).pieces));
    for (const { source } of whole.pieces) expect(source.length).toBeLessThan(2_300);
  });

  it.each([31, 250])("loses nothing of a long list or table that comes %i characters at a time", (step) => {
    const list = streamed(LONG.list, step).pieces.filter(({ kind }) => kind === "list");
    expect(
      list
        .map(({ source }) => source)
        .join("")
        .trim(),
    ).toBe(ITEMS.join("").trim());
    expect(list.map(({ joined }) => joined)).toEqual(list.map((_, at) => at > 0));
    expect(list[0]?.from).toBe(1);
    const [head, ...rows] = streamed(LONG.table, step).pieces.filter(({ kind }) => kind === "table");
    const heading = "| a | b | c |\n|---|:-:|--:|\n";
    const parts = [head, ...rows].map((piece) => piece?.source.slice(heading.length));
    expect(parts.join("").trim()).toBe(ROWS.join("").trim());
    expect(rows.every(({ source }) => source.startsWith(heading))).toBe(true);
  });
});
