import type { About, Client, LiveConversation, SignalboxEvent } from "@signalbox/client";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { actionsOf } from "./actions";
import type { Announcements } from "./announcements";
import type { ConversationList } from "./conversations";
import { type PanelName, type Session, SessionContext } from "./session";
import { temporaryChats } from "./storage";

/** What is shared by all of the page while one conversation is shown. */
export function SessionProvider({
  client,
  about,
  live,
  conversations,
  announcements,
  leave,
  startOver,
  onBegun,
  children,
}: {
  client: Client;
  about: About;
  live: LiveConversation;
  conversations: ConversationList;
  announcements: Announcements;
  leave: (() => void) | null;
  startOver: () => void;
  /** A new conversation has got its id. */
  onBegun: (conversationId: string) => void;
  children: ReactNode;
}) {
  const [panel, openPanel] = useState<PanelName | null>(null);
  const [pendingUpload, setPendingUpload] = useState<File | null>(null);
  const { temporary, setTemporary, isTemporary } = useTemporary(live);
  const offerUpload = useCallback((file: File | null) => {
    setPendingUpload(file);
    if (file !== null) openPanel("profile");
  }, []);
  useBeginning(live, isTemporary, onBegun);
  useFreshList(live, conversations);
  const actions = useMemo(() => actionsOf(client, live, isTemporary), [client, live, isTemporary]);
  const session = useMemo(
    (): Session => ({
      client,
      about,
      live,
      conversations,
      actions,
      panel,
      openPanel,
      pendingUpload,
      offerUpload,
      temporary,
      setTemporary,
      leave,
      startOver,
      announce: announcements.say,
    }),
    [
      client,
      about,
      live,
      conversations,
      actions,
      panel,
      pendingUpload,
      offerUpload,
      temporary,
      setTemporary,
      leave,
      startOver,
      announcements,
    ],
  );
  return <SessionContext value={session}>{children}</SessionContext>;
}

function useTemporary(live: LiveConversation) {
  const chosen = useRef(false);
  const [temporary, show] = useState(false);
  useEffect(() => {
    chosen.current = live.conversationId !== null && temporaryChats.has(live.conversationId);
    show(chosen.current);
  }, [live]);
  const setTemporary = useCallback((next: boolean) => {
    chosen.current = next;
    show(next);
  }, []);
  const isTemporary = useCallback(() => chosen.current, []);
  return { temporary, setTemporary, isTemporary };
}

function useBeginning(
  live: LiveConversation,
  isTemporary: () => boolean,
  onBegun: (conversationId: string) => void,
) {
  useEffect(() => {
    if (live.conversationId !== null) return;
    const unsubscribe = live.subscribe(() => {
      if (live.conversationId === null) return;
      unsubscribe();
      if (isTemporary()) temporaryChats.add(live.conversationId);
      onBegun(live.conversationId);
    });
    return unsubscribe;
  }, [live, isTemporary, onBegun]);
}

// Titles and order change when a message is taken and when it was answered.
const CHANGES_LIST = new Set<SignalboxEvent["type"]>(["run_started", "complete"]);

function useFreshList(live: LiveConversation, conversations: ConversationList) {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = live.onEvent((event) => {
      if (!CHANGES_LIST.has(event.type)) return;
      // A replayed conversation has many of them at once.
      clearTimeout(timer);
      timer = setTimeout(() => void conversations.changed(), 250);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [live, conversations]);
}
