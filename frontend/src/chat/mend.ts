/**
 * Markdown that is still being written, made whole: what is open is closed, and what could become anything is held
 * back until it is known. Without it, half a link or table would be seen as text and then jump.
 */
export function mend(text: string): string {
  return closeEmphasis(closeCode(dropHalfLink(holdTable(holdMarkers(text)))));
}

/** A last line of nothing but marks: is it a rule, a heading's underline, a list item, a fence? */
function holdMarkers(text: string): string {
  return text.replace(/(^|\n)[ \t]*(?:[-=*_+]+|#{1,6}|\d{1,3}[.)]?|`{1,3}|~{1,3}|>)[ \t]*$/, "$1");
}

/** The first line of a table is a paragraph until the line below it is there. */
function holdTable(text: string): string {
  const lines = text.split("\n");
  const start = lines.findLastIndex((line) => line.trim() === "") + 1;
  if (!lines[start]?.trimStart().startsWith("|")) return text;
  const columns = cells(lines[start] ?? "");
  const ruled = /^[ \t]*\|?[ \t:|-]*-[ \t:|-]*$/.test(lines[start + 1] ?? "");
  if (lines.length > start + 2) return text;
  if (ruled && cells(lines[start + 1] ?? "") >= columns) return text;
  return lines.slice(0, start).join("\n");
}

function cells(line: string): number {
  return line.replace(/^[ \t]*\|/, "").split("|").length;
}

/** `[label](https://exa` is shown as its label until its address is whole. */
function dropHalfLink(text: string): string {
  const open = /!?\[([^\][\n]*)(?:\](?:\([^()\n]*)?)?$/.exec(text);
  if (open === null) return text;
  const label = open[1] ?? "";
  // `[3]` alone is a citation's mark, whole as it is.
  if (/^\d{1,3}$/.test(label) && open[0].endsWith("]")) return text;
  return text.slice(0, open.index) + label;
}

function closeCode(text: string): string {
  const paragraph = lastParagraph(text);
  const marks = paragraph.match(/`+/g) ?? [];
  return marks.length % 2 === 1 && marks.at(-1)?.length === 1 ? `${text}\`` : text;
}

function closeEmphasis(text: string): string {
  const plain = lastParagraph(text).replace(/`[^`]*`/g, "");
  let mended = text.replace(/(?:\*{1,3}|~~|__?)$/, (mark) => (odd(plain, mark) ? "" : mark));
  for (const mark of ["**", "~~", "__"]) {
    if (odd(lastParagraph(mended).replace(/`[^`]*`/g, ""), mark)) mended = closed(mended, mark);
  }
  return mended;
}

function odd(text: string, mark: string): boolean {
  return (text.split(mark).length - 1) % 2 === 1;
}

/** A closing mark after a space closes nothing. */
function closed(text: string, mark: string): string {
  const end = text.trimEnd();
  return end.endsWith(mark) ? end.slice(0, -mark.length) : `${end}${mark}`;
}

function lastParagraph(text: string): string {
  return text.slice(Math.max(text.lastIndexOf("\n\n"), text.lastIndexOf("\n- "), 0));
}
