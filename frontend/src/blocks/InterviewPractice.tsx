import type { PracticeNote } from "@signalbox/client";
import { texts } from "../texts";
import type { BlockProps } from "./block";
import { finite, held } from "./format";
import styles from "./Interview.module.css";
import { RoleTitle } from "./InterviewQuestions";
import { keyed } from "./keyed";
import { Points } from "./Points";
import { Frame, Notice, OnDemand, Plain, Prose } from "./parts";
import shared from "./parts.module.css";
import { SourceLine } from "./SourceLine";

const STAR = ["situation", "task", "action", "result"] as const;

/** One step of a practice interview: how the last answer was, and what is asked next. */
export function InterviewPractice({ block }: BlockProps<"interview_practice">) {
  const words = texts.blocks.interview;
  const last = block.notes.at(-1);
  return (
    <Frame
      type="interview_practice"
      title={<RoleTitle words={words.practice} role={block.role} company={block.company} />}
    >
      <Progress number={block.number} of={block.of} notes={block.notes} open={block.open} />
      {block.feedback.length > 0 && (
        <div>
          <p className={shared.label}>{words.feedback}</p>
          <Points mark="•" label={words.feedback} points={block.feedback} />
          {last && isAnswered(last) && <Star note={last} />}
        </div>
      )}
      {block.open && block.question && (
        <div className={styles.question}>
          <strong>
            <Plain text={block.question} />
          </strong>
          {block.asked?.hint && (
            <OnDemand label={words.hint}>
              <Prose text={block.asked.hint} />
              <p className={shared.small}>
                <Plain text={block.asked.why} />
              </p>
            </OnDemand>
          )}
        </div>
      )}
      {!block.open && (
        <Notice tone="plain" mark="✓">
          {words.over(block.notes.length, block.of)}
        </Notice>
      )}
      <Notes notes={block.notes} open={!block.open} />
      {!block.open && block.sources.length > 0 && (
        <OnDemand label={words.sources(block.sources.length)}>
          {keyed(block.sources, (s) => s.id).map(({ key, item: source }) => (
            <SourceLine key={key} {...source} />
          ))}
        </OnDemand>
      )}
    </Frame>
  );
}

function Progress({
  number,
  of,
  notes,
  open,
}: {
  number: number;
  of: number;
  notes: readonly PracticeNote[];
  open: boolean;
}) {
  const all = held(finite(of) ?? 0, 0, 50);
  if (all < 1) return null;
  const words = texts.blocks.interview;
  const answered = notes.filter(isAnswered).length;
  return (
    <div className={styles.progress}>
      <span className={shared.small}>{open ? words.progress(number, of) : words.answered(answered, of)}</span>
      <span className={styles.steps} aria-hidden="true">
        {Array.from({ length: all }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are numbers
          <span key={index} className={step(notes[index], open && index === number - 1)} />
        ))}
      </span>
    </div>
  );
}

function step(note: PracticeNote | undefined, current: boolean): string | undefined {
  if (note !== undefined && isAnswered(note)) return styles.done;
  return current ? styles.current : styles.ahead;
}

/** One that was skipped has no words. */
function isAnswered(note: PracticeNote): boolean {
  return note.words > 0;
}

/** Which parts of a told example are in the answer. */
function Star({ note }: { note: PracticeNote }) {
  const words = texts.blocks.interview;
  return (
    <ul className={styles.star} aria-label={words.star}>
      {STAR.map((part) => {
        const told = note.star.includes(part);
        return (
          <li key={part} className={told ? styles.told : undefined}>
            <span aria-hidden="true">{told ? "✓ " : "○ "}</span>
            {words.starParts[part]}
            <span className="visually-hidden">{told ? words.told : words.untold}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Notes({ notes, open }: { notes: readonly PracticeNote[]; open: boolean }) {
  const words = texts.blocks.interview;
  if (notes.length === 0) return null;
  const list = (
    <ol className={shared.rows}>
      {notes.map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: notes are in the order of the answers
        <li key={index}>
          <strong>
            <Plain text={note.question} />
          </strong>
          {isAnswered(note) ? (
            <>
              <span className={shared.small}>{words.words(note.words)}</span>
              <Star note={note} />
            </>
          ) : (
            <span className={shared.small}>{words.skipped}</span>
          )}
          <Points mark="+" look="up" label={words.keep} points={note.keep} />
          <Points mark="→" look="down" label={words.change} points={note.change} />
        </li>
      ))}
    </ol>
  );
  return open ? list : <OnDemand label={words.notes(notes.length)}>{list}</OnDemand>;
}
