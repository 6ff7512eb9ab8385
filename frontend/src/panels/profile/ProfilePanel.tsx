import { useCallback } from "react";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Fault } from "../../ui/Fault";
import { useEvents } from "../common/useEvents";
import { useLoaded } from "../common/useLoaded";
import { Waiting } from "../common/Waiting";
import { Facts } from "./Facts";
import { NewestChange } from "./NewestChange";
import styles from "./profile.module.css";
import { RememberSwitch } from "./RememberSwitch";
import { ResumeSection } from "./ResumeSection";
import { YourData } from "./YourData";

/** What is known of the user, where it comes from, and how to take it back. */
export default function ProfilePanel() {
  const { client } = useSession();
  const loadProfile = useCallback(() => client.profile(), [client]);
  const loadResume = useCallback(() => client.resume(), [client]);
  const profile = useLoaded(loadProfile);
  const resume = useLoaded(loadResume);
  const reload = useCallback(async () => {
    // Undoing an upload brings the CV before it back, so one is never old beside the other.
    await Promise.all([profile.reload(), resume.reload()]);
  }, [profile.reload, resume.reload]);
  useEvents("profile_updated", reload);

  const { value, error } = profile;
  return (
    <div className={styles.panel} data-testid="panel-profile">
      <p className={styles.soft}>{texts.panels.profile.lead}</p>
      {error !== null && <Fault error={error} onRetry={() => void reload()} />}
      {value === undefined && error === null && <Waiting />}
      {value !== undefined && <RememberSwitch settings={value.settings} onChanged={reload} />}
      {value !== undefined && value.newestChange !== null && (
        <NewestChange key={value.newestChange.changeId} change={value.newestChange} onUndone={reload} />
      )}
      {value !== undefined && (
        <div className={styles.known}>
          {!value.settings.remember && value.facts.length > 0 && (
            <p className={styles.unused}>{texts.panels.profile.off}</p>
          )}
          <Facts profile={value} onChanged={reload} />
        </div>
      )}
      <ResumeSection resume={resume} onChanged={reload} />
      <YourData />
    </div>
  );
}
