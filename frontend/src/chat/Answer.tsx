import type { MessageView } from "@signalbox/client";
import { memo } from "react";
import { inert } from "../safe/inert";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { IconButton } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { RetryIcon } from "../ui/icons";
import { Markdown } from "./Markdown";
import { agentName } from "./names";
import { Sources } from "./Sources";
import styles from "./Turn.module.css";
import { useTakeBack } from "./useTakeBack";

/** One agent's text with what it rests on, and what can be done with it. */
export const Answer = memo(function Answer({
  message,
  rewound,
  listed,
  last,
  newest,
  over,
}: {
  message: MessageView;
  rewound: boolean;
  /** Its sources are the results that follow it. */
  listed: boolean;
  last: boolean;
  newest: boolean;
  over: boolean;
}) {
  const { actions } = useSession();
  const { text, status, agent, citations, runId } = message;
  const retry = useTakeBack(runId, () => actions.retry(runId));
  const done = status !== "streaming";
  return (
    <article
      className={styles.answer}
      aria-label={texts.chat.answerOf(agentName(agent))}
      aria-busy={!done}
      data-testid="message-assistant"
      data-status={status}
      data-newest={newest || undefined}
    >
      <h2 className={styles.agent}>{agentName(agent)}</h2>
      {rewound && <p className={styles.note}>{texts.chat.rewound}</p>}
      <Markdown text={text} streaming={!done} citations={citations} />
      {status === "partial" && over && <p className={styles.note}>{texts.chat.partial}</p>}
      {done && !listed && citations.length > 0 && <Sources citations={citations} />}
      {done && text !== "" && (
        <div className={styles.tools}>
          <CopyButton text={inert(text)} label={texts.chat.copyAnswer} className={styles.tool} />
          {over && last && (
            <IconButton
              label={newest ? texts.chat.retry : texts.chat.retryAll}
              className={styles.tool}
              onClick={retry.begin}
              disabled={retry.busy}
              data-testid="retry"
            >
              <RetryIcon />
            </IconButton>
          )}
          {retry.question}
        </div>
      )}
    </article>
  );
});
