/** When a stream connects, waits, gives up and lets go: with a clock, a network and a device moved by hand. */

import { describe, expect, test, vi } from "vitest";
import { ApiError, ConnectionLost } from "../src/errors.js";
import { byHand, HandTransport } from "./hand.js";
import { chunk, EPOCH, frame } from "./server.js";

const JSON_404 = JSON.stringify({
  code: "not_found",
  detail: "There is no run under that id.",
  retry: false,
});

describe("after a drop", () => {
  test("it comes back after a jittered wait that grows with each failure, and is told when", () => {
    const { stream, clock, transport, states } = byHand();
    stream.start();
    transport.accept();
    transport.write(frame(chunk("a"), 1));
    transport.close("reset");
    expect(states.at(-1)).toEqual(["resuming", { retryInMs: 250, error: expect.any(ConnectionLost) }]);
    clock.advance(249);
    expect(transport.connections).toHaveLength(1);
    clock.advance(1);
    expect(transport.last.request.cursor).toBe(`${EPOCH}-1`);
    transport.close("refused");
    expect(states.at(-1)).toEqual(["offline", { retryInMs: 500, error: expect.any(ConnectionLost) }]);
    clock.advance(500);
    transport.close("refused");
    expect(states.at(-1)?.[1].retryInMs).toBe(1_000);
  });

  test("`retry:` is the least it waits, and holds for later connections too", () => {
    const { stream, clock, transport } = byHand({ random: () => 0 });
    stream.start();
    transport.accept();
    transport.write("retry: 3000\n\n", frame(chunk("a"), 1));
    for (const count of [1, 2]) {
      transport.close();
      clock.advance(2_999);
      expect(transport.connections).toHaveLength(count);
      clock.advance(1);
      expect(transport.connections).toHaveLength(count + 1);
      transport.accept();
    }
  });

  test("a connection that brought nothing is no success, one that lived a while or brought an event is", () => {
    const { stream, clock, transport, states } = byHand();
    const waits = () => states.at(-1)?.[1].retryInMs;
    stream.start();
    for (const wait of [250, 500, 1_000]) {
      transport.accept();
      transport.write(": hello\n\n");
      transport.close();
      expect(waits()).toBe(wait);
      clock.advance(wait);
    }
    transport.accept();
    clock.advance(2_000);
    transport.close();
    expect(waits()).toBe(250);
    clock.advance(250);
    transport.close("refused");
    clock.advance(500);
    transport.accept();
    transport.write(frame(chunk("a"), 1));
    transport.close();
    expect(waits()).toBe(250);
  });

  test("it tells how many events it made up for, once there is a pause", () => {
    const { stream, clock, transport, states } = byHand();
    stream.start();
    transport.accept();
    transport.write(frame(chunk("a"), 1));
    transport.close("reset");
    clock.advance(250);
    transport.accept();
    expect(states.at(-1)).toEqual(["live", {}]);
    transport.write(frame(chunk("a"), 1), frame(chunk("b"), 2));
    clock.advance(100);
    transport.write(frame(chunk("c"), 3));
    clock.advance(150);
    expect(states.at(-1)).toEqual(["live", { resumedEvents: 2 }]);
    transport.write(frame(chunk("d"), 4));
    clock.advance(5_000);
    expect(states.filter(([, detail]) => detail.resumedEvents !== undefined)).toHaveLength(1);
  });

  test("a drop in the middle of that is no reason to call it live, and its events count later", () => {
    const { stream, clock, transport, states, names } = byHand();
    stream.start();
    transport.accept();
    for (const seq of [1, 2]) {
      transport.close("reset");
      clock.advance(250);
      transport.accept();
      transport.write(frame(chunk("a"), seq));
    }
    transport.close("reset");
    clock.advance(249);
    expect(names().at(-1)).toBe("resuming");
    clock.advance(1);
    transport.accept();
    clock.advance(1_000);
    expect(states.at(-1)).toEqual(["live", { resumedEvents: 2 }]);
  });

  test("events that never pause are counted for a second, and nothing to make up for is said too", () => {
    const { stream, clock, transport, states } = byHand();
    stream.start();
    transport.accept();
    for (let round = 0; round < 2; round += 1) {
      transport.close("reset");
      clock.advance(250);
      transport.accept();
      for (let seq = 1; round === 0 && seq <= 30; seq += 1) {
        transport.write(frame(chunk("x"), seq));
        clock.advance(100);
      }
      clock.advance(1_000);
    }
    expect(states.flatMap(([, detail]) => detail.resumedEvents ?? [])).toEqual([10, 0]);
  });
});

describe("silence", () => {
  test("is noticed where heartbeats are heard, and heartbeats are life", () => {
    const { stream, clock, transport, names } = byHand({ idleMs: 45_000 });
    stream.start();
    transport.accept();
    for (let beat = 0; beat < 10; beat += 1) {
      clock.advance(40_000);
      transport.write(": heartbeat\n\n");
    }
    expect(transport.connections).toHaveLength(1);
    clock.advance(45_000);
    expect(transport.last.left).toBe(true);
    expect(names().at(-1)).toBe("resuming");
    clock.advance(250);
    expect(transport.connections).toHaveLength(2);
  });

  test("of a server that never answers is noticed sooner", () => {
    const { stream, clock, transport, names } = byHand();
    stream.start();
    clock.advance(15_000);
    expect(transport.last.left).toBe(true);
    expect(names()).toEqual(["connecting", "offline"]);
  });

  describe("where the server beats more often", () => {
    function beating(everyMs: number, options = {}) {
      const hand = byHand(options);
      const { stream, clock, transport } = hand;
      const beat = (afterMs: number) => {
        clock.advance(afterMs);
        transport.write(": heartbeat\n\n");
      };
      stream.start();
      transport.accept();
      for (const afterMs of [everyMs / 2, everyMs, everyMs, everyMs]) beat(afterMs);
      return { ...hand, beat };
    }

    test.each([
      [1_000, 5_000],
      [4_000, 12_000],
      [14_000, 42_000],
      [15_000, 45_000],
      [40_000, 45_000],
    ])("every %d ms, it is noticed after %d ms", (everyMs, limitMs) => {
      const { clock, transport, names } = beating(everyMs);
      clock.advance(limitMs - 1);
      expect(names()).toEqual(["connecting", "live"]);
      clock.advance(1);
      expect(names().at(-1)).toBe("resuming");
      expect(transport.last.left).toBe(true);
    });

    test("a beat may come twice as late as usual, now and then or from then on", () => {
      const { transport, beat } = beating(5_000);
      for (const afterMs of [14_900, 5_000, 5_000, 5_000, 14_900, 1, 5_000, 14_900, 15_000, 44_000])
        beat(afterMs);
      expect(transport.connections).toHaveLength(1);
    });

    test("beats that were held up and come together do not make it impatient", () => {
      const { clock, transport, beat } = beating(15_000);
      for (const afterMs of [40_000, 10, 10, 10, 10, 10]) beat(afterMs);
      clock.advance(44_999);
      expect(transport.connections).toHaveLength(1);
      expect(transport.last.left).toBe(false);
    });

    test("events are signs of life, but no beats, and neither are other comments", () => {
      const { stream, clock, transport, names } = byHand();
      stream.start();
      transport.accept();
      for (let seq = 1; seq <= 10; seq += 1) {
        clock.advance(1_000);
        transport.write(frame(chunk("a"), seq), ": waiting for the event log\n\n");
      }
      clock.advance(44_999);
      expect(names().at(-1)).toBe("live");
      clock.advance(1);
      expect(names().at(-1)).toBe("resuming");
    });

    test("another connection may lead to a server that does not, and is not judged by the one before", () => {
      const { clock, transport, names } = beating(1_000);
      transport.close("reset");
      clock.advance(250);
      transport.accept();
      clock.advance(44_999);
      expect(names().at(-1)).toBe("live");
    });

    test("what its user allows is never exceeded", () => {
      const { clock, transport } = beating(1_000, { idleMs: 3_000 });
      clock.advance(3_000);
      expect(transport.last.left).toBe(true);
    });
  });

  test("where heartbeats are hidden makes a new connection in place of the old, without a word", () => {
    const transport = new HandTransport(false);
    const { stream, clock, names } = byHand({ transport });
    stream.start();
    transport.accept();
    transport.write(frame(chunk("a"), 1));
    clock.advance(45_000);
    expect(transport.connections.map((connection) => connection.left)).toEqual([true, false]);
    expect(transport.last.request.cursor).toBe(`${EPOCH}-1`);
    transport.accept();
    expect(names()).toEqual(["connecting", "live"]);
    clock.advance(45_000);
    transport.close("refused");
    expect(names()).toEqual(["connecting", "live", "resuming"]);
  });
});

describe("an answer that is no stream", () => {
  test("204 is the end", () => {
    const { stream, clock, transport, wake, states } = byHand();
    stream.start();
    transport.refuse({ status: 204 });
    expect(states.at(-1)).toEqual(["ended", {}]);
    expect([clock.pending, wake.listeners.size]).toEqual([0, 0]);
  });

  test.each([408, 425, 429, 500, 502, 503, 504])("%d passes, and Retry-After is kept to", (status) => {
    const { stream, clock, transport, states } = byHand();
    stream.start();
    transport.refuse({ status, retryAfter: "60", body: "<html>" });
    expect(states.at(-1)).toEqual(["offline", { retryInMs: 60_250, error: expect.any(ApiError) }]);
    clock.advance(60_249);
    expect(transport.connections).toHaveLength(1);
    clock.advance(1);
    expect(transport.connections).toHaveLength(2);
  });

  test("Retry-After may be a date", () => {
    const { stream, clock, transport, states } = byHand();
    stream.start();
    const date = new Date(clock.now() + 30_000).toUTCString();
    transport.refuse({ status: 503, retryAfter: date });
    expect(states.at(-1)?.[1].retryInMs).toBe(30_250);
  });

  test.each([400, 401, 403, 404, 409, 410, 422])(
    "%d is an error in the server's words, and the end",
    (status) => {
      const onGiveUp = vi.fn();
      const { stream, clock, transport, states } = byHand({ onGiveUp });
      stream.start();
      transport.refuse({ status, body: JSON_404 });
      const error = states.at(-1)?.[1].error;
      expect(states.at(-1)?.[0]).toBe("ended");
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code: "not_found", status, message: "There is no run under that id." });
      expect(onGiveUp).toHaveBeenCalledExactlyOnceWith(error);
      expect(clock.pending).toBe(0);
    },
  );

  test.each([200, 302])("%d with a page comes from something in between, and passes", (status) => {
    const { stream, clock, transport, names } = byHand();
    stream.start();
    transport.refuse({ status, body: "<html>Log in to this network" });
    clock.advance(250);
    expect(transport.connections).toHaveLength(2);
    transport.accept();
    expect(names()).toEqual(["connecting", "offline", "live"]);
  });
});

describe("giving up", () => {
  test("comes after nothing but failures for long enough, and `reconnect` begins anew", () => {
    const onGiveUp = vi.fn();
    const { stream, clock, transport, states } = byHand({ onGiveUp, giveUpAfterMs: 20_000 });
    stream.start();
    transport.accept();
    transport.write(frame(chunk("a"), 1));
    while (stream.state !== "lost") {
      transport.close("refused");
      clock.advance(20_000);
    }
    const error = states.at(-1)?.[1].error;
    expect(error).toMatchObject({ code: "connection_lost", reason: "refused", retry: true });
    expect(onGiveUp).toHaveBeenCalledExactlyOnceWith(error);
    expect(clock.pending).toBe(0);
    const before = transport.connections.length;
    stream.reconnect();
    expect(transport.connections).toHaveLength(before + 1);
    expect(transport.last.request.cursor).toBe(`${EPOCH}-1`);
    transport.accept();
    transport.write(frame(chunk("b"), 2));
    clock.advance(150);
    expect(states.slice(-3).map(([state]) => state)).toEqual(["resuming", "live", "live"]);
    expect(states.at(-1)?.[1].resumedEvents).toBe(1);
  });

  test("is taken back when the device wakes or comes online", () => {
    for (const signal of ["visible", "online", "thawed"] as const) {
      const { stream, clock, transport, wake } = byHand({ giveUpAfterMs: 1 });
      stream.start();
      transport.close("refused");
      clock.advance(250);
      transport.close("refused");
      expect(stream.state).toBe("lost");
      wake.send(signal);
      expect(transport.connections).toHaveLength(3);
    }
  });

  test("never comes if it must not", () => {
    const { stream, clock, transport } = byHand({ giveUpAfterMs: 0 });
    stream.start();
    for (let count = 0; count < 200; count += 1) {
      transport.close("refused");
      clock.advance(15_000);
    }
    expect(stream.state).toBe("offline");
  });

  test("does not come of a proxy that closes every 2 s while nothing happens", () => {
    const { stream, clock, transport } = byHand({ giveUpAfterMs: 20_000 });
    stream.start();
    for (let count = 0; count < 100; count += 1) {
      transport.accept();
      clock.advance(2_000);
      transport.close();
      clock.advance(250);
    }
    expect(transport.connections).toHaveLength(101);
    expect(stream.state).not.toBe("lost");
  });
});
