/** What a stream makes of a network that goes and a device that sleeps: with a world moved by hand. */

import { describe, expect, test } from "vitest";
import { byHand } from "./hand.js";
import { chunk, EPOCH, frame } from "./server.js";

describe("without a network", () => {
  test("an open connection is doubted, and believed again when something comes", () => {
    const { stream, transport, wake, names } = byHand();
    stream.start();
    transport.accept();
    wake.send("offline");
    expect(names().at(-1)).toBe("offline");
    expect(transport.last.left).toBe(false);
    transport.write(": heartbeat\n\n");
    expect(names().at(-1)).toBe("live");
    wake.send("online");
    expect(transport.connections).toHaveLength(1);
  });

  test("one that stayed silent is made anew at once when the network is back", () => {
    const { stream, transport, wake } = byHand();
    stream.start();
    transport.accept();
    wake.send("offline");
    wake.send("online");
    expect(transport.connections.map((connection) => connection.left)).toEqual([true, false]);
  });

  test("tries are few and are not counted, and the first moment online is used", () => {
    const { stream, clock, transport, wake, names } = byHand({ giveUpAfterMs: 60_000 });
    stream.start();
    transport.accept();
    wake.send("offline");
    transport.close("no network");
    for (let count = 0; count < 100; count += 1) {
      clock.advance(15_000);
      transport.close("no network");
    }
    expect(transport.connections).toHaveLength(101);
    expect(new Set(names().slice(2))).toEqual(new Set(["offline"]));
    wake.send("online");
    expect(transport.connections).toHaveLength(102);
    transport.accept();
    expect(names().at(-1)).toBe("live");
  });

  test("the first try is made all the same: the platform may be wrong", () => {
    const { stream, transport, wake, names } = byHand();
    wake.online = false;
    stream.start();
    transport.accept();
    expect(names()).toEqual(["offline", "live"]);
  });
});

describe("waking", () => {
  test("does not wait for the next try", () => {
    const { stream, clock, transport, wake } = byHand();
    stream.start();
    for (let count = 1; count < 8; count += 1) {
      transport.close("refused");
      clock.advance(15_000);
    }
    transport.close("refused");
    const before = transport.connections.length;
    wake.send("visible");
    expect(transport.connections).toHaveLength(before + 1);
  });

  test("does not come sooner than the server asked for", () => {
    const { stream, clock, transport, wake } = byHand();
    stream.start();
    transport.refuse({ status: 429, retryAfter: "60" });
    clock.advance(30_000);
    wake.send("visible");
    wake.send("online");
    expect(transport.connections).toHaveLength(1);
    clock.advance(30_250);
    expect(transport.connections).toHaveLength(2);
  });

  test("leaves a connection alone that was heard of lately, and drops one that was not", () => {
    const { stream, clock, transport, wake, names } = byHand();
    stream.start();
    transport.accept();
    clock.advance(15_000);
    wake.send("visible");
    wake.send("online");
    expect(transport.connections).toHaveLength(1);
    clock.advance(10_000);
    wake.send("visible");
    expect(transport.connections.map((connection) => connection.left)).toEqual([true, false]);
    expect(names().at(-1)).toBe("resuming");
  });

  test("from a freeze drops any connection", () => {
    const { stream, transport, wake } = byHand();
    stream.start();
    transport.accept();
    wake.send("thawed");
    expect(transport.connections.map((connection) => connection.left)).toEqual([true, false]);
  });

  test("of a sleeping device is seen by the clock, with no signal at all", () => {
    const { stream, clock, transport } = byHand();
    stream.start();
    transport.accept();
    transport.write(frame(chunk("a"), 1));
    clock.sleep(3_600_000);
    expect(transport.connections.map((connection) => connection.left)).toEqual([true, false]);
    expect(transport.last.request.cursor).toBe(`${EPOCH}-1`);
  });

  test("gives a try that hangs a short time only", () => {
    const { stream, clock, transport, wake } = byHand();
    stream.start();
    clock.advance(1_000);
    wake.send("visible");
    expect(transport.connections).toHaveLength(1);
    clock.advance(1_000);
    wake.send("visible");
    expect(transport.connections).toHaveLength(2);
  });

  test("an hour asleep is no hour of failures", () => {
    const { stream, clock, transport } = byHand();
    stream.start();
    transport.close("refused");
    clock.sleep(3_600_000);
    transport.close("refused");
    expect(stream.state).toBe("offline");
  });
});
