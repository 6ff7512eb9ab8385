import { useEffect, useState } from "react";
import { texts } from "../../texts";

/** Milliseconds until `iso`, never below 0, anew as often as its display changes; the clock stops at 0 or if `stopped`. */
export function useTimeLeft(iso: string, stopped: boolean): number {
  const end = new Date(iso).getTime();
  const [left, setLeft] = useState(() => until(end));

  useEffect(() => {
    if (stopped) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      clearTimeout(timer);
      const now = until(end);
      setLeft(now);
      if (now > 0) timer = setTimeout(tick, Math.min(now, now > TEN_MINUTES ? 15_000 : 1_000));
    };
    tick();
    // A page that slept has timers that are late.
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [end, stopped]);

  return left;
}

export const TEN_MINUTES = 600_000;

function until(end: number): number {
  return Number.isNaN(end) ? 0 : Math.max(0, end - Date.now());
}

/** "23 h 59 min", "42 min", and near the end "9:05". */
export function timeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (ms <= TEN_MINUTES) return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
  if (minutes < 60) return texts.units.minutes(minutes);
  return texts.units.hours(Math.floor(minutes / 60), minutes % 60);
}
