/** Whether somebody may be looking at the page. */

export interface Visibility {
  readonly visible: boolean;
  /** Called at each change. Returns what removes the listener. */
  listen(listener: () => void): () => void;
}

/** Null where there is no page. */
export function pageVisibility(scope: typeof globalThis = globalThis): Visibility | null {
  const page: Document | undefined = scope.document;
  if (typeof page?.addEventListener !== "function") return null;
  return {
    get visible() {
      return page.visibilityState !== "hidden";
    },
    listen: (listener) => {
      page.addEventListener("visibilitychange", listener);
      return () => page.removeEventListener("visibilitychange", listener);
    },
  };
}
