/** A conversation as it stands and as it goes on: loads it, follows it over one connection, folds events into a view. */

import type { Client, ConnectionState, RunHandle, SendOptions } from "./client.js";
import type { SignalboxEvent } from "./events.gen.js";
import type { ConversationView } from "./view.js";

export interface LiveState {
  readonly view: ConversationView;
  readonly connection: ConnectionState;
  /** How many events the last reconnect made up for; null before the first one. `at` is a `Date.now()`. */
  readonly resumed: { readonly events: number; readonly at: number } | null;
  /** Nothing of the conversation is known yet. */
  readonly loading: boolean;
  /** Why it could not be loaded or followed; null while all is well. */
  readonly error: Error | null;
}

/** `conversationId` null: a new conversation, which gets its id from the first message. */
export declare class LiveConversation {
  constructor(client: Client, conversationId: string | null);
  readonly conversationId: string | null;
  /** The same object until something changes, so that it can feed `useSyncExternalStore`. */
  readonly state: LiveState;
  /** Called at most once a frame, however many events came. */
  subscribe(listener: () => void): () => void;
  /** Every event as it came, duplicates already dropped. */
  onEvent(listener: (event: SignalboxEvent, id: string | null) => void): () => void;
  /** Send a message here; the view shows it at once. */
  send(message: string, options?: SendOptions): Promise<RunHandle>;
  /** Try again now, after `connection` became `lost`. */
  reconnect(): void;
  close(): void;
}
