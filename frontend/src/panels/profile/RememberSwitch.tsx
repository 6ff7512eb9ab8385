import type { ProfileSettings } from "@signalbox/client";
import { useId, useState } from "react";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Fault } from "../../ui/Fault";
import { useDeed } from "../../ui/useDeed";
import styles from "./profile.module.css";

/** Whether anything about the user is kept and used. */
export function RememberSwitch({
  settings,
  onChanged,
}: {
  settings: ProfileSettings;
  onChanged: () => Promise<void>;
}) {
  const t = texts.panels.profile;
  const { client, announce } = useSession();
  const hint = useId();
  const [wanted, setWanted] = useState(settings.remember);
  const change = useDeed(async (remember: boolean) => {
    setWanted(remember);
    await client.remember(remember);
    announce(remember ? t.remembered : t.rememberedNot, "quiet");
    await onChanged();
  });
  // As it was clicked at once, and as it is after a refusal.
  const on = change.busy ? wanted : settings.remember;
  return (
    <div className={styles.remember}>
      <label>
        <input
          type="checkbox"
          role="switch"
          checked={on}
          aria-checked={on}
          // Disabled, it would lose the focus.
          aria-disabled={change.busy}
          aria-describedby={hint}
          data-testid="remember"
          onChange={(event) => void change.run(event.target.checked)}
        />
        {t.remember}
      </label>
      <p id={hint} className={styles.soft}>
        {t.rememberMeans}
      </p>
      {change.error !== null && <Fault error={change.error} />}
    </div>
  );
}
