import type { PeriodUsage, UserUsage } from "@signalbox/client";
import { useCallback } from "react";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Fault } from "../../ui/Fault";
import { moment } from "../../ui/format";
import { useEvents } from "../common/useEvents";
import { useLoaded } from "../common/useLoaded";
import { Waiting } from "../common/Waiting";
import styles from "./settings.module.css";

/** What the user's answers have cost, and what a day of them may still cost. */
export function Cost() {
  const t = texts.panels.cost;
  const { client } = useSession();
  const load = useCallback(() => client.usage(), [client]);
  const { value, error, reload } = useLoaded(load);
  useEvents("complete", reload);
  return (
    <section aria-label={t.title} data-testid="cost">
      <h3>{t.title}</h3>
      {error !== null && <Fault error={error} onRetry={() => void reload()} />}
      {value === undefined && error === null && <Waiting />}
      {value !== undefined && <Spent usage={value} />}
    </section>
  );
}

function Spent({ usage }: { usage: UserUsage }) {
  const t = texts.panels.cost;
  const { today, month } = usage;
  return (
    <>
      <Budget usage={usage} />
      {month.calls === 0 ? (
        <p>{t.none}</p>
      ) : (
        <>
          <Periods today={today} month={month} />
          {month.unpricedCalls > 0 && <p>{t.unpriced(month.unpricedCalls)}</p>}
          {month.models.length > 1 && <Models month={month} />}
        </>
      )}
    </>
  );
}

function Budget({ usage: { budget } }: { usage: UserUsage }) {
  const t = texts.panels.cost;
  const { dollars } = t;
  if (budget === null) return null;
  const spent = budget.leftUsd <= 0;
  return (
    <div className={spent ? styles.spent : undefined} data-testid="budget" data-spent={spent || undefined}>
      <p>
        {spent ? t.spent(dollars(budget.usd)) : t.left(dollars(budget.leftUsd), dollars(budget.usd))}{" "}
        {t.renewed(moment(budget.renewedAt))}
      </p>
      {!spent && <meter aria-label={t.leftLabel} min={0} max={budget.usd} value={budget.leftUsd} />}
    </div>
  );
}

function Periods({ today, month }: { today: PeriodUsage; month: PeriodUsage }) {
  const t = texts.panels.cost;
  const { tokens, dollars } = texts.panels.usage;
  const rows: readonly (readonly [string, (of: PeriodUsage) => string])[] = [
    [t.cost, (of) => dollars(of.costUsd)],
    [t.calls, (of) => tokens(of.calls)],
    [t.read, (of) => tokens(of.inputTokens)],
    [t.cached, (of) => tokens(of.cachedTokens)],
    [t.written, (of) => tokens(of.outputTokens)],
  ];
  return (
    <table className={styles.cost}>
      <thead>
        <tr>
          <td />
          <th scope="col">{t.today}</th>
          <th scope="col">{t.month}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, of]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{of(today)}</td>
            <td>{of(month)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Models({ month }: { month: PeriodUsage }) {
  const t = texts.panels.cost;
  const { tokens, dollars } = texts.panels.usage;
  return (
    <details>
      <summary>{t.models}</summary>
      <table className={styles.cost}>
        <thead>
          <tr>
            <th scope="col">{t.model}</th>
            <th scope="col">{t.calls}</th>
            <th scope="col">{t.cost}</th>
          </tr>
        </thead>
        <tbody>
          {month.models.map(({ model, calls, costUsd }) => (
            <tr key={model}>
              <th scope="row">{model}</th>
              <td>{tokens(calls)}</td>
              <td>{dollars(costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
