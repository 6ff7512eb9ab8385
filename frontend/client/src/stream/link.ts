/** One connection at a time: opened, watched, let go. It knows when one is dead or doubtful, not what to do then. */

import type { Clock } from "./clock.js";
import { Rhythm } from "./rhythm.js";
import { causeOf } from "./transports/response.js";
import type { Sink, StreamRequest, Transport } from "./transports/types.js";
import type { WakeSignal } from "./wake.js";
import { Watchdog } from "./watchdog.js";

/** A response has to begin within this. */
const CONNECT_MS = 15_000;
/** Only a connection that stayed open this long shows that the server is well. */
const SETTLED_MS = 1_000;
/** After a wake, a connection that was silent for longer than the usual heartbeat takes is not waited for. */
const FRESH_MS = 20_000;
/** After a wake, a try that has got no answer for this long is made anew. */
const HURRY_MS = 2_000;

export interface LinkListener extends Omit<Sink, "beat"> {
  /** Nothing came for too long. */
  silent(): void;
  /** No code ran for a while, though time passed. */
  slept(): void;
}

interface Attempt {
  /** Ends the connection. */
  leave: () => void;
  opened: boolean;
  /** When it was begun; once it is open, when that was. */
  since: number;
  /** How long it may be silent, going by its heartbeats. */
  readonly rhythm: Rhythm;
}

export class Link {
  readonly #watchdog: Watchdog;
  #attempt: Attempt | null = null;
  /** The network went away while the connection was open, and nothing came since. */
  #doubted = false;

  constructor(
    private readonly transport: Transport,
    private readonly clock: Clock,
    private readonly idleMs: number,
    private readonly listener: LinkListener,
  ) {
    this.#watchdog = new Watchdog(clock, {
      silent: () => this.#attempt !== null && listener.silent(),
      slept: () => listener.slept(),
    });
  }

  /** There is a connection, or one is being made. */
  get exists(): boolean {
    return this.#attempt !== null;
  }

  /** Another for each connection; null without one. */
  get id(): object | null {
    return this.#attempt;
  }

  get opened(): boolean {
    return this.#attempt?.opened ?? false;
  }

  get doubted(): boolean {
    return this.#doubted;
  }

  get settled(): boolean {
    return this.opened && this.#age >= SETTLED_MS;
  }

  /** Replace what there is by a new connection. Nothing that the old one still says is heard. */
  open(request: StreamRequest): void {
    this.leave();
    const rhythm = new Rhythm(this.idleMs);
    const attempt: Attempt = { leave: () => {}, opened: false, since: this.clock.now(), rhythm };
    this.#attempt = attempt;
    this.#watchdog.watch(Math.min(CONNECT_MS, this.idleMs));
    try {
      attempt.leave = this.transport.open(request, this.#sink(attempt));
    } catch (error) {
      this.listener.closed(causeOf(error));
    }
  }

  /** Let go of the connection. */
  leave(): void {
    const attempt = this.#attempt;
    this.#attempt = null;
    this.#doubted = false;
    this.#watchdog.stop();
    attempt?.leave();
  }

  /** Let go of the connection, but go on noticing sleep. */
  rest(): void {
    this.leave();
    this.#watchdog.watch(Number.POSITIVE_INFINITY);
  }

  /** Whether, after this signal, a new connection is better than what there is. */
  stale(signal: WakeSignal): boolean {
    if (signal === "thawed" || !this.exists) return true;
    if (!this.opened) return signal === "online" || this.#age >= HURRY_MS;
    if (signal === "online" && this.#doubted) return true;
    return this.#watchdog.silentMs >= Math.min(FRESH_MS, this.#watchdog.limitMs);
  }

  /** The network went away. */
  doubt(): void {
    this.#doubted = this.opened;
  }

  get #age(): number {
    return this.#attempt === null ? 0 : this.clock.now() - this.#attempt.since;
  }

  #sink(attempt: Attempt): Sink {
    const mine = <A extends unknown[]>(act: (...args: A) => void) => {
      return (...args: A) => {
        if (this.#attempt === attempt) act(...args);
      };
    };
    const { listener } = this;
    return {
      accepted: mine((header) => {
        attempt.opened = true;
        attempt.since = this.clock.now();
        this.#watchdog.watch(this.idleMs);
        listener.accepted(header);
      }),
      alive: mine(() => {
        this.#watchdog.heard();
        listener.alive();
        this.#doubted = false;
      }),
      beat: mine(() => {
        attempt.rhythm.beat(this.clock.now());
        this.#watchdog.allow(attempt.rhythm.limitMs);
      }),
      reopening: mine(() => {
        listener.reopening();
        attempt.opened = false;
        if (this.#attempt === attempt) this.#watchdog.watch(CONNECT_MS);
      }),
      frame: mine((frame) => listener.frame(frame)),
      retry: mine((ms) => listener.retry(ms)),
      spent: mine(() => listener.spent()),
      refused: mine((refusal) => listener.refused(refusal)),
      closed: mine((reason) => listener.closed(reason)),
    };
  }
}
