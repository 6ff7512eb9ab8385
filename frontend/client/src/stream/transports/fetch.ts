/** Streaming over `fetch`: GET and POST, with headers. For browsers and Node; React Native's does not stream. */

import { causeOf, headersOf, ResponseReader } from "./response.js";
import type { Sink, StreamRequest, Transport } from "./types.js";

export interface FetchOptions {
  fetch?: typeof fetch;
  /** `include` for a server on another origin that knows its users by a cookie. */
  credentials?: RequestCredentials;
}

export class FetchTransport implements Transport {
  readonly hearsHeartbeats = true;
  readonly sendsHeaders = true;
  readonly #fetch: typeof fetch;
  readonly #credentials: RequestCredentials;

  constructor(options: FetchOptions = {}) {
    // Called as a method of anything but its global, a browser's `fetch` refuses.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#credentials = options.credentials ?? "same-origin";
  }

  /** Whether the platform's `fetch` gives a response's body as it comes in. */
  static get streams(): boolean {
    return (
      typeof globalThis.fetch === "function" && typeof Response === "function" && "body" in Response.prototype
    );
  }

  open(request: StreamRequest, sink: Sink): () => void {
    const abort = new AbortController();
    const reader = new ResponseReader(sink);
    this.#read(request, reader, abort).catch((error: unknown) => {
      if (!abort.signal.aborted) reader.end(causeOf(error));
    });
    return () => abort.abort();
  }

  async #read(request: StreamRequest, reader: ResponseReader, abort: AbortController): Promise<void> {
    const { signal } = abort;
    const response = await this.#fetch.call(globalThis, request.url, {
      method: request.method,
      headers: headersOf(request),
      body: request.body,
      credentials: this.#credentials,
      cache: "no-store",
      signal,
    });
    if (signal.aborted) return;
    reader.head(response.status, (name) => response.headers.get(name));
    const body = response.body?.getReader();
    for (let piece = await body?.read(); piece?.value !== undefined; piece = await body?.read()) {
      if (signal.aborted) return;
      if (!reader.piece(piece.value)) abort.abort();
    }
    reader.end(null);
  }
}
