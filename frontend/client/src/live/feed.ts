/** What a conversation is followed through: a connection of its own, or one that tabs share. */

import type { EventsPage } from "../calls/api.js";
import type { ClientError } from "../errors.js";
import type { SignalboxEvent } from "../events.gen.js";
import type { Connection, ConnectionState, StateDetail, StreamOptions, Target } from "../stream/options.js";

/** Events of a conversation, each once and in order, until it is closed. */
export interface Feed {
  readonly cursor: string | null;
  start(): void;
  reconnect(): void;
  close(): void;
}

export interface FeedOptions {
  cursor: string | null;
  onEvent(event: SignalboxEvent, id: string | null): void;
  onState(state: ConnectionState, detail: StateDetail): void;
  onGiveUp(error: ClientError): void;
}

/** The part of `Client` that a feed needs. */
export interface Source {
  readonly connection: Connection;
  stream(target: Target, options: StreamOptions): Feed;
  eventsAfter(conversationId: string, cursor: string | null): Promise<EventsPage>;
}
