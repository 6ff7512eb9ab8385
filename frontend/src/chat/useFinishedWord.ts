import type { ConversationView } from "@signalbox/client";
import { isOver } from "@signalbox/client";
import { useEffect, useRef } from "react";
import { useSession } from "../state/session";
import { texts } from "../texts";

/** Tells screen readers once that an answer is there, instead of every word of it. */
export function useFinishedWord(view: ConversationView): void {
  const { announce } = useSession();
  const going = useRef(new Set<string>());
  useEffect(() => {
    for (const run of view.runs) {
      const over = isOver(run) || run.status === "waiting";
      if (!over) going.current.add(run.runId);
      else if (going.current.delete(run.runId) && !run.retracted) {
        announce(texts.chat.finished[run.status] ?? texts.chat.finishedElse, "quiet");
      }
    }
  }, [view.runs, announce]);
}
