/** A stretch of text; `found`: it is what was searched for. */
export interface Stretch {
  readonly text: string;
  readonly found: boolean;
}

const BEFORE_CHARS = 24;

/** `text` with the words of the query told apart; `short`: from a few words before the first of them on. */
export function found(text: string, query: string, { short = false } = {}): Stretch[] {
  const words = query.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [{ text, found: false }];
  const any = new RegExp(`(${words.toSorted(longestFirst).map(literal).join("|")})`, "giu");
  const parts = (short ? begun(text, text.search(any)) : text).split(any);
  // Split by a group, every other part is what the group matched.
  return parts.map((part, at) => ({ text: part, found: at % 2 === 1 })).filter((part) => part.text !== "");
}

function begun(text: string, place: number): string {
  if (place <= BEFORE_CHARS) return text;
  const space = text.indexOf(" ", place - BEFORE_CHARS);
  return `…${text.slice(space < 0 || space >= place ? place : space + 1)}`;
}

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

function literal(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
