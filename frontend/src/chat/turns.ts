import type { Block, BlockOf, ConversationView, MessageView, RunView } from "@signalbox/client";
import { blocksOf, isOver } from "@signalbox/client";

/** An answer with what belongs below its text; `message` is null for results that came without one. */
export interface Part {
  /** The message's id; results of a run that said nothing have none. */
  readonly id: string | null;
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
  const known = new Map(answers.map((message) => [message.messageId, message]));
  return placesOf(run, answers).flatMap((id) => {
    const message = known.get(id ?? "") ?? null;
    const shown = ready(run, message) ? run.blocks.filter((_, at) => ownerOf(run, answers, at) === id) : [];
    const blocks = shown.filter(({ type }) => !ELSEWHERE.has(type));
    return message === null && blocks.length === 0 ? [] : [{ id, message, blocks }];
  });
}

/** The messages of the run in order, and those of which only results are known. */
function placesOf(run: RunView, answers: readonly MessageView[]): (string | null)[] {
  const places: (string | null)[] = answers.map(({ messageId }) => messageId);
  for (const owner of new Set(run.blocks.map((_, at) => ownerOf(run, answers, at)))) {
    if (places.includes(owner)) continue;
    // One that said nothing came before the one that speaks now.
    const now = owner === run.answerId ? -1 : places.indexOf(run.answerId);
    places.splice(now < 0 ? places.length : now, 0, owner);
  }
  return places;
}

/** What came before the first message belongs to it. */
function ownerOf(run: RunView, answers: readonly MessageView[], at: number): string | null {
  return run.owners[at] ?? answers[0]?.messageId ?? null;
}

/** Results stand below the text: shown before it is whole, they would be pushed down line by line. */
function ready(run: RunView, message: MessageView | null): boolean {
  return isOver(run) || run.status === "waiting" || (message !== null && message.status !== "streaming");
}

function kept(old: Turn, next: Turn): Turn {
  const parts = next.parts.map((part, at) => {
    const was = old.parts[at];
    return was !== undefined &&
      was.id === part.id &&
      was.message === part.message &&
      sameList(was.blocks, part.blocks)
      ? was
      : part;
  });
  const same = old.run === next.run && old.question === next.question && old.queued === next.queued;
  return same && sameList(old.parts, parts) && sameList(old.replies, next.replies) ? old : { ...next, parts };
}

function sameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}
