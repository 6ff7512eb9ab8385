import { useCallback, useEffect, useRef, useState } from "react";
import {
  atEnd,
  type Follow,
  laidOut,
  moved,
  type Place,
  type Span,
  startFollowing,
  unsettles,
} from "./follow";
import { RECENT_MS, readerOf } from "./reader";

/**
 * Keeps a scrolled list at its end while it grows, until its reader goes up. `newest` is the run of its last turn;
 * `textGrows`: what is being added to that is text, which is followed; else it stands below a text, which then stays
 * in sight.
 */
export function useFollow(newest: string | undefined, textGrows: boolean) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [away, setAway] = useState(false);
  const [placed, setPlaced] = useState(false);
  const follow = useRef<Follow>(startFollowing);
  const shown = useRef({ newest, textGrows });
  shown.current = { newest, textGrows };
  const going = useRef(false);

  useEffect(() => {
    if (scroller === null) return;
    const turn = () => turnOf(scroller, shown.current.newest);
    const reader = readerOf(scroller, turn);
    const hasGrown = growthOf(turn);
    let shaken = Number.NEGATIVE_INFINITY;
    let below = false;
    let later: ReturnType<typeof setTimeout> | undefined;
    // Who searches in the page has the focus outside of it.
    const isUnsettled = () =>
      going.current ||
      performance.now() - shaken < UNSETTLED_MS ||
      (shown.current.textGrows && document.hasFocus());
    const see = (next: Follow) => {
      const place = placeOf(scroller);
      if (unsettles(follow.current.place, place)) shaken = performance.now();
      if (next.holds !== null && Math.abs(next.place.top - place.top) >= 1)
        scroller.scrollTop = next.place.top;
      follow.current = { holds: next.holds, place: placeOf(scroller) };
      setAway(!atEnd(follow.current.place));
    };
    const grown = () => {
      clearTimeout(later);
      below = hasGrown() || below;
      if (reader.isMoving()) {
        // To be put elsewhere now would stop the movement they have begun, before it has gone anywhere.
        later = setTimeout(grown, RECENT_MS);
        return;
      }
      const { holds } = follow.current;
      const place = placeOf(scroller);
      const text = below || holds === "text" ? textOf(scroller, turn()) : null;
      if (shown.current.textGrows || going.current) see(laidOut(follow.current, place, null));
      else if (reader.hasOpened()) see({ holds: holds && "text", place });
      else see(laidOut(follow.current, place, text));
      below = false;
    };
    const scrolled = () => {
      const byReader = reader.isMoving();
      const place = placeOf(scroller);
      const next = moved(follow.current, place, byReader, isUnsettled());
      see(next.holds === "end" && !byReader ? laidOut(next, place, null) : next);
    };
    const observer = new ResizeObserver(grown);
    observer.observe(scroller);
    const list = scroller.querySelector("[data-testid=virtuoso-item-list]");
    if (list !== null) observer.observe(list);
    scroller.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      observer.disconnect();
      clearTimeout(later);
      reader.leave();
      scroller.removeEventListener("scroll", scrolled);
    };
  }, [scroller]);

  const toEnd = useCallback(() => {
    if (scroller === null) return () => {};
    going.current = true;
    follow.current = { holds: "end", place: placeOf(scroller) };
    return settle(scroller, follow, shown, () => {
      going.current = false;
      setAway(!atEnd(placeOf(scroller)));
      setPlaced(true);
    });
  }, [scroller]);
  useEffect(() => toEnd(), [toEnd]);

  return { setScroller, away, placed, toEnd };
}

// For so long after its window became another, or it much shorter, a list may still look for its place.
const UNSETTLED_MS = 500;
const MOST_FRAMES = 40;
const STEADY_FRAMES = 3;

/** Goes to the end until that stays where it is: how high the items are is known only once they were drawn. */
function settle(
  scroller: HTMLElement,
  follow: { readonly current: Follow },
  shown: { readonly current: { readonly newest: string | undefined; readonly textGrows: boolean } },
  done: () => void,
): () => void {
  let frame = 0;
  let frames = 0;
  let steady = 0;
  let height = -1;
  const step = () => {
    frames += 1;
    const drawn = turnOf(scroller, shown.current.newest) !== null;
    steady = drawn && scroller.scrollHeight === height ? steady + 1 : 0;
    height = scroller.scrollHeight;
    if (follow.current.holds !== null) scroller.scrollTop = height;
    // While text streams in it never is steady, and is followed anyway.
    const soon = drawn && shown.current.textGrows && frames > STEADY_FRAMES;
    const over = steady >= STEADY_FRAMES || soon || frames > MOST_FRAMES;
    if (over || follow.current.holds === null) done();
    else frame = requestAnimationFrame(step);
  };
  step();
  return () => cancelAnimationFrame(frame);
}

/** Tells whether a turn has become longer by itself, and not because it was made narrower. */
function growthOf(turn: () => HTMLElement | null): () => boolean {
  let before: { readonly run: string | undefined; readonly width: number; readonly height: number } | null =
    null;
  return () => {
    const element = turn();
    if (element === null) return false;
    const now = { run: element.dataset.run, width: element.offsetWidth, height: element.offsetHeight };
    const grown =
      before !== null &&
      (now.run !== before.run || (now.width === before.width && now.height > before.height));
    before = now;
    return grown;
  };
}

function placeOf(element: HTMLElement): Place {
  return { top: element.scrollTop, height: element.scrollHeight, viewport: element.clientHeight };
}

function turnOf(scroller: HTMLElement, run: string | undefined): HTMLElement | null {
  return run === undefined ? null : scroller.querySelector(`[data-run="${CSS.escape(run)}"]`);
}

const MARGIN = 12;

/** The last answer of a turn, or its question if it has none; null if the turn is not drawn. */
function textOf(scroller: HTMLElement, turn: HTMLElement | null): Span | null {
  if (turn === null) return null;
  const messages = turn.querySelectorAll("[data-testid=message-assistant], [data-testid=message-user]");
  const { top, bottom } = (messages[messages.length - 1] ?? turn).getBoundingClientRect();
  const origin = scroller.getBoundingClientRect().top - scroller.scrollTop;
  return { top: top - origin - MARGIN, bottom: bottom - origin + MARGIN };
}
