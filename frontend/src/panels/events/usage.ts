import type { ConversationView, UsageView } from "@signalbox/client";

/** Tokens and cost of some model calls. `costUsd` is null if it is not known of any of them. */
export interface Total {
  readonly calls: number;
  readonly models: readonly string[];
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
  /** Not all costs are known: it cost more than `costUsd`. */
  readonly partly: boolean;
  readonly estimated: boolean;
}

export interface RunUsage {
  readonly runId: string;
  readonly question: string;
  readonly total: Total;
}

export function totalOf(calls: readonly UsageView[]): Total {
  const known = calls.filter((call) => call.costUsd !== null);
  const sum = (of: (call: UsageView) => number) => calls.reduce((all, call) => all + of(call), 0);
  return {
    calls: calls.length,
    models: [...new Set(calls.map((call) => call.model))],
    inputTokens: sum((call) => call.inputTokens),
    cachedTokens: sum((call) => call.cachedTokens),
    outputTokens: sum((call) => call.outputTokens),
    costUsd: known.length === 0 ? null : sum((call) => call.costUsd ?? 0),
    partly: known.length > 0 && known.length < calls.length,
    estimated: calls.some((call) => call.estimated),
  };
}

/** What each run used, the newest first, and all together. Runs that were taken back were paid for, too. */
export function usageOf(view: ConversationView): { runs: readonly RunUsage[]; all: Total } {
  const questions = new Map(
    view.messages.filter((one) => one.role === "user").map((one) => [one.runId, one.text]),
  );
  const used = view.runs.filter((run) => run.usage.length > 0);
  const runs = used.map((run) => ({
    runId: run.runId,
    question: questions.get(run.runId) ?? "",
    total: totalOf(run.usage),
  }));
  return { runs: runs.toReversed(), all: totalOf(used.flatMap((run) => run.usage)) };
}
