/** What is being sent, as it is shown until the server has taken or refused it. */

import type { RunHandle, SendOptions } from "../calls/api.js";
import { joined } from "../view/blocks.js";
import { type ConversationView, runOf, sent, takenBack } from "../view/view.js";

interface Letter {
  readonly key: string;
  readonly text: string;
  readonly replaces: string | undefined;
  readonly suggestionId: string | undefined;
  /** The runs there were when it was sent. */
  readonly before: ReadonlySet<string>;
}

const PREFIX = "sending_";

/** Whether the run is only shown so far: the server has not taken its message yet, and knows no such id. */
export function isSending(runId: string): boolean {
  return runId.startsWith(PREFIX);
}

export class Outgoing {
  #letters: readonly Letter[] = [];
  /** The ids that the server gives to what was shown as `sending_...`; null where it refused. */
  readonly #ids = new Map<string, Promise<string | null>>();
  /** The runs of letters that were taken while others were still on their way. */
  readonly #taken = new Set<string>();

  /** The server's id of a run; it may be one that is only shown so far. Null: it was refused. */
  async idOf(runId: string): Promise<string | null> {
    const id = this.#ids.get(runId);
    return id === undefined ? runId : id;
  }

  asked(key: string, sending: Promise<RunHandle>): void {
    const id = sending.then(
      (run) => run.runId,
      () => null,
    );
    this.#ids.set(PREFIX + key, id);
  }

  add(key: string, text: string, { replaces, suggestionId }: SendOptions, view: ConversationView): void {
    const before = new Set(view.runs.map((run) => run.runId));
    this.#letters = [...this.#letters, { key, text, replaces, suggestionId, before }];
  }

  drop(key: string): void {
    this.#letters = this.#letters.filter((letter) => letter.key !== key);
    if (this.#letters.length === 0) this.#taken.clear();
  }

  /** `view` with what is on its way. */
  shownIn(view: ConversationView): ConversationView {
    const matched = new Set(this.#taken);
    return this.#letters.reduce((shown, letter) => {
      const without = letter.replaces ? takenBack(shown, letter.replaces) : shown;
      // Its run may be heard of before its request is answered. Each run is one letter's.
      const runId = arrivedAs(letter, view, matched);
      if (runId === undefined) return written(without, letter, PREFIX + letter.key);
      matched.add(runId);
      return shown;
    }, view);
  }

  /** `view` once the server has made run `runId` of the letter: its events may have come already, or not. */
  taken(key: string, runId: string, view: ConversationView): ConversationView {
    const letter = this.#letters.find((each) => each.key === key);
    if (letter === undefined) return view;
    this.#taken.add(runId);
    const without =
      letter.replaces && runOf(view, runId) === undefined ? takenBack(view, letter.replaces) : view;
    const known = view.messages.some((message) => message.runId === runId && message.role === "user");
    return known || runOf(view, runId)?.retracted ? view : written(without, letter, runId);
  }
}

/** The run that is likely the letter's: one with its text that is new, and no other letter's. */
function arrivedAs(letter: Letter, view: ConversationView, matched: ReadonlySet<string>): string | undefined {
  return view.messages.find(
    ({ role, text, runId }) =>
      role === "user" && text === letter.text && !letter.before.has(runId) && !matched.has(runId),
  )?.runId;
}

function written(view: ConversationView, letter: Letter, runId: string): ConversationView {
  const shown = sent(view, runId, letter.text);
  const { suggestionId } = letter;
  if (suggestionId === undefined) return shown;
  // Its buttons are locked at once.
  const chosen = { type: "suggestion_chosen", suggestion_id: suggestionId } as const;
  return {
    ...shown,
    runs: shown.runs.map((run) => (run.runId === runId ? joined(run, chosen, run.answerId) : run)),
  };
}
