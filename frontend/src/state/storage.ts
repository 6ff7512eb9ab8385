/** What the page keeps in the browser. Storage may be blocked or full; the page then works for as long as it is open. */

function attempt<T>(fallback: T, use: () => T): T {
  try {
    return use();
  } catch {
    return fallback;
  }
}

const OURS = "signalbox.";
const THEME = "signalbox.theme";
const DRAFT = "signalbox.draft.";
const EDIT = "signalbox.edit.";
const KEY = "signalbox.key";
const TEMPORARY = "signalbox.temporary";
const TITLE = "signalbox.title.";
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
  /** What was not taken from there: for the field that is open, else for the next one. */
  giveBack: (conversationId: string | null, text: string) => {
    const field = fields.get(conversationId);
    if (field !== undefined) field(text);
    else if (drafts.read(conversationId) === "") drafts.keep(conversationId, text);
  },
  onGivenBack: (conversationId: string | null, take: (text: string) => void) => {
    fields.set(conversationId, take);
    return () => {
      if (fields.get(conversationId) === take) fields.delete(conversationId);
    };
  },
};

const fields = new Map<string | null, (text: string) => void>();

/** What a sent message is being changed to; null: it is not. The list takes away what is scrolled out of sight. */
export const edits = {
  read: (runId: string) => attempt(null, () => sessionStorage.getItem(EDIT + runId)),
  keep: (runId: string, text: string | null) =>
    attempt(undefined, () => {
      if (text === null) sessionStorage.removeItem(EDIT + runId);
      else sessionStorage.setItem(EDIT + runId, text);
    }),
};

/** The API key, where the server wants one: kept for good or until the tab is closed, as the user chose. */
export const storedKey = {
  read: () => attempt(null, () => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY)),
  keep: (key: string, remember: boolean) =>
    attempt(undefined, () => {
      // An older one must not come back in the next tab.
      localStorage.removeItem(KEY);
      sessionStorage.removeItem(KEY);
      (remember ? localStorage : sessionStorage).setItem(KEY, key);
    }),
};

/** Leave nothing of the user in this tab's storage, nor in what all tabs share. How the page looks stays. */
export function forgetAll({ butKey = false } = {}): void {
  attempt(undefined, () => {
    for (const storage of [localStorage, sessionStorage]) {
      const names = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
      for (const name of names) {
        const stays = name === THEME || (butKey && name === KEY);
        if (name.startsWith(OURS) && !stays) storage.removeItem(name);
      }
    }
  });
}

/** Which conversations of this tab are temporary: they are in no list that could tell. */
export const temporaryChats = {
  has: (conversationId: string) => attempt(false, () => ids().includes(conversationId)),
  add: (conversationId: string) =>
    attempt(undefined, () => sessionStorage.setItem(TEMPORARY, [...ids(), conversationId].join(" "))),
};

/** What such a conversation was named, for the same reason. */
export const temporaryTitles = {
  read: (conversationId: string) => attempt(null, () => sessionStorage.getItem(TITLE + conversationId)),
  keep: (conversationId: string, title: string) =>
    attempt(undefined, () => sessionStorage.setItem(TITLE + conversationId, title)),
};

function ids(): string[] {
  return (sessionStorage.getItem(TEMPORARY) ?? "").split(" ");
}
