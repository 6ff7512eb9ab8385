/** What is being sent, as it is shown until the server has taken or refused it. */

import type { SendOptions } from "../calls/api.js";
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

  add(key: string, text: string, { replaces, suggestionId }: SendOptions, view: ConversationView): void {
    const before = new Set(view.runs.map((run) => run.runId));
    this.#letters = [...this.#letters, { key, text, replaces, suggestionId, before }];
  }

  drop(key: string): void {
    this.#letters = this.#letters.filter((letter) => letter.key !== key);
  }

  /** `view` with what is on its way. */
  shownIn(view: ConversationView): ConversationView {
    return this.#letters.reduce((shown, letter) => {
      const without = letter.replaces ? takenBack(shown, letter.replaces) : shown;
      // Its run may be heard of before its request is answered.
      return hasArrived(letter, view) ? shown : written(without, letter, PREFIX + letter.key);
    }, view);
  }

  /** `view` once the server has made run `runId` of the letter: its events may have come already, or not. */
  taken(key: string, runId: string, view: ConversationView): ConversationView {
    const letter = this.#letters.find((each) => each.key === key);
    if (letter === undefined) return view;
    const without =
      letter.replaces && runOf(view, runId) === undefined ? takenBack(view, letter.replaces) : view;
    const known = view.messages.some((message) => message.runId === runId && message.role === "user");
    return known || runOf(view, runId)?.retracted ? view : written(without, letter, runId);
  }
}

function hasArrived(letter: Letter, view: ConversationView): boolean {
  return view.messages.some(
    ({ role, text, runId }) => role === "user" && text === letter.text && !letter.before.has(runId),
  );
}

function written(view: ConversationView, letter: Letter, runId: string): ConversationView {
  const shown = sent(view, runId, letter.text);
  const { suggestionId } = letter;
  if (suggestionId === undefined) return shown;
  // Its buttons are locked at once.
  const chosen = { type: "suggestion_chosen", suggestion_id: suggestionId } as const;
  return {
    ...shown,
    runs: shown.runs.map((run) => (run.runId === runId ? { ...run, blocks: [...run.blocks, chosen] } : run)),
  };
}
