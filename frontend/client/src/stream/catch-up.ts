/** Counts the events that a reconnect makes up for: those that come before the first pause after it. */

import type { Clock } from "./clock.js";

// The log answers in one go; a pause as short as this already means that what comes now is new.
const PAUSE_MS = 150;
// While an answer is being written there may be no pause at all.
const LONGEST_MS = 1_000;

export class CatchUp {
  #count = 0;
  #until: number | null = null;
  #timer: unknown = null;

  constructor(
    private readonly clock: Clock,
    private readonly done: (events: number) => void,
  ) {}

  get counting(): boolean {
    return this.#until !== null;
  }

  /** A connection that makes up for a drop is open. What an earlier one had made up for counts too. */
  begin(): void {
    this.#until = this.clock.now() + LONGEST_MS;
    this.#wait(LONGEST_MS);
  }

  count(): void {
    if (this.#until === null) return;
    this.#count += 1;
    this.#wait(Math.min(PAUSE_MS, this.#until - this.clock.now()));
  }

  /** The connection dropped again before it was done. */
  pause(): void {
    this.clock.clearTimeout(this.#timer);
    this.#until = null;
  }

  /** Tell now what was counted so far, if it was begun. */
  finish(): void {
    if (this.#until === null) return;
    this.pause();
    const events = this.#count;
    this.#count = 0;
    this.done(events);
  }

  #wait(ms: number): void {
    this.clock.clearTimeout(this.#timer);
    this.#timer = this.clock.setTimeout(() => this.finish(), Math.max(0, ms));
  }
}
