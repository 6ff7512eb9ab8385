/** What one event changes in its run. */

import type {
  Chunk,
  Message,
  Rewind,
  RunStarted,
  SignalboxEvent,
  SnapshotHandoff,
  SnapshotRewind,
  ToolResult,
  Usage,
} from "../events.gen.js";
import { type Block, bare, isBlockType, joined, noBlocks } from "./blocks.js";
import type { HandoffView, MessageView, RewindView, RunView, ToolView, UsageView } from "./view.js";

type Told = Exclude<SignalboxEvent, { type: "snapshot" | "gap" | "chunk" | "message" | "rewind" }>;

export function startedRun(runId: string): RunView {
  return {
    runId,
    status: "running",
    userMessageId: null,
    ...noBlocks,
    answerId: null,
    settled: false,
    holed: false,
    retracted: false,
    attempt: 0,
    agent: null,
    intent: null,
    thinking: null,
    tools: [],
    handoffs: [],
    rewinds: [],
    usage: [],
    errors: [],
  };
}

export function startedMessage(messageId: string, runId: string, role: MessageView["role"]): MessageView {
  return { messageId, runId, role, text: "", status: "streaming", agent: null, citations: [] };
}

// What a settled run already has from its snapshot.
const CONTENT: ReadonlySet<string> = new Set([
  "chunk",
  "message",
  "rewind",
  "thinking",
  "tool_call",
  "tool_result",
]);
// What may still be said of a settled run whose end is known.
const NEWS: ReadonlySet<string> = new Set(["run_started", "retracted", "complete"]);

/** The log's older end, replayed: the snapshot has it. Or the rest of what was taken back. */
export function isOld(run: RunView, event: SignalboxEvent): boolean {
  if (run.retracted) return event.type !== "retracted" && event.type !== "complete";
  if (!run.settled) return false;
  return run.status === "over" ? CONTENT.has(event.type) || isBlockType(event.type) : !NEWS.has(event.type);
}

/** A run that waited is not started again: it simply says more. */
export function goingOn(run: RunView): RunView {
  return run.status === "waiting" ? { ...run, status: "running" } : run;
}

/** A run as its text goes on. */
export function telling(run: RunView, event: Chunk | Message | Rewind): RunView {
  const going = goingOn(run);
  if (event.type === "rewind") return { ...going, rewinds: [...run.rewinds, rewindOf(event)] };
  return run.answerId === null ? at(going, event.message_id) : going;
}

/** What comes from here on belongs to the message; so does what came before the run's first. */
function at(run: RunView, messageId: string): RunView {
  if (messageId === "" || messageId === run.answerId) return run;
  const owners = run.owners.includes(null) ? run.owners.map((owner) => owner ?? messageId) : run.owners;
  return { ...run, answerId: messageId, owners };
}

/** A run that was taken back. */
export function withdrawn(run: RunView): RunView {
  return { ...run, ...noBlocks, answerId: null, retracted: true, thinking: null };
}

/** After a snapshot the run's events come again from the very first: they replace what the snapshot had. */
export function startsOver(run: RunView, event: RunStarted): boolean {
  return run.holed && event.attempt === 1;
}

export function changed(run: RunView, event: Told): RunView {
  switch (event.type) {
    case "run_started":
      return begun(run, event);
    case "complete":
      return { ...run, status: event.status, thinking: null };
    case "retracted":
      return withdrawn(run);
    case "error": {
      const { code, content, retry } = event;
      return { ...run, errors: [...run.errors, { code, content, retry }], thinking: null };
    }
    case "usage":
      return { ...run, usage: [...run.usage, usageOf(event)] };
    case "thinking":
    case "intent":
    case "agent_started":
    case "agent_finished":
    case "handoff":
    case "tool_call":
    case "tool_result":
      return activity(goingOn(run), event);
    default: {
      const going = goingOn(run);
      return isBlockType(event.type) ? joined(going, bare(event) as Block, run.answerId) : going;
    }
  }
}

function begun(run: RunView, event: RunStarted): RunView {
  const told = { ...run, attempt: event.attempt, userMessageId: event.user_message_id };
  if (run.settled) return told;
  const begun: RunView = { ...told, status: "running" };
  if (!startsOver(run, event)) return begun;
  const { tools, handoffs, rewinds, usage, errors, answerId } = startedRun(run.runId);
  return { ...begun, ...noBlocks, answerId, holed: false, tools, handoffs, rewinds, usage, errors };
}

type Activity =
  | "thinking"
  | "intent"
  | "agent_started"
  | "agent_finished"
  | "handoff"
  | "tool_call"
  | "tool_result";

function activity(run: RunView, event: Extract<SignalboxEvent, { type: Activity }>): RunView {
  switch (event.type) {
    case "thinking":
      return { ...run, thinking: { stage: event.stage, label: event.label } };
    case "intent": {
      const { intent, confidence, reasoning, source, alternatives } = event;
      return { ...run, intent: { intent, confidence, reasoning, source, alternatives } };
    }
    case "agent_started":
      return { ...at(run, event.message_id), agent: event.agent, thinking: null };
    case "agent_finished":
      return { ...run, agent: event.agent, thinking: null };
    case "handoff":
      return { ...run, handoffs: [...run.handoffs, handoffOf(event)] };
    case "tool_call": {
      const { call_id: callId, tool } = event;
      return withTool(run, startedTool(callId, tool));
    }
    case "tool_result":
      return withTool(run, toolOf(event));
  }
}

function withTool(run: RunView, tool: ToolView): RunView {
  const known = run.tools.some((old) => old.callId === tool.callId);
  return {
    ...run,
    tools: known ? run.tools.map((old) => (old.callId === tool.callId ? tool : old)) : [...run.tools, tool],
  };
}

export function startedTool(callId: string, tool: string): ToolView {
  return {
    callId,
    tool,
    status: "running",
    kind: null,
    note: "",
    truncated: false,
    total: null,
    missed: [],
  };
}

export function toolOf(
  result: Omit<ToolResult, "type" | "conversation_id" | "run_id" | "seq" | "ts">,
): ToolView {
  const { call_id: callId, tool, status, kind, note, truncated } = result;
  // An older server does not tell these.
  const { total = null, missed = [] } = result as Partial<typeof result>;
  return { callId, tool, status, kind, note, truncated, total, missed };
}

export function handoffOf({
  from_agent: fromAgent,
  to_agent: toAgent,
  reason,
}: SnapshotHandoff): HandoffView {
  return { fromAgent, toAgent, reason };
}

export function rewindOf({ message_id: messageId, reason }: SnapshotRewind): RewindView {
  return { messageId, reason };
}

export function usageOf(usage: Omit<Usage, "type" | "conversation_id" | "run_id" | "seq" | "ts">): UsageView {
  return {
    model: usage.model,
    inputTokens: usage.input_tokens,
    cachedTokens: usage.cached_tokens,
    outputTokens: usage.output_tokens,
    costUsd: usage.cost_usd,
    estimated: usage.estimated,
  };
}
