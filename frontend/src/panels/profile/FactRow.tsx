import type { SourcedFact } from "@signalbox/client";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { IconButton } from "../../ui/Button";
import { TrashIcon } from "../../ui/icons";
import { Fault } from "../common/Fault";
import { useDeed } from "../common/useDeed";
import styles from "./profile.module.css";
import { Source } from "./Source";
import { keyOf, said } from "./said";

export function FactRow({ known, onForgotten }: { known: SourcedFact; onForgotten: () => Promise<void> }) {
  const t = texts.panels.profile;
  const { client } = useSession();
  const { fact } = known;
  const forget = useDeed(async () => {
    await client.forgetFact(fact.fact_id);
    await onForgotten();
  });
  return (
    <li className={styles.fact} data-testid="fact" data-key={fact.key}>
      <div className={styles.what}>
        <div>
          <span className={styles.key}>{keyOf(fact.key)}</span>{" "}
          <span className={styles.value} dir="auto">
            {fact.value}
          </span>
        </div>
        <Source known={known} />
        {forget.error !== null && <Fault error={forget.error} onRetry={() => void forget.run()} />}
      </div>
      <IconButton label={t.forget(said(fact))} disabled={forget.busy} onClick={() => void forget.run()}>
        <TrashIcon />
      </IconButton>
    </li>
  );
}
