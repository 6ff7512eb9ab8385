import type { ResumeTaken } from "@signalbox/client";
import { texts } from "../../texts";
import { words } from "../common/format";
import { FactNames } from "./NewestChange";
import styles from "./profile.module.css";

/** What an upload was understood as, and what it did to the profile. */
export function ResumeTakenView({ taken }: { taken: ResumeTaken }) {
  const t = texts.panels.resume;
  const { resume, added, removed, warnings } = taken;
  return (
    <div className={styles.taken} role="status" data-testid="upload-result">
      <strong>{t.took}</strong>
      {added.length === 0 && removed.length === 0 && <p className={styles.soft}>{t.tookSame}</p>}
      {warnings.length > 0 && (
        <div className={styles.warnings}>
          <span>{t.warnings}</span>
          <ul>
            {warnings.map((warning) => (
              <li key={warning} dir="auto">
                {warning}
              </li>
            ))}
          </ul>
        </div>
      )}
      <p>
        <span className={styles.soft}>{t.sections}</span> {resume.sections.map(words).join(", ")}
      </p>
      <p dir="auto">
        <span className={styles.soft}>{t.skills}</span>{" "}
        {resume.skills.length === 0 ? t.noSkills : resume.skills.join(", ")}
      </p>
      <FactNames lead={t.added} facts={added} />
      <FactNames lead={t.removed} facts={removed} />
    </div>
  );
}
