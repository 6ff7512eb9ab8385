import type { Client, ConversationView, Decision, LiveConversation, LiveState, Suggestion } from "@signalbox/client";
import { createContext, useContext, useSyncExternalStore } from "react";

export type PanelName = "profile" | "applications" | "events" | "settings";

/** What the user can do to a conversation. Each resolves when the server has taken it, and rejects in its words. */
export interface Actions {
  send(message: string): Promise<void>;
  /** A quick reply; locked at once here, and by an event in every other tab. */
  choose(suggestion: Suggestion): Promise<void>;
  stop(): Promise<void>;
  /** Take the run and all after it back, and ask the same again. */
  retry(runId: string): Promise<void>;
  /** Take the run and all after it back, and ask this instead. */
  edit(runId: string, message: string): Promise<void>;
  decide(runId: string, approvalId: string, decision: Decision): Promise<void>;
}

export interface Session {
  readonly client: Client;
  readonly live: LiveConversation;
  readonly actions: Actions;
  readonly panel: PanelName | null;
  openPanel(panel: PanelName | null): void;
  /** Say something for a moment at the edge of the page, to everybody: also to who cannot see it. */
  announce(text: string, kind?: "info" | "error"): void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("no session around this component");
  return session;
}

export function useLive(): LiveState {
  const { live } = useSession();
  return useSyncExternalStore(
    (listener) => live.subscribe(listener),
    () => live.state,
  );
}

export function useView(): ConversationView {
  return useLive().view;
}
