import type { Block, BlockOf, ConversationView, MessageView, RunView } from "@signalbox/client";
import { blocksOf, isOver } from "@signalbox/client";

/** An answer with what belongs below its text; `message` is null for results that came without one. */
export interface Part {
  readonly message: MessageView | null;
  readonly blocks: readonly Block[];
}

/** A question and all that came of it. */
export interface Turn {
  readonly run: RunView;
  readonly question: MessageView | null;
  readonly parts: readonly Part[];
  /** Quick replies: they end a turn, whoever offered them. */
  readonly replies: readonly BlockOf<"suggestions">[];
  /** Not begun, because an earlier question is still being answered. */
  readonly queued: boolean;
}

// Which agent a result comes from, where several answer one question; a view does not keep whose it was.
const AGENTS: Partial<Record<Block["type"], readonly string[]>> = {
  jobs_data: ["job_search"],
  job_match: ["job_match"],
  knowledge: ["general"],
  email_draft: ["cold_email", "followup"],
  cover_letter: ["cover_letter"],
  resume_feedback: ["resume_review"],
  skill_gap: ["skill_gap"],
  interview_questions: ["interview_prep"],
  interview_practice: ["interview_prep"],
  salary_range: ["salary"],
  company_profile: ["company_research"],
  application_status: ["followup"],
  profile_updated: ["profile_update"],
};

// Shown at the turn's end, or by what they say of another result.
const ELSEWHERE = new Set<Block["type"]>(["suggestions", "suggestion_chosen", "approval_resolved"]);

/** The conversation by its questions, in order. What did not change is the same object as in `before`. */
export function turnsOf(view: ConversationView, before: readonly Turn[] = []): readonly Turn[] {
  const messages = byRun(view.messages);
  const known = new Map(before.map((turn) => [turn.run.runId, turn]));
  let busy = false;
  const turns = view.runs
    .filter((run) => !run.retracted)
    .map((run) => {
      const queued = busy && run.status === "pending";
      // One that waits for its user holds nobody up.
      busy ||= !isOver(run) && run.status !== "waiting";
      const turn = turnOf(run, messages.get(run.runId) ?? [], queued);
      const old = known.get(run.runId);
      return old === undefined ? turn : kept(old, turn);
    });
  return turns.length === before.length && turns.every((turn, at) => turn === before[at]) ? before : turns;
}

function byRun(messages: readonly MessageView[]): Map<string, MessageView[]> {
  const runs = new Map<string, MessageView[]>();
  for (const message of messages) {
    const mine = runs.get(message.runId);
    if (mine === undefined) runs.set(message.runId, [message]);
    else mine.push(message);
  }
  return runs;
}

function turnOf(run: RunView, messages: readonly MessageView[], queued: boolean): Turn {
  const question = messages.find((message) => message.role === "user") ?? null;
  const answers = messages.filter((message) => message.role === "assistant");
  const done = ready(run, answers.at(-1) ?? null);
  return {
    run,
    question,
    parts: partsOf(run, answers),
    replies: done ? blocksOf(run, "suggestions") : [],
    queued,
  };
}

function partsOf(run: RunView, answers: readonly MessageView[]): Part[] {
  const shown = run.blocks.filter(({ type }) => !ELSEWHERE.has(type));
  if (answers.length === 0)
    return shown.length > 0 && ready(run, null) ? [{ message: null, blocks: shown }] : [];
  const last = answers.length - 1;
  const places = shown.map((block) => {
    const at = answers.findIndex(({ agent }) => agent !== null && AGENTS[block.type]?.includes(agent));
    return at < 0 ? last : at;
  });
  return answers.map((message, at) => ({
    message,
    blocks: ready(run, message) ? shown.filter((_, number) => places[number] === at) : [],
  }));
}

/** Results stand below the text: shown before it is whole, they would be pushed down line by line. */
function ready(run: RunView, message: MessageView | null): boolean {
  return isOver(run) || run.status === "waiting" || (message !== null && message.status !== "streaming");
}

function kept(old: Turn, next: Turn): Turn {
  const parts = next.parts.map((part, at) => {
    const was = old.parts[at];
    return was !== undefined && was.message === part.message && sameList(was.blocks, part.blocks)
      ? was
      : part;
  });
  const same = old.run === next.run && old.question === next.question && old.queued === next.queued;
  return same && sameList(old.parts, parts) && sameList(old.replies, next.replies) ? old : { ...next, parts };
}

function sameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}
