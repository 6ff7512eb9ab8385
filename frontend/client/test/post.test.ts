/** A message and its answer in one request: one run, however often the request has to be made. */

import { afterEach, expect, test } from "vitest";
import { postStream } from "../src/stream/post.js";
import { FetchTransport } from "../src/stream/transports/fetch.js";
import type { Transport } from "../src/stream/transports/types.js";
import { HURRY, upTo, xhr } from "./collect.js";
import { byHand } from "./hand.js";
import { type Answer, EPOCH, framesOf, problem, runOf, Wire } from "./server.js";

const FRAMES = framesOf(runOf("Hel", "lo ", "wörld"));
const HEADERS = { "x-run-id": "r_1", "x-conversation-id": "c_1" };
const wires: Wire[] = [];

async function script(...answers: Parameters<typeof Wire.script>): Promise<Wire> {
  const wire = await Wire.script(...answers);
  wires.push(wire);
  return wire;
}

afterEach(async () => {
  for (const wire of wires.splice(0)) await wire.close();
});

function post(wire: Wire, transport: Transport) {
  const seqs: number[] = [];
  let stream: ReturnType<typeof postStream> | null = null;
  const over = new Promise<void>((resolve) => {
    stream = postStream(
      { url: wire.url, headers: { "x-mine": "1" } },
      { message: "hi" },
      {
        ...HURRY,
        transport,
        idempotencyKey: "key-1",
        onEvent: (event) => seqs.push(event.seq),
        onState: (state) => (state === "ended" || state === "lost") && resolve(),
      },
    );
  });
  return { seqs, over, stream: stream as unknown as ReturnType<typeof postStream> };
}

test.each([
  ["fetch", () => new FetchTransport()],
  ["xhr", () => xhr()],
])(
  "over %s the answer is read from the request's own response, and resumed by reading the run",
  async (_, transport) => {
    const busy = problem(503, "stopping", { retry: true, after: "0" });
    const first: Answer = { pieces: FRAMES.slice(0, 2), headers: HEADERS, end: "reset" };
    const wire = await script(busy, { end: "reset" }, first, (asked) => ({
      pieces: FRAMES.slice(asked.after),
    }));
    const { seqs, over, stream } = post(wire, transport());
    expect(await stream.run).toEqual({ runId: "r_1", conversationId: "c_1" });
    await over;
    expect(seqs).toEqual(upTo(FRAMES.length));
    expect(wire.asked.map((asked) => `${asked.method} ${asked.path}`)).toEqual([
      "POST /v1/chat",
      "POST /v1/chat",
      "POST /v1/chat",
      "GET /v1/runs/r_1/events",
    ]);
    for (const asked of wire.asked.slice(0, 3)) {
      expect(JSON.parse(asked.body)).toEqual({ message: "hi" });
      expect(asked.headers).toMatchObject({
        "idempotency-key": "key-1",
        "x-mine": "1",
        accept: "text/event-stream",
      });
    }
    expect(wire.asked[3]?.headers["last-event-id"]).toBe(`${EPOCH}-2`);
  },
);

test("where headers are hidden the run is known from its first event", async () => {
  const wire = await script({ pieces: FRAMES.slice(0, 1), end: "cut" }, (asked) => ({
    pieces: FRAMES.slice(asked.after),
  }));
  const { seqs, over, stream } = post(wire, new FetchTransport());
  await over;
  expect(await stream.run).toEqual({ runId: "r_1", conversationId: "c_1" });
  expect(seqs).toEqual(upTo(FRAMES.length));
});

test.each([
  [409, "busy"],
  [422, "invalid_request"],
  [401, "unauthorized"],
])("%d rejects the run with the server's words", async (status, code) => {
  const wire = await script(problem(status, code, { retry: status === 409 }));
  const { over, stream } = post(wire, new FetchTransport());
  await over;
  await expect(stream.run).rejects.toMatchObject({ code, status });
  expect(wire.asked).toHaveLength(1);
});

test("closing before the server answered rejects the run", async () => {
  const wire = await script({ end: "mute" });
  const { over, stream } = post(wire, new FetchTransport());
  stream.close();
  await over;
  await expect(stream.run).rejects.toMatchObject({ code: "connection_lost" });
});

test("a key is made up, and kept", () => {
  const { clock, transport, wake } = byHand();
  const stream = postStream(
    { url: "", headers: {} },
    { message: "hi" },
    { clock, transport, wake, onEvent: () => {} },
  );
  transport.close("refused");
  clock.advance(15_000);
  const keys = transport.connections.map((connection) => connection.request.headers["Idempotency-Key"]);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/^[\x21-\x7e]{16,200}$/);
  expect(keys[1]).toBe(keys[0]);
  stream.close();
});

test("EventSource cannot send a message, and says so at once", () => {
  const options = { transport: "eventsource" as const, onEvent: () => {} };
  expect(() => postStream({ url: "", headers: {} }, { message: "hi" }, options)).toThrow("EventSource");
});
