import type { ProfileFact, SourcedFact } from "@signalbox/client";
import { useLayoutEffect, useRef, useState } from "react";
import { nameOf, said, shownOf } from "../../blocks/facts";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { IconButton } from "../../ui/Button";
import { Fault } from "../../ui/Fault";
import { EditIcon, PinIcon, TrashIcon } from "../../ui/icons";
import { useDeed } from "../../ui/useDeed";
import { FactEditor } from "./FactEditor";
import { Origin } from "./Origin";
import styles from "./profile.module.css";
import { Source } from "./Source";
import { useAmend } from "./useAmend";

/**
 * `goesOn`: the next one is from the same source, which is named once below them all. `amended`: it has taken the place
 * of one that was corrected here.
 */
export function FactRow({
  known,
  goesOn,
  amended,
  onChanged,
  onAmended,
  onForgotten,
}: {
  known: SourcedFact;
  goesOn: boolean;
  amended: boolean;
  onChanged: () => Promise<void>;
  onAmended: (fact: ProfileFact) => void;
  onForgotten: () => Promise<void>;
}) {
  const t = texts.panels.profile;
  const { client } = useSession();
  const { fact } = known;
  const [editing, setEditing] = useState(false);
  const editButton = useFocusAfter(editing, amended);
  const forget = useDeed(async () => {
    await client.forgetFact(fact.fact_id);
    await onForgotten();
  });
  const pin = useAmend(onChanged);
  const fault = forget.error ?? pin.error;
  return (
    <li
      className={styles.fact}
      data-testid="fact"
      data-key={fact.key}
      data-origin={fact.origin}
      data-goes-on={goesOn || undefined}
    >
      <div className={styles.what}>
        <div>
          <span className={styles.key}>{nameOf(fact.key)}</span>{" "}
          {!editing && (
            <span className={styles.value} dir="auto">
              {shownOf(fact)}
            </span>
          )}{" "}
          <Origin fact={fact} />
        </div>
        {editing && (
          <FactEditor
            fact={fact}
            onChanged={onChanged}
            onAmended={onAmended}
            onLeave={() => setEditing(false)}
          />
        )}
        {!goesOn && <Source known={known} />}
        {fault !== null && <Fault error={fault} />}
      </div>
      {!editing && (
        <div className={styles.rowButtons}>
          <IconButton
            label={t.pin(said(fact))}
            aria-pressed={fact.pinned}
            className={fact.pinned ? styles.pinned : undefined}
            disabled={pin.busy}
            data-testid="pin-fact"
            onClick={() => void pin.run(fact.fact_id, { pinned: !fact.pinned })}
          >
            <PinIcon />
          </IconButton>
          <IconButton
            ref={editButton}
            label={t.edit(said(fact))}
            data-testid="edit-fact"
            onClick={() => setEditing(true)}
          >
            <EditIcon />
          </IconButton>
          <IconButton label={t.forget(said(fact))} disabled={forget.busy} onClick={() => void forget.run()}>
            <TrashIcon />
          </IconButton>
        </div>
      )}
    </li>
  );
}

/** The button that opened the field has the focus when that is gone, in the row that is there then. */
function useFocusAfter(editing: boolean, amended: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef(amended);
  // Any later, and the panel would have taken the focus that is left over.
  useLayoutEffect(() => {
    if (before.current && !editing) button.current?.focus();
    before.current = editing;
  }, [editing]);
  return button;
}
