import type { ReactNode } from "react";
import { texts } from "../texts";
import { Button } from "./Button";
import styles from "./Confirmation.module.css";
import { Fault } from "./Fault";
import { type FocusAfter, Modal } from "./Sheet";
import type { Deed } from "./useDeed";

/** Asks before something is done that cannot be undone. */
export function Confirmation({
  open,
  title,
  what,
  yes,
  deed,
  allowed = true,
  testId = "confirm",
  onClose,
  focusAfter,
  children,
}: {
  open: boolean;
  title: string;
  what: string;
  /** What the button says that does it. */
  yes: string;
  deed: Deed<[]>;
  allowed?: boolean;
  testId?: string;
  onClose: () => void;
  focusAfter?: FocusAfter | undefined;
  children?: ReactNode;
}) {
  return (
    <Modal open={open} title={title} onClose={onClose} focusAfter={focusAfter}>
      <div className={styles.confirmation}>
        <p dir="auto">{what}</p>
        {children}
        {deed.error !== null && <Fault error={deed.error} />}
        <div className={styles.buttons}>
          <Button
            look="danger"
            disabled={deed.busy || !allowed}
            aria-busy={deed.busy}
            data-testid={testId}
            onClick={() => void deed.run()}
          >
            {yes}
          </Button>
          <Button look="quiet" disabled={deed.busy} onClick={onClose}>
            {texts.ui.cancel}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
