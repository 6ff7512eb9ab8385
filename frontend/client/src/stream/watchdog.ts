/** Notices silence on a connection, and that the device slept, from one timer and a clock that goes on meanwhile. */

import type { Clock } from "./clock.js";

const TICK_MS = 5_000;
// Pages in the background get their timers late, which costs no more than a look at the connection.
const LATE_MS = 10_000;

export interface Noticed {
  /** Nothing came for the limit given to `watch`. */
  silent(): void;
  /** No timer ran for a while, though time passed. */
  slept(): void;
}

export class Watchdog {
  #timer: unknown = null;
  #ticked = 0;
  #heard = 0;
  #limitMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly noticed: Noticed,
  ) {}

  /** Milliseconds since something was heard. */
  get silentMs(): number {
    return this.clock.now() - this.#heard;
  }

  get limitMs(): number {
    return this.#limitMs;
  }

  heard(): void {
    this.#heard = this.clock.now();
  }

  /** From now on silence is `limitMs` without `heard`; sleep is noticed in any case. */
  watch(limitMs: number): void {
    this.stop();
    this.heard();
    this.#limitMs = limitMs;
    this.#ticked = this.clock.now();
    this.#schedule();
  }

  /** The limit is another one from now on; the silence so far counts. */
  allow(limitMs: number): void {
    if (limitMs === this.#limitMs || this.#timer === null) return;
    this.#limitMs = limitMs;
    this.clock.clearTimeout(this.#timer);
    this.#schedule();
  }

  stop(): void {
    this.clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  #schedule(): void {
    // Short limits are kept exactly: the next tick is due when silence would be.
    const left = this.#limitMs - this.silentMs;
    this.#timer = this.clock.setTimeout(() => this.#tick(), Math.max(1, Math.min(TICK_MS, left)));
  }

  #tick(): void {
    const late = this.clock.now() - this.#ticked - TICK_MS;
    this.#ticked = this.clock.now();
    this.#schedule();
    // The clock may also have been set back: then silence cannot be measured, and begins anew.
    if (this.silentMs < 0) this.heard();
    if (late > LATE_MS) this.noticed.slept();
    else if (this.silentMs >= this.#limitMs) this.noticed.silent();
  }
}
