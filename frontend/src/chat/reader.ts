/** For so long what moves is taken for what the reader has just done: scrolling is animated. */
export const RECENT_MS = 400;
const KEYS = new Set(["ArrowUp", "PageUp", "Home"]);

/** What the reader of a scrolled list is doing with it. */
export interface Reader {
  /** They may be going up: with wheel, keys, glass or scrollbar, or with the focus. */
  isMoving(): boolean;
  /** They have just pressed something in an older turn: what opens there is what they want to see. */
  hasOpened(): boolean;
  leave(): void;
}

/** Listens to what is done in the list of which `newest` is the last turn, if that is drawn. */
export function readerOf(scroller: HTMLElement, newest: () => Element | null): Reader {
  const gone = new AbortController();
  const options = { signal: gone.signal, passive: true };
  let moving = Number.NEGATIVE_INFINITY;
  let held = false;
  let opened = Number.NEGATIVE_INFINITY;
  const moves = () => {
    moving = performance.now();
  };
  const isOlder = (target: EventTarget | null) =>
    target instanceof Element && target.closest("[data-run]") !== null && newest()?.contains(target) !== true;
  const releases = () => {
    if (held) moves();
    held = false;
  };
  scroller.addEventListener("wheel", ({ deltaY }) => deltaY < 0 && moves(), options);
  scroller.addEventListener("touchmove", moves, options);
  scroller.addEventListener("focusin", ({ target }) => isOlder(target) && moves(), options);
  // Keys also scroll the list while nothing has the focus.
  window.addEventListener("keydown", (event) => goesUp(event) && moves(), options);
  scroller.addEventListener(
    "pointerdown",
    ({ target }) => {
      // Only the scrollbar is the scroller itself: all else in it is covered by what it shows.
      held = target === scroller;
    },
    options,
  );
  scroller.addEventListener(
    "click",
    ({ target }) => {
      if (isOlder(target)) opened = performance.now();
    },
    options,
  );
  window.addEventListener("pointerup", releases, options);
  // Not every browser tells that a scrollbar was let go. And who pulls a selection up scrolls as well.
  window.addEventListener("pointermove", ({ buttons }) => (buttons === 0 ? releases() : moves()), options);
  return {
    isMoving: () => held || performance.now() - moving < RECENT_MS,
    hasOpened: () => performance.now() - opened < RECENT_MS,
    leave: () => gone.abort(),
  };
}

function goesUp({ key, shiftKey, target }: KeyboardEvent): boolean {
  const writes = target instanceof Element && target.closest("input, textarea, select") !== null;
  return key === "Tab" || (!writes && (KEYS.has(key) || (key === " " && shiftKey)));
}
