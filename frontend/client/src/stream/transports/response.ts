/** From an HTTP response, as it comes in, to what a `Sink` hears: for all transports that see responses. */

import { reasonOf } from "../../errors.js";
import { FrameReader } from "../sse.js";
import type { Sink, StreamRequest } from "./types.js";

const MAX_REFUSAL_CHARS = 65_536;

export class ResponseReader {
  /** Whether a frame was completed. */
  delivered = false;
  readonly #frames = new FrameReader();
  #retryMs: number | null = null;
  #refusal: { status: number; retryAfter: string | null; body: string } | null = null;
  #decoder: TextDecoder | null = null;
  #over = false;

  constructor(private readonly sink: Sink) {}

  head(status: number, header: (name: string) => string | null): void {
    if (status === 200 && /^text\/event-stream\b/i.test(header("content-type") ?? "")) {
      this.sink.accepted(header);
    } else {
      this.#refusal = { status, retryAfter: header("retry-after"), body: "" };
    }
  }

  /** Throws `FrameTooLarge`. False: nothing more needs to be read. */
  piece(piece: Uint8Array | string): boolean {
    if (this.#over) return false;
    if (this.#refusal !== null) return this.#refused(piece, this.#refusal);
    this.sink.alive();
    const { beats } = this.#frames;
    const frames = this.#frames.feed(piece);
    if (this.#frames.beats > beats) this.sink.beat();
    if (this.#frames.retryMs !== null && this.#frames.retryMs !== this.#retryMs) {
      this.#retryMs = this.#frames.retryMs;
      this.sink.retry(this.#retryMs);
    }
    if (frames.length > 0) this.delivered = true;
    for (const frame of frames) this.sink.frame(frame);
    return true;
  }

  /** `reason` null: the response ended in order. */
  end(reason: string | null): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#refusal !== null) this.sink.refused(this.#refusal);
    else this.sink.closed(reason);
  }

  #refused(piece: Uint8Array | string, refusal: { body: string }): boolean {
    if (typeof piece !== "string") this.#decoder ??= new TextDecoder();
    refusal.body += typeof piece === "string" ? piece : this.#decoder?.decode(piece, { stream: true });
    if (refusal.body.length <= MAX_REFUSAL_CHARS) return true;
    this.end(null);
    return false;
  }
}

/** The headers of a request for an event stream. */
export function headersOf(request: StreamRequest): Record<string, string> {
  const headers: Record<string, string> = { ...request.headers, Accept: "text/event-stream" };
  if (request.cursor !== null) headers["Last-Event-ID"] = request.cursor;
  return headers;
}

/** Why a connection broke, in words. */
export function causeOf(error: unknown): string {
  // Node says "fetch failed" or "terminated", and why in the cause.
  return error instanceof Error && error.cause instanceof Error && error.cause.message
    ? `${reasonOf(error)}: ${error.cause.message}`
    : reasonOf(error);
}
