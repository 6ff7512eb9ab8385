/** A stream survives what networks and proxies do to it, over each transport: each event once, in order. */

import { afterEach, describe, expect, test } from "vitest";
import { ApiError, ConnectionLost } from "../src/errors.js";
import type { Target } from "../src/stream/options.js";
import { Collected, TRANSPORTS, upTo } from "./collect.js";
import { HandClock } from "./hand.js";
import {
  type Answer,
  type Asked,
  chunk,
  complete,
  EPOCH,
  frame,
  framesOf,
  gap,
  problem,
  runOf,
  seeded,
  snapshot,
  split,
  Wire,
} from "./server.js";

const WORDS = Array.from({ length: 4 }, () => [
  "He",
  "llo ",
  "wörld — 漢字 🙂 ",
  "line\u2028end\r\n",
  "",
  "done",
]).flat();
const FRAMES = framesOf(runOf(...WORDS));
const ALL = upTo(FRAMES.length);
const PORTAL: Answer = { pieces: ["<html>Log in to this network"], type: "text/html" };

type ReadOptions = ConstructorParameters<typeof Collected>[2];

const wires: Wire[] = [];
const streams: Collected[] = [];

async function script(...answers: Parameters<typeof Wire.script>): Promise<Wire> {
  const wire = await Wire.script(...answers);
  wires.push(wire);
  return wire;
}

afterEach(async () => {
  for (const { stream } of streams.splice(0)) stream.close();
  for (const wire of wires.splice(0)) await wire.close();
});

const rest = (asked: Asked): Answer =>
  asked.after >= FRAMES.length ? { status: 204 } : { pieces: [FRAMES.slice(asked.after).join("")] };

describe.each(Object.entries(TRANSPORTS))("over %s", (name, transport) => {
  const read = (wire: Wire | string, options?: ReadOptions, target?: Target) => {
    const collected = new Collected(wire, transport(), options, target);
    streams.push(collected);
    return collected;
  };
  const whole = async (wire: Wire, options?: ReadOptions) => {
    const collected = read(wire, options);
    await collected.over;
    return collected;
  };

  test("cuts at any byte lose and double nothing", async () => {
    for (let seed = 0; seed < 4; seed += 1) {
      const random = seeded(seed);
      const wire = await script((asked) => {
        if (asked.after >= FRAMES.length) return { status: 204 };
        const body = Buffer.from(`retry: 1\n\n${FRAMES.slice(asked.after).join(": heartbeat\n\n")}`);
        const cut = 20 + Math.floor(random() * (body.length + 200));
        const end = cut >= body.length ? "done" : random() < 0.5 ? "cut" : "reset";
        return { pieces: split(body.subarray(0, cut), random), end };
      });
      const { seqs, text } = await whole(wire);
      expect(seqs).toEqual(ALL);
      expect(text).toBe(WORDS.join(""));
    }
  });

  test("a mark, CRLF and CR, comments and NUL ids are read like plain LF", async () => {
    for (const end of ["\r\n", "\r", "\n"]) {
      const body = `\ufeff: hi\n\nid: x\0y\n${FRAMES.join(": heartbeat\n\n")}`.replaceAll("\n", end);
      const wire = await script({ pieces: split(Buffer.from(body), seeded(3)) });
      const { seqs, text, stream } = await whole(wire);
      expect([seqs, text]).toEqual([ALL, WORDS.join("")]);
      expect(stream.cursor).toBe(`${EPOCH}-${FRAMES.length}`);
    }
  });

  test("a proxy that closes again and again costs nothing but time", async () => {
    const wire = await script((asked) => ({
      pieces: FRAMES.slice(asked.after, asked.after + 3),
      end: "cut",
    }));
    const { seqs, names } = await whole(wire);
    expect(seqs).toEqual(ALL);
    expect(wire.asked.map((asked) => asked.after)).toEqual(
      upTo(wire.asked.length).map((turn) => 3 * (turn - 1)),
    );
    expect(new Set(names)).toEqual(new Set(["connecting", "live", "resuming", "ended"]));
  });

  test("a proxy that closes while nothing happens keeps the stream alive", async () => {
    const idle: Answer = { pieces: ["retry: 1\n\n: heartbeat\n\n"], end: "hold", holdMs: 20 };
    const wire = await script(idle, idle, idle, idle, rest);
    expect((await whole(wire)).seqs).toEqual(ALL);
  });

  test("events that are sent again are dropped", async () => {
    const again = FRAMES.slice(2).concat(FRAMES.slice(-3));
    const wire = await script({ pieces: FRAMES.slice(0, 5), end: "cut" }, { pieces: [again.join("")] });
    expect((await whole(wire)).seqs).toEqual(ALL);
  });

  test("a block that the end cuts off is asked for again", async () => {
    const wire = await script(
      { pieces: [FRAMES[0] ?? "", (FRAMES[1] ?? "").slice(0, -1)], end: "reset" },
      rest,
    );
    expect((await whole(wire)).seqs).toEqual(ALL);
  });

  test("a connection half open is noticed, before and after its head", async () => {
    const wire = await script({ pieces: [FRAMES[0] ?? ""], end: "hold" }, { end: "mute" }, rest);
    expect((await whole(wire, { idleMs: 60 })).seqs).toEqual(ALL);
    expect(wire.asked.map((asked) => asked.after)).toEqual([0, 1, 1]);
  });

  test.skipIf(name === "eventsource")(
    "a line that goes dead is given up after three of its heartbeats, not before",
    async () => {
      const clock = new HandClock();
      let send = (_: string) => {};
      async function* pieces() {
        for (;;) {
          yield await new Promise<string>((resolve) => {
            send = resolve;
          });
        }
      }
      const wire = await script({ pieces: pieces() }, rest);
      const got = read(wire, { clock });
      // The event tells that the beat before it arrived, too.
      const beat = async (at: number) => {
        send(`: heartbeat\n\n${FRAMES[at]}`);
        await got.until(() => got.events.length > at);
      };
      await got.until(() => got.stream.state === "live");
      for (const at of [0, 1, 2, 3]) {
        await beat(at);
        clock.advance(3_000);
      }
      clock.advance(5_900);
      await beat(4);
      expect(wire.asked).toHaveLength(1);
      clock.advance(26_600);
      expect(got.stream.state).toBe("live");
      clock.advance(200);
      expect(got.stream.state).toBe("resuming");
      clock.advance(1_000);
      await got.over;
      expect(wire.asked.map(({ after }) => after)).toEqual([0, 5]);
      expect(got.seqs).toEqual(ALL);
    },
  );

  test("204 is the end", async () => {
    const wire = await script({ status: 204 });
    const { names, events } = await whole(wire, { cursor: `${EPOCH}-9` });
    expect([names, events]).toEqual([["connecting", "ended"], []]);
    expect(wire.asked.every((asked) => asked.after === 9)).toBe(true);
  });

  test.each([429, 503])("%d is waited out", async (status) => {
    const busy = problem(status, "busy_server", { retry: true, after: "0" });
    const page: Answer = { pieces: ["<html>"], status: 502, type: "text/html" };
    // Where the platform hides the status, it is asked for a second time.
    const twice = name === "eventsource" ? [busy, page] : [];
    const wire = await script(busy, page, ...twice, rest);
    const { seqs, names } = await whole(wire);
    expect(seqs).toEqual(ALL);
    expect(names).toEqual(
      ["connecting", "offline", "live", "ended"].flatMap((n) => (n === "offline" ? [n, n] : n)),
    );
  });

  test("Retry-After is kept to", async () => {
    const wire = await script(problem(503, "stopping", { retry: true, after: "30" }));
    const collected = read(wire, { random: () => 0 });
    await collected.until(() => collected.states.length === 2);
    expect(collected.states[1]?.[1]).toMatchObject({
      retryInMs: 30_000,
      error: { code: "stopping", status: 503 },
    });
  });

  test("a refusal is an error with the server's words", async () => {
    const wire = await script(problem(404, "not_found"));
    const { states } = await whole(wire);
    const error = states.at(-1)?.[1].error;
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: "not_found", status: 404, message: "Because." });
  });

  test("a page in between is waited out", async () => {
    const wire = await script(
      { pieces: FRAMES.slice(0, 4), end: "cut" },
      PORTAL,
      PORTAL,
      PORTAL,
      PORTAL,
      rest,
    );
    expect((await whole(wire)).seqs).toEqual(ALL);
  });

  test("a redirect is followed, and the cursor goes along", async () => {
    const wire = await script(
      { pieces: FRAMES.slice(0, 4), end: "cut" },
      { status: 307, headers: { location: "/moved" } },
      rest,
    );
    expect((await whole(wire)).seqs).toEqual(ALL);
    expect(wire.asked[2]?.path.startsWith("/moved")).toBe(true);
  });

  test("gap, snapshot and the end after them pass, and a new epoch counts anew", async () => {
    const epoch = "ffffffff";
    const lost = [frame(gap, 3, { epoch, withId: false }), frame(snapshot, 3, { epoch })];
    const more = [frame(chunk("new"), 4, { epoch }), frame(complete(), 5, { epoch })];
    const wire = await script(
      { pieces: FRAMES.slice(0, 6), end: "cut" },
      { pieces: lost, end: "cut" },
      { pieces: more },
    );
    const { events } = await whole(wire);
    expect(events.slice(6).map((event) => event.type)).toEqual(["gap", "snapshot", "chunk", "complete"]);
    expect(wire.asked.map((asked) => asked.after)).toEqual([0, 6, 3]);
  });

  test("the contract's own `error` event is an event", async () => {
    const said = { type: "error", code: "model_failed", content: "No.", retry: true };
    const wire = await script({ pieces: [frame(said, 1), frame(complete("failed"), 2)] });
    const { events, names } = await whole(wire);
    expect(events.map((event) => event.type)).toEqual(["error", "complete"]);
    expect(names).toEqual(["connecting", "live", "ended"]);
  });

  test("a run that waits ends at once, without waiting for a next try", async () => {
    const waits = [frame(chunk("a"), 1), frame(complete("waiting"), 2)];
    const wire = await script({ pieces: waits }, { status: 204 });
    const { names } = await whole(wire, { backoffBaseMs: 60_000, backoffCapMs: 60_000, random: () => 1 });
    expect(names).toEqual(["connecting", "live", "ended"]);
  });

  test("a conversation goes on after a run's end", async () => {
    const pieces = [frame(complete(), 1), frame(chunk("x"), 2, { runId: "r_2" })];
    const wire = await script({ pieces, end: "hold" });
    const collected = read(wire, {}, { conversationId: "c_1" });
    await collected.until(() => collected.events.length === 2);
    expect(collected.stream.state).toBe("live");
    expect(wire.asked[0]?.path).toBe("/v1/conversations/c_1/events");
  });

  test("closing leaves the server, while connecting and while live", async () => {
    for (const end of ["mute", "hold"] as const) {
      const wire = await script({ pieces: [FRAMES[0] ?? ""], end });
      const collected = read(wire);
      if (end === "hold") await collected.until(() => collected.events.length === 1);
      while (wire.asked.length === 0) await new Promise(setImmediate);
      collected.stream.close();
      while (wire.open > 0) await new Promise(setImmediate);
      expect(collected.names.at(-1)).toBe("ended");
    }
  });

  test("a server that stays away is given up, and may be asked again", async () => {
    const away = problem(503, "log_unavailable", { retry: true });
    let back = false;
    const wire = await script({ pieces: FRAMES.slice(0, 2), end: "cut" }, (asked) =>
      back ? rest(asked) : away,
    );
    const collected = await whole(wire, { giveUpAfterMs: 60 });
    const error = collected.states.at(-1)?.[1].error;
    expect(collected.stream.state).toBe("lost");
    expect(error).toBeInstanceOf(ConnectionLost);
    back = true;
    collected.stream.reconnect();
    await collected.until(() => collected.stream.state === "ended");
    expect(collected.seqs).toEqual(ALL);
    expect(collected.states.find(([, detail]) => detail.resumedEvents)?.[1].resumedEvents).toBe(
      ALL.length - 2,
    );
  });

  test("nobody listening is given up", async () => {
    const collected = read("http://127.0.0.1:1", { giveUpAfterMs: 40 });
    await collected.over;
    expect(collected.stream.state).toBe("lost");
  });

  test("an address that is none is given up, and nothing is thrown", async () => {
    const collected = read("http://[", { giveUpAfterMs: 20 });
    await collected.over;
    expect(collected.stream.state).toBe("lost");
  });
});
