/**
 * The reducer: events into a view. Views are never changed; a batch of events copies each list of the view at most
 * once, so a long conversation costs as little per event as a short one.
 */

import type { Chunk, Gap, Message, Rewind, RunStarted, SignalboxEvent, Snapshot } from "../events.gen.js";
import { lastIndex } from "./lists.js";
import { changed, isOld, startedMessage, startedRun, startsOver, telling, withdrawn } from "./run.js";
import { fromSnapshot } from "./snapshot.js";
import type { ConversationView, MessageView, RunView } from "./view.js";

/** `view` after `event`. Total and pure: any event fits any view. */
export function reduce(view: ConversationView, event: SignalboxEvent): ConversationView {
  return reduceAll(view, [event]);
}

/** `view` after all `events`, in order. */
export function reduceAll(view: ConversationView, events: readonly SignalboxEvent[]): ConversationView {
  if (events.length === 0) return view;
  let draft = new Draft(view);
  for (const event of events) {
    if (event.type === "snapshot") draft = new Draft(fromSnapshot(draft.view, event));
    else fold(draft, event);
  }
  return draft.view;
}

/** `view` with the user's own message, as `Client.send` has just made it. */
export function sent(view: ConversationView, runId: string, text: string): ConversationView {
  const draft = new Draft(view);
  draft.addMessage({ ...startedMessage("", runId, "user"), text, status: "complete" });
  draft.setRun(draft.run(runId) ?? { ...startedRun(runId), status: "pending" });
  return draft.view;
}

/** `view` without the run and all after it, as the server will tell by `retracted`. */
export function takenBack(view: ConversationView, runId: string): ConversationView {
  const from = view.runs.findIndex((run) => run.runId === runId);
  if (from < 0) return view;
  const gone = new Set(view.runs.slice(from).map((run) => run.runId));
  return {
    ...view,
    messages: view.messages.filter((message) => !gone.has(message.runId)),
    runs: view.runs.map((run) => (gone.has(run.runId) ? withdrawn(run) : run)),
  };
}

/** A view being made: its lists are the old view's until the first change. */
class Draft {
  conversationId: string;
  lastSeq: number;
  gap: ConversationView["gap"];
  #omitted: number;
  #view: ConversationView;
  #messages: MessageView[] | null = null;
  #runs: RunView[] | null = null;

  constructor(view: ConversationView) {
    this.#view = view;
    this.conversationId = view.conversationId;
    this.lastSeq = view.lastSeq;
    this.gap = view.gap;
    this.#omitted = view.omitted;
  }

  /** It is made once: the draft must not be changed any more. */
  get view(): ConversationView {
    const { conversationId, messages, runs, lastSeq, gap } = this;
    return { conversationId, messages, runs, lastSeq, gap, omitted: this.#omitted };
  }

  get messages(): readonly MessageView[] {
    return this.#messages ?? this.#view.messages;
  }

  get runs(): readonly RunView[] {
    return this.#runs ?? this.#view.runs;
  }

  run(runId: string): RunView | undefined {
    return this.runs[lastIndex(this.runs, (run) => run.runId === runId)];
  }

  setRun(run: RunView): void {
    const at = lastIndex(this.runs, (old) => old.runId === run.runId);
    if (this.runs[at] === run) return;
    this.#runs ??= [...this.#view.runs];
    this.#runs[at < 0 ? this.#runs.length : at] = run;
  }

  addMessage(message: MessageView): void {
    this.#messages ??= [...this.#view.messages];
    this.#messages.push(message);
  }

  setMessage(at: number, message: MessageView): void {
    this.#messages ??= [...this.#view.messages];
    this.#messages[at] = message;
  }

  keepMessages(wanted: (message: MessageView) => boolean): void {
    if (!this.messages.every(wanted)) this.#messages = this.messages.filter(wanted);
  }

  changeMessages(runId: string, change: (message: MessageView) => MessageView): void {
    this.messages.forEach((message, at) => {
      const changed = message.runId === runId ? change(message) : message;
      if (changed !== message) this.setMessage(at, changed);
    });
  }
}

function fold(draft: Draft, event: Exclude<SignalboxEvent, Snapshot>): void {
  draft.lastSeq = event.seq;
  if (event.conversation_id !== "") draft.conversationId = event.conversation_id;
  if (event.type === "gap") draft.gap = event.reason;
  else foldIntoRun(draft, event);
}

function foldIntoRun(draft: Draft, event: Exclude<SignalboxEvent, Snapshot | Gap>): void {
  const run = draft.run(event.run_id) ?? startedRun(event.run_id);
  if (isOld(run, event)) return;
  switch (event.type) {
    case "chunk":
    case "message":
    case "rewind":
      draft.setRun(telling(run, event));
      foldText(draft, event);
      return;
    case "run_started":
      foldQuestion(draft, event, !run.settled && startsOver(run, event));
      break;
    case "retracted":
      draft.keepMessages((message) => message.runId !== run.runId);
      break;
    case "complete":
      draft.changeMessages(run.runId, (message) =>
        message.status === "streaming" ? { ...message, status: "partial" } : message,
      );
      break;
  }
  draft.setRun(changed(run, event));
}

function foldText(draft: Draft, event: Chunk | Message | Rewind): void {
  const at = lastIndex(draft.messages, (message) => message.messageId === event.message_id);
  const old = draft.messages[at];
  const message = withText(old ?? startedMessage(event.message_id, event.run_id, "assistant"), event);
  if (message === old) return;
  if (old !== undefined) draft.setMessage(at, message);
  else if (event.type !== "rewind") draft.addMessage(message);
}

function withText(message: MessageView, event: Chunk | Message | Rewind): MessageView {
  switch (event.type) {
    case "chunk": {
      if (message.status === "complete") return message;
      const text = message.text + event.content;
      return { ...message, text, status: "streaming", agent: message.agent || event.agent };
    }
    case "message": {
      const { content: text, citations } = event;
      return { ...message, text, status: "complete", citations, agent: message.agent || event.agent };
    }
    case "rewind":
      return { ...message, text: "", status: "streaming", citations: [] };
  }
}

/** The user's message gets its id, or is shown if another tab or device sent it. `forget`: the answers go. */
function foldQuestion(draft: Draft, event: RunStarted, forget: boolean): void {
  const { run_id: runId, user_message_id: messageId } = event;
  draft.changeMessages(runId, (message) =>
    message.role === "user" && message.messageId === "" ? { ...message, messageId } : message,
  );
  if (forget) draft.keepMessages((message) => message.runId !== runId || message.role !== "assistant");
  if (event.message === "" || draft.messages.some((message) => message.messageId === messageId)) return;
  draft.addMessage({ ...startedMessage(messageId, runId, "user"), text: event.message, status: "complete" });
}
