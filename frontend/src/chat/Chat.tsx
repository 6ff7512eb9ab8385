import { ApiError } from "@signalbox/client";
import { useEffect, useMemo, useRef } from "react";
import { NotFound } from "../shell/PageNotFound";
import { useLive, useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { inWords } from "../ui/fault";
import { Late } from "../ui/Late";
import styles from "./Chat.module.css";
import { Composer } from "./Composer";
import { MessageList } from "./MessageList";
import { type Turn, turnsOf } from "./turns";
import { useBudgetNotes } from "./useBudgetNotes";
import { useFinishedWord } from "./useFinishedWord";
import { Welcome } from "./Welcome";

/** One conversation: what was said, and where to say more. Another one is another element. */
export function Chat() {
  const { live } = useSession();
  const { view, loading, error } = useLive();
  const before = useRef<readonly Turn[]>([]);
  const turns = useMemo(() => {
    before.current = turnsOf(view, before.current);
    return before.current;
  }, [view]);
  useFinishedWord(view);
  const budgets = useBudgetNotes();

  if (error instanceof ApiError && error.status === 404 && turns.length === 0) return <NotFound />;
  const empty = turns.length === 0;
  return (
    <>
      {loading && live.conversationId !== null && empty && error === null && <Skeleton />}
      {empty && error !== null && <Unavailable error={error} onTryAgain={() => live.reconnect()} />}
      {empty && error === null && (!loading || live.conversationId === null) && <Welcome />}
      {!empty && <MessageList turns={turns} view={view} budgets={budgets} />}
      <Composer />
    </>
  );
}

function Skeleton() {
  return (
    <div className={styles.fill} data-testid="skeleton">
      <Late>
        <div className={styles.skeleton} role="status" aria-label={texts.ui.loading}>
          <span data-of="question" />
          <span />
          <span />
          <span data-of="short" />
        </div>
      </Late>
    </div>
  );
}

function Unavailable({ error, onTryAgain }: { error: Error; onTryAgain: () => void }) {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => region.current?.focus(), []);
  return (
    <div className={styles.fill} ref={region} tabIndex={-1} role="alert">
      <div className={styles.middle}>
        <h2>{texts.chat.notLoaded}</h2>
        <p>{inWords(error)}</p>
        <Button look="primary" onClick={onTryAgain}>
          {texts.ui.tryAgain}
        </Button>
      </div>
    </div>
  );
}
