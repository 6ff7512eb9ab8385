/**
 * The platform's own `EventSource`: GET, no headers. It hides three things: heartbeats, `retry:`, and why it closed.
 * So the first reconnect is left to it, since it alone knows `retry:`; when it closed for good, `fetch` asks why.
 */

import { EVENT_TYPES } from "../../events.gen.js";
import { FetchTransport } from "./fetch.js";
import { causeOf } from "./response.js";
import type { Sink, StreamRequest, Transport } from "./types.js";

const CLOSED = 2;

export interface EventSourceOptions {
  EventSource?: typeof EventSource;
  withCredentials?: boolean;
  /** What asks why a connection was closed; null: nothing can, and it counts as a failure that passes. */
  inquiry?: Transport | null;
}

export class EventSourceTransport implements Transport {
  readonly hearsHeartbeats = false;
  readonly sendsHeaders = false;
  readonly #inquiry: Transport | null;

  constructor(private readonly options: EventSourceOptions = {}) {
    const credentials = options.withCredentials ? "include" : "same-origin";
    const { inquiry = FetchTransport.streams ? new FetchTransport({ credentials }) : null } = options;
    this.#inquiry = inquiry;
  }

  open(request: StreamRequest, sink: Sink): () => void {
    let leave = () => {};
    const ask = (lastId: string | null) => {
      leave = this.#ask({ ...request, cursor: lastId ?? request.cursor }, sink);
    };
    try {
      const Source = this.options.EventSource ?? globalThis.EventSource;
      const source = new Source(addressOf(request), {
        withCredentials: this.options.withCredentials ?? false,
      });
      leave = () => source.close();
      listenTo(source, sink, ask);
    } catch (error) {
      let left = false;
      leave = () => {
        left = true;
      };
      queueMicrotask(() => !left && sink.closed(causeOf(error)));
    }
    return () => leave();
  }

  #ask(request: StreamRequest, sink: Sink): () => void {
    const unknown = () => sink.closed("the browser closed the connection");
    if (this.#inquiry === null) {
      unknown();
      return () => {};
    }
    const leave = this.#inquiry.open(request, {
      accepted: () => {
        leave();
        unknown();
      },
      refused: (refusal) => sink.refused(refusal),
      closed: (reason) => (reason === null ? unknown() : sink.closed(reason)),
      alive: () => {},
      beat: () => {},
      frame: () => {},
      retry: () => {},
      reopening: () => {},
      spent: () => {},
    });
    return leave;
  }
}

function listenTo(source: EventSource, sink: Sink, ask: (lastId: string | null) => void): void {
  let reopening = false;
  let lastId: string | null = null;
  const take = (event: MessageEvent<string>) => {
    reopening = false;
    sink.alive();
    // It repeats the last id for frames that have none: of ours, only `gap`.
    lastId = event.lastEventId || null;
    sink.frame({ id: event.type === "gap" ? null : lastId, event: event.type, data: event.data });
  };
  const fail = () => {
    if (source.readyState === CLOSED) {
      ask(lastId);
    } else if (!reopening) {
      reopening = true;
      sink.reopening();
    } else {
      source.close();
      sink.closed("the connection ended");
    }
  };
  source.onopen = () => sink.accepted(() => null);
  source.onmessage = take;
  for (const type of EVENT_TYPES) {
    source.addEventListener(type, (event) => {
      // The contract has a type `error`, and so has the platform, whose events carry nothing.
      if ("data" in event) take(event as MessageEvent<string>);
      else fail();
    });
  }
}

function addressOf(request: StreamRequest): string {
  if (request.cursor === null) return request.url;
  const sign = request.url.includes("?") ? "&" : "?";
  return `${request.url}${sign}lastEventId=${encodeURIComponent(request.cursor)}`;
}
