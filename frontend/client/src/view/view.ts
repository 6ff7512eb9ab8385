/**
 * What a conversation looks like after some events. The twin of `signalbox.view`, tested on the same transcripts:
 * fold events in order, each once; an uninterrupted stream, a resumed one and one with a gap and a snapshot in it end
 * in the same `final` state.
 */

import type {
  ApprovalRequired,
  ApprovalResolved,
  Citation,
  Complete,
  Gap,
  SnapshotRun,
  Suggestion,
  Suggestions,
  ToolResult,
} from "../events.gen.js";
import type { Block, BlockOf, BlockType, Envelope } from "./blocks.js";
import { lastIndex } from "./lists.js";

export {
  BLOCK_TYPES,
  type Block,
  type BlockOf,
  type BlockType,
  type Envelope,
  isBlockType,
} from "./blocks.js";
export { reduce, reduceAll, sent, takenBack } from "./reduce.js";
export { startedRun, startedTool } from "./run.js";
export { mended } from "./snapshot.js";

export type RunStatus = SnapshotRun["status"];
export type LostReason = Gap["reason"];

/** `streaming` while text comes, `complete` once it came whole, `partial` if its run ended before that. */
export interface MessageView {
  /** Empty for the user's own message until the server has said its id. */
  readonly messageId: string;
  readonly runId: string;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly status: "streaming" | "complete" | "partial";
  readonly agent: string | null;
  readonly citations: readonly Citation[];
}

export interface ToolView {
  readonly callId: string;
  readonly tool: string;
  readonly status: ToolResult["status"] | "running";
  readonly kind: string | null;
  readonly note: string;
  /** There is more than was returned: `total`, if that is known. */
  readonly truncated: boolean;
  readonly total: number | null;
  /** What was not asked successfully: with any, what was found is a part of what there may be. */
  readonly missed: readonly string[];
}

export interface UsageView {
  readonly model: string;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
  readonly estimated: boolean;
}

export interface IntentView {
  readonly intent: string;
  readonly confidence: number;
  readonly reasoning: string;
  readonly source: string;
  readonly alternatives: readonly { readonly intent: string; readonly confidence: number }[];
}

/** One agent gave over to another. */
export interface HandoffView {
  readonly fromAgent: string;
  readonly toAgent: string;
  readonly reason: string;
}

/** The text of a message was dropped and sent anew. */
export interface RewindView {
  readonly messageId: string;
  readonly reason: string;
}

export interface ErrorView {
  readonly code: string;
  readonly content: string;
  readonly retry: boolean;
}

/**
 * One run. `over`: a snapshot left out how it ended. `settled`: a snapshot had all of it. `holed`: events were lost
 * while it ran, so text or blocks may lack parts until `Client.messages` is asked after its end. `retracted`: it was
 * taken back, and all its messages are gone. `waiting` is no end: the run goes on once its user has decided.
 * `handoffs` and `rewinds` of an older server are those that were seen to happen.
 */
export interface RunView {
  readonly runId: string;
  readonly status: RunStatus | "over";
  readonly userMessageId: string | null;
  readonly blocks: readonly Block[];
  /** To which message each of `blocks` belongs; null until the run's first message is known. */
  readonly owners: readonly (string | null)[];
  /** The message it is at: what comes next belongs to it. */
  readonly answerId: string | null;
  readonly settled: boolean;
  readonly holed: boolean;
  readonly retracted: boolean;
  readonly attempt: number;
  readonly agent: string | null;
  readonly intent: IntentView | null;
  readonly thinking: { readonly stage: string; readonly label: string } | null;
  readonly tools: readonly ToolView[];
  readonly handoffs: readonly HandoffView[];
  readonly rewinds: readonly RewindView[];
  readonly usage: readonly UsageView[];
  readonly errors: readonly ErrorView[];
}

/** `messages` and `runs` in the order they began. `gap` is set between a `gap` and its `snapshot`. */
export interface ConversationView {
  readonly conversationId: string;
  readonly messages: readonly MessageView[];
  readonly runs: readonly RunView[];
  /** The offset of the newest event folded in. */
  readonly lastSeq: number;
  readonly gap: LostReason | null;
  /** How many older messages the snapshot of a very long conversation left out. */
  readonly omitted: number;
}

export const emptyView: ConversationView = {
  conversationId: "",
  messages: [],
  runs: [],
  lastSeq: 0,
  gap: null,
  omitted: 0,
};

const OVER: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled", "dead", "over"]);

export function isOver(run: RunView): boolean {
  return OVER.has(run.status);
}

export function runOf(view: ConversationView, runId: string): RunView | undefined {
  return view.runs[lastIndex(view.runs, (run) => run.runId === runId)];
}

export function answers(view: ConversationView, runId: string): MessageView[] {
  return view.messages.filter((message) => message.runId === runId && message.role === "assistant");
}

export function blocksOf<T extends BlockType>(run: RunView, type: T): BlockOf<T>[] {
  return run.blocks.filter((block): block is BlockOf<T> => block.type === type);
}

/** What became of a run's approvals, by their ids. */
export function decisions(run: RunView): Record<string, ApprovalResolved["decision"]> {
  return Object.fromEntries(
    blocksOf(run, "approval_resolved").map((each) => [each.approval_id, each.decision]),
  );
}

/** What a run's user still has to decide on, if the time is not up. */
export function openApprovals(run: RunView): Omit<ApprovalRequired, Envelope>[] {
  if (isOver(run)) return [];
  const decided = decisions(run);
  return blocksOf(run, "approval_required").filter((each) => !Object.hasOwn(decided, each.approval_id));
}

// Every button on the page asks, at every frame; while text streams the runs stay the same array.
const chosenOf = new WeakMap<readonly RunView[], ReadonlySet<string>>();

/** Ids of all quick replies that were chosen. */
export function chosen(view: ConversationView): ReadonlySet<string> {
  const known = chosenOf.get(view.runs);
  if (known !== undefined) return known;
  const ids = new Set(
    view.runs.flatMap((run) => blocksOf(run, "suggestion_chosen").map((each) => each.suggestion_id)),
  );
  chosenOf.set(view.runs, ids);
  return ids;
}

/** The id of the reply that was chosen from `block`; its other buttons do nothing then. */
export function locked(view: ConversationView, block: Omit<Suggestions, Envelope>): string | null {
  const ids = chosen(view);
  return block.suggestions.find((reply) => ids.has(reply.id))?.id ?? null;
}

/** The quick replies of the last run that can still be chosen. */
export function openSuggestions(view: ConversationView): readonly Suggestion[] {
  const last = view.runs[lastIndex(view.runs, (run) => !run.retracted)];
  const offered = last ? blocksOf(last, "suggestions").filter((block) => locked(view, block) === null) : [];
  return offered.at(-1)?.suggestions ?? [];
}

/** What must be the same however a run's events were received. */
export interface FinalRun {
  readonly over: boolean;
  readonly answers: readonly MessageView[];
  readonly blocks: readonly Block[];
}

/** The lasting state by run id, for comparing views; of what was taken back nothing lasts. */
export function final(view: ConversationView): Record<string, FinalRun> {
  const kept = view.runs.filter((run) => !run.retracted);
  return Object.fromEntries(
    kept.map((run) => [
      run.runId,
      {
        over: isOver(run),
        answers: answers(view, run.runId).filter((message) => message.text !== ""),
        blocks: run.blocks,
      },
    ]),
  );
}

export type FinalStatus = Complete["status"];
