/** What a stream asks of the thing that carries its bytes: one connection at a time, told as it happens. */

import type { Frame } from "../sse.js";

export type TransportName = "eventsource" | "fetch" | "xhr";

export interface StreamRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Where to go on from; a transport puts it where it can. */
  readonly cursor: string | null;
}

export interface Refusal {
  readonly status: number;
  /** The header's value as it came. */
  readonly retryAfter: string | null;
  /** The beginning of the body. */
  readonly body: string;
}

/** Hears one connection: `accepted` once before anything else of a stream; `refused` or `closed` last, or neither. */
export interface Sink {
  /** An event stream begins. `header` reads its response's headers; null where the transport cannot see them. */
  accepted(header: (name: string) => string | null): void;
  /** Bytes came, of whatever meaning. */
  alive(): void;
  /** Among them was a heartbeat. */
  beat(): void;
  frame(frame: Frame): void;
  /** The server said when to come back. */
  retry(ms: number): void;
  /** The connection broke and the platform itself is about to open it again: then `accepted` comes once more. */
  reopening(): void;
  /** Nothing is wrong, but the connection should be replaced by a new one, as it has grown too large. */
  spent(): void;
  /** Something other than an event stream was the answer. */
  refused(refusal: Refusal): void;
  /** The stream is over; `reason` null: it ended in order. */
  closed(reason: string | null): void;
}

export interface Transport {
  /** Whether heartbeats come to `Sink.alive`. Where they do not, silence does not mean that a connection is dead. */
  readonly hearsHeartbeats: boolean;
  /** Whether it can send headers and a body. */
  readonly sendsHeaders: boolean;
  /** Begin; the sink is called later, never from within. The result ends the connection, and the sink hears no more. */
  open(request: StreamRequest, sink: Sink): () => void;
}
