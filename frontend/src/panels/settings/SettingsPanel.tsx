import type { About } from "@signalbox/client";
import { useId } from "react";
import { useLive, useSession } from "../../state/session";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { size } from "../../ui/format";
import { Cost } from "./Cost";
import { DeleteConversations } from "./DeleteConversations";
import styles from "./settings.module.css";
import { THEMES, useTheme } from "./theme";

export default function SettingsPanel() {
  const t = texts.panels.settings;
  const { about, leave, openPanel } = useSession();
  return (
    <div className={styles.panel} data-testid="panel-settings">
      <ThemeChoice />
      {leave !== null && (
        <section aria-label={t.key}>
          <h3>{t.key}</h3>
          <p>{t.keyHow}</p>
          <Button onClick={leave} data-testid="forget-key">
            {t.leave}
          </Button>
        </section>
      )}
      <Cost />
      <Server about={about} />
      <section aria-label={t.shortcuts}>
        <h3>{t.shortcuts}</h3>
        <dl className={styles.keys}>
          {t.keys.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-label={t.data}>
        <h3>{t.data}</h3>
        <div className={styles.choices}>
          <DeleteConversations />
          <Button onClick={() => openPanel("profile")}>{texts.panels.privacy.inSettings}</Button>
        </div>
      </section>
    </div>
  );
}

function ThemeChoice() {
  const t = texts.panels.settings;
  const [theme, choose] = useTheme();
  const name = useId();
  return (
    <fieldset className={styles.themes}>
      <legend>{t.theme}</legend>
      {THEMES.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name={name}
            value={one}
            checked={theme === one}
            data-testid={`theme-${one}`}
            onChange={() => choose(one)}
          />
          {t.themes[one]}
        </label>
      ))}
    </fieldset>
  );
}

function Server({ about }: { about: About }) {
  const t = texts.panels.settings;
  const { connection } = useLive();
  const rows: readonly (readonly [string, string])[] = [
    [t.name, `${about.name} ${about.version}`],
    [t.model, about.offline ? t.offline : about.model],
    [t.connection, t.connections[connection]],
    [t.mail, about.mail ? t.mailOn : t.mailOff],
    [t.limit, t.characters(about.limits.messageChars)],
    [t.resumeLimit, size(about.limits.resumeBytes)],
  ];
  return (
    <section aria-label={t.server}>
      <h3>{t.server}</h3>
      <dl className={styles.about}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
