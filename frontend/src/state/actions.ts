import type { Client, ConversationView, LiveConversation, RunView } from "@signalbox/client";
import { isOver } from "@signalbox/client";
import { texts } from "../texts";
import type { Actions } from "./session";

/** The actions on one conversation. `temporary` is asked when its first message is sent. */
export function actionsOf(client: Client, live: LiveConversation, temporary: () => boolean): Actions {
  const first = () => (live.conversationId === null && temporary() ? { temporary: true } : {});
  const replace = async (runId: string, message: string) => {
    await live.send(message, { replaces: await taken(live, runId) });
  };
  return {
    async send(message, { interrupt = false } = {}) {
      await live.send(message, { ...first(), ifBusy: interrupt ? "interrupt" : "enqueue" });
    },
    async choose(suggestion) {
      await live.send(suggestion.message, { suggestionId: suggestion.id });
    },
    async stop(runId = going(live.state.view)?.runId) {
      const known = runId && (await live.takenAs(runId));
      if (known) await client.cancel(known);
    },
    async retry(runId) {
      const message = questionOf(live.state.view, runId);
      if (message === undefined) throw new Error(texts.chat.questionGone);
      await replace(runId, message);
    },
    edit: replace,
    async decide(runId, approvalId, decision) {
      await client.decide(await taken(live, runId), approvalId, decision);
    },
  };
}

/** The run that is being answered, if one is: the first that is not over and not asking its user something. */
export function going(view: ConversationView): RunView | undefined {
  return view.runs.find((run) => !run.retracted && !isOver(run) && run.status !== "waiting");
}

/** The id by which the server knows the run: its message may still be on its way there. */
async function taken(live: LiveConversation, runId: string): Promise<string> {
  const id = await live.takenAs(runId);
  if (id === null) throw new Error(texts.chat.questionGone);
  return id;
}

/** How many messages came after those of the run, and would go with it. */
export function messagesAfter(view: ConversationView, runId: string): number {
  const at = view.runs.findIndex((run) => run.runId === runId);
  const later = view.runs.filter((run, place) => place > at && !run.retracted).map((run) => run.runId);
  return at < 0 ? 0 : view.messages.filter((message) => later.includes(message.runId)).length;
}

function questionOf(view: ConversationView, runId: string): string | undefined {
  return view.messages.find((message) => message.runId === runId && message.role === "user")?.text;
}
