import { useMemo } from "react";
import { useView } from "../../state/session";
import { texts } from "../../texts";
import styles from "./events.module.css";
import { type Total, usageOf } from "./usage";

/** What the answers of this conversation took, run by run. */
export function UsageTable() {
  const t = texts.panels.usage;
  const view = useView();
  const { runs, all } = useMemo(() => usageOf(view), [view]);
  if (runs.length === 0) return <p className={styles.none}>{t.empty}</p>;
  return (
    <div className={styles.usage} data-testid="usage">
      <p className={styles.count}>{t.lead}</p>
      <section className={styles.bill} aria-label={t.conversation}>
        <h3>{t.conversation}</h3>
        <Bill total={all} />
      </section>
      {runs.map((run) => (
        <section className={styles.bill} key={run.runId} aria-label={run.question || t.takenBack}>
          <h4 dir="auto">{run.question || t.takenBack}</h4>
          <Bill total={run.total} />
        </section>
      ))}
    </div>
  );
}

function Bill({ total }: { total: Total }) {
  const t = texts.panels.usage;
  return (
    <>
      <dl>
        <Entry name={t.model} value={total.models.join(", ")} />
        <Entry name={t.calls} value={t.tokens(total.calls)} />
        <Entry name={t.input} value={t.tokens(total.inputTokens)} />
        {total.cachedTokens > 0 && <Entry name={t.cached} value={t.tokens(total.cachedTokens)} />}
        <Entry name={t.output} value={t.tokens(total.outputTokens)} />
        <Entry name={t.cost} value={costOf(total)} />
      </dl>
      {total.estimated && <p className={styles.count}>{t.mark}</p>}
    </>
  );
}

function Entry({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function costOf(total: Total): string {
  const t = texts.panels.usage;
  if (total.costUsd === null) return total.models.every((model) => model === "offline") ? t.free : t.unknown;
  const cost = t.dollars(total.costUsd);
  if (total.partly) return t.atLeast(cost);
  return total.estimated ? t.estimated(cost) : cost;
}
