import { useState } from "react";
import { useSession } from "../state/session";
import { asError, inWords } from "../ui/fault";

/** Sends a message of the user's from a result; one at a time. */
export function useAsk(): { ask: (message: string) => Promise<void>; sending: boolean } {
  const { actions, announce } = useSession();
  const [sending, setSending] = useState(false);

  async function ask(message: string) {
    setSending(true);
    try {
      await actions.send(message);
    } catch (error) {
      announce(inWords(asError(error)), "error");
    } finally {
      setSending(false);
    }
  }
  return { ask, sending };
}
