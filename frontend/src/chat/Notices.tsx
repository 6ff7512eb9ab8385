import type { RunView, ToolView } from "@signalbox/client";
import { isOver } from "@signalbox/client";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { RetryIcon } from "../ui/icons";
import { agentName, toolName } from "./names";
import styles from "./Turn.module.css";
import { useTakeBack } from "./useTakeBack";

/** What is being done while no text comes. */
export function Working({ run, begun }: { run: RunView; begun: boolean }) {
  if (run.status === "waiting") return <p className={styles.note}>{texts.chat.waitsForYou}</p>;
  const tool = run.tools.find(({ status }) => status === "running");
  const label = tool ? texts.chat.usingTool(toolName(tool.tool)) : (run.thinking?.label ?? null);
  if (begun && label === null) return null;
  return (
    <p className={styles.working} data-testid="working">
      <span className={styles.dots} aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {label ?? (run.status === "pending" ? texts.chat.pending : texts.chat.thinking)}
    </p>
  );
}

/** One agent gave over to another. After a reload it is not known, and the name above the answer has to do. */
export function HandoffNote({ to, run }: { to: string | null; run: RunView }) {
  const handoff = run.handoffs.find(({ toAgent }) => toAgent === to);
  if (handoff === undefined) return null;
  return (
    <p className={styles.note} data-testid="handoff">
      {texts.chat.handoff(agentName(handoff.fromAgent), agentName(handoff.toAgent))}
      {handoff.reason && `: ${handoff.reason}`}
    </p>
  );
}

// What was not done because its user said no, or nothing: their own card tells that.
const UNDECIDED = new Set(["rejected", "expired"]);

/**
 * What could not be looked up, as a warning; what was looked up and is not there, in a quiet line. The two are never
 * to be mistaken for each other. `grounded`: the answer rests on something that was found, so that what was not found
 * beside it is left to the details.
 */
export function FailedTools({ run, grounded }: { run: RunView; grounded: boolean }) {
  const failed = run.tools.filter(({ status, kind }) => status === "error" && !UNDECIDED.has(kind ?? ""));
  const empty = isOver(run) && !grounded ? run.tools.filter(({ status }) => status === "empty") : [];
  return (
    <>
      {failed.length > 0 && (
        <div className={styles.warning} role="note" data-testid="lookup-failed">
          <strong>{texts.chat.couldNotLook}</strong>
          <ul>
            {failed.map((tool) => (
              <li key={tool.callId}>{told(tool)}</li>
            ))}
          </ul>
        </div>
      )}
      {empty.length > 0 && (
        <p className={styles.note} data-testid="nothing-found">
          {texts.chat.nothingFound} {empty.map(told).join("; ")}
        </p>
      )}
    </>
  );
}

function told({ tool, note }: ToolView): string {
  return note ? `${toolName(tool)}: ${note}` : toolName(tool);
}

/** How a run ended, if not well. `answered`: there is text, whose own button asks again. */
export function RunEnd({ run, newest, answered }: { run: RunView; newest: boolean; answered: boolean }) {
  const { actions } = useSession();
  const retry = useTakeBack(run.runId, () => actions.retry(run.runId));
  const again = (
    <>
      <Button small onClick={retry.begin} disabled={retry.busy} data-testid="retry-error">
        <RetryIcon />
        {newest ? texts.ui.tryAgain : texts.chat.retryAll}
      </Button>
      {retry.question}
    </>
  );
  const failed = run.status === "failed" || run.status === "dead" || run.errors.length > 0;
  if (run.status === "cancelled") {
    return (
      <div className={styles.stopped} data-testid="run-stopped">
        <p className={styles.note}>{texts.chat.stopped}</p>
        {!answered && again}
      </div>
    );
  }
  if (!failed) return null;
  const [last] = run.errors.slice(-1);
  return (
    <div className={styles.error} role="note" data-testid="run-error">
      <p>{last?.content ?? texts.chat.failed}</p>
      {isOver(run) && again}
    </div>
  );
}
