/** What is particular to each transport, and a long stream under random cuts over the first of them. */

import { afterEach, describe, expect, test, vi } from "vitest";
import { EventStream } from "../src/stream/event-stream.js";
import { EventSourceTransport } from "../src/stream/transports/eventsource.js";
import { FetchTransport } from "../src/stream/transports/fetch.js";
import { pickTransport } from "../src/stream/transports/pick.js";
import { XhrTransport } from "../src/stream/transports/xhr.js";
import { Collected, eventSource, TRANSPORTS, upTo, xhr } from "./collect.js";
import {
  type Answer,
  type Asked,
  chunk,
  EPOCH,
  frame,
  framesOf,
  runOf,
  seeded,
  split,
  Wire,
} from "./server.js";
import { NodeXhr } from "./shims.js";

const FRAMES = framesOf(runOf(...Array.from({ length: 40 }, (_, at) => `word ${at} — 漢字 `)));
const ALL = upTo(FRAMES.length);
const wires: Wire[] = [];
const streams: EventStream[] = [];

async function script(...answers: Parameters<typeof Wire.script>): Promise<Wire> {
  const wire = await Wire.script(...answers);
  wires.push(wire);
  return wire;
}

function collect(...args: ConstructorParameters<typeof Collected>): Collected {
  const collected = new Collected(...args);
  streams.push(collected.stream);
  return collected;
}

const rest = (asked: Asked): Answer => ({ pieces: FRAMES.slice(asked.after) });

afterEach(async () => {
  vi.unstubAllGlobals();
  for (const stream of streams.splice(0)) stream.close();
  for (const wire of wires.splice(0)) await wire.close();
});

describe("5,000 events under random cuts", () => {
  const texts = Array.from({ length: 4_997 }, (_, at) => `${at}é漢🙂 `);
  const frames = framesOf(runOf(...texts));
  const bytes = frames.map((text) => Buffer.from(text));

  test.each([
    ["fetch", 1],
    ["fetch", 2],
    ["xhr", 3],
    ["eventsource", 4],
  ] as const)("over %s, seed %d: none is lost, none comes twice", async (name, seed) => {
    const random = seeded(seed);
    const wire = await script((asked) => {
      // Some of what was had already comes again, and the cut is anywhere.
      const from = Math.max(0, asked.after - Math.floor(random() * 20));
      const body = Buffer.concat(bytes.slice(from, asked.after + 20 + Math.floor(random() * 800)));
      const cut = Math.floor(random() * body.length);
      const ends = ["done", "cut", "reset"] as const;
      const whole = asked.after + 20 >= frames.length;
      const pieces = split(whole ? body : body.subarray(0, cut), random, 5);
      return { pieces: ["retry: 0\n\n", ...pieces], end: ends[Math.floor(random() * 3)] ?? "done" };
    });
    const collected = collect(wire, TRANSPORTS[name]?.() ?? new FetchTransport(), { backoffCapMs: 2 });
    await collected.over;
    expect(collected.seqs).toEqual(upTo(5_000));
    expect(collected.text).toBe(texts.join(""));
    expect(wire.asked.length).toBeGreaterThan(8);
  });
});

test("a character split at every byte of the response is whole again", async () => {
  const body = Buffer.from(frame(chunk("é漢🙂"), 1));
  const wire = await script((asked) => {
    const at = Number(asked.headers["x-at"]);
    return { pieces: [body.subarray(0, at), body.subarray(at)], end: "hold" };
  });
  const transport = new FetchTransport();
  for (let at = 1; at < body.length; at += 1) {
    const text = await new Promise<string>((resolve) => {
      const stream = new EventStream(
        { url: wire.url, headers: { "x-at": String(at) } },
        { runId: "r_1" },
        {
          transport,
          onEvent: (event) => {
            stream.close();
            resolve(event.type === "chunk" ? event.content : "");
          },
        },
      );
      stream.start();
    });
    expect(text).toBe("é漢🙂");
  }
});

describe("fetch", () => {
  test("sends the connection's headers, the cursor, and asks for nothing stored", async () => {
    const wire = await script({ status: 204 });
    const inits: (RequestInit | undefined)[] = [];
    const transport = new FetchTransport({
      credentials: "include",
      fetch: (input, init) => {
        inits.push(init);
        return fetch(input, init);
      },
    });
    await new Promise<void>((resolve) => {
      const stream = new EventStream(
        { url: wire.url, headers: { Authorization: "Bearer k" } },
        { runId: "r_1" },
        {
          transport,
          cursor: `${EPOCH}-4`,
          onEvent: () => {},
          onState: (state) => state === "ended" && resolve(),
        },
      );
      stream.start();
    });
    expect(wire.asked[0]?.headers).toMatchObject({
      authorization: "Bearer k",
      accept: "text/event-stream",
      "last-event-id": `${EPOCH}-4`,
    });
    expect(inits[0]).toMatchObject({ cache: "no-store", credentials: "include" });
  });

  test("reads no more of a refusal than its beginning", async () => {
    const endless = Array.from({ length: 40 }, () => "x".repeat(8_192));
    const wire = await script({ pieces: endless, status: 400, type: "text/plain", end: "hold" });
    const collected = collect(wire, new FetchTransport());
    await collected.over;
    expect(collected.states.at(-1)?.[1].error).toMatchObject({ code: "http_400", status: 400 });
  });
});

describe("xhr", () => {
  test("replaces a response that grew too long, and nothing is told of it", async () => {
    const wire = await script((asked) => ({ pieces: FRAMES.slice(asked.after), end: "hold" }));
    const collected = collect(wire, xhr(2_000));
    await collected.over;
    expect(collected.seqs).toEqual(ALL);
    expect(collected.names).toEqual(["connecting", "live", "ended"]);
    expect(wire.asked.length).toBeGreaterThan(2);
  });

  test("does not give up on a frame that alone is longer than that", async () => {
    const long = frame(chunk("x".repeat(9_000)), 2);
    const script_ = (asked: Asked): Answer => ({
      pieces: [FRAMES[0] ?? "", ...split(Buffer.from(long), seeded(1), 8), ...FRAMES.slice(2)].slice(
        asked.after,
      ),
      end: "hold",
    });
    const wire = await script(script_);
    const collected = collect(wire, xhr(2_000));
    await collected.until(() => collected.events.length >= 2);
    expect(collected.seqs.slice(0, 2)).toEqual([1, 2]);
  });

  test("takes an error's message, which React Native puts where the text was, for no event", async () => {
    const wire = await script({ pieces: [FRAMES[0] ?? ""], end: "reset" }, rest);
    const collected = collect(wire, xhr());
    await collected.over;
    expect(collected.seqs).toEqual(ALL);
    expect(collected.states.find(([state]) => state === "resuming")?.[1].error?.message).toContain("failed");
  });

  test("takes handlers as properties before it sends, as React Native needs", async () => {
    const set: boolean[] = [];
    class Watched extends NodeXhr {
      override send(body: string | null): void {
        set.push(this.onprogress !== null && this.onreadystatechange !== null);
        super.send(body);
      }
    }
    const wire = await script({ status: 204 });
    const transport = new XhrTransport({ XMLHttpRequest: Watched as unknown as new () => XMLHttpRequest });
    await collect(wire, transport).over;
    expect(set).toEqual([true]);
  });
});

describe("EventSource", () => {
  test("puts the cursor in the address, and makes the first reconnect itself", async () => {
    const wire = await script({ pieces: FRAMES.slice(0, 3), end: "cut" }, rest);
    const collected = collect(wire, eventSource(), { cursor: `${EPOCH}-1`, types: ["chunk"] });
    await collected.over;
    expect(wire.asked[0]?.path).toBe(`/v1/runs/r_1/events?types=chunk&lastEventId=${EPOCH}-1`);
    // Its own reconnect asks the same address again, and says in the header where it is.
    expect(wire.asked[1]?.path).toBe(wire.asked[0]?.path);
    expect(wire.asked[1]?.headers["last-event-id"]).toBe(`${EPOCH}-3`);
    expect(collected.names).toEqual(["connecting", "live", "resuming", "live", "live", "ended"]);
  });

  test("keeps to a `retry:` that only it can see", async () => {
    const wire = await script({ pieces: ["retry: 80\n\n", FRAMES[0] ?? ""], end: "cut" }, rest);
    const collected = collect(wire, eventSource());
    await collected.until(() => collected.names.includes("resuming"));
    const began = performance.now();
    await collected.over;
    expect(performance.now() - began).toBeGreaterThan(75);
  });

  test("that closed for good without a reason to be had is opened again", async () => {
    const page: Answer = { pieces: ["<html>"], type: "text/html" };
    const wire = await script({ pieces: FRAMES.slice(0, 3), end: "cut" }, page, page, rest);
    const collected = collect(wire, eventSource(null));
    await collected.over;
    expect(collected.seqs).toEqual(ALL);
  });

  test("that closed for good is asked about from where it had come to", async () => {
    const wire = await script({ pieces: FRAMES.slice(0, 3), end: "cut" }, (asked) =>
      asked.after === 3 ? { status: 204 } : { pieces: FRAMES.slice(0, 3), end: "hold" },
    );
    const collected = collect(wire, eventSource());
    await collected.over;
    expect(wire.asked.map((asked) => asked.after)).toEqual([0, 3, 3]);
    expect(collected.names.at(-1)).toBe("ended");
  });

  test("in silence is replaced before its connection can have died unnoticed", async () => {
    const wire = await script({ pieces: FRAMES.slice(0, 3), end: "hold" }, rest);
    // A response has to begin within this, too, on a machine that may be busy.
    const collected = collect(wire, eventSource(), { idleMs: 500 });
    await collected.over;
    expect(collected.seqs).toEqual(ALL);
    expect(collected.names).toEqual(["connecting", "live", "ended"]);
  });

  test("cannot send headers, and says so at once", () => {
    const connection = { url: "", headers: { Authorization: "Bearer k" } };
    const options = { transport: "eventsource" as const, onEvent: () => {} };
    expect(() => new EventStream(connection, { runId: "r" }, options)).toThrow("headers");
  });
});

describe("the choice of a transport", () => {
  test("is fetch where it streams, else XMLHttpRequest, else what was asked for", () => {
    expect(pickTransport(undefined)).toBeInstanceOf(FetchTransport);
    expect(pickTransport("xhr")).toBeInstanceOf(XhrTransport);
    expect(pickTransport("eventsource")).toBeInstanceOf(EventSourceTransport);
    // As in React Native.
    vi.stubGlobal("Response", class {});
    vi.stubGlobal("XMLHttpRequest", NodeXhr);
    expect(pickTransport(undefined)).toBeInstanceOf(XhrTransport);
    vi.stubGlobal("XMLHttpRequest", undefined);
    expect(() => pickTransport(undefined)).toThrow("pass a transport");
  });
});
