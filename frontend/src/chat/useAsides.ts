import type { LiveConversation } from "@signalbox/client";
import { useEffect, useState } from "react";

/** What happened on the way to an answer and is no part of it; gone after a reload. */
export type Aside =
  | { readonly kind: "rewind"; readonly messageId: string; readonly reason: string }
  | { readonly kind: "handoff"; readonly from: string; readonly to: string; readonly reason: string };

export type Asides = ReadonlyMap<string, readonly Aside[]>;

const none: Asides = new Map();

/** The asides of each run that were seen while this conversation was shown. */
export function useAsides(live: LiveConversation): Asides {
  const [asides, setAsides] = useState(none);
  useEffect(() => {
    setAsides(none);
    return live.onEvent((event) => {
      if (event.type !== "rewind" && event.type !== "handoff") return;
      const aside: Aside =
        event.type === "rewind"
          ? { kind: "rewind", messageId: event.message_id, reason: event.reason }
          : { kind: "handoff", from: event.from_agent, to: event.to_agent, reason: event.reason };
      setAsides((old) => new Map(old).set(event.run_id, [...(old.get(event.run_id) ?? []), aside]));
    });
  }, [live]);
  return asides;
}
