import type { StoredResume } from "@signalbox/client";
import { texts } from "../../texts";
import { Fault } from "../../ui/Fault";
import type { Loaded } from "../common/useLoaded";
import { EraseResume } from "./EraseResume";
import styles from "./profile.module.css";
import { ResumeView } from "./ResumeView";
import { Upload } from "./Upload";

/** The CV: send one, see how it was understood, erase it. */
export function ResumeSection({
  resume,
  onChanged,
}: {
  resume: Loaded<StoredResume | null>;
  onChanged: () => Promise<void>;
}) {
  const t = texts.panels.resume;
  const { value, error } = resume;
  return (
    <section className={styles.resume} aria-label={t.title}>
      <h3>{t.title}</h3>
      {error !== null && <Fault error={error} onRetry={() => void resume.reload()} />}
      <Upload stored={resume} onTaken={onChanged} />
      {value !== undefined && value !== null && (
        <>
          <ResumeView stored={value} />
          <EraseResume onErased={onChanged} />
        </>
      )}
    </section>
  );
}
