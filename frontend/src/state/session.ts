import type {
  About,
  Client,
  ConversationView,
  Decision,
  LiveConversation,
  LiveState,
  Suggestion,
} from "@signalbox/client";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { ConversationList, ListState } from "./conversations";

export type PanelName = "profile" | "applications" | "events" | "settings";

/** What the user can do to a conversation. Each resolves when the server has taken it, and rejects in its words. */
export interface Actions {
  /** While an answer is going, the message waits for it; with `interrupt` it cuts the answer short. */
  send(message: string, options?: { interrupt?: boolean }): Promise<void>;
  /** A quick reply; locked at once here, and by an event in every other tab. */
  choose(suggestion: Suggestion): Promise<void>;
  /** End the run; without one, what is being answered now. */
  stop(runId?: string): Promise<void>;
  /** Take the run and all after it back, and ask the same again. */
  retry(runId: string): Promise<void>;
  /** Take the run and all after it back, and ask this instead. */
  edit(runId: string, message: string): Promise<void>;
  decide(runId: string, approvalId: string, decision: Decision): Promise<void>;
}

export interface Session {
  readonly client: Client;
  readonly about: About;
  readonly live: LiveConversation;
  readonly conversations: ConversationList;
  readonly actions: Actions;
  readonly panel: PanelName | null;
  openPanel(panel: PanelName | null): void;
  /** A CV dropped on the page or pasted, until the profile panel takes it. */
  readonly pendingUpload: File | null;
  /** Keep the file for the profile panel and open that; null: it was taken. */
  offerUpload(file: File | null): void;
  /** Nothing is learnt from a new conversation and it is not listed; only asked of a conversation's first message. */
  readonly temporary: boolean;
  setTemporary(temporary: boolean): void;
  /** Forget the key this page was opened with; absent where no key is needed. */
  readonly leave: (() => void) | null;
  /** Begin anew after everything was erased, in every tab: nothing that is shown or kept exists any more. */
  startOver(): void;
  /** Say something for a moment at the edge of the page, to everybody: also to who cannot see it. */
  announce(text: string, kind?: AnnouncementKind): void;
}

/** `quiet` is said to screen readers only. */
export type AnnouncementKind = "info" | "error" | "quiet";

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

export function useConversationList(): ListState {
  const { conversations } = useSession();
  return useSyncExternalStore(conversations.subscribe, () => conversations.state);
}
