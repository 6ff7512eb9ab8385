import type { SourcedFact } from "@signalbox/client";
import { nameOf, said, shownOf } from "../../blocks/facts";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { IconButton } from "../../ui/Button";
import { Fault } from "../../ui/Fault";
import { TrashIcon } from "../../ui/icons";
import { useDeed } from "../../ui/useDeed";
import styles from "./profile.module.css";
import { Source } from "./Source";

/** `goesOn`: the next one is from the same source, which is named once below them all. */
export function FactRow({
  known,
  goesOn,
  onForgotten,
}: {
  known: SourcedFact;
  goesOn: boolean;
  onForgotten: () => Promise<void>;
}) {
  const t = texts.panels.profile;
  const { client } = useSession();
  const { fact } = known;
  const forget = useDeed(async () => {
    await client.forgetFact(fact.fact_id);
    await onForgotten();
  });
  return (
    <li className={styles.fact} data-testid="fact" data-key={fact.key} data-goes-on={goesOn || undefined}>
      <div className={styles.what}>
        <div>
          <span className={styles.key}>{nameOf(fact.key)}</span>{" "}
          <span className={styles.value} dir="auto">
            {shownOf(fact)}
          </span>
        </div>
        {!goesOn && <Source known={known} />}
        {forget.error !== null && <Fault error={forget.error} onRetry={() => void forget.run()} />}
      </div>
      <IconButton label={t.forget(said(fact))} disabled={forget.busy} onClick={() => void forget.run()}>
        <TrashIcon />
      </IconButton>
    </li>
  );
}
