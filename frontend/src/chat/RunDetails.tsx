import type { RunView, UsageView } from "@signalbox/client";
import { isOver } from "@signalbox/client";
import { useState } from "react";
import { inert } from "../safe/inert";
import { texts } from "../texts";
import { CopyButton } from "../ui/CopyButton";
import { outcomeOf, toldWhole } from "./lookups";
import { agentName } from "./names";
import styles from "./Turn.module.css";

/** How an answer came about, for who asks: what was understood, what was looked up, what it cost. */
export function RunDetails({ run }: { run: RunView }) {
  const [open, setOpen] = useState(false);
  return (
    <details
      className={styles.details}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      data-testid={isOver(run) ? "run-details" : "run-details-so-far"}
    >
      <summary>{texts.chat.details}</summary>
      {open && (
        <dl>
          <Understood run={run} />
          <Looked run={run} />
          <Cost run={run} />
          <dt>{texts.chat.run}</dt>
          <dd className={styles.id}>
            <code>{run.runId}</code>
            <CopyButton text={run.runId} label={texts.chat.copyRunId} />
          </dd>
        </dl>
      )}
    </details>
  );
}

function Understood({ run }: { run: RunView }) {
  const { intent } = run;
  if (intent === null) return null;
  const others = intent.alternatives.filter(({ confidence }) => confidence >= 0.01);
  return (
    <>
      <dt>{texts.chat.understood}</dt>
      <dd data-testid="intent">
        {texts.chat.intentBy(
          agentName(intent.intent),
          texts.units.percent(intent.confidence),
          texts.chat.deciders[intent.source] ?? intent.source,
        )}
        {intent.reasoning && <span className={styles.soft}>{intent.reasoning}</span>}
      </dd>
      {others.length > 0 && (
        <>
          <dt>{texts.chat.alternatives}</dt>
          <dd>
            {others
              .map((one) => `${agentName(one.intent)} (${texts.units.percent(one.confidence)})`)
              .join(", ")}
          </dd>
        </>
      )}
    </>
  );
}

function Looked({ run }: { run: RunView }) {
  if (run.tools.length === 0) return null;
  return (
    <>
      <dt>{texts.chat.lookedUp}</dt>
      <dd>
        <ul>
          {run.tools.map((tool) => (
            <li key={tool.callId} data-outcome={outcomeOf(tool)}>
              {inert(toldWhole(tool))}
            </li>
          ))}
        </ul>
      </dd>
    </>
  );
}

function Cost({ run }: { run: RunView }) {
  if (run.usage.length === 0) return null;
  const together = run.usage.length > 1 ? sumOf(run.usage) : null;
  return (
    <>
      <dt>{texts.chat.usage}</dt>
      <dd>
        <ul>
          {run.usage.map((one, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: usage is only ever added at the end.
            <li key={at}>
              {texts.chat.usageOf(one.model, one.inputTokens, one.outputTokens, one.cachedTokens)}
              {", "}
              {costOf(one)}
              {one.estimated && ` ${texts.chat.estimated}`}
            </li>
          ))}
        </ul>
        {together !== null && <span className={styles.soft}>{texts.chat.together(together)}</span>}
      </dd>
    </>
  );
}

/** Templates cost nothing, and have no price to be known. */
function costOf({ model, costUsd }: UsageView): string {
  if (costUsd !== null) return texts.chat.cost(costUsd);
  return model === "offline" ? texts.chat.cost(0) : texts.chat.costUnknown;
}

/** All calls together, as far as their cost is known; null if it is of none. */
function sumOf(usage: readonly UsageView[]): string | null {
  const known = usage.filter(({ costUsd }) => costUsd !== null);
  if (known.length === 0) return null;
  const sum = texts.chat.cost(known.reduce((all, { costUsd }) => all + (costUsd ?? 0), 0));
  const free = usage.filter(({ costUsd, model }) => costUsd === null && model === "offline");
  return known.length + free.length < usage.length ? texts.chat.moreThan(sum) : sum;
}
