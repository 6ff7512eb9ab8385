import { useSyncExternalStore } from "react";
import type { Announcements } from "../state/announcements";
import { texts } from "../texts";
import { IconButton } from "../ui/Button";
import { CloseIcon } from "../ui/icons";
import styles from "./Announcer.module.css";

/** What is said for a moment, at the edge of the page and to screen readers. The region is there before its words. */
export function Announcer({ announcements }: { announcements: Announcements }) {
  const said = useSyncExternalStore(announcements.subscribe, () => announcements.said);
  return (
    <div className={styles.region} role="status" aria-live="polite" data-testid="announcements">
      {said.map(({ id, text, kind }) => (
        <div key={id} className={kind === "quiet" ? "visually-hidden" : styles[kind]}>
          <span>{text}</span>
          {kind !== "quiet" && (
            <IconButton label={texts.ui.dismiss} onClick={() => announcements.dismiss(id)}>
              <CloseIcon />
            </IconButton>
          )}
        </div>
      ))}
    </div>
  );
}
