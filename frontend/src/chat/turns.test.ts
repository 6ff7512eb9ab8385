import { type ConversationView, emptyView, reduceAll, type SignalboxEvent, sent } from "@signalbox/client";
import { describe, expect, it } from "vitest";
import { turnsOf } from "./turns";

let seq = 0;
function event(runId: string, fields: Record<string, unknown>): SignalboxEvent {
  seq += 1;
  return {
    conversation_id: "c_1",
    run_id: runId,
    seq,
    ts: "2026-01-01T00:00:00Z",
    ...fields,
  } as SignalboxEvent;
}

const began = (runId: string) =>
  event(runId, { type: "run_started", attempt: 1, user_message_id: `u_${runId}`, message: "Find jobs" });
const chunk = (runId: string, content: string, agent = "job_search", message = `m_${runId}`) =>
  event(runId, { type: "chunk", message_id: message, agent, content });
const whole = (runId: string, content: string, agent = "job_search", message = `m_${runId}`) =>
  event(runId, { type: "message", message_id: message, agent, content, citations: [] });
const jobs = (runId: string) =>
  event(runId, { type: "jobs_data", jobs: [], total: 0, truncated: false, sources: [] });
const replies = (runId: string) => event(runId, { type: "suggestions", text: "", suggestions: [] });
const starts = (runId: string, message_id: string) =>
  event(runId, { type: "agent_started", agent: "any", message_id });
const letter = (runId: string) => event(runId, { type: "cover_letter" });
const pay = (runId: string) => event(runId, { type: "salary_range" });
const over = (runId: string) => event(runId, { type: "complete", status: "succeeded" });

const viewOf = (...events: SignalboxEvent[]): ConversationView => reduceAll(emptyView, events);

describe("turnsOf", () => {
  it("puts results below a text once it is whole", () => {
    const streaming = viewOf(began("r1"), jobs("r1"), chunk("r1", "Two "));
    expect(turnsOf(streaming)[0]?.parts[0]?.blocks).toEqual([]);
    const done = turnsOf(reduceAll(streaming, [whole("r1", "Two jobs.")]));
    expect(done[0]?.parts[0]?.blocks.map(({ type }) => type)).toEqual(["jobs_data"]);
  });

  it("gives each agent of a run the results that are its own, and the first one those before it", () => {
    const view = viewOf(
      began("r1"),
      pay("r1"),
      starts("r1", "m1"),
      jobs("r1"),
      whole("r1", "Jobs.", "job_search", "m1"),
      starts("r1", "m2"),
      letter("r1"),
      replies("r1"),
      whole("r1", "Pay.", "salary", "m2"),
      over("r1"),
    );
    const [turn] = turnsOf(view);
    expect(turn?.replies).toHaveLength(1);
    expect(turn?.parts.map(({ blocks }) => blocks.map(({ type }) => type))).toEqual([
      ["salary_range", "jobs_data"],
      ["cover_letter"],
    ]);
  });

  it("keeps an agent's results out of another's answer while its own is not there yet", () => {
    const view = viewOf(began("r1"), starts("r1", "m1"), whole("r1", "Jobs.", "job_search", "m1"));
    const next = reduceAll(view, [starts("r1", "m2"), pay("r1")]);
    expect(turnsOf(next)[0]?.parts.map(({ id, blocks }) => [id, blocks.length])).toEqual([["m1", 0]]);
  });

  it("shows results of who said nothing, before the one that spoke after it", () => {
    const view = viewOf(began("r1"), starts("r1", "m1"), jobs("r1"), starts("r1", "m2"), over("r1"));
    const said = reduceAll(view, [whole("r1", "Pay.", "salary", "m2")]);
    expect(turnsOf(said)[0]?.parts.map(({ id, message }) => [id, message?.text ?? null])).toEqual([
      ["m1", null],
      ["m2", "Pay."],
    ]);
  });

  it("shows a message that waits for the answer before it as queued", () => {
    const view = sent(viewOf(began("r1"), chunk("r1", "On it")), "r2", "And in Rome?");
    expect(turnsOf(view).map(({ queued }) => queued)).toEqual([false, true]);
  });

  it("keeps turns that did not change the same objects", () => {
    const before = viewOf(began("r1"), whole("r1", "Done."), over("r1"), began("r2"), chunk("r2", "a"));
    const first = turnsOf(before);
    const next = turnsOf(reduceAll(before, [chunk("r2", "b")]), first);
    expect(next[0]).toBe(first[0]);
    expect(next[1]).not.toBe(first[1]);
    expect(turnsOf(before, first)).toBe(first);
  });

  it("forgets what was taken back", () => {
    const view = viewOf(
      began("r1"),
      whole("r1", "Done."),
      event("r1", { type: "retracted", user_message_id: "u_r1" }),
    );
    expect(turnsOf(view)).toEqual([]);
  });
});
