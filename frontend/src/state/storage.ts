/** What the page keeps in the browser. Storage may be blocked or full; the page then works for as long as it is open. */

function attempt<T>(fallback: T, use: () => T): T {
  try {
    return use();
  } catch {
    return fallback;
  }
}

const DRAFT = "signalbox.draft.";
const KEY = "signalbox.key";
const TEMPORARY = "signalbox.temporary";
const NEW = "new";

/** What was typed into a conversation and not sent; it survives a reload of this tab. */
export const drafts = {
  read: (conversationId: string | null) =>
    attempt("", () => sessionStorage.getItem(DRAFT + (conversationId ?? NEW)) ?? ""),
  keep: (conversationId: string | null, text: string) =>
    attempt(undefined, () => {
      const name = DRAFT + (conversationId ?? NEW);
      if (text === "") sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, text);
    }),
};

/** The API key, where the server wants one: kept for good or until the tab is closed, as the user chose. */
export const storedKey = {
  read: () => attempt(null, () => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY)),
  keep: (key: string, remember: boolean) =>
    attempt(undefined, () => (remember ? localStorage : sessionStorage).setItem(KEY, key)),
  forget: () =>
    attempt(undefined, () => {
      localStorage.removeItem(KEY);
      sessionStorage.removeItem(KEY);
    }),
};

/** Which conversations of this tab are temporary: they are in no list that could tell. */
export const temporaryChats = {
  has: (conversationId: string) => attempt(false, () => ids().includes(conversationId)),
  add: (conversationId: string) =>
    attempt(undefined, () => sessionStorage.setItem(TEMPORARY, [...ids(), conversationId].join(" "))),
};

function ids(): string[] {
  return (sessionStorage.getItem(TEMPORARY) ?? "").split(" ");
}
