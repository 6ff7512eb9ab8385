import type { ConversationView, MessageView, UsageView } from "@signalbox/client";
import { emptyView } from "@signalbox/client";
import { describe, expect, it } from "vitest";
import { RUN } from "../stage.fixture";
import { totalOf, usageOf } from "./usage";

function call(changes: Partial<UsageView> = {}): UsageView {
  return {
    model: "llama",
    inputTokens: 100,
    cachedTokens: 40,
    outputTokens: 20,
    costUsd: 0.01,
    estimated: false,
    ...changes,
  };
}

function asked(runId: string, text: string): MessageView {
  return {
    messageId: `m_${runId}`,
    runId,
    role: "user",
    text,
    status: "complete",
    agent: null,
    citations: [],
  };
}

describe("usage", () => {
  it("adds up, and names each model once", () => {
    expect(totalOf([call(), call({ model: "small", costUsd: 0.02 }), call()])).toEqual({
      calls: 3,
      models: ["llama", "small"],
      inputTokens: 300,
      cachedTokens: 120,
      outputTokens: 60,
      costUsd: 0.04,
      partly: false,
      estimated: false,
    });
  });

  it("a cost that is not known is not nothing", () => {
    expect(totalOf([call({ costUsd: null })]).costUsd).toBeNull();
    const some = totalOf([call({ costUsd: null }), call({ costUsd: 0.5 })]);
    expect(some).toMatchObject({ costUsd: 0.5, partly: true });
    expect(totalOf([call({ costUsd: 0 })])).toMatchObject({ costUsd: 0, partly: false });
  });

  it("one estimated call makes the sum an estimate", () => {
    expect(totalOf([call(), call({ estimated: true })]).estimated).toBe(true);
  });

  it("goes run by run, the newest first, under what was asked; runs without calls are left out", () => {
    const view: ConversationView = {
      ...emptyView,
      messages: [asked("r_1", "first"), asked("r_2", "second")],
      runs: [
        { ...RUN, runId: "r_1", usage: [call()] },
        { ...RUN, runId: "r_2", usage: [call(), call()] },
        { ...RUN, runId: "r_3", retracted: true, usage: [call()] },
        { ...RUN, runId: "r_4" },
      ],
    };
    const { runs, all } = usageOf(view);
    expect(runs.map((run) => [run.question, run.total.calls])).toEqual([
      ["", 1],
      ["second", 2],
      ["first", 1],
    ]);
    expect(all.calls).toBe(4);
  });
});
