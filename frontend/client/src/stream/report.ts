/** What a caller's own callback throws belongs to the caller: it is shown as uncaught, and nothing else stops for it. */

export function guarded(callback: () => unknown): void {
  try {
    callback();
  } catch (error) {
    if (typeof globalThis.reportError === "function") globalThis.reportError(error);
    else
      setTimeout(() => {
        throw error;
      }, 0);
  }
}
