/** What tabs tell each other, in a form that can be sent. */

import { ApiError, type ClientError, ConnectionLost } from "../errors.js";
import type { SignalboxEvent } from "../events.gen.js";
import type { ConnectionState } from "../stream/options.js";

export type Told = readonly [event: SignalboxEvent, id: string | null];

interface SavedError {
  code: string;
  status: number;
  retry: boolean;
  message: string;
  refused: boolean;
}

export type Said =
  | { kind: "events"; events: readonly Told[] }
  | {
      kind: "here";
      cursor: string | null;
      state: ConnectionState;
      resumedEvents?: number;
      retryInMs?: number;
    }
  | { kind: "over"; state: ConnectionState; error: SavedError }
  | { kind: "ask" }
  | { kind: "reconnect" };

/** An error loses its class on its way to another tab. */
export function saved(error: ClientError): SavedError {
  const { code, status, retry, message } = error;
  const reason = error instanceof ConnectionLost ? error.reason : message;
  return { code, status, retry, message: reason, refused: error instanceof ApiError };
}

export function restored(error: SavedError): ClientError {
  return error.refused
    ? new ApiError(error.message, error.code, error.status, error.retry)
    : new ConnectionLost(error.message);
}
