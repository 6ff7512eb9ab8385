import type { SourcedFact } from "@signalbox/client";
import { useRef, useState } from "react";
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

/** `goesOn`: the next one is from the same source, which is named once below them all. */
export function FactRow({
  known,
  goesOn,
  onChanged,
  onForgotten,
}: {
  known: SourcedFact;
  goesOn: boolean;
  onChanged: () => Promise<void>;
  onForgotten: () => Promise<void>;
}) {
  const t = texts.panels.profile;
  const { client } = useSession();
  const { fact } = known;
  const [editing, setEditing] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const forget = useDeed(async () => {
    await client.forgetFact(fact.fact_id);
    await onForgotten();
  });
  const pin = useAmend(onChanged);
  const fault = forget.error ?? pin.error;
  const leave = () => {
    setEditing(false);
    // Once the button is there again.
    requestAnimationFrame(() => editButton.current?.focus());
  };
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
        {editing && <FactEditor fact={fact} onChanged={onChanged} onLeave={leave} />}
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
