/** A server on 127.0.0.1 that speaks the stream over a raw socket, byte by byte and as badly as told. */

import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

export const EPOCH = "0a1b2c3d";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The offset of the cursor that was sent, in the header or in the query; 0 for none. */
  readonly after: number;
}

/**
 * `pieces`: writes, one by one, as they come. `end`: "done" ends the body in order, "cut" closes the socket in the middle of it,
 * "reset" does so rudely, "hold" is silent until the client leaves, "mute" says nothing at all, not even a status.
 */
export interface Answer {
  readonly pieces?: readonly (Uint8Array | string)[] | AsyncIterable<Uint8Array | string>;
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly end?: "done" | "cut" | "reset" | "hold" | "mute";
  /** "hold" and "mute" last no longer than this, then the socket is closed. */
  readonly holdMs?: number;
}

export class Wire {
  readonly asked: Asked[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #busy = new Set<Socket>();
  readonly #server: Server;
  readonly #answer: (asked: Asked) => Answer;

  private constructor(answer: (asked: Asked) => Answer) {
    this.#answer = answer;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {}); // the client may leave whenever it likes
      socket.on("close", () => this.#sockets.delete(socket));
      void this.#serve(socket);
    });
  }

  static async open(answer: (asked: Asked) => Answer): Promise<Wire> {
    const wire = new Wire(answer);
    wire.#server.listen(0, "127.0.0.1");
    await once(wire.#server, "listening");
    return wire;
  }

  /** One answer after another; the last one is given again and again. */
  static script(...answers: (Answer | ((asked: Asked) => Answer))[]): Promise<Wire> {
    let turn = 0;
    return Wire.open((asked) => {
      const answer = answers[Math.min(turn, answers.length - 1)] ?? {};
      turn += 1;
      return typeof answer === "function" ? answer(asked) : answer;
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are open now and have asked for something: Node opens another in reserve. */
  get open(): number {
    return this.#busy.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(socket: Socket): Promise<void> {
    let rest = "";
    try {
      for await (const data of socket.setEncoding("latin1")) {
        rest += data;
        for (let read = requestOf(rest); read !== null; read = requestOf(rest)) {
          rest = rest.slice(read.length);
          this.asked.push(read.asked);
          this.#busy.add(socket);
          await send(socket, this.#answer(read.asked));
        }
      }
    } catch {
      // The client left in the middle of something.
    }
    this.#busy.delete(socket);
    socket.destroy();
  }
}

function requestOf(text: string): { asked: Asked; length: number } | null {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const pairs = lines.map((line) => [
    line.slice(0, line.indexOf(":")).toLowerCase(),
    line.slice(line.indexOf(":") + 1).trim(),
  ]);
  const headers: Record<string, string> = Object.fromEntries(pairs);
  const length = end + 4 + Number(headers["content-length"] ?? 0);
  if (text.length < length) return null;
  const [method = "", path = ""] = first.split(" ");
  const cursor = headers["last-event-id"] ?? new URL(path, "http://x").searchParams.get("lastEventId");
  const after = Number(cursor?.split("-")[1] ?? 0);
  const body = Buffer.from(text.slice(end + 4, length), "latin1").toString();
  return { asked: { method, path, headers, body, after }, length };
}

async function send(socket: Socket, answer: Answer): Promise<void> {
  const { pieces = [], status = 200, end = "done" } = answer;
  if (end !== "mute") {
    socket.write(headOf(answer));
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      if (bytes.length === 0 || socket.destroyed) continue;
      socket.write(
        Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]),
      );
      await new Promise(setImmediate); // a write of its own
    }
  }
  if (end === "done" && status !== 204) socket.write("0\r\n\r\n");
  if (end === "cut") socket.end();
  if (end === "reset") socket.resetAndDestroy();
  if (answer.holdMs !== undefined) setTimeout(() => socket.destroy(), answer.holdMs);
}

function headOf({ status = 200, type = "text/event-stream", headers = {} }: Answer): string {
  const fields = {
    "content-type": type,
    ...(status !== 204 && { "transfer-encoding": "chunked" }),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Wire\r\n${lines.join("")}\r\n`;
}

// -- events

type Body = Record<string, unknown> & { type: string };

export interface FrameOptions {
  epoch?: string;
  runId?: string;
  withId?: boolean;
}

export function frame(event: Body, seq: number, options: FrameOptions = {}): string {
  const { epoch = EPOCH, runId = "r_1", withId = true } = options;
  const body = { ...event, seq, run_id: runId, conversation_id: "c_1", ts: "2026-01-01T00:00:00Z" };
  return `event: ${event.type}\n${withId ? `id: ${epoch}-${seq}\n` : ""}data: ${JSON.stringify(body)}\n\n`;
}

export const chunk = (content: string): Body => ({
  type: "chunk",
  message_id: "m_2",
  agent: "general",
  content,
});
export const complete = (status = "succeeded"): Body => ({ type: "complete", status });
export const gap: Body = { type: "gap", reason: "expired" };
export const snapshot: Body = { type: "snapshot", messages: [], runs: [] };

/** The events of a run that says `texts`. */
export function runOf(...texts: string[]): Body[] {
  const started = { type: "run_started", attempt: 1, user_message_id: "m_1" };
  const whole = {
    type: "message",
    message_id: "m_2",
    agent: "general",
    content: texts.join(""),
    citations: [],
  };
  return [started, ...texts.map(chunk), whole, complete()];
}

export const framesOf = (events: readonly Body[], options?: FrameOptions): string[] =>
  events.map((event, at) => frame(event, at + 1, options));

export function problem(
  status: number,
  code: string,
  more: { retry?: boolean; after?: string } = {},
): Answer {
  const body = JSON.stringify({ status, code, detail: "Because.", retry: more.retry ?? false });
  const headers: Record<string, string> = more.after === undefined ? {} : { "retry-after": more.after };
  return { pieces: [body], status, type: "application/problem+json", headers };
}

// -- chance

/** Numbers from 0 to 1 that a seed fixes (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** `body` cut at up to `cuts` places, which may lie within a character. */
export function split(body: Uint8Array, random: () => number, cuts = 30): Uint8Array[] {
  const places = Array.from({ length: cuts }, () => Math.floor(random() * (body.length + 1)));
  const ends = [0, ...places.sort((a, b) => a - b), body.length];
  return ends.slice(1).map((end, at) => body.subarray(ends[at], end));
}
