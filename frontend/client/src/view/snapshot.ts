/** A conversation as the store has it, as a view. */

import type { Snapshot, SnapshotMessage, SnapshotRun } from "../events.gen.js";
import { type Block, isBlockType, joined, noBlocks, type Owned } from "./blocks.js";
import { handoffOf, rewindOf, startedRun, toolOf, usageOf, withdrawn } from "./run.js";
import type { ConversationView, IntentView, MessageView, RunView } from "./view.js";

const GOING_ON: ReadonlySet<string> = new Set(["pending", "running", "waiting"]);
const OVER: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled", "dead", "over"]);

/** The view that takes `before`'s place. */
export function fromSnapshot(before: ConversationView, event: Snapshot): ConversationView {
  const told = new Map(event.runs.map((run) => [run.run_id, run]));
  const known = new Map(before.runs.map((run) => [run.runId, run]));
  const mine = byRun(event.messages);
  const order = new Set([...mine.keys(), ...told.keys()]);
  const runs = [...order].map((runId) =>
    storedRun(runId, mine.get(runId) ?? [], told.get(runId), known.get(runId)),
  );
  const gone = new Set(runs.filter((run) => run.retracted).map((run) => run.runId));
  return {
    conversationId: event.conversation_id || before.conversationId,
    lastSeq: event.seq,
    gap: null,
    omitted: event.omitted,
    messages: event.messages.filter((message) => !gone.has(message.run_id)).map(storedMessage),
    runs,
  };
}

/** The view with what the store has of runs that lost events and are over; all else stays as it is. */
export function mended(view: ConversationView, event: Snapshot): ConversationView {
  const stored = fromSnapshot(view, event);
  const lacking = view.runs.filter((run) => run.holed && OVER.has(run.status) && !run.retracted);
  return lacking.reduce((mending, { runId }) => {
    const run = stored.runs.find((each) => each.runId === runId);
    if (run === undefined) return withRun(mending, runId, (known) => ({ ...known, holed: false }));
    if (!run.settled) return mending;
    const messages = stored.messages.filter((message) => message.runId === runId);
    return { ...withRun(mending, runId, () => run), messages: replaced(mending.messages, runId, messages) };
  }, view);
}

function withRun(view: ConversationView, runId: string, change: (run: RunView) => RunView): ConversationView {
  return { ...view, runs: view.runs.map((run) => (run.runId === runId ? change(run) : run)) };
}

/** The messages of a run in place of those there were, where those began. */
function replaced(
  messages: readonly MessageView[],
  runId: string,
  stored: readonly MessageView[],
): readonly MessageView[] {
  const at = messages.findIndex((message) => message.runId === runId);
  const others = messages.filter((message) => message.runId !== runId);
  const before = at < 0 ? others.length : at;
  return [...others.slice(0, before), ...stored, ...others.slice(before)];
}

function byRun(messages: readonly SnapshotMessage[]): Map<string, SnapshotMessage[]> {
  const runs = new Map<string, SnapshotMessage[]>();
  for (const message of messages) {
    const mine = runs.get(message.run_id);
    if (mine) mine.push(message);
    else runs.set(message.run_id, [message]);
  }
  return runs;
}

function storedMessage(message: SnapshotMessage): MessageView {
  const { message_id: messageId, run_id: runId, role, content: text, status, agent, citations } = message;
  return { messageId, runId, role, text, status, agent, citations };
}

function storedRun(
  runId: string,
  messages: readonly SnapshotMessage[],
  told: SnapshotRun | undefined,
  before: RunView | undefined,
): RunView {
  const goesOn = told !== undefined && GOING_ON.has(told.status);
  const stored: RunView = {
    ...history(runId, told, before),
    userMessageId: messages.find((message) => message.role === "user")?.message_id ?? null,
    ...blocksOf(messages),
    answerId: messages.filter((message) => message.role === "assistant").at(-1)?.message_id ?? null,
    settled: !goesOn,
    // Until its events turn out to start with its start.
    holed: told !== undefined && (told.status === "running" || told.status === "waiting"),
    retracted: false,
  };
  // The store may not know yet what this reader was told: that it is being taken back.
  return goesOn && before?.retracted ? { ...withdrawn(stored), holed: false } : stored;
}

function blocksOf(messages: readonly SnapshotMessage[]): Owned {
  return messages.reduce(
    (owned, { message_id: owner, blocks }) =>
      blocks.filter(isShown).reduce((known, block) => joined(known, block, owner), owned),
    noBlocks,
  );
}

/** How the run went: as the snapshot tells, else as it was seen to go to its end, else nothing is known of it. */
function history(runId: string, told: SnapshotRun | undefined, before: RunView | undefined): RunView {
  const fresh = startedRun(runId);
  if (told === undefined)
    return before && OVER.has(before.status) ? { ...before, thinking: null } : { ...fresh, status: "over" };
  return {
    ...fresh,
    status: told.status,
    attempt: before?.attempt ?? 0,
    agent: told.agent,
    intent: intentOf(told, before?.intent ?? null),
    tools: told.tools.map(toolOf),
    ...given(told, before),
    usage: told.usage.map(usageOf),
    errors: told.error === null ? [] : [told.error],
  };
}

/** An older server tells none of them; a run that goes on will tell those again that were seen. */
function given(told: SnapshotRun, before: RunView | undefined): Pick<RunView, "handoffs" | "rewinds"> {
  const { handoffs = [], rewinds = [] } = told as Partial<SnapshotRun>;
  const seen = before !== undefined && OVER.has(told.status) ? before : startedRun(told.run_id);
  return {
    handoffs: handoffs.length > 0 ? handoffs.map(handoffOf) : seen.handoffs,
    rewinds: rewinds.length > 0 ? rewinds.map(rewindOf) : seen.rewinds,
  };
}

/** A snapshot has neither the reasons nor the alternatives. */
function intentOf(told: SnapshotRun, before: IntentView | null): IntentView | null {
  if (told.intent === null || told.intent === before?.intent) return before;
  return {
    intent: told.intent,
    confidence: told.confidence ?? 0,
    reasoning: "",
    source: told.source ?? "",
    alternatives: [],
  };
}

// A newer server's kinds are left out: there is nothing to show them with.
function isShown(raw: Record<string, unknown>): raw is Record<string, unknown> & Block {
  return isBlockType(raw.type);
}
