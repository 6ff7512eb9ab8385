import { type Client, LiveConversation } from "@signalbox/client";
import { useEffect, useRef, useState } from "react";

/**
 * The conversation of the address, followed for as long as it is shown; null for the first moment. One that was new
 * and got its id from its first message stays the same when the address takes that id up.
 */
export function useConversation(client: Client, conversationId: string | null): LiveConversation | null {
  const current = useRef<LiveConversation | null>(null);
  const [live, setLive] = useState<LiveConversation | null>(null);
  useEffect(() => {
    if (current.current !== null && current.current.conversationId === conversationId) return;
    current.current?.close();
    current.current = new LiveConversation(client, conversationId);
    setLive(current.current);
  }, [client, conversationId]);
  useEffect(() => {
    return () => {
      current.current?.close();
      current.current = null;
    };
  }, []);
  return live;
}
