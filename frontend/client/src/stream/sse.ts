/**
 * Server-Sent Events from pieces in any split: the framing only. It knows nothing of events, cursors or HTTP.
 * Standard: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

/** A snapshot of a long conversation is the largest frame there is; beyond this it is no event stream of ours. */
export const MAX_FRAME_CHARS = 64 * 1024 * 1024;

/** One dispatched block. `id` null: the block had none; "" resets it. `data` null: only the id counts. */
export interface Frame {
  readonly id: string | null;
  readonly event: string;
  readonly data: string | null;
}

/** A block passed the limit without an end. */
export class FrameTooLarge extends Error {
  override name = "FrameTooLarge";
}

/**
 * `feed` what arrives; it returns the frames that this completed, in order. A block that the end of the stream cuts
 * off is never returned. One reader per response: a byte order mark counts only at the very start, and bytes and texts
 * are not mixed.
 */
export class FrameReader {
  /** The last valid `retry` seen, in milliseconds. */
  retryMs: number | null = null;
  /** How many heartbeats there were: comments of that name, as a server also says other things in comments. */
  beats = 0;
  readonly #limit: number;
  // Made when bytes come: React Native, where texts come, may have none.
  #decoder: TextDecoder | null = null;
  #atStart = true;
  #afterCr = false;
  /** The line that has no end yet. */
  #rest = "";
  #id: string | null = null;
  #event = "";
  #data: string[] = [];
  #size = 0;

  constructor(limit: number = MAX_FRAME_CHARS) {
    this.#limit = limit;
  }

  /** Throws `FrameTooLarge`. */
  feed(piece: Uint8Array | string): Frame[] {
    let text = typeof piece === "string" ? piece : this.#decode(piece);
    if (text === "") return [];
    if (this.#atStart) {
      this.#atStart = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    const frames = this.#lines(text);
    if (this.#size + this.#rest.length > this.#limit) {
      throw new FrameTooLarge(`An event is longer than ${this.#limit} characters.`);
    }
    return frames;
  }

  #decode(piece: Uint8Array): string {
    // A mark is taken away by `feed`, for texts and bytes alike.
    this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    return this.#decoder.decode(piece, { stream: true });
  }

  #lines(text: string): Frame[] {
    const frames: Frame[] = [];
    // A CR ended its line at once; an LF that comes only now is the second half of that line end.
    let begin = this.#afterCr && text.charCodeAt(0) === 10 ? 1 : 0;
    this.#afterCr = false;
    // The standard's three line ends and no other: U+2028 and form feeds are ordinary characters of a line.
    const ends = /\r\n|\n|\r/g;
    ends.lastIndex = begin;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      this.#line(this.#rest + text.slice(begin, end.index), frames);
      this.#rest = "";
      begin = ends.lastIndex;
      this.#afterCr = end[0] === "\r" && begin === text.length;
    }
    // Only new text is searched, so a line that grows byte by byte costs no more than its length.
    this.#rest += text.slice(begin);
    return frames;
  }

  #line(line: string, frames: Frame[]): void {
    if (line === "") {
      this.#dispatch(frames);
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
    if (field === "data") {
      this.#data.push(value);
      this.#size += value.length + 1;
    } else if (field === "event") {
      this.#event = value;
    } else if (field === "id" && !value.includes("\0")) {
      this.#id = value;
    } else if (colon === 0 && value === "heartbeat") {
      this.beats += 1;
    } else if (field === "retry" && /^[0-9]{1,9}$/.test(value)) {
      this.retryMs = Number(value);
    }
  }

  #dispatch(frames: Frame[]): void {
    const data = this.#data.length > 0 ? this.#data.join("\n") : null;
    if (data !== null || this.#id !== null) frames.push({ id: this.#id, event: this.#event, data });
    this.#id = null;
    this.#event = "";
    this.#data = [];
    this.#size = 0;
  }
}
