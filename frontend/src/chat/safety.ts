/** What a stranger's text may do on the page: decided here, for answers and for everything quoted in them. */

const SCHEMES = new Set(["http:", "https:", "mailto:"]);
const BIDI_CONTROLS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** The address if it may be followed, else null: only the web and mail, only absolute. */
export function safeHref(href: string | null | undefined): string | null {
  if (!href) return null;
  try {
    const url = new URL(href);
    return SCHEMES.has(url.protocol) ? url.href : null;
  } catch {
    return null; // Not an address at all, or one of this page: neither is for an answer to send people to.
  }
}

/** Without the marks that make text read in another order than it is stored. */
export function withoutOverrides(text: string): string {
  return text.replace(BIDI_CONTROLS, "");
}
