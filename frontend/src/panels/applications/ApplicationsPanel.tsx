import { useCallback, useId, useState } from "react";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Fault } from "../../ui/Fault";
import { useEvents } from "../common/useEvents";
import { useLoaded } from "../common/useLoaded";
import { Waiting } from "../common/Waiting";
import { ApplicationRow } from "./ApplicationRow";
import styles from "./applications.module.css";
import { SHOWN, type Shown, shownOf } from "./shown";

/** Every application the assistant was told of: the open ones first, and what is due next. */
export default function ApplicationsPanel() {
  const t = texts.panels.applications;
  const { client } = useSession();
  const load = useCallback(() => client.applications(), [client]);
  const { value, error, reload } = useLoaded(load);
  const [shown, setShown] = useState<Shown>("open");
  useEvents("application_status", reload);

  return (
    <div className={styles.panel} data-testid="panel-applications">
      {error !== null && <Fault error={error} onRetry={() => void reload()} />}
      {value === undefined && error === null && <Waiting />}
      {value?.length === 0 && (
        <div className={styles.empty}>
          <p>{t.empty}</p>
          <p className={styles.soft}>{t.emptyHow}</p>
        </div>
      )}
      {value !== undefined && value.length > 0 && (
        <>
          <Choice shown={shown} count={(which) => shownOf(value, which).length} onChoose={setShown} />
          <List empty={shown === "closed" ? t.noneClosed : t.noneOpen}>
            {shownOf(value, shown).map((one) => (
              <ApplicationRow key={one.application_id} application={one} onForgotten={reload} />
            ))}
          </List>
        </>
      )}
    </div>
  );
}

function List({ empty, children }: { empty: string; children: React.ReactElement[] }) {
  if (children.length === 0) return <p className={styles.soft}>{empty}</p>;
  return <ul className={styles.list}>{children}</ul>;
}

function Choice({
  shown,
  count,
  onChoose,
}: {
  shown: Shown;
  count: (which: Shown) => number;
  onChoose: (which: Shown) => void;
}) {
  const t = texts.panels.applications;
  const name = useId();
  return (
    <fieldset className={styles.choice}>
      <legend className="visually-hidden">{t.filter}</legend>
      {SHOWN.map((which) => (
        <label key={which}>
          <input type="radio" name={name} checked={shown === which} onChange={() => onChoose(which)} />
          <span>{t.count(t.shown[which], count(which))}</span>
        </label>
      ))}
    </fieldset>
  );
}
