/** Which events a stream gives, where it ends, and that it lets go of everything: with a world moved by hand. */

import { afterEach, describe, expect, test, vi } from "vitest";
import { byHand } from "./hand.js";
import { chunk, complete, EPOCH, frame, gap, snapshot } from "./server.js";

describe("events", () => {
  test("that come again are dropped, and a new epoch counts anew", () => {
    const { stream, transport, seqs, events } = byHand();
    stream.start();
    transport.accept();
    transport.write(frame(chunk("a"), 1), frame(chunk("b"), 2), frame(chunk("a"), 1), frame(chunk("b"), 2));
    expect(seqs()).toEqual([1, 2]);
    transport.write(frame(chunk("z"), 1, { epoch: "eeeeeeee" }));
    expect(seqs()).toEqual([1, 2, 1]);
    const epoch = "ffffffff";
    transport.write(frame(gap, 0, { epoch, withId: false }), frame(snapshot, 0, { epoch }));
    transport.write(
      frame(chunk("c"), 1, { epoch }),
      frame(chunk("c"), 1, { epoch }),
      frame(chunk("d"), 2, { epoch }),
    );
    expect(events.slice(3).map((event) => [event.type, event.seq])).toEqual([
      ["gap", 0],
      ["snapshot", 0],
      ["chunk", 1],
      ["chunk", 2],
    ]);
    expect(stream.cursor).toBe("ffffffff-2");
  });

  test("gap and snapshot pass, and so does the `complete` made up after them", () => {
    const { stream, transport, events } = byHand({ cursor: `${EPOCH}-10` }, { runId: "r_1" });
    stream.start();
    transport.accept();
    transport.write(frame(gap, 7, { withId: false }), frame(snapshot, 7), frame(complete(), 7));
    expect(events.map((event) => event.type)).toEqual(["gap", "snapshot", "complete"]);
    expect(stream.state).toBe("ended");
  });

  test("of a newer server, and broken ones, are skipped; their place counts", () => {
    const { stream, transport, events } = byHand();
    stream.start();
    transport.accept();
    const bodies = [
      "not json",
      "[1]",
      "null",
      '{"type":"chunk"}',
      '{"type":["x"]}',
      '{"type":"hologram","seq":6}',
    ];
    transport.write(...bodies.map((body, at) => `id: ${EPOCH}-${at + 1}\ndata: ${body}\n\n`));
    transport.write(`id: ${EPOCH}-7\ndata: {"type":"toString"}\n\n`, `id: ${EPOCH}-8\n\n`);
    expect(events).toEqual([]);
    expect(stream.cursor).toBe(`${EPOCH}-8`);
  });

  test("an id that cannot be sent in a header is no cursor", () => {
    const { stream, transport } = byHand();
    stream.start();
    transport.accept();
    transport.write(frame(chunk("a"), 1), "id: ä\ndata: {}\n\n");
    expect(stream.cursor).toBe(`${EPOCH}-1`);
    transport.write("id\ndata: {}\n\n");
    expect(stream.cursor).toBe(null);
  });

  describe("with a handler that throws", () => {
    afterEach(() => vi.unstubAllGlobals());

    test("go on, and the error is shown as uncaught", () => {
      const reported = vi.fn();
      vi.stubGlobal("reportError", reported);
      const seen: number[] = [];
      const { stream, transport, clock } = byHand(
        {
          onEvent: (event) => {
            seen.push(event.seq);
            throw new RangeError("mine");
          },
          onState: () => {
            throw new RangeError("mine too");
          },
        },
        { runId: "r_1" },
      );
      stream.start();
      transport.accept();
      transport.write(frame(chunk("a"), 1), frame(chunk("b"), 2), frame(complete(), 3));
      expect(seen).toEqual([1, 2, 3]);
      expect([stream.cursor, stream.state]).toEqual([`${EPOCH}-3`, "ended"]);
      expect(reported).toHaveBeenCalledTimes(6);
      expect(clock.pending).toBe(0);
    });
  });

  test("stop at once when their handler closes the stream, or connects anew", () => {
    for (const act of ["close", "reconnect"] as const) {
      const seen: number[] = [];
      const { stream, transport } = byHand({
        onEvent: (event) => {
          seen.push(event.seq);
          stream[act]();
        },
      });
      stream.start();
      transport.accept();
      transport.write(frame(chunk("a"), 1), frame(chunk("b"), 2));
      expect(seen).toEqual([1]);
      expect(stream.cursor).toBe(`${EPOCH}-1`);
    }
  });
});

describe("a run that waits for its user", () => {
  test("ends when the server says so, and goes on from its cursor when asked to", () => {
    const { stream, transport, names, seqs } = byHand({}, { runId: "r_1" });
    stream.start();
    transport.accept();
    transport.write(frame(chunk("a"), 1), frame(complete("waiting"), 2));
    expect(stream.state).toBe("live");
    transport.close();
    expect(transport.last.request.cursor).toBe(`${EPOCH}-2`);
    transport.refuse({ status: 204 });
    expect(names()).toEqual(["connecting", "live", "ended"]);
    stream.reconnect();
    transport.accept();
    transport.write(frame(chunk("b"), 3), frame(complete(), 4));
    expect(seqs()).toEqual([1, 2, 3, 4]);
    expect(stream.state).toBe("ended");
  });

  test("goes on by itself if it was taken up meanwhile", () => {
    const { stream, clock, transport, seqs } = byHand({}, { runId: "r_1" });
    stream.start();
    transport.accept();
    transport.write(frame(complete("waiting"), 1));
    transport.close();
    transport.refuse({ status: 503 });
    clock.advance(250);
    transport.accept();
    transport.write(frame(chunk("b"), 2));
    transport.close();
    clock.advance(250);
    transport.accept();
    transport.write(frame(complete(), 3));
    expect(seqs()).toEqual([1, 2, 3]);
  });
});

describe("closing", () => {
  test.each([
    "before it started",
    "while it connects",
    "while it is live",
    "while it waits",
    "when it is lost",
  ])("%s lets go of everything", (when) => {
    const { stream, clock, transport, wake, names } = byHand({ giveUpAfterMs: 1 });
    const steps = [
      () => stream.start(),
      () => transport.accept(),
      () => transport.close("reset"),
      () => {
        clock.advance(250);
        transport.close("refused");
      },
    ];
    const places = ["before it started", "while it connects", "while it is live", "while it waits"];
    const place = places.indexOf(when);
    for (const step of steps.slice(0, place < 0 ? 4 : place)) step();
    stream.close();
    expect(names().at(-1)).toBe("ended");
    expect([clock.pending, wake.listeners.size]).toEqual([0, 0]);
    expect(transport.connections.every((connection) => connection.left)).toBe(true);
    const before = [transport.connections.length, names().length];
    stream.start();
    stream.reconnect();
    stream.close();
    wake.send("thawed");
    clock.advance(600_000);
    expect([transport.connections.length, names().length]).toEqual(before);
  });

  test("nothing that an old connection still says is heard", () => {
    const { stream, transport, events, names } = byHand();
    stream.start();
    const { sink } = transport.last;
    stream.reconnect();
    sink.accepted(() => null);
    sink.frame({ id: `${EPOCH}-1`, event: "chunk", data: '{"type":"chunk","seq":1}' });
    sink.closed("late");
    sink.refused({ status: 404, retryAfter: null, body: "" });
    expect(events).toEqual([]);
    expect(names()).toEqual(["connecting", "connecting"]);
  });
});

test("what cannot be is refused at once", () => {
  expect(() => byHand({ cursor: "a\nb" })).toThrow("cursor");
});

test("ids and types are escaped in the address", () => {
  const { stream, transport } = byHand({ types: ["chunk", "jobs_data"] }, { runId: "../x?" });
  stream.start();
  expect(transport.last.request.url).toBe("/v1/runs/..%2Fx%3F/events?types=chunk%2Cjobs_data");
});
