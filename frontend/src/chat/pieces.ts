import { Lexer, type Token, type Tokens } from "marked";

/** A stretch of Markdown that is drawn by itself. `code` needs no parsing; `joined` goes on in the same line. */
export interface Piece {
  readonly kind: "markdown" | "code";
  readonly source: string;
  readonly language: string;
  readonly joined: boolean;
}

/** What has been split so far; give it back with the longer text and only the end is looked at again. */
export interface Split {
  readonly text: string;
  readonly pieces: readonly Piece[];
  /** How much of `text` is in pieces that more text cannot change, and how many of them there are. */
  readonly settledLength: number;
  readonly settledPieces: number;
  /** Whether what is settled ends within a paragraph. */
  readonly within: boolean;
}

export const nothingSplit: Split = {
  text: "",
  pieces: [],
  settledLength: 0,
  settledPieces: 0,
  within: false,
};

// A paragraph longer than this is drawn in parts, or each of its chunks would cost as much as all before it.
const LONGEST_PARAGRAPH = 2_000;
// The last blocks may still join with what comes: a list goes on after a blank line, a paragraph becomes a table.
const OPEN_BLOCKS = 2;

/** `text` in pieces. Cheap for text that only grew: settled pieces stay the same objects. */
export function split(text: string, before: Split = nothingSplit): Split {
  const grown = text.startsWith(before.text) && before.text !== "";
  const start = grown ? before : nothingSplit;
  const tokens = new Lexer({ gfm: true }).blockTokens(text.slice(start.settledLength), []);
  const open = tokens.length - openTokens(tokens);
  const pieces = start.pieces.slice(0, start.settledPieces);
  let { settledLength, settledPieces, within } = start;
  tokens.forEach((token, at) => {
    const made = piecesOf(token, at === 0 && start.within);
    pieces.push(...made);
    const length = at < open ? token.raw.length : settledParts(made);
    if (at > open || length === 0) return;
    settledLength += length;
    settledPieces = at < open ? pieces.length : pieces.length - 1;
    within = at === open;
  });
  return { text, pieces: reused(pieces, before.pieces), settledLength, settledPieces, within };
}

/** Of a long paragraph that may still grow, all parts but the last stay as they are. */
function settledParts(parts: readonly Piece[]): number {
  return parts.slice(0, -1).reduce((length, { source }) => length + source.length, 0);
}

/** How many tokens at the end are not settled. */
function openTokens(tokens: readonly Token[]): number {
  let blocks = 0;
  let count = 0;
  for (const token of tokens.toReversed()) {
    if (blocks === OPEN_BLOCKS) break;
    count += 1;
    if (token.type !== "space") blocks += 1;
  }
  return count;
}

function piecesOf(token: Token, within: boolean): Piece[] {
  if (token.type === "space" || token.type === "def") return [];
  if (token.type === "code") {
    const { text, lang } = token as Tokens.Code;
    return [{ kind: "code", source: text, language: lang?.split(/\s/)[0] ?? "", joined: false }];
  }
  const parts = token.type === "paragraph" ? cut(token.raw) : [token.raw];
  return parts.map((source, at) => ({ kind: "markdown", source, language: "", joined: at > 0 || within }));
}

/** A very long paragraph in parts; the cuts depend on what is before them only, so they stay. */
function cut(paragraph: string): string[] {
  const parts: string[] = [];
  let rest = paragraph;
  while (rest.length > LONGEST_PARAGRAPH) {
    const end = placeToCut(rest);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...parts, rest];
}

/** Before a word, since a part that begins with a mark would be a list or a heading; best where no mark is open. */
function placeToCut(text: string): number {
  let between = 0;
  for (let at = LONGEST_PARAGRAPH - 1; at > LONGEST_PARAGRAPH / 2; at -= 1) {
    if (!/\s/.test(text.charAt(at - 1)) || !/\p{L}/u.test(text.charAt(at))) continue;
    if (isClosed(text.slice(0, at))) return at;
    between ||= at;
  }
  return between || LONGEST_PARAGRAPH;
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
  return a.kind === b.kind && a.source === b.source && a.language === b.language && a.joined === b.joined;
}
