/** The framing holds for any split of the bytes and for everything the standard allows. */

import { expect, test } from "vitest";
import { type Frame, FrameReader, FrameTooLarge } from "../src/stream/sse.js";
import { seeded, split } from "./server.js";

const TEXT = '{"content":"line\u2028two\x0cthree\x85 — 漢字 🙂"}';
const STREAM = Buffer.from(
  "\ufeff: hello\r\n\r\nretry: 1500\n\n" +
    `event: chunk\nid: e-1\ndata: ${TEXT}\n\n` +
    "data: a\rdata:b\r\ndata:  c\r\r" +
    "id: e-2\n\n" +
    "event: ignored\n\n" +
    "id\ndata\n\n" +
    "data: last\n",
);
const EXPECTED: Frame[] = [
  { id: "e-1", event: "chunk", data: TEXT },
  { id: null, event: "", data: "a\nb\n c" },
  { id: "e-2", event: "", data: null },
  { id: "", event: "", data: "" },
];
const read = (pieces: Iterable<Uint8Array | string>, reader = new FrameReader()) =>
  [...pieces].flatMap((piece) => reader.feed(piece));

test("only the standard's three line ends end a line, and a cut-off block is discarded", () => {
  const reader = new FrameReader();
  expect(read([STREAM], reader)).toEqual(EXPECTED);
  expect(reader.retryMs).toBe(1500);
});

test("two pieces split at every place give the same frames", () => {
  for (let at = 0; at <= STREAM.length; at += 1) {
    expect(read([STREAM.subarray(0, at), STREAM.subarray(at)])).toEqual(EXPECTED);
  }
});

test("any split into many pieces gives the same frames", () => {
  for (let seed = 0; seed < 200; seed += 1) expect(read(split(STREAM, seeded(seed)))).toEqual(EXPECTED);
});

test("one byte, or one character, at a time gives the same frames", () => {
  expect(read([...STREAM].map((byte) => Uint8Array.of(byte)))).toEqual(EXPECTED);
  expect(read(STREAM.toString())).toEqual(EXPECTED);
});

test("a frame is there as soon as its blank line is, even if that line may still grow", () => {
  const reader = new FrameReader();
  expect(reader.feed("data: x\r\n\r")).toEqual([{ id: null, event: "", data: "x" }]);
  expect(reader.feed("\ndata: y\n\n")).toEqual([{ id: null, event: "", data: "y" }]);
});

test("a mark counts once, at the start, and not as part of a field", () => {
  const frames = read([Buffer.from("\ufeffdata: x\n\n\ufeffdata: y\n\ndata: \ufeffz\n\n")]);
  expect(frames.map((frame) => frame.data)).toEqual(["x", "\ufeffz"]);
  expect(read([Buffer.from("\ufeff\ufeffdata: x\n\n")])).toEqual([]);
});

test("only comments that say so are heartbeats, however they are split", () => {
  const text = ": heartbeat\n\n: waiting for the database\n\n:heartbeat\n\nheartbeat: x\n\n: heartbeat\n\n";
  for (const pieces of [[text], [...text]]) {
    const reader = new FrameReader();
    expect(read(pieces, reader)).toEqual([]);
    expect(reader.beats).toBe(3);
  }
});

test.each(["soon", "-5", "٣", "1.5", "", "99999999999"])("a retry of %j is ignored", (value) => {
  const reader = new FrameReader();
  reader.feed(`retry: 20\nretry: ${value}\n\n`);
  expect(reader.retryMs).toBe(20);
});

test("an id with a NUL is ignored", () => {
  expect(read([Buffer.from("id: a\0b\ndata: x\n\n")])).toEqual([{ id: null, event: "", data: "x" }]);
});

test("bytes that are no UTF-8 spoil their character only", () => {
  const bytes = Buffer.concat([Buffer.from("data: a"), Buffer.of(0xff), Buffer.from("b\n\ndata: c\n\n")]);
  expect(read([bytes]).map((frame) => frame.data)).toEqual(["a\ufffdb", "c"]);
});

test("a line that grows byte by byte costs no more than its length", () => {
  const reader = new FrameReader();
  const piece = Buffer.from("x".repeat(20));
  const began = performance.now();
  for (let count = 0; count < 60_000; count += 1) reader.feed(piece);
  // Quadratic work would take minutes.
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(reader.feed(Buffer.from(":\ndata: y\n\n"))).toHaveLength(1);
});

test("a frame without an end is refused, whether its lines or its one line grow", () => {
  const lines = new FrameReader(1_000);
  for (let count = 0; count < 18; count += 1) lines.feed(`data: ${"x".repeat(50)}\n`);
  expect(() => lines.feed(`data: ${"x".repeat(200)}`)).toThrow(FrameTooLarge);
  const line = new FrameReader(1_000);
  expect(() => line.feed("x".repeat(1_001))).toThrow(FrameTooLarge);
});

test("many frames are not one large one", () => {
  const reader = new FrameReader(1_000);
  for (let count = 0; count < 100; count += 1)
    expect(reader.feed(`data: ${"x".repeat(500)}\n\n`)).toHaveLength(1);
});
