import type { Approval, Decision } from "@signalbox/client";
import { useState } from "react";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { Fault } from "../../ui/Fault";
import { Modal } from "../../ui/Sheet";
import type { Deed } from "../../ui/useDeed";
import { label } from "./ArgumentsShown";
import styles from "./approval.module.css";
import { Field } from "./Field";
import { type Draft, drafted, edits } from "./fields";
import type { Standing } from "./standing";
import { timeLeft } from "./useTimeLeft";

interface EditorProps {
  open: boolean;
  stored: Approval;
  standing: Standing;
  left: number;
  drafts: readonly Draft[];
  deed: Deed<[Decision]>;
  onDrafts: (drafts: readonly Draft[]) => void;
  onClose: () => void;
  onApprove: (changed: Record<string, unknown>) => void;
}

/** What the tools we ship cannot do without; of other tools the server tells. */
const NEEDED: Readonly<Record<string, readonly string[]>> = { send_email: ["to", "subject", "body"] };

/**
 * Change the arguments of a call, then approve it so. Closing it keeps what was written. There is no form around the
 * fields: Enter in one of them never approves.
 */
export default function ApprovalEditor(props: EditorProps) {
  const { open, stored, standing, left, drafts, deed, onDrafts, onClose, onApprove } = props;
  const t = texts.panels.approval;
  const [tried, setTried] = useState(false);
  const { changed, problems } = edits(stored.arguments, drafts, NEEDED[stored.tool]);
  const unchanged = Object.keys(changed).length === 0;
  const wrong = Object.keys(problems).length > 0;
  const locked = standing !== "open";

  const approve = () => {
    setTried(true);
    if (!wrong && !unchanged && !locked) onApprove(changed);
  };
  return (
    <Modal open={open} title={t.editing(stored.tool)} onClose={onClose}>
      <div className={styles.editor} data-testid="approval-editor">
        {locked && (
          <p className={styles.lock} role="alert">
            {t.locked[standing]}
          </p>
        )}
        {drafts.map((draft, at) => (
          <Field
            key={draft.name}
            draft={draft}
            label={label(stored.tool, draft.name)}
            problem={tried || problems[draft.name] !== "empty" ? (problems[draft.name] ?? null) : null}
            disabled={deed.busy || locked}
            onChange={(next) => onDrafts(drafts.with(at, next))}
          />
        ))}
        <p className={styles.risk}>{stored.risk}</p>
        {deed.error !== null && <Fault error={deed.error} />}
        {tried && wrong && !locked && (
          <p className={styles.problem} role="alert">
            {t.mend}
          </p>
        )}
        {!locked && (
          <p className={styles.soft}>
            {unchanged && !wrong ? t.unchanged : ""} {t.expires(timeLeft(left))}
          </p>
        )}
        <div className={styles.buttons}>
          <Button
            look="primary"
            disabled={deed.busy || locked || (unchanged && !wrong)}
            aria-busy={deed.busy}
            data-testid="approve-edited"
            onClick={approve}
          >
            {deed.busy ? t.deciding : t.approveEdited(stored.tool)}
          </Button>
          <Button look="quiet" disabled={deed.busy} onClick={onClose}>
            {t.back}
          </Button>
          <Button
            look="quiet"
            disabled={deed.busy || locked || (unchanged && !wrong)}
            onClick={() => onDrafts(drafted(stored.arguments))}
          >
            {t.startOver}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
