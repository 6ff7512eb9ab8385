import type { LiveState } from "@signalbox/client";
import { useEffect, useState } from "react";
import { useLive, useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { inWords } from "../ui/fault";
import styles from "./Composer.module.css";

// Most drops are over before they are worth a word.
const GRACE_MS = 600;
const BACK_MS = 4_000;

/** How the conversation is being followed, in words only if there is something to say. It has a place of its own. */
export function ConnectionLine() {
  const { live } = useSession();
  const state = useLive();
  const words = useWords(state);
  return (
    <span className={styles.connection} role="status" data-testid="connection" data-state={state.connection}>
      {words !== null && (
        <>
          <i className={styles.light} data-tone={toneOf(state)} aria-hidden="true" />
          {words}
        </>
      )}
      {(state.connection === "lost" || isUnreachable(state) || hasFailed(state)) && (
        <Button small onClick={() => live.reconnect()}>
          {texts.ui.tryAgain}
        </Button>
      )}
    </span>
  );
}

/** The server refuses to go on: the conversation was deleted meanwhile, or the key is no longer good. */
function hasFailed({ connection, error }: LiveState): boolean {
  return connection === "ended" && error !== null;
}

/** There is a network, but nobody answers: more than a moment's trouble, and waiting may be longer than need be. */
function isUnreachable({ connection }: LiveState): boolean {
  return connection === "offline" && navigator.onLine;
}

function toneOf(state: LiveState): "good" | "warn" | "bad" {
  const { connection } = state;
  if (hasFailed(state)) return "bad";
  if (connection === "live" || connection === "ended") return "good";
  return connection === "lost" || connection === "offline" ? "bad" : "warn";
}

function useWords(state: LiveState): string | null {
  const { connection, resumed, view, error } = state;
  const settling = connection === "resuming" || connection === "connecting";
  const late = useAfter(settling, GRACE_MS);
  const back = useFor(resumed?.at ?? null, BACK_MS);
  if (hasFailed(state) && error !== null) return inWords(error);
  if (isUnreachable(state)) return texts.chat.unreachable;
  if (connection === "offline") return texts.chat.offline;
  if (connection === "lost") return texts.chat.lost;
  if (connection === "resuming" && late) return texts.chat.resuming;
  if (connection === "connecting" && late) return texts.shell.connecting;
  if (view.gap !== null) return texts.chat.reloading;
  if (connection === "live" && back && resumed !== null) return texts.chat.back(resumed.events);
  return null;
}

/** True once `on` has been so for a while. */
function useAfter(on: boolean, ms: number): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!on) return;
    const timer = setTimeout(() => setLate(true), ms);
    return () => clearTimeout(timer);
  }, [on, ms]);
  return on && late;
}

/** True for a while after the moment `at`. */
function useFor(at: number | null, ms: number): boolean {
  const [over, setOver] = useState<number | null>(null);
  useEffect(() => {
    if (at === null) return;
    const timer = setTimeout(() => setOver(at), Math.max(0, at + ms - Date.now()));
    return () => clearTimeout(timer);
  }, [at, ms]);
  return at !== null && over !== at && Date.now() - at < ms;
}
