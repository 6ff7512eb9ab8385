import type { ProfileChange, ProfileFact } from "@signalbox/client";
import { said } from "../../blocks/facts";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { Fault } from "../../ui/Fault";
import styles from "./profile.module.css";
import { useUndo } from "./useUndo";

/** Where a fact was, for as long as forgetting it is the newest change. It takes the focus of the button that is gone. */
export function ForgottenRow({
  fact,
  change,
  onUndone,
}: {
  fact: ProfileFact;
  change: ProfileChange;
  onUndone: () => Promise<void>;
}) {
  const t = texts.panels.profile;
  const undo = useUndo(onUndone);
  return (
    <li className={styles.forgotten}>
      <span role="status" dir="auto">
        {t.forgotten(said(fact))}
      </span>
      <Button
        small
        disabled={undo.busy}
        data-testid="undo-forget"
        autoFocus
        onClick={() => void undo.run(change)}
      >
        {undo.busy ? t.undoing : t.undoForget}
      </Button>
      {undo.error !== null && <Fault error={undo.error} />}
    </li>
  );
}
