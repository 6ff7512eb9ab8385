import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { texts } from "../texts";
import { IconButton } from "./Button";
import { CloseIcon } from "./icons";
import styles from "./Sheet.module.css";

/** What has the focus when a dialog is closed; without it, or where it has none, what had it before. */
export type FocusAfter = () => HTMLElement | null;

/** A panel over the page: at the side on a wide screen, the whole of a narrow one. Escape closes it. */
export function Sheet(props: { open: boolean; title: string; onClose: () => void; children: ReactNode }) {
  return <Panel {...props} popup={styles.sheet} />;
}

/** A panel at the starting edge, for getting about. */
export function Drawer(props: { open: boolean; title: string; onClose: () => void; children: ReactNode }) {
  return <Panel {...props} popup={styles.drawer} />;
}

/** A question in the middle of the page that has to be answered or left. */
export function Modal({
  wide = false,
  ...props
}: {
  open: boolean;
  title: string;
  onClose: () => void;
  /** For what stands side by side. */
  wide?: boolean;
  focusAfter?: FocusAfter | undefined;
  children: ReactNode;
}) {
  return <Panel {...props} popup={wide ? styles.wide : styles.modal} />;
}

function Panel({
  open,
  title,
  onClose,
  popup,
  focusAfter,
  children,
}: {
  open: boolean;
  title: string;
  onClose: () => void;
  popup: string | undefined;
  focusAfter?: FocusAfter | undefined;
  children: ReactNode;
}) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop forceRender className={styles.backdrop} />
        <Dialog.Popup className={popup} finalFocus={focusAfter}>
          <header className={styles.head}>
            <Dialog.Title className={styles.title}>{title}</Dialog.Title>
            <Dialog.Close render={<IconButton label={texts.ui.close} />}>
              <CloseIcon />
            </Dialog.Close>
          </header>
          <div className={styles.body}>{children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
