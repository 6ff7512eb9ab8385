/**
 * Events that resume by themselves: one read over as many connections as it takes, each event once and in order.
 * It decides when to reconnect and what is a duplicate; how the bytes come is its transport's business.
 */

import { type ClientError, ConnectionLost } from "../errors.js";
import { CatchUp } from "./catch-up.js";
import { eventOf } from "./event-types.js";
import { Link } from "./link.js";
import {
  type Connection,
  type ConnectionState,
  type Settings,
  type StateDetail,
  type StreamOptions,
  settingsOf,
  type Target,
} from "./options.js";
import { Place } from "./place.js";
import { guarded } from "./report.js";
import { judged, Retries } from "./retries.js";
import type { Frame } from "./sse.js";
import type { Refusal, StreamRequest, Transport } from "./transports/types.js";
import type { WakeSignal } from "./wake.js";

/**
 * A run's stream ends after its `complete`. Where the run waits for its user (`complete` with `waiting`) it ends too,
 * and `reconnect`, after the decision, goes on from there. Refusals that would stay refusals end it as well.
 */
export class EventStream {
  protected readonly connection: Connection;
  readonly #target: Target;
  readonly #set: Settings;
  readonly #place: Place;
  readonly #retries: Retries;
  readonly #link: Link;
  readonly #catchUp: CatchUp;
  #state: ConnectionState = "connecting";
  #retryTimer: unknown = null;
  #unlisten: (() => void) | null = null;
  #started = false;
  #closed = false;
  #everLive = false;
  /** Since the last open connection broke, nothing has made up for it yet. */
  #dropped = false;
  /** The run's last word was that it waits. */
  #resting = false;

  /** Throws `TypeError` for a cursor that no stream gave, or a transport that cannot do what is asked. */
  constructor(connection: Connection, target: Target, options: StreamOptions) {
    this.connection = connection;
    this.#target = target;
    this.#set = settingsOf(connection, options);
    const { clock, cursor, transport, idleMs } = this.#set;
    this.#place = new Place(cursor);
    this.#retries = new Retries(this.#set);
    this.#catchUp = new CatchUp(clock, (resumedEvents) => this.#tell("live", { resumedEvents }));
    this.#link = new Link(transport, clock, idleMs, {
      accepted: (header) => this.#accepted(header),
      alive: () => this.#link.doubted && this.#tell("live"),
      frame: (frame) => this.#take(frame),
      retry: (ms) => {
        this.#retries.retryMs = ms;
      },
      reopening: () => this.#reopening(),
      spent: () => this.#replace(),
      refused: (refusal) => this.#refused(refusal),
      closed: (reason) => this.#hungUp(reason),
      silent: () => this.#silent(),
      slept: () => this.#heard("visible"),
    });
  }

  /** The place after the last event given to `onEvent`. */
  get cursor(): string | null {
    return this.#place.cursor;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  start(): void {
    if (!this.#started) this.reconnect();
  }

  /** Connect anew, at once: after `lost`, after `ended` (unless by `close`), or at any other time. */
  reconnect(): void {
    if (this.#closed) return;
    this.#started = true;
    this.#unlisten ??= this.#set.wake.listen((signal) => this.#heard(signal));
    this.#retries.recovered();
    this.#dropped = this.#everLive;
    const state = this.#everLive ? "resuming" : "connecting";
    this.#tell(this.#set.wake.online ? state : "offline", {}, true);
    // The callback may have closed it.
    if (!this.#closed) this.#connect();
  }

  /** Leave the stream for good; the run goes on without a reader. */
  close(): void {
    this.#closed = true;
    if (this.#state !== "ended") this.#end(null);
  }

  protected get transport(): Transport {
    return this.#set.transport;
  }

  /** What the next connection asks for. */
  protected request(): StreamRequest {
    return this.reading(this.#target);
  }

  protected reading(target: Target): StreamRequest {
    const [kind, id] = "runId" in target ? ["runs", target.runId] : ["conversations", target.conversationId];
    const path = `/v1/${kind}/${encodeURIComponent(id)}/events${this.query}`;
    const { url, headers } = this.connection;
    return { method: "GET", url: url + path, headers, body: null, cursor: this.cursor };
  }

  protected get query(): string {
    const { types } = this.#set;
    return types.length > 0 ? `?types=${encodeURIComponent(types.join(","))}` : "";
  }

  /** A connection is open; `header` reads its response's headers where they can be seen. */
  protected opened(_header: (name: string) => string | null): void {}

  // -- connections

  #connect(): void {
    this.#unplan();
    this.#link.open(this.request());
  }

  /** No timer is left that would connect, or tell of the connection there was. */
  #unplan(): void {
    this.#set.clock.clearTimeout(this.#retryTimer);
    this.#catchUp.pause();
  }

  /** A new connection in place of one that is well: nothing is told, nothing is waited for. */
  #replace(): void {
    this.#dropped ||= this.#catchUp.counting;
    this.#connect();
  }

  #accepted(header: (name: string) => string | null): void {
    this.#everLive = true;
    this.opened(header);
    if (this.#dropped) this.#catchUp.begin();
    this.#dropped = false;
    this.#tell("live");
  }

  #silent(): void {
    // Where heartbeats are hidden, silence proves nothing: a new connection in place of the old one does.
    if (this.#link.opened && !this.#set.transport.hearsHeartbeats) this.#replace();
    else this.#failed(new ConnectionLost("nothing came in time"));
  }

  #hungUp(reason: string | null): void {
    if (this.#resting && reason === null) {
      // Most likely all there is, until somebody decides: ask at once, the answer tells.
      this.#resting = false;
      this.#replace();
    } else {
      this.#failed(new ConnectionLost(reason ?? "the connection ended"), this.#retries.retryMs);
    }
  }

  #reopening(): void {
    if (this.#resting) {
      this.#hungUp(null);
      return;
    }
    if (this.#link.settled) this.#retries.recovered();
    this.#dropped = true;
    this.#catchUp.pause();
    this.#tell(this.#set.wake.online ? "resuming" : "offline");
  }

  #refused(refusal: Refusal): void {
    const { over, error } = judged(refusal);
    if (over || error === null) this.#end(error);
    else this.#failed(error, this.#retries.asked(refusal.retryAfter));
  }

  // -- failures and ends

  #failed(error: ClientError, floorMs = 0): void {
    const { clock, wake } = this.#set;
    const wasLive = this.#state === "live";
    if (this.#link.settled) this.#retries.recovered();
    this.#unplan();
    this.#link.rest();
    this.#dropped = this.#everLive;
    const retryInMs = this.#retries.failed(floorMs);
    if (retryInMs === null) {
      this.#lose(error);
      return;
    }
    this.#retryTimer = clock.setTimeout(() => this.#connect(), retryInMs);
    this.#tell(wake.online && wasLive ? "resuming" : "offline", { retryInMs, error });
  }

  #lose(error: ClientError): void {
    const lost = error instanceof ConnectionLost ? error : new ConnectionLost(error.message);
    this.#link.leave();
    this.#tell("lost", { error: lost });
    guarded(() => this.#set.onGiveUp(lost));
  }

  #end(error: ClientError | null): void {
    this.#catchUp.finish();
    this.#unplan();
    this.#link.leave();
    this.#unlisten?.();
    this.#unlisten = null;
    this.#tell("ended", error === null ? {} : { error });
    if (error !== null) guarded(() => this.#set.onGiveUp(error));
  }

  // -- waking

  #heard(signal: WakeSignal): void {
    if (signal !== "offline") {
      if (this.#link.stale(signal) && !this.#toWait) this.reconnect();
      return;
    }
    this.#catchUp.finish();
    this.#link.doubt();
    this.#retries.recovered();
    if (this.#state !== "lost") this.#tell("offline");
  }

  /** A server that said when to come back is taken at its word, whoever wakes. */
  get #toWait(): boolean {
    const planned = !this.#link.exists && this.#state !== "lost";
    return planned && this.#set.clock.now() < this.#retries.notBefore;
  }

  // -- events

  #take(frame: Frame): void {
    const event = frame.data === null ? null : eventOf(frame.data);
    if (!this.#place.pass(frame.id, event?.type ?? null)) return;
    if (frame.data !== null) this.#retries.recovered();
    // An unknown event of a newer server is skipped, but its place counts.
    if (event === null) return;
    const over = "runId" in this.#target && event.type === "complete";
    this.#resting = over && event.status === "waiting";
    this.#catchUp.count();
    const connection = this.#link.id;
    guarded(() => this.#set.onEvent(event, frame.id));
    // The callback may have closed the stream, or connected anew.
    if (over && !this.#resting && this.#link.id === connection) this.#end(null);
  }

  #tell(state: ConnectionState, detail: StateDetail = {}, again = false): void {
    if (state === this.#state && !again && Object.keys(detail).length === 0) return;
    this.#state = state;
    guarded(() => this.#set.onState(state, detail));
  }
}
