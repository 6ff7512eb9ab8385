import type { ResumeTaken } from "@signalbox/client";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { Fault } from "../../ui/Fault";
import { words } from "../../ui/format";
import { useDeed } from "../../ui/useDeed";
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
      <Next />
    </div>
  );
}

/** What a CV is sent for: each is a message of the user's in the conversation that is open. */
function Next() {
  const t = texts.panels.resume;
  const { actions, openPanel } = useSession();
  const ask = useDeed(async (message: string) => {
    await actions.send(message);
    openPanel(null);
  });
  return (
    <div className={styles.next}>
      {ask.error !== null && <Fault error={ask.error} />}
      {t.next.map(({ label, message }) => (
        <Button small key={label} disabled={ask.busy} onClick={() => void ask.run(message)}>
          {label}
        </Button>
      ))}
    </div>
  );
}
