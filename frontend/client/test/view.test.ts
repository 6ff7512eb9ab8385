/** The reducer: what the Python client makes of the same events, and that it stays quick. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  answers,
  BLOCK_TYPES,
  blocksOf,
  type ConversationView,
  decisions,
  emptyView,
  isOver,
  locked,
  openApprovals,
  openSuggestions,
  type RunView,
  reduce,
  reduceAll,
  runOf,
  type SignalboxEvent,
  sent,
  takenBack,
} from "../src/index.js";
import { lasting, shown } from "./canonical.js";

interface Transcript {
  name: string;
  events: SignalboxEvent[];
  final: unknown;
  full: unknown;
}

const folder = fileURLToPath(new URL("../../../tests/golden/", import.meta.url));
const read = (file: string) => JSON.parse(readFileSync(folder + file, "utf8"));
const files = readdirSync(folder).filter((name) => name.endsWith(".json") && name !== "block_types.json");
const transcript = (name: string): Transcript => read(`${name}.json`);
const viewOf = (name: string, upTo?: number) => reduceAll(emptyView, transcript(name).events.slice(0, upTo));

function event<T extends SignalboxEvent["type"]>(type: T, fields: object): SignalboxEvent {
  return {
    conversation_id: "c_1",
    run_id: "r",
    seq: 1,
    ts: "2026-01-01T00:00:00Z",
    type,
    ...fields,
  } as never;
}

const chunk = (content: string, message_id = "m") =>
  event("chunk", { content, message_id, agent: "general" });

describe("transcripts shared with the Python client", () => {
  it.each(files)("%s folds to the same view", (file) => {
    const told: Transcript = read(file);
    const all = reduceAll(emptyView, told.events);
    expect(shown(all)).toEqual(told.full);
    expect(lasting(all)).toEqual(told.final);
    expect(told.events.reduce(reduce, emptyView), "one by one").toEqual(all);
  });

  it.each(files)("%s changes no earlier view", (file) => {
    const { events } = read(file) as Transcript;
    const half = reduceAll(emptyView, events.slice(0, events.length >> 1));
    const copy = structuredClone(half);
    reduceAll(half, events.slice(events.length >> 1));
    expect(half).toEqual(copy);
  });

  it("has the same typed results", () => {
    expect([...BLOCK_TYPES].sort()).toEqual(read("block_types.json"));
  });
});

describe("what is asked of a view", () => {
  it("locks the quick replies of which one was chosen", () => {
    const view = viewOf("locked");
    const [first, second] = view.runs.map((run) => blocksOf(run, "suggestions")[0]);
    if (!first || !second) throw new Error("no suggestions");
    expect([locked(view, first), locked(view, second)]).toEqual(["s_b", null]);
    expect(openSuggestions(view)).toEqual(second.suggestions);
    expect(openSuggestions(viewOf("uninterrupted"))).toHaveLength(3);
  });

  it("knows what a run still asks its user, and what was decided", () => {
    const asking = runOf(viewOf("asking"), "r_1");
    const decided = runOf(viewOf("decided"), "r_1");
    if (!asking || !decided) throw new Error("no run");
    expect([openApprovals(asking).map((each) => each.approval_id), isOver(asking)]).toEqual([
      ["ap_1"],
      false,
    ]);
    expect([openApprovals(decided), isOver(decided)]).toEqual([[], true]);
    expect(decisions(decided)).toEqual({ ap_1: "edited", ap_2: "rejected" });
  });

  it("finds all messages of an answer", () => {
    expect(answers(viewOf("handoff"), "r_1").map((each) => each.text)).toEqual(["One job.", "Dear all"]);
  });
});

describe("the user's own message", () => {
  it("is shown at once and gets its id from the run's start", () => {
    const view = sent(emptyView, "r_1", "find me a job");
    expect([view.messages[0]?.messageId, view.runs[0]?.status]).toEqual(["", "pending"]);
    const after = reduceAll(view, transcript("uninterrupted").events);
    expect(lasting(after)).toEqual(transcript("uninterrupted").final);
    expect(after.messages.map((each) => each.messageId)).toEqual(["m_1", "m_1_answer"]);
  });

  it("goes, with all after it, when its run is replaced", () => {
    const view = takenBack(viewOf("locked"), "r_2");
    expect(lasting(view)).toEqual(lasting(viewOf("uninterrupted")));
    expect(openSuggestions(view)).toHaveLength(3);
    expect(takenBack(view, "r_unknown")).toBe(view);
  });

  it("and its answer do not come back by what is still on its way of a run taken back", () => {
    const view = takenBack(reduceAll(emptyView, [chunk("half")]), "r");
    expect(
      reduceAll(view, [chunk(" and more"), event("thinking", { stage: "x", label: "y" })]).messages,
    ).toEqual([]);
  });
});

describe("long conversations", () => {
  const long: ConversationView = {
    ...emptyView,
    messages: Array.from({ length: 300 }, (_, at) => ({
      messageId: `m_${at}`,
      runId: `r_${at >> 1}`,
      role: at % 2 ? "assistant" : "user",
      text: "x".repeat(2_000),
      status: "complete",
      agent: null,
      citations: [],
    })),
    runs: Array.from({ length: 150 }, (_, at) => ({
      ...(viewOf("cancelled").runs[0] as RunView),
      runId: `r_${at}`,
    })),
  };

  it("fold 5,000 chunks in less than 100 ms", () => {
    const chunks = Array.from({ length: 5_000 }, (_, at) => chunk(`word ${at} `));
    const times = Array.from({ length: 3 }, () => {
      // What it worked, not how long it waited for others on the machine.
      const begun = process.cpuUsage();
      reduceAll(long, chunks);
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1_000;
    });
    const view = reduceAll(long, chunks);
    expect(view.messages.at(-1)?.text.endsWith("word 4999 ")).toBe(true);
    expect(Math.min(...times)).toBeLessThan(100);
  });

  it("copy their lists once for all events of a read", () => {
    let copies = 0;
    const messages = [...long.messages];
    messages[Symbol.iterator] = () => {
      copies += 1;
      return Array.prototype.values.call(messages);
    };
    const chunks = Array.from({ length: 2_000 }, (_, at) => chunk(`word ${at} `));
    expect(reduceAll({ ...long, messages }, chunks).messages).toHaveLength(301);
    expect(copies).toBe(1);
  });

  it("keep what did not change the same object, so that only what changed is drawn", () => {
    const view = reduceAll(long, [chunk("a")]);
    const next = reduceAll(view, [chunk("b"), chunk("c")]);
    expect(next.runs).toBe(view.runs);
    expect(next.messages.slice(0, 300).every((each, at) => each === long.messages[at])).toBe(true);
  });
});
