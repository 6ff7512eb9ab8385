/** A stream over real sockets, in a hurry, read until it is over. */

import type { SignalboxEvent } from "../src/events.gen.js";
import { EventStream } from "../src/stream/event-stream.js";
import type { ConnectionState, StateDetail, StreamOptions, Target } from "../src/stream/options.js";
import { EventSourceTransport } from "../src/stream/transports/eventsource.js";
import { FetchTransport } from "../src/stream/transports/fetch.js";
import type { Transport } from "../src/stream/transports/types.js";
import { XhrTransport } from "../src/stream/transports/xhr.js";
import type { Wire } from "./server.js";
import { NodeEventSource, NodeXhr } from "./shims.js";

export const xhr = (maxChars?: number): Transport =>
  new XhrTransport({
    XMLHttpRequest: NodeXhr as unknown as new () => XMLHttpRequest,
    ...(maxChars !== undefined && { maxChars }),
  });
export const eventSource = (inquiry?: Transport | null): Transport =>
  new EventSourceTransport({
    EventSource: NodeEventSource as unknown as typeof EventSource,
    ...(inquiry !== undefined && { inquiry }),
  });

export const TRANSPORTS: Record<string, () => Transport> = {
  fetch: () => new FetchTransport(),
  xhr: () => xhr(),
  eventsource: () => eventSource(),
};

export const HURRY = { backoffBaseMs: 1, backoffCapMs: 20, giveUpAfterMs: 5_000 };

export class Collected {
  readonly events: SignalboxEvent[] = [];
  readonly states: [ConnectionState, StateDetail][] = [];
  readonly stream: EventStream;
  /** Resolves once the stream is `ended` or `lost`. */
  readonly over: Promise<void>;
  #waiting: (() => void)[] = [];

  constructor(
    wire: Wire | string,
    transport: Transport,
    options: Partial<StreamOptions> = {},
    target?: Target,
  ) {
    const url = typeof wire === "string" ? wire : wire.url;
    let done = () => {};
    this.over = new Promise((resolve) => {
      done = resolve;
    });
    this.stream = new EventStream({ url, headers: {} }, target ?? { runId: "r_1" }, {
      ...HURRY,
      transport,
      ...options,
      onEvent: (event, id) => {
        this.events.push(event);
        options.onEvent?.(event, id);
        this.#look();
      },
      onState: (state, detail) => {
        this.states.push([state, detail]);
        if (state === "ended" || state === "lost") done();
        this.#look();
      },
    });
    this.stream.start();
  }

  get seqs(): number[] {
    return this.events.map((event) => event.seq);
  }

  get names(): ConnectionState[] {
    return this.states.map(([state]) => state);
  }

  get text(): string {
    return this.events.map((event) => (event.type === "chunk" ? event.content : "")).join("");
  }

  /** Wait until what was collected satisfies `condition`. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  #look(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

export const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);
