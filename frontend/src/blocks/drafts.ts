/** The text of a draft with its [blanks]: found, filled in, and put into a mail link. */

import { inert } from "../safe/inert";

export interface Piece {
  readonly text: string;
  /** The blank this stands for; null for text as written. */
  readonly blank: string | null;
  readonly filled: boolean;
}

export type Values = Readonly<Record<string, string>>;

// Mail programs and the systems that start them cut longer addresses, some without a word.
const LONGEST_LINK = 1_900;
const ADDRESS = /^[^\s@<>,;:?&"'()[\]\\]{1,64}@[^\s@<>,;:?&"'()[\]\\/]{1,255}$/;

/** Those blanks that stand in one of the texts, each once. */
export function open(blanks: readonly string[], ...texts: readonly string[]): string[] {
  return [...new Set(blanks.map(inert))].filter(
    (blank) => blank.length > 1 && texts.some((text) => text.includes(blank)),
  );
}

/** `text` cut at its blanks, each with the value that fills it. */
export function pieces(text: string, blanks: readonly string[], values: Values): Piece[] {
  const known = open(blanks, text).toSorted((a, b) => b.length - a.length);
  if (known.length === 0) return text ? [{ text, blank: null, filled: false }] : [];
  const pattern = new RegExp(`(${known.map(escaped).join("|")})`);
  return text.split(pattern).flatMap((part, index): Piece[] => {
    if (part === "") return [];
    if (index % 2 === 0) return [{ text: part, blank: null, filled: false }];
    const value = Object.hasOwn(values, part) ? values[part]?.trim() : "";
    return [{ text: value || part, blank: part, filled: Boolean(value) }];
  });
}

export function filled(text: string, blanks: readonly string[], values: Values): string {
  return pieces(text, blanks, values)
    .map((piece) => piece.text)
    .join("");
}

/** What was filled in, a line each, as the assistant takes it: "[company]: Acme". */
export function told(blanks: readonly string[], values: Values): string {
  return blanks
    .flatMap((blank) => {
      const value = Object.hasOwn(values, blank) ? values[blank]?.trim() : "";
      return value ? [`${blank}: ${value}`] : [];
    })
    .join("\n");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** One recipient as a link can name one; "" for what is none, so that nothing else gets into the link by it. */
export function address(to: string | null | undefined): string {
  const text = inert(to).trim();
  return ADDRESS.test(text) ? text : "";
}

/** A mail link; `whole` is false if the text is too long for one and left out. */
export function mailLink(to: string, subject: string, body: string): { href: string; whole: boolean } {
  const head = `mailto:${address(to).split("@").map(encodeURIComponent).join("@")}?subject=${encoded(subject)}`;
  const href = `${head}&body=${encoded(body)}`;
  return href.length <= LONGEST_LINK
    ? { href, whole: true }
    : { href: head.slice(0, LONGEST_LINK), whole: false };
}

// Lines of a mail end in CR LF (RFC 6068); a half of a pair of surrogates cannot be encoded at all.
function encoded(text: string): string {
  return encodeURIComponent(inert(text).replace(/\n/g, "\r\n"));
}

/** A file name made of a title. */
export function fileName(title: string): string {
  const words = title
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");
  return `${words || "letter"}.txt`;
}

export function words(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
