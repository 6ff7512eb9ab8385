import type { Approval, RunView } from "@signalbox/client";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { Fault } from "../../ui/Fault";
import { moment } from "../../ui/format";
import { Untrusted } from "../common/Untrusted";
import type { Loaded } from "../common/useLoaded";
import { Waiting } from "../common/Waiting";
import { ArgumentsShown } from "./ArgumentsShown";
import styles from "./approval.module.css";
import type { Arguments } from "./fields";
import type { Standing } from "./standing";

interface OutcomeProps {
  standing: Exclude<Standing, "open">;
  tool: string;
  asked: Arguments;
  run: RunView;
  stored: Loaded<Approval>;
  /** Why a decision made here did not count. */
  refusal: Error | null;
}

/** A question that is answered, or that nobody can answer any more. Nothing in it can be pressed but a second look. */
export function Outcome({ standing, tool, asked, run, stored, refusal }: OutcomeProps) {
  const t = texts.panels.approval;
  const value = stored.value;
  const edited = standing === "edited" ? (value?.edited ?? null) : null;
  return (
    <>
      <p className={styles[standing]}>
        {standing === "ended" ? t.ended[endOf(run)] : t.outcome[standing]}
        {value?.decidedAt && <span className={styles.soft}> {moment(value.decidedAt)}</span>}
      </p>
      {refusal !== null && <Fault error={refusal} />}
      {value?.note && (
        <div className={styles.note}>
          <span className={styles.soft}>{t.noteWas}</span>
          <Untrusted text={value.note} />
        </div>
      )}
      {standing === "edited" && edited === null && <Unknown stored={stored} />}
      {standing === "late" && (
        <Button small disabled={stored.loading} onClick={() => void stored.reload()}>
          {t.lookAgain}
        </Button>
      )}
      <details className={styles.details}>
        <summary>{t.what[standing]}</summary>
        <ArgumentsShown
          tool={tool}
          shown={edited ?? asked}
          changed={edited === null ? [] : differing(asked, edited)}
        />
      </details>
    </>
  );
}

/** What was made of the arguments is only known to the server. */
function Unknown({ stored }: { stored: Loaded<Approval> }) {
  if (stored.error !== null) return <Fault error={stored.error} onRetry={() => void stored.reload()} />;
  return <Waiting />;
}

function endOf(run: RunView): "cancelled" | "failed" | "over" {
  if (run.status === "cancelled") return "cancelled";
  return run.status === "failed" || run.status === "dead" ? "failed" : "over";
}

function differing(asked: Arguments, edited: Arguments): string[] {
  return Object.keys(edited).filter((name) => JSON.stringify(edited[name]) !== JSON.stringify(asked[name]));
}
