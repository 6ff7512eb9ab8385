import { inert } from "../safe/inert";
import styles from "./Turn.module.css";
import type { Turn } from "./turns";

/** A turn in nothing but its words, for when it could not be shown as it should be. */
export function PlainTurn({ turn: { run, question, parts } }: { turn: Turn }) {
  return (
    <div className={styles.turn} data-run={run.runId} data-testid="plain-turn">
      {question !== null && <p className={styles.plain}>{inert(question.text)}</p>}
      {parts.map(
        ({ id, message }) =>
          message && (
            <p key={id} className={styles.plain}>
              {inert(message.text)}
            </p>
          ),
      )}
    </div>
  );
}
