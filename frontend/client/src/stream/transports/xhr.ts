/** Streaming over `XMLHttpRequest`, whose text grows as it comes in: for React Native, and for old browsers. */

import { causeOf, headersOf, ResponseReader } from "./response.js";
import type { Sink, StreamRequest, Transport } from "./types.js";

/** A response is kept whole in memory until its connection ends, so that one that grew this long is replaced. */
export const MAX_RESPONSE_CHARS = 4 * 1024 * 1024;

const HEADERS_RECEIVED = 2;
const LOADING = 3;

export interface XhrOptions {
  XMLHttpRequest?: new () => XMLHttpRequest;
  withCredentials?: boolean;
  maxChars?: number;
}

export class XhrTransport implements Transport {
  readonly hearsHeartbeats = true;
  readonly sendsHeaders = true;

  constructor(private readonly options: XhrOptions = {}) {}

  open(request: StreamRequest, sink: Sink): () => void {
    const response = new GrowingResponse(sink, this.options.maxChars ?? MAX_RESPONSE_CHARS);
    try {
      const Xhr = this.options.XMLHttpRequest ?? globalThis.XMLHttpRequest;
      response.send(new Xhr(), request, this.options.withCredentials);
    } catch (error) {
      // A URL or header that the platform does not take; the sink must not be called from within `open`.
      queueMicrotask(() => response.fail(causeOf(error)));
    }
    return () => response.leave();
  }
}

class GrowingResponse {
  readonly #reader: ResponseReader;
  #xhr: XMLHttpRequest | null = null;
  #left = false;
  #begun = false;
  #taken = 0;

  constructor(
    private readonly sink: Sink,
    private readonly maxChars: number,
  ) {
    this.#reader = new ResponseReader(sink);
  }

  send(xhr: XMLHttpRequest, request: StreamRequest, withCredentials: boolean | undefined): void {
    this.#xhr = xhr;
    xhr.open(request.method, request.url, true);
    for (const [name, value] of Object.entries(headersOf(request))) xhr.setRequestHeader(name, value);
    if (withCredentials !== undefined) xhr.withCredentials = withCredentials;
    // As properties and before `send`: React Native looks at these two to decide whether to tell of progress.
    xhr.onreadystatechange = () => this.#look(xhr);
    xhr.onprogress = () => this.#look(xhr);
    // Not by state 4: in an error React Native puts its message where the text was.
    xhr.onload = () => this.#finish(xhr);
    xhr.onerror = () => this.#end("the connection failed");
    xhr.ontimeout = () => this.#end("the connection timed out");
    xhr.onabort = () => this.#end("the connection was closed");
    xhr.send(request.body);
  }

  fail(reason: string): void {
    this.#end(reason);
  }

  leave(): void {
    this.#left = true;
    // `abort` tells its listeners once more, synchronously.
    this.#xhr?.abort();
    this.#xhr = null;
  }

  #look(xhr: XMLHttpRequest): void {
    if (xhr.readyState === HEADERS_RECEIVED || xhr.readyState === LOADING) this.#take(xhr);
  }

  #finish(xhr: XMLHttpRequest): void {
    this.#take(xhr);
    this.#end(null);
  }

  #take(xhr: XMLHttpRequest): void {
    if (this.#left) return;
    if (!this.#begun) {
      this.#begun = true;
      this.#reader.head(xhr.status, (name) => xhr.getResponseHeader(name));
    }
    const text = xhr.readyState === HEADERS_RECEIVED ? "" : xhr.responseText;
    // `readystatechange` and `progress` both come for one piece.
    if (this.#left || text.length <= this.#taken) return;
    const piece = text.slice(this.#taken);
    this.#taken = text.length;
    try {
      if (!this.#reader.piece(piece)) this.leave();
    } catch (error) {
      this.#end(causeOf(error));
    }
    // Only once a frame came: else one longer than the limit would be asked for again and again.
    if (!this.#left && text.length > this.maxChars && this.#reader.delivered) this.sink.spent();
  }

  #end(reason: string | null): void {
    if (this.#left) return;
    this.#reader.end(reason);
    this.leave();
  }
}
