import type { Client, ConversationView, LiveConversation, RunView } from "@signalbox/client";
import { isOver, isSending, runOf } from "@signalbox/client";
import { texts } from "../texts";
import type { Actions } from "./session";

/** The actions on one conversation. `temporary` is asked when its first message is sent. */
export function actionsOf(client: Client, live: LiveConversation, temporary: () => boolean): Actions {
  const first = () => (live.conversationId === null && temporary() ? { temporary: true } : {});
  const replace = async (runId: string, message: string) => {
    await live.send(message, { replaces: runId });
  };
  return {
    async send(message, { interrupt = false } = {}) {
      await live.send(message, { ...first(), ifBusy: interrupt ? "interrupt" : "enqueue" });
    },
    async choose(suggestion) {
      await live.send(suggestion.message, { suggestionId: suggestion.id });
    },
    async stop() {
      const runId = await knownRun(live);
      if (runId !== null) await client.cancel(runId);
    },
    async retry(runId) {
      const message = questionOf(live.state.view, runId);
      if (message === undefined) throw new Error(texts.chat.questionGone);
      await replace(runId, message);
    },
    edit: replace,
    async decide(runId, approvalId, decision) {
      await client.decide(runId, approvalId, decision);
    },
  };
}

/** The run that is being answered, if one is: the first that is not over and not asking its user something. */
export function going(view: ConversationView): RunView | undefined {
  return view.runs.find((run) => !run.retracted && !isOver(run) && run.status !== "waiting");
}

/** The run that is going, once the server knows it: a message may still be on its way there. Null: it is over. */
function knownRun(live: LiveConversation): Promise<string | null> {
  return new Promise((resolve) => {
    let unsubscribe = () => {};
    const look = () => {
      const run = going(live.state.view);
      if (run !== undefined && isSending(run.runId)) return false;
      unsubscribe();
      resolve(run?.runId ?? null);
      return true;
    };
    if (!look()) unsubscribe = live.subscribe(look);
  });
}

function questionOf(view: ConversationView, runId: string): string | undefined {
  if (runOf(view, runId) === undefined) return undefined;
  return view.messages.find((message) => message.runId === runId && message.role === "user")?.text;
}
