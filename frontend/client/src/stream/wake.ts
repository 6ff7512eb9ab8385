/** When a device or a page comes back: what tells a stream that its connection may have died unnoticed. */

/**
 * `visible`: somebody looks again. `thawed`: no code ran for a while, so connections are as good as dead.
 * `online`, `offline`: the network came or went.
 */
export type WakeSignal = "visible" | "thawed" | "online" | "offline";

export interface WakeSource {
  /** What the platform believes; true where it does not say. */
  readonly online: boolean;
  /** Returns what removes the listener. */
  listen(listener: (signal: WakeSignal) => void): () => void;
}

/** Where nothing tells: Node, workers of old browsers. */
export const stillWake: WakeSource = { online: true, listen: () => () => {} };

/** A page's own signals; in a worker, which is never shown, those of the network; elsewhere `stillWake`. */
export function pageWake(scope: typeof globalThis = globalThis): WakeSource {
  // Node has `navigator` since version 21, but neither its events nor a page.
  if (typeof scope.addEventListener !== "function" || typeof scope.navigator?.onLine !== "boolean") {
    return stillWake;
  }
  return {
    get online() {
      return scope.navigator.onLine;
    },
    listen: (listener) => listenTo(scope, listener),
  };
}

function listenTo(scope: typeof globalThis, listener: (signal: WakeSignal) => void): () => void {
  const removals: (() => void)[] = [];
  const on = (target: EventTarget | undefined, name: string, heard: (event: Event) => void) => {
    target?.addEventListener(name, heard);
    removals.push(() => target?.removeEventListener(name, heard));
  };
  const page: Document | undefined = scope.document;
  on(scope, "online", () => listener("online"));
  on(scope, "offline", () => listener("offline"));
  on(page, "visibilitychange", () => page.visibilityState === "visible" && listener("visible"));
  on(page, "resume", () => listener("thawed"));
  // From the back-forward cache: the browser closed what was open.
  on(scope, "pageshow", (event) => (event as PageTransitionEvent).persisted && listener("thawed"));
  return () => {
    for (const remove of removals) remove();
  };
}

/** The part of React Native's `AppState` that is needed. */
export interface AppState {
  addEventListener(type: "change", listener: (state: string) => void): { remove(): void };
}

/** React Native: an app that comes back from the background, where its sockets may have been taken away. */
export function appWake(appState: AppState): WakeSource {
  return {
    online: true,
    listen: (listener) => {
      const subscription = appState.addEventListener("change", (state) => {
        if (state === "active") listener("visible");
      });
      return () => subscription.remove();
    },
  };
}
