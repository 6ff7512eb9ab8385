/**
 * When to try again: exponential backoff with full jitter on top of what the server asked for.
 * After https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/. All in milliseconds.
 */

/** What a server asks for is kept to, but not if that would mean never. */
export const MAX_FLOOR_MS = 300_000;

export class Backoff {
  #failures = 0;

  constructor(
    private readonly baseMs: number,
    private readonly capMs: number,
    private readonly random: () => number,
  ) {}

  /** How long to wait after one more failure: never less than `floorMs`, at most `capMs` more than that. */
  next(floorMs = 0): number {
    // 2^30 bases are beyond any cap; without a bound the power would become Infinity, and 0 times that is no number.
    const spread = Math.min(this.capMs, this.baseMs * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return Math.min(Math.max(floorMs, 0), MAX_FLOOR_MS) + this.random() * spread;
  }

  reset(): void {
    this.#failures = 0;
  }
}

/** `Retry-After` in milliseconds from `now` (a `Date.now()`): seconds or an HTTP date; 0 if absent or neither. */
export function retryAfter(value: string | null, now: number): number {
  const text = (value ?? "").trim();
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  // All three of HTTP's date forms begin with a weekday; `Date.parse` alone would take "-5" for a year, and the
  // one form that names no zone for local time.
  if (!/^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return 0;
  const date = Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
