import type { Approval, Decision } from "@signalbox/client";
import { useId, useState } from "react";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { Fault } from "../../ui/Fault";
import type { Deed } from "../../ui/useDeed";
import type { Loaded } from "../common/useLoaded";
import { Waiting } from "../common/Waiting";
import { ArgumentsShown } from "./ArgumentsShown";
import styles from "./approval.module.css";
import type { Arguments } from "./fields";
import { timeLeft } from "./useTimeLeft";

/** As in the API. */
const LONGEST_NOTE = 2000;

interface OpenProps {
  tool: string;
  shown: Arguments;
  risk: string;
  left: number;
  stored: Loaded<Approval>;
  deed: Deed<[Decision]>;
  /** There are edits that were not sent. */
  edited: boolean;
  onDecide: (decision: Decision) => void;
  onEdit: () => void;
}

/** A question that waits for its answer. It can be approved once the server has said what exactly would be done. */
export function Open({ tool, shown, risk, left, stored, deed, edited, onDecide, onEdit }: OpenProps) {
  const t = texts.panels.approval;
  const [rejecting, setRejecting] = useState(false);
  const known = stored.value !== undefined;
  return (
    <>
      <ArgumentsShown tool={tool} shown={shown} />
      <p className={styles.risk}>{risk}</p>
      {!known && stored.error === null && <Waiting text={t.checking} />}
      {!known && stored.error !== null && (
        <Fault error={stored.error} onRetry={() => void stored.reload()}>
          <p>{t.unchecked}</p>
        </Fault>
      )}
      {deed.error !== null && (
        <Fault error={deed.error}>
          <p>{t.stillOpen}</p>
        </Fault>
      )}
      {edited && <p className={styles.soft}>{t.editsKept}</p>}
      {rejecting ? (
        <Rejection busy={deed.busy} onReject={onDecide} onBack={() => setRejecting(false)} />
      ) : (
        <div className={styles.buttons}>
          <Button
            look="primary"
            disabled={!known || deed.busy}
            aria-busy={deed.busy}
            data-testid="approve"
            onClick={() => onDecide({ decision: "approve" })}
          >
            {deed.busy ? t.deciding : t.approve(tool)}
          </Button>
          <Button disabled={!known || deed.busy} data-testid="edit-approval" onClick={onEdit}>
            {t.edit}
          </Button>
          <Button look="danger" disabled={deed.busy} data-testid="reject" onClick={() => setRejecting(true)}>
            {t.reject}
          </Button>
        </div>
      )}
      <p className={styles.soft} role="timer">
        {t.expires(timeLeft(left))}
      </p>
    </>
  );
}

function Rejection({
  busy,
  onReject,
  onBack,
}: {
  busy: boolean;
  onReject: (decision: Decision) => void;
  onBack: () => void;
}) {
  const t = texts.panels.approval;
  const [note, setNote] = useState("");
  const id = useId();
  const reject = () => {
    const told = note.trim();
    onReject(told === "" ? { decision: "reject" } : { decision: "reject", note: told });
  };
  return (
    <div className={styles.rejection}>
      <label htmlFor={id}>{t.why}</label>
      <textarea
        id={id}
        dir="auto"
        rows={2}
        maxLength={LONGEST_NOTE}
        value={note}
        // biome-ignore lint/a11y/noAutofocus: it was opened to be written into
        autoFocus
        onChange={(event) => setNote(event.target.value)}
      />
      <div className={styles.buttons}>
        <Button look="danger" disabled={busy} aria-busy={busy} data-testid="reject-confirm" onClick={reject}>
          {busy ? t.deciding : t.rejectNow(note.trim() !== "")}
        </Button>
        <Button look="quiet" disabled={busy} onClick={onBack}>
          {t.back}
        </Button>
      </div>
    </div>
  );
}
