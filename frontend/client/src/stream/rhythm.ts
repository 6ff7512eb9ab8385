/** How often a connection's heartbeats come, and how long, going by that, its silence may last. */

/** Silence of less than this proves nothing, however often a server beats. */
const SHORTEST_MS = 5_000;
/** One beat may be twice as late as the latest there was. */
const PATIENCE = 3;
/** So many gaps count, the newest; before there are as many, nothing is known. */
const RECENT = 3;
/** Beats that come together were held up on their way, by a proxy or a page that slept: they are one. */
const TOGETHER_MS = 500;

/** One connection's: another one may lead to a server that beats otherwise. */
export class Rhythm {
  readonly #gaps: number[] = [];
  #last: number | null = null;

  constructor(private readonly longestMs: number) {}

  /** A heartbeat came, at this time of the clock. */
  beat(at: number): void {
    const gap = at - (this.#last ?? at);
    if (this.#last !== null && gap >= 0 && gap < TOGETHER_MS) return;
    // A clock that was set back measures nothing.
    if (gap > 0) this.#gaps.push(gap);
    if (this.#gaps.length > RECENT) this.#gaps.shift();
    this.#last = at;
  }

  /** A connection that is silent for longer is dead. */
  get limitMs(): number {
    if (this.#gaps.length < RECENT) return this.longestMs;
    return Math.min(this.longestMs, Math.max(SHORTEST_MS, PATIENCE * Math.max(...this.#gaps)));
  }
}
