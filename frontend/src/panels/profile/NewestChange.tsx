import type { ProfileChange } from "@signalbox/client";
import { useState } from "react";
import { said } from "../../blocks/facts";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { Fault } from "../../ui/Fault";
import { moment } from "../../ui/format";
import styles from "./profile.module.css";
import { useUndo } from "./useUndo";

/** The newest change of the profile, and what taking it back would do, before it is done. */
export function NewestChange({ change, onUndone }: { change: ProfileChange; onUndone: () => Promise<void> }) {
  const t = texts.panels.profile;
  const undo = useUndo(onUndone);
  return (
    <section className={styles.change} aria-label={t.newest} data-testid="newest-change">
      <h3>
        {t.newest} <small>{moment(change.changedAt)}</small>
      </h3>
      <FactNames lead={t.wouldRemove} facts={change.added} />
      <FactNames lead={t.wouldRestore} facts={change.removed} />
      {undo.error !== null && <Fault error={undo.error} onRetry={() => void undo.run(change)} />}
      <Button
        small
        disabled={undo.busy}
        aria-busy={undo.busy}
        data-testid="undo-change"
        onClick={() => void undo.run(change)}
      >
        {undo.busy ? t.undoing : t.undo}
      </Button>
    </section>
  );
}

/** More than this is folded: an upload may add dozens. */
const FEW = 4;

export function FactNames({ lead, facts }: { lead: string; facts: ProfileChange["added"] }) {
  const t = texts.panels.profile;
  const [all, setAll] = useState(false);
  if (facts.length === 0) return null;
  const shown = all ? facts : facts.slice(0, FEW);
  const rest = facts.length - shown.length;
  return (
    <div>
      <span className={styles.soft}>{lead}</span>
      <ul className={styles.short}>
        {shown.map((fact) => (
          <li key={fact.fact_id}>
            <bdi>{said(fact)}</bdi>
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <Button small look="quiet" onClick={() => setAll(true)}>
          {t.and(rest)}
        </Button>
      )}
    </div>
  );
}
