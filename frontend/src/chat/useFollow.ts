import { useCallback, useEffect, useRef, useState } from "react";
import { atEnd, type Follow, moved, type Place, startFollowing, target } from "./follow";

/**
 * Keeps a scrolled list at its end while it grows, until its reader goes up. `textGrows`: what is being added is text,
 * which is followed; else it stands below a text, which then stays in sight.
 */
export function useFollow(textGrows: boolean) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [away, setAway] = useState(false);
  const [placed, setPlaced] = useState(false);
  const follow = useRef<Follow>(startFollowing);
  const growing = useRef(textGrows);
  growing.current = textGrows;
  const going = useRef(false);

  useEffect(() => {
    if (scroller === null) return;
    const see = (next: Follow) => {
      follow.current = next;
      setAway(!atEnd(next.place));
    };
    const grown = () => {
      const keep = growing.current || going.current ? null : lastAnswerTop(scroller);
      const top = target(follow.current, placeOf(scroller), keep);
      if (top !== null) scroller.scrollTop = top;
      see({ ...follow.current, place: placeOf(scroller) });
    };
    const reader = readerOf(scroller);
    const scrolled = () => see(moved(follow.current, placeOf(scroller), reader.isMoving()));
    const observer = new ResizeObserver(grown);
    observer.observe(scroller);
    const list = scroller.querySelector("[data-testid=virtuoso-item-list]");
    if (list !== null) observer.observe(list);
    scroller.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      observer.disconnect();
      reader.leave();
      scroller.removeEventListener("scroll", scrolled);
    };
  }, [scroller]);

  const toEnd = useCallback(() => {
    if (scroller === null) return () => {};
    going.current = true;
    follow.current = { following: true, place: placeOf(scroller) };
    return settle(scroller, follow, growing, () => {
      going.current = false;
      setAway(!atEnd(placeOf(scroller)));
      setPlaced(true);
    });
  }, [scroller]);
  useEffect(() => toEnd(), [toEnd]);

  return { setScroller, away, placed, toEnd };
}

const MOST_FRAMES = 40;
const STEADY_FRAMES = 3;

/** Goes to the end until that stays where it is: how high the items are is known only once they were drawn. */
function settle(
  scroller: HTMLElement,
  follow: { readonly current: Follow },
  growing: { readonly current: boolean },
  done: () => void,
): () => void {
  let frame = 0;
  let frames = 0;
  let steady = 0;
  let height = -1;
  const step = () => {
    frames += 1;
    const drawn = scroller.querySelector("[data-run]") !== null;
    steady = drawn && scroller.scrollHeight === height ? steady + 1 : 0;
    height = scroller.scrollHeight;
    if (follow.current.following) scroller.scrollTop = height;
    // While text streams in it never is steady, and is followed anyway.
    const soon = drawn && growing.current && frames > STEADY_FRAMES;
    const over = steady >= STEADY_FRAMES || soon || frames > MOST_FRAMES;
    if (over || !follow.current.following) done();
    else frame = requestAnimationFrame(step);
  };
  step();
  return () => cancelAnimationFrame(frame);
}

const TOUCHED_MS = 400;
const INPUTS = ["wheel", "touchmove", "keydown"] as const;

/** Whether a movement is the reader's: they use wheel, keys or glass right now, or hold the scrollbar. */
function readerOf(scroller: HTMLElement) {
  const gone = new AbortController();
  const options = { signal: gone.signal, passive: true };
  let touched = Number.NEGATIVE_INFINITY;
  let held = false;
  const touch = () => {
    touched = performance.now();
  };
  for (const input of INPUTS) scroller.addEventListener(input, touch, options);
  scroller.addEventListener(
    "pointerdown",
    () => {
      held = true;
    },
    options,
  );
  window.addEventListener(
    "pointerup",
    () => {
      if (held) touch();
      held = false;
    },
    options,
  );
  return { isMoving: () => held || performance.now() - touched < TOUCHED_MS, leave: () => gone.abort() };
}

function placeOf(element: HTMLElement): Place {
  return { top: element.scrollTop, height: element.scrollHeight, viewport: element.clientHeight };
}

/** Where the newest answer begins, from the top of all that can be scrolled. */
function lastAnswerTop(scroller: HTMLElement): number | null {
  const answer = [...scroller.querySelectorAll("[data-testid=message-assistant]")].at(-1);
  if (answer === undefined) return null;
  return answer.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop - 12;
}
