import type { Block, ConversationView, MessageView, RunView } from "@signalbox/client";
import { decisions, isOver } from "@signalbox/client";
import { memo, Suspense } from "react";
import { ErrorBoundary } from "../shell/ErrorBoundary";
import { texts } from "../texts";
import { later } from "../ui/later";
import { Answer } from "./Answer";
import { BudgetNote, FailedTools, HandoffNote, RunEnd, Working } from "./Notices";
import { QuickReplies } from "./QuickReplies";
import { RunDetails } from "./RunDetails";
import { areListed } from "./source";
import styles from "./Turn.module.css";
import type { Turn } from "./turns";
import { UserMessage } from "./UserMessage";

const BlockView = later(() => import("../blocks/BlockView").then(({ BlockView }) => BlockView));
const ApprovalCard = later(() => import("../panels/ApprovalCard").then(({ ApprovalCard }) => ApprovalCard));
// At once, so that they are there before the first result; but not before the page is drawn.
BlockView.prefetch();
ApprovalCard.prefetch();

/** A question, its answers with what belongs to them, and how it went. */
export const TurnView = memo(function TurnView({
  turn,
  view,
  chosen,
  newest,
  budget,
}: {
  turn: Turn;
  view: ConversationView;
  chosen: ReadonlySet<string>;
  newest: boolean;
  /** That a budget is spent, and what follows from it. */
  budget?: string | undefined;
}) {
  const { run, question, parts, replies, queued } = turn;
  const over = isOver(run);
  return (
    <div className={styles.turn} data-run={run.runId}>
      {question !== null && <UserMessage message={question} run={run} queued={queued} />}
      {parts.map(({ id, message, blocks }, at) => (
        <div key={id ?? "results"} className={styles.part}>
          {at > 0 && (
            <HandoffNote from={parts[at - 1]?.message?.agent ?? null} to={message?.agent ?? null} run={run} />
          )}
          {message !== null && speaks(message) && (
            <Answer
              message={message}
              rewound={run.rewinds.some(({ messageId }) => messageId === message.messageId)}
              listed={areListed(message.citations, blocks)}
              last={at === parts.length - 1}
              newest={newest}
              over={over}
            />
          )}
          {blocks.map((block, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: results are only ever added at the end.
            <ErrorBoundary key={place}>
              <Suspense fallback={<Loading />}>
                <Result block={block} run={run} view={view} />
              </Suspense>
            </ErrorBoundary>
          ))}
        </div>
      ))}
      {!queued && !over && <Working run={run} begun={parts.length > 0} />}
      <BudgetNote text={budget} />
      <FailedTools run={run} grounded={isGrounded(turn)} />
      <RunEnd run={run} newest={newest} answered={Boolean(parts.at(-1)?.message?.text)} />
      {(over || run.intent !== null) && <RunDetails run={run} />}
      {replies.map((block) => (
        <QuickReplies
          key={block.suggestions[0]?.id ?? block.text}
          block={block}
          chosen={chosen}
          open={newest}
          asked={parts.at(-1)?.message?.text.trim() === block.text.trim()}
        />
      ))}
    </div>
  );
});

/** One that only showed something is stored without words; while it went on, none of it was there either. */
function speaks({ text, status }: MessageView): boolean {
  return text !== "" || status === "streaming";
}

/** Whether something was found that the turn rests on. */
function isGrounded({ parts }: Turn): boolean {
  return parts.some(({ message, blocks }) => blocks.length > 0 || (message?.citations.length ?? 0) > 0);
}

function Loading() {
  return (
    <p className={styles.note} aria-busy="true">
      {texts.ui.loading}
    </p>
  );
}

function Result({ block, run, view }: { block: Block; run: RunView; view: ConversationView }) {
  if (block.type !== "approval_required") return <BlockView block={block} run={run} view={view} />;
  return <ApprovalCard approval={block} run={run} resolution={decisions(run)[block.approval_id] ?? null} />;
}
