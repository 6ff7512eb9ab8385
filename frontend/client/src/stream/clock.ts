/** Time as a stream sees it: injected, so that tests need not wait. */

export interface Clock {
  /** Milliseconds that also pass while the device sleeps, as `Date.now()` does. */
  now(): number;
  /** Like the global of that name; the result goes to `clearTimeout`. */
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, ms),
  clearTimeout: (timer) => globalThis.clearTimeout(timer as ReturnType<typeof setTimeout>),
};
