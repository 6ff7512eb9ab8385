/** A message sent and its answer streamed in one request; after a drop the run is resumed like any other stream. */

import type { ChatRequest, RunHandle } from "../calls/api.js";
import { freshKey } from "../calls/keys.js";
import { ConnectionLost } from "../errors.js";
import { EventStream } from "./event-stream.js";
import type { Connection, StreamOptions } from "./options.js";
import type { StreamRequest } from "./transports/types.js";

export interface PostOptions extends StreamOptions {
  /** Made up if absent: however often the request has to be repeated, there is one run. */
  idempotencyKey?: string;
}

/** Starts at once. `run` rejects where the stream ends, is lost or is closed before the server took the message. */
export function postStream(connection: Connection, body: ChatRequest, options: PostOptions): PostedStream {
  const started = new Started();
  const stream = new PostedStream(connection, body, options, started);
  stream.start();
  return stream;
}

/** The run that the message started, once it is known: from the response's headers, else from its first event. */
class Started {
  run: RunHandle | null = null;
  resolve: (run: RunHandle) => void = () => {};
  reject: (error: Error) => void = () => {};
  readonly promise = new Promise<RunHandle>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    // Whoever does not look at it is told by `onState`.
    this.promise.catch(() => {});
  }

  is(runId: string | null, conversationId: string | null): void {
    if (this.run !== null || !runId || !conversationId) return;
    this.run = { runId, conversationId };
    this.resolve(this.run);
  }
}

class PostedStream extends EventStream {
  readonly #body: string;
  readonly #key: string;
  readonly #started: Started;

  constructor(connection: Connection, body: ChatRequest, options: PostOptions, started: Started) {
    super(connection, { runId: "" }, told(options, started));
    if (!this.transport.sendsHeaders) {
      throw new TypeError("EventSource cannot send a message: use another transport.");
    }
    this.#body = JSON.stringify(body);
    this.#key = options.idempotencyKey ?? freshKey();
    this.#started = started;
  }

  get run(): Promise<RunHandle> {
    return this.#started.promise;
  }

  protected override request(): StreamRequest {
    const { run } = this.#started;
    if (run !== null) return this.reading({ runId: run.runId });
    const { url, headers } = this.connection;
    return {
      method: "POST",
      url: `${url}/v1/chat${this.query}`,
      headers: { ...headers, "Content-Type": "application/json", "Idempotency-Key": this.#key },
      body: this.#body,
      cursor: null,
    };
  }

  protected override opened(header: (name: string) => string | null): void {
    this.#started.is(header("x-run-id"), header("x-conversation-id"));
  }
}

function told(options: PostOptions, started: Started): StreamOptions {
  return {
    ...options,
    onEvent: (event, id) => {
      started.is(event.run_id, event.conversation_id);
      options.onEvent(event, id);
    },
    onState: (state, detail) => {
      if (state === "ended" || state === "lost") {
        started.reject(detail.error ?? new ConnectionLost("the stream was closed"));
      }
      options.onState?.(state, detail);
    },
  };
}
