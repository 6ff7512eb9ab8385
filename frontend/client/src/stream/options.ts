/** What can be asked of a stream, and what it says of itself. */

import type { ClientError } from "../errors.js";
import type { SignalboxEvent } from "../events.gen.js";
import type { Clock } from "./clock.js";
import { systemClock } from "./clock.js";
import { isCursor } from "./place.js";
import { pickTransport } from "./transports/pick.js";
import type { Transport, TransportName } from "./transports/types.js";
import { pageWake, type WakeSource } from "./wake.js";

/**
 * `connecting`: for the first time. `live`: events come as they happen. `resuming`: the connection dropped and is being
 * made anew. `offline`: there is no network, or the server did not answer last time; it goes on trying. `ended`:
 * nothing more will come, or it was refused or closed. `lost`: it gave up.
 */
export type ConnectionState = "connecting" | "live" | "resuming" | "offline" | "ended" | "lost";

/** A run is followed until its `complete`, a conversation without end. */
export type Target = { readonly runId: string } | { readonly conversationId: string };

export interface Connection {
  /** Without a slash at the end; "" for the page's own origin. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface StateDetail {
  /** With `live`, after a drop, as soon as it is known: how many events the reconnect made up for. */
  readonly resumedEvents?: number;
  /** With `resuming` and `offline`: when the next try is due, unless something wakes the stream earlier. */
  readonly retryInMs?: number;
  /** What went wrong. */
  readonly error?: ClientError;
}

export interface StreamOptions {
  /** Go on after this one, a stream's `cursor`; null: from the beginning. */
  cursor?: string | null;
  /** Only these types of events; `gap`, `snapshot` and `complete` come all the same. */
  types?: readonly string[];
  transport?: TransportName | Transport;
  /** Silence after which a connection counts as dead; the server's heartbeats come every 15 s. */
  idleMs?: number;
  backoffBaseMs?: number;
  backoffCapMs?: number;
  /** How long nothing but failures may last while online; 0: for ever. */
  giveUpAfterMs?: number;
  /** Each event once and in order, with the place after it. `cursor` is already past it. */
  onEvent: (event: SignalboxEvent, id: string | null) => void;
  onState?: (state: ConnectionState, detail: StateDetail) => void;
  /** It will not try again by itself, unless the device wakes or comes online; `reconnect` makes it. */
  onGiveUp?: (error: ClientError) => void;
  clock?: Clock;
  random?: () => number;
  wake?: WakeSource;
}

export type Settings = ReturnType<typeof settingsOf>;

/** The options with what stands for those left out. Throws `TypeError` for what cannot be. */
export function settingsOf(connection: Connection, options: StreamOptions) {
  const cursor = options.cursor || null;
  if (cursor !== null && !isCursor(cursor)) throw new TypeError("The cursor must be one that a stream gave.");
  const transport = pickTransport(options.transport);
  if (!transport.sendsHeaders && Object.keys(connection.headers).length > 0) {
    throw new TypeError(
      "EventSource cannot send headers: use another transport, or a connection without them.",
    );
  }
  return {
    cursor,
    types: options.types ?? [],
    transport,
    idleMs: options.idleMs ?? 45_000,
    backoffBaseMs: options.backoffBaseMs ?? 250,
    backoffCapMs: options.backoffCapMs ?? 15_000,
    giveUpAfterMs: options.giveUpAfterMs ?? 120_000,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    wake: options.wake ?? pageWake(),
    onEvent: options.onEvent,
    onState: options.onState ?? (() => {}),
    onGiveUp: options.onGiveUp ?? (() => {}),
  };
}
