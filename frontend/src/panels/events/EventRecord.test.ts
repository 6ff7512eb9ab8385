import type { SignalboxEvent } from "@signalbox/client";
import { describe, expect, it, vi } from "vitest";
import { asLines, EventRecord, filtered } from "./EventRecord";

function chunk(seq: number, content = "word "): SignalboxEvent {
  return {
    type: "chunk",
    seq,
    conversation_id: "c_1",
    run_id: "r_1",
    ts: "2026-11-30T10:00:00Z",
    message_id: "m_1",
    agent: "general",
    content,
  };
}

function seqs(record: EventRecord): number[] {
  const unsubscribe = record.subscribe(() => undefined);
  unsubscribe();
  return record.recording.events.map((event) => event.seq);
}

describe("the record of events", () => {
  it("keeps the last ones and counts those that made room", () => {
    const record = new EventRecord(10);
    for (let seq = 1; seq <= 25; seq += 1) record.add(chunk(seq));
    expect(seqs(record)).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
    expect(record.recording.dropped).toBe(15);
    expect(record.recording.counts.get("chunk")).toBe(10);
  });

  it("is bounded in size, too, but always has the newest", () => {
    const record = new EventRecord(100, 2_000);
    for (let seq = 1; seq <= 20; seq += 1) record.add(chunk(seq, "x".repeat(300)));
    expect(seqs(record).at(-1)).toBe(20);
    expect(seqs(record).length).toBeLessThan(6);
    record.add(chunk(21, "x".repeat(10_000)));
    expect(seqs(record)).toEqual([21]);
  });

  it("tells who looks once for many events, and makes no lists for nobody", () => {
    vi.useFakeTimers();
    const record = new EventRecord();
    const told = vi.fn();
    record.add(chunk(1));
    expect(record.recording.events).toEqual([]);
    const unsubscribe = record.subscribe(told);
    expect(record.recording.events).toHaveLength(1);
    for (let seq = 2; seq <= 500; seq += 1) record.add(chunk(seq));
    vi.advanceTimersByTime(1_000);
    expect(told).toHaveBeenCalledTimes(1);
    expect(record.recording.events).toHaveLength(500);
    unsubscribe();
    vi.useRealTimers();
  });

  it("keeps up with a busy stream: 50,000 events in far less than quadratic time", () => {
    const record = new EventRecord();
    const begun = performance.now();
    for (let seq = 1; seq <= 50_000; seq += 1) record.add(chunk(seq));
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(seqs(record)).toHaveLength(5_000);
  });

  it("puts what came before in front, each once", () => {
    const record = new EventRecord();
    record.add(chunk(3));
    record.add(chunk(4));
    record.putBefore([chunk(1), chunk(2), chunk(3)]);
    expect(seqs(record)).toEqual([1, 2, 3, 4]);
  });

  it("filters by type and by text in any case", () => {
    const record = new EventRecord();
    record.add(chunk(1, "Salary"));
    record.add({ ...chunk(2), type: "complete", status: "succeeded" } as SignalboxEvent);
    seqs(record);
    const { events } = record.recording;
    expect(filtered(events, { types: new Set(["complete"]), text: "" }).map((one) => one.seq)).toEqual([2]);
    expect(filtered(events, { types: new Set(), text: " sAlArY " }).map((one) => one.seq)).toEqual([1]);
    expect(filtered(events, { types: new Set(["complete"]), text: "salary" })).toEqual([]);
    expect(filtered(events, { types: new Set(), text: "" })).toBe(events);
  });

  it("writes one event a line, which parses to what came", () => {
    const record = new EventRecord();
    record.add(chunk(1, "two\nlines"));
    record.add(chunk(2));
    seqs(record);
    const lines = asLines(record.recording.events).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([chunk(1, "two\nlines"), chunk(2)]);
  });
});
