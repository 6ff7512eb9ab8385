import type { Citation, ConversationView, InterviewQuestion } from "@signalbox/client";
import { texts } from "../texts";
import type { BlockProps } from "./block";
import styles from "./Interview.module.css";
import { Chip, Collapsed, Frame, Notice, OnDemand, Plain, Prose } from "./parts";
import shared from "./parts.module.css";
import { SourceLine } from "./SourceLine";

const FEW = 8;

/** Questions to expect, each with what a good answer shows and where it comes from. */
export function InterviewQuestions({ block, run, view }: BlockProps<"interview_questions">) {
  const words = texts.blocks.interview;
  const cited = citations(view, run.runId);
  return (
    <Frame
      type="interview_questions"
      title={<RoleTitle words={words.title} {...block} />}
      note={words.hintNote}
    >
      {block.questions.length === 0 && (
        <Notice tone="plain" mark="○">
          {words.none}
        </Notice>
      )}
      <Collapsed items={block.questions} few={FEW}>
        {(shown) => (
          <ol className={`${shared.rows} ${styles.questions}`}>
            {shown.map((question, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: questions have no id and never change place
              <Question key={index} question={question} cited={cited} />
            ))}
          </ol>
        )}
      </Collapsed>
    </Frame>
  );
}

export function RoleTitle({ words, role, company }: { words: string; role: string; company: string }) {
  return (
    <>
      {words} <Plain text={role} limit={120} />
      {company && (
        <>
          {" "}
          {texts.blocks.at} <Plain text={company} limit={80} />
        </>
      )}
    </>
  );
}

/** What the answer of a run cites, by id. */
function citations(view: ConversationView, runId: string): ReadonlyMap<string, Citation> {
  const cited = view.messages
    .filter((message) => message.runId === runId)
    .flatMap((message) => message.citations);
  return new Map(cited.map((citation) => [citation.id, citation]));
}

function Question({
  question,
  cited,
}: {
  question: InterviewQuestion;
  cited: ReadonlyMap<string, Citation>;
}) {
  const words = texts.blocks.interview;
  const sources = question.citation_ids.flatMap((id) => cited.get(id) ?? []);
  return (
    <li>
      <OnDemand
        label={
          <span className={styles.asked}>
            <strong>
              <Plain text={question.question} />
            </strong>
            <Chip>{words.kinds[question.kind] ?? <Plain text={question.kind} limit={30} />}</Chip>
          </span>
        }
      >
        {question.hint && <Prose text={question.hint} />}
        <p className={shared.small}>
          {words.bases[question.basis]}
          {question.why && (
            <>
              {" "}
              <Plain text={question.why} />
            </>
          )}
        </p>
        {sources.map((source) => (
          <SourceLine key={source.id} {...source} />
        ))}
      </OnDemand>
    </li>
  );
}
