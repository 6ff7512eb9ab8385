/** The outer world of a stream, moved by hand: its clock, its network, its device. */

import type { SignalboxEvent } from "../src/events.gen.js";
import type { Clock } from "../src/stream/clock.js";
import { EventStream } from "../src/stream/event-stream.js";
import type { ConnectionState, StateDetail, StreamOptions, Target } from "../src/stream/options.js";
import { FrameReader } from "../src/stream/sse.js";
import type { Refusal, Sink, StreamRequest, Transport } from "../src/stream/transports/types.js";
import type { WakeSignal, WakeSource } from "../src/stream/wake.js";

export class HandClock implements Clock {
  #now = 1_000_000;
  #set = 0;
  #next = 1;
  readonly #timers = new Map<number, { due: number; callback: () => void }>();

  now(): number {
    return this.#now + this.#set;
  }

  /** Somebody sets the clock; timers do not care. */
  set(ms: number): void {
    this.#set += ms;
  }

  setTimeout(callback: () => void, ms: number): number {
    const timer = this.#next;
    this.#next += 1;
    this.#timers.set(timer, { due: this.#now + ms, callback });
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as number);
  }

  /** Timers that would still keep something alive. */
  get pending(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (let due = this.#due(end); due !== null; due = this.#due(end)) {
      this.#now = Math.max(this.#now, due);
      this.#run();
    }
    this.#now = end;
  }

  /** Time passes, but no timer runs before it has. */
  sleep(ms: number): void {
    this.#now += ms;
    this.#run();
  }

  #due(end: number): number | null {
    const next = Math.min(...[...this.#timers.values()].map((timer) => timer.due));
    return next <= end ? next : null;
  }

  #run(): void {
    for (const [timer, { due, callback }] of [...this.#timers]) {
      if (due <= this.#now && this.#timers.delete(timer)) callback();
    }
  }
}

export class HandWake implements WakeSource {
  online = true;
  readonly listeners = new Set<(signal: WakeSignal) => void>();

  listen(listener: (signal: WakeSignal) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  send(signal: WakeSignal): void {
    if (signal === "online" || signal === "offline") this.online = signal === "online";
    for (const listener of [...this.listeners]) listener(signal);
  }
}

export interface HandConnection {
  readonly request: StreamRequest;
  readonly sink: Sink;
  left: boolean;
}

export class HandTransport implements Transport {
  readonly sendsHeaders = true;
  readonly connections: HandConnection[] = [];

  constructor(readonly hearsHeartbeats = true) {}

  open(request: StreamRequest, sink: Sink): () => void {
    const connection = { request, sink, left: false };
    this.connections.push(connection);
    return () => {
      connection.left = true;
    };
  }

  get last(): HandConnection {
    const connection = this.connections.at(-1);
    if (connection === undefined) throw new Error("There was no connection yet.");
    return connection;
  }

  accept(headers: Record<string, string> = {}): void {
    this.last.sink.accepted((name) => headers[name] ?? null);
  }

  /** What the server writes, on the newest connection. */
  write(...texts: string[]): void {
    const { sink } = this.last;
    sink.alive();
    const reader = new FrameReader();
    for (const frame of reader.feed(texts.join(""))) sink.frame(frame);
    if (reader.retryMs !== null) sink.retry(reader.retryMs);
    if (reader.beats > 0) sink.beat();
  }

  refuse(refusal: Partial<Refusal>): void {
    this.last.sink.refused({ status: 503, retryAfter: null, body: "", ...refusal });
  }

  close(reason: string | null = null): void {
    this.last.sink.closed(reason);
  }
}

/** A stream whose world is moved by hand. Backoff is at its longest, so that its course is known. */
export function byHand(options: Partial<StreamOptions> = {}, target: Target = { conversationId: "c_1" }) {
  const clock = new HandClock();
  const wake = new HandWake();
  const transport = new HandTransport();
  const events: SignalboxEvent[] = [];
  const states: [ConnectionState, StateDetail][] = [];
  const stream = new EventStream({ url: "", headers: {} }, target, {
    clock,
    wake,
    transport,
    random: () => 1,
    onEvent: (event) => events.push(event),
    onState: (state, detail) => states.push([state, detail]),
    ...options,
  });
  const names = () => states.map(([state]) => state);
  const seqs = () => events.map((event) => event.seq);
  return { stream, clock, wake, transport, events, states, names, seqs };
}
