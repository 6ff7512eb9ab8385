import type { About } from "@signalbox/client";
import { inert } from "../safe/inert";
import { texts } from "../texts";
import styles from "./Notice.module.css";

/** Look-ups fail on purpose here: whoever reads the answers has to know. */
export function FaultsNotice({ about }: { about: About }) {
  if (about.faults.length === 0) return null;
  return (
    <div className={styles.faults} role="note" data-testid="faults-notice">
      <details>
        <summary>{texts.shell.faultsTitle}</summary>
        {texts.shell.faultsMean}
        <ul>
          {about.faults.map((fault) => (
            <li key={fault}>
              <code>{inert(fault)}</code>
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}
