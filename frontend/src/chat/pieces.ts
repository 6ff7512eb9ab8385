import type { Token, Tokens } from "marked";
import { blocksIn } from "./lexer";

/**
 * A stretch of Markdown that is drawn by itself. `code` needs no parsing; `joined` goes on in the same paragraph, list
 * or table as the piece before it.
 */
export interface Piece {
  readonly kind: "text" | "code" | "list" | "table";
  readonly source: string;
  readonly language: string;
  readonly joined: boolean;
  /** Of a numbered list the number it begins with; null for bullets, and for all else. */
  readonly from: number | null;
}

/** What is settled ends within such a block; `head` is what the rest of a table needs before it to be one. */
interface Within {
  readonly kind: Piece["kind"];
  readonly head: string;
}

/** What has been split so far; give it back with the longer text and only the end is looked at again. */
export interface Split {
  readonly text: string;
  readonly pieces: readonly Piece[];
  /** How much of `text` is in pieces that more text cannot change, and how many of them there are. */
  readonly settledLength: number;
  readonly settledPieces: number;
  readonly within: Within | null;
}

export const nothingSplit: Split = {
  text: "",
  pieces: [],
  settledLength: 0,
  settledPieces: 0,
  within: null,
};

// A paragraph, list or table longer than this is drawn in parts, or each chunk would cost as much as all before it.
const LONGEST = 2_000;
// The last blocks may still join with what comes: a list goes on after a blank line, a paragraph becomes a table.
const OPEN_BLOCKS = 2;
// So may the last items and rows: "-" may become a rule.
const OPEN_LINES = 2;

/** `text` in pieces. Cheap for text that only grew: settled pieces stay the same objects. */
export function split(text: string, before: Split = nothingSplit): Split {
  const grown = text.startsWith(before.text) && before.text !== "";
  const start = grown ? before : nothingSplit;
  const rest = (start.within?.head ?? "") + text.slice(start.settledLength);
  const blocks = blocksIn(rest).map((token, at) => blockOf(token, at === 0 ? start.within : null));
  const open = firstOpen(blocks);
  const pieces = start.pieces.slice(0, start.settledPieces);
  let { settledLength, settledPieces, within } = start;
  blocks.forEach(({ parts, length, kind, head }, at) => {
    pieces.push(...parts.map(({ piece }) => piece));
    if (at > open) return;
    const settled = at < open ? length : lengthOf(parts.slice(0, -1));
    if (settled === 0) return;
    settledLength += settled;
    settledPieces = at < open ? pieces.length : pieces.length - 1;
    within = at < open ? null : { kind, head };
  });
  return { text, pieces: reused(pieces, before.pieces), settledLength, settledPieces, within };
}

interface Part {
  readonly piece: Piece;
  /** How much of the text it takes, without the `head` that stands before it in its source. */
  readonly length: number;
}

/** A block of the text; one that is nothing to see has no parts. */
interface Block {
  readonly kind: Piece["kind"];
  readonly head: string;
  readonly parts: readonly Part[];
  readonly length: number;
  readonly blank: boolean;
}

/** From which block on they are not settled. Those before one that is long enough to be cut are. */
function firstOpen(blocks: readonly Block[]): number {
  let at = blocks.length;
  for (let open = 0; at > 0 && open < OPEN_BLOCKS; at -= 1) {
    if (!blocks[at - 1]?.blank) open += 1;
  }
  return Math.max(
    at,
    blocks.findLastIndex(({ parts }) => parts.length > 1),
  );
}

function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((length, part) => length + part.length, 0);
}

/** `within`: the block goes on what is settled, and has its head before it. */
function blockOf(token: Token, within: Within | null): Block {
  const { kind, sources, head, from } = cutUp(token);
  const joined = within?.kind === kind;
  const skipped = within?.head.length ?? 0;
  const language = languageOf(token);
  const parts = sources.map((source, at): Part => {
    const goesOn = at > 0 || joined;
    return {
      piece: {
        kind,
        source: at > 0 ? head + source : source,
        language,
        joined: goesOn,
        from: goesOn ? null : from,
      },
      length: source.length - (at === 0 ? skipped : 0),
    };
  });
  return { kind, head, parts, length: token.raw.length - skipped, blank: token.type === "space" };
}

interface Cut {
  readonly kind: Piece["kind"];
  readonly sources: readonly string[];
  readonly head: string;
  readonly from: number | null;
}

function cutUp(token: Token): Cut {
  const whole = { head: "", from: null };
  switch (token.type) {
    case "space":
    case "def":
      return { ...whole, kind: "text", sources: [] };
    case "code":
      return { ...whole, kind: "code", sources: [(token as Tokens.Code).text] };
    case "paragraph":
      return { ...whole, kind: "text", sources: cut(token.raw) };
    case "list":
      return listCut(token as Tokens.List);
    case "table":
      return tableCut(token as Tokens.Table);
    default:
      return { ...whole, kind: "text", sources: [token.raw] };
  }
}

function languageOf(token: Token): string {
  return token.type === "code" ? ((token as Tokens.Code).lang?.split(/\s/)[0] ?? "") : "";
}

function listCut(list: Tokens.List): Cut {
  const items = list.items.slice(0, -1).map(({ raw }) => raw);
  // The raw text of the last item has lost its line end.
  const last = list.raw.slice(items.join("").length);
  return {
    kind: "list",
    sources: gathered([...items, last]),
    head: "",
    from: list.ordered ? Number(list.start) : null,
  };
}

function tableCut(table: Tokens.Table): Cut {
  const lines = table.raw.split(/(?<=\n)/);
  const [first = "", ...others] = gathered(lines.slice(2));
  const head = lines.slice(0, 2).join("");
  return { kind: "table", sources: [head + first, ...others], head, from: null };
}

/** Lines together until they are long enough to be a part; the last ones stay with what is before them. */
function gathered(lines: readonly string[]): string[] {
  const parts: string[] = [];
  let part = "";
  lines.forEach((line, at) => {
    part += line;
    if (part.length < LONGEST || lines.length - at <= OPEN_LINES) return;
    parts.push(part);
    part = "";
  });
  return part === "" && parts.length > 0 ? parts : [...parts, part];
}

/** A very long paragraph in parts; the cuts depend on what is before them only, so they stay. */
function cut(paragraph: string): string[] {
  const parts: string[] = [];
  let rest = paragraph;
  while (rest.length > LONGEST) {
    const end = placeToCut(rest);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...parts, rest];
}

/** Before a word, since a part that begins with a mark would be a list or a heading; best where no mark is open. */
function placeToCut(text: string): number {
  let between = 0;
  for (let at = LONGEST - 1; at > LONGEST / 2; at -= 1) {
    if (!/\s/.test(text.charAt(at - 1)) || !/\p{L}/u.test(text.charAt(at))) continue;
    if (isClosed(text.slice(0, at))) return at;
    between ||= at;
  }
  return between || LONGEST;
}

function isClosed(text: string): boolean {
  const count = (mark: RegExp) => text.match(mark)?.length ?? 0;
  const opened = count(/[[(]/g) - count(/[\])]/g);
  return count(/\*+/g) % 2 === 0 && count(/`+/g) % 2 === 0 && opened === 0;
}

/** The old object wherever nothing changed, so that a memoised component has nothing to do. */
function reused(pieces: readonly Piece[], before: readonly Piece[]): Piece[] {
  return pieces.map((piece, at) => {
    const old = before[at];
    return old !== undefined && same(old, piece) ? old : piece;
  });
}

function same(a: Piece, b: Piece): boolean {
  const names = ["kind", "source", "language", "joined", "from"] as const;
  return names.every((name) => a[name] === b[name]);
}
