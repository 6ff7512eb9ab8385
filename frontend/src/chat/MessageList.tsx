import type { ConversationView } from "@signalbox/client";
import { chosen } from "@signalbox/client";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { Virtuoso } from "react-virtuoso";
import { ErrorBoundary } from "../shell/ErrorBoundary";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { DownIcon } from "../ui/icons";
import styles from "./Chat.module.css";
import { PlainTurn } from "./PlainTurn";
import { TurnView } from "./TurnView";
import type { Turn } from "./turns";
import { useFollow } from "./useFollow";

const AHEAD_PX = { top: 900, bottom: 600 };

/** All turns, of which only those in sight are in the document. It opens at its end and stays there until left. */
export function MessageList({
  turns,
  view,
  budgets,
}: {
  turns: readonly Turn[];
  view: ConversationView;
  budgets: ReadonlyMap<string, string>;
}) {
  const last = turns.at(-1);
  const streaming = last?.parts.at(-1)?.message?.status === "streaming" || last?.parts.length === 0;
  const { setScroller, away, placed, toEnd } = useFollow(last?.run.runId, streaming);
  const unseen = useUnseen(away, view.messages.length);
  const picked = chosen(view);
  // While text streams the runs stay the same: what is made of them alone is not made again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: on purpose, see above.
  const lasting = useMemo(() => view, [view.runs, view.conversationId]);
  useOwnMessageShown(turns, toEnd);

  const draw = useCallback(
    (_: number, turn: Turn) => (
      <ErrorBoundary fallback={<PlainTurn turn={turn} />}>
        <TurnView
          turn={turn}
          view={lasting}
          chosen={picked}
          newest={turn.run.runId === last?.run.runId}
          budget={budgets.get(turn.run.runId)}
        />
      </ErrorBoundary>
    ),
    [lasting, picked, last?.run.runId, budgets],
  );
  return (
    <section className={styles.messages} aria-label={texts.chat.messages} data-placed={placed || undefined}>
      <Virtuoso
        className={styles.scroller ?? ""}
        data={turns}
        itemContent={draw}
        computeItemKey={(_, turn) => turn.run.runId}
        increaseViewportBy={AHEAD_PX}
        // Else it learns how much an answer has grown only after the end was scrolled to, finds nothing there, and
        // draws an empty list for a frame.
        skipAnimationFrameInResizeObserver
        scrollerRef={(element) => setScroller(element instanceof HTMLElement ? element : null)}
        components={{ Header: ListHead, Footer: ListFoot }}
        context={view.omitted}
      />
      {away && placed && (
        <Button className={styles.jump} onClick={toEnd} data-testid="jump-to-newest">
          <DownIcon />
          {unseen > 0 ? (
            texts.chat.newMessages(unseen)
          ) : (
            <span className="visually-hidden">{texts.chat.newest}</span>
          )}
        </Button>
      )}
    </section>
  );
}

function ListHead({ context: omitted }: { context?: number }) {
  return <div className={styles.head}>{omitted ? <p>{texts.chat.omitted(omitted)}</p> : null}</div>;
}

function ListFoot() {
  return <div className={styles.foot} />;
}

/** How many messages came since the reader left the end. */
function useUnseen(away: boolean, count: number): number {
  const seen = useRef(count);
  if (!away) seen.current = count;
  return Math.max(0, count - seen.current);
}

/** Who sends a message wants to see it, wherever they were reading. */
function useOwnMessageShown(turns: readonly Turn[], toEnd: () => void): void {
  const newest = turns.at(-1);
  const known = useRef(newest?.run.runId);
  useEffect(() => {
    if (newest === undefined || newest.run.runId === known.current) return;
    known.current = newest.run.runId;
    // The user's own message has no id until the server has told it: those of other tabs come with one.
    if (newest.question?.messageId === "") requestAnimationFrame(toEnd);
  }, [newest, toEnd]);
}
