/** Text and links of others (postings, models, users), made harmless before they reach the page. */

// Controls act on what shows them, bidirectional ones make a line read as something else than it is, tags are unseen.
const ACTING =
  /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
// A pile of accents on one letter paints over the lines around it; no language needs more than four.
const PILED = /(\p{M}{4})\p{M}+/gu;

/** `text` without anything that acts; line feeds and tabs stay. */
export function inert(text: string | null | undefined): string {
  if (!text) return "";
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(ACTING, "")
    .replace(PILED, "$1");
}

/** `text` on one line, cut after `limit` characters. */
export function line(text: string | null | undefined, limit = Number.POSITIVE_INFINITY): string {
  const whole = inert(text).replace(/\s+/g, " ").trim();
  const letters = limit < whole.length ? [...whole] : null;
  return letters && letters.length > limit ? `${letters.slice(0, limit).join("").trimEnd()}…` : whole;
}

/**
 * The address if it is safe to follow: absolute, http or https, and nothing before an @ that passes for its host.
 * `mail`: or a mail address.
 */
export function safeUrl(address: string | null | undefined, { mail = false } = {}): URL | null {
  const text = inert(address).trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  if (mail && url?.protocol === "mailto:") return url;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  return url.username || url.password || !url.hostname ? null : url;
}
