import type { MessageView } from "@signalbox/client";
import { memo } from "react";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { IconButton } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { RetryIcon } from "../ui/icons";
import { CitationMark } from "./CitationMark";
import { Markdown } from "./Markdown";
import { agentName } from "./names";
import styles from "./Turn.module.css";

/** One agent's text with what it rests on, and what can be done with it. */
export const Answer = memo(function Answer({
  message,
  rewound,
  last,
  newest,
  over,
}: {
  message: MessageView;
  rewound: boolean;
  last: boolean;
  newest: boolean;
  over: boolean;
}) {
  const { actions, announce } = useSession();
  const { text, status, agent, citations, runId } = message;
  const retry = () => {
    actions.retry(runId).catch((error: Error) => announce(error.message, "error"));
  };
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
      {done && citations.length > 0 && (
        <section className={styles.sources} aria-label={texts.chat.sources}>
          {citations.map((citation, at) => (
            <CitationMark key={citation.id} number={at + 1} citation={citation} named />
          ))}
        </section>
      )}
      {done && text !== "" && (
        <div className={styles.tools}>
          <CopyButton text={text} label={texts.chat.copyAnswer} className={styles.tool} />
          {over && last && (
            <IconButton
              label={newest ? texts.chat.retry : texts.chat.retryAll}
              className={styles.tool}
              onClick={retry}
              data-testid="retry"
            >
              <RetryIcon />
            </IconButton>
          )}
        </div>
      )}
    </article>
  );
});
