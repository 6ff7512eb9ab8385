import type { RunView } from "@signalbox/client";
import { isOver } from "@signalbox/client";
import { useState } from "react";
import { texts } from "../texts";
import { CopyButton } from "../ui/CopyButton";
import { agentName, toolName } from "./names";
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
            <li key={tool.callId} data-status={tool.status}>
              {toolName(tool.tool)}: {texts.chat.toolStatus[tool.status]}
              {tool.note && ` (${tool.note})`}
              {tool.truncated && `; ${texts.chat.truncated}`}
            </li>
          ))}
        </ul>
      </dd>
    </>
  );
}

function Cost({ run }: { run: RunView }) {
  if (run.usage.length === 0) return null;
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
              {one.costUsd === null ? texts.chat.costUnknown : texts.chat.cost(one.costUsd)}
              {one.estimated && ` ${texts.chat.estimated}`}
            </li>
          ))}
        </ul>
      </dd>
    </>
  );
}
