import type { SignalboxEvent } from "@signalbox/client";
import { useEffect } from "react";
import { useSession } from "../../state/session";

/** Several of one answer come close together. */
const SETTLE_MS = 150;

/** `then` after events of a type have come; it must be stable. */
export function useEvents(type: SignalboxEvent["type"], then: () => unknown): void {
  const { live } = useSession();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = live.onEvent((event) => {
      if (event.type !== type) return;
      clearTimeout(timer);
      timer = setTimeout(then, SETTLE_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [live, type, then]);
}
