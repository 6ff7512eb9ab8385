/** A conversation as the store has it, as a view. */

import type { Snapshot, SnapshotMessage, SnapshotRun } from "../events.gen.js";
import { type Block, isBlockType, joined } from "./blocks.js";
import { startedRun, toolOf, usageOf } from "./run.js";
import type { ConversationView, IntentView, MessageView, RunView } from "./view.js";

const GOING_ON: ReadonlySet<string> = new Set(["pending", "running", "waiting"]);
const OVER: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled", "dead", "over"]);

/** The view that takes `before`'s place. */
export function fromSnapshot(before: ConversationView, event: Snapshot): ConversationView {
  const told = new Map(event.runs.map((run) => [run.run_id, run]));
  const known = new Map(before.runs.map((run) => [run.runId, run]));
  const mine = byRun(event.messages);
  const order = new Set([...mine.keys(), ...told.keys()]);
  return {
    conversationId: event.conversation_id || before.conversationId,
    lastSeq: event.seq,
    gap: null,
    omitted: event.omitted,
    messages: event.messages.map(storedMessage),
    runs: [...order].map((runId) =>
      storedRun(runId, mine.get(runId) ?? [], told.get(runId), known.get(runId)),
    ),
  };
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
  return {
    ...history(runId, told, before),
    userMessageId: messages.find((message) => message.role === "user")?.message_id ?? null,
    blocks: messages.flatMap((message) => message.blocks.filter(isShown)).reduce(joined, []),
    settled: told === undefined || !GOING_ON.has(told.status),
    // Until its events turn out to start with its start.
    holed: told !== undefined && (told.status === "running" || told.status === "waiting"),
    retracted: false,
  };
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
    usage: told.usage.map(usageOf),
    errors: told.error === null ? [] : [told.error],
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
