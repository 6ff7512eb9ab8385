import type { RunView, ToolView } from "@signalbox/client";
import { isOver } from "@signalbox/client";
import { lacks } from "../blocks/sources-asked";
import { inert } from "../safe/inert";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { RetryIcon } from "../ui/icons";
import { told, withOutcome } from "./lookups";
import { agentName, partsOf, toolName } from "./names";
import styles from "./Turn.module.css";
import { useTakeBack } from "./useTakeBack";
import { WaitsForYou } from "./WaitsForYou";

/** What is being done while no text comes. */
export function Working({ run, begun }: { run: RunView; begun: boolean }) {
  if (run.status === "waiting") return <WaitsForYou run={run} />;
  const label = doing(run);
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

// Told for as long as one of its server's tools runs, and in a note that stays.
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(["tool", "budget"]);

/** What is being done, in a few words. A server that is asked may say how far it is. */
function doing({ tools, thinking }: RunView): string | null {
  const running = tools.filter(({ status }) => status === "running");
  const label = thinking?.label ?? "";
  const isProgress = ({ tool }: ToolView) => label.startsWith(`${partsOf(tool).server}: `);
  if (thinking?.stage === "tool" && running.some(isProgress)) return inert(label);
  const [first] = running;
  if (first !== undefined) return texts.chat.usingTool(toolName(first.tool));
  return thinking === null || TOLD_ELSEWHERE.has(thinking.stage) ? null : label;
}

/** Why the rest comes from templates, where a budget is spent. It stays, unlike what else is told while one waits. */
export function BudgetNote({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p className={styles.warning} role="note" data-testid="budget-spent">
      {text}
    </p>
  );
}

/** One agent gave over to another. Who speaks tells so where an older server says no more. */
export function HandoffNote({ from, to, run }: { from: string | null; to: string | null; run: RunView }) {
  const seen = run.handoffs.find(({ toAgent }) => toAgent === to);
  const giver = seen?.fromAgent ?? from;
  if (giver === null || to === null || giver === to) return null;
  return (
    <p className={styles.note} data-testid="handoff">
      {texts.chat.handoff(agentName(giver), agentName(to))}
      {seen?.reason && `: ${seen.reason}`}
    </p>
  );
}

/**
 * What could not be looked up, or only in part, as warnings; what was looked up and is not there, in a quiet line.
 * None is to be mistaken for another. What its user did not want done is told by a card of its own. `grounded`: the
 * answer rests on something that was found, so that what was not found beside it is left to the details.
 */
export function FailedTools({ run, grounded }: { run: RunView; grounded: boolean }) {
  const empty = isOver(run) && !grounded ? withOutcome(run, "empty") : [];
  return (
    <>
      <Warning lead={texts.chat.couldNotLook} tools={withOutcome(run, "failed")} testId="lookup-failed" />
      <Warning
        lead={texts.chat.partlyLooked}
        tools={withOutcome(run, "part", "unsure").filter((tool) => !isToldBelow(tool, run))}
        testId="lookup-partial"
      />
      {empty.length > 0 && (
        <p className={styles.note} data-testid="nothing-found">
          {texts.chat.nothingFound} {empty.map(told).join("; ")}
        </p>
      )}
    </>
  );
}

function Warning({ lead, tools, testId }: { lead: string; tools: readonly ToolView[]; testId: string }) {
  if (tools.length === 0) return null;
  return (
    <div className={styles.warning} role="note" data-testid={testId}>
      <strong>{lead}</strong>
      <ul>
        {tools.map((tool) => (
          <li key={tool.callId}>{inert(told(tool))}</li>
        ))}
      </ul>
    </div>
  );
}

/** A list of jobs names the sources that it lacks something of. */
function isToldBelow({ tool }: ToolView, { blocks }: RunView): boolean {
  return tool === "search_jobs" && blocks.some((block) => block.type === "jobs_data" && lacks(block.sources));
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
