import type { Block, ConversationView, RunView } from "@signalbox/client";
import { decisions, isOver } from "@signalbox/client";
import { lazy, memo, Suspense } from "react";
import { ErrorBoundary } from "../shell/ErrorBoundary";
import { texts } from "../texts";
import { Answer } from "./Answer";
import { FailedTools, HandoffNote, RunEnd, Working } from "./Notices";
import { QuickReplies } from "./QuickReplies";
import { RunDetails } from "./RunDetails";
import styles from "./Turn.module.css";
import type { Turn } from "./turns";
import { UserMessage } from "./UserMessage";
import type { Aside } from "./useAsides";

// Asked for at once, so that they are there before the first result; but not before the page is drawn.
const blockView = import("../blocks/BlockView");
const approvalCard = import("../panels/ApprovalCard");
const BlockView = lazy(() => blockView.then(({ BlockView }) => ({ default: BlockView })));
const ApprovalCard = lazy(() => approvalCard.then(({ ApprovalCard }) => ({ default: ApprovalCard })));

/** A question, its answers with what belongs to them, and how it went. */
export const TurnView = memo(function TurnView({
  turn,
  view,
  chosen,
  newest,
  asides,
}: {
  turn: Turn;
  view: ConversationView;
  chosen: ReadonlySet<string>;
  newest: boolean;
  asides: readonly Aside[];
}) {
  const { run, question, parts, replies, queued } = turn;
  const over = isOver(run);
  return (
    <div className={styles.turn} data-run={run.runId}>
      {question !== null && <UserMessage message={question} run={run} queued={queued} />}
      {parts.map(({ message, blocks }, at) => (
        <div key={message?.messageId ?? "results"} className={styles.part}>
          {at > 0 && <HandoffNote to={message?.agent ?? null} asides={asides} />}
          {message !== null && (
            <Answer
              message={message}
              rewound={asides.some((one) => one.kind === "rewind" && one.messageId === message.messageId)}
              last={at === parts.length - 1}
              newest={newest}
              over={over}
            />
          )}
          {blocks.map((block, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: results are only ever added at the end.
            <ErrorBoundary key={place}>
              <Suspense fallback={<p className={styles.note}>{texts.ui.loading}</p>}>
                <Result block={block} run={run} view={view} />
              </Suspense>
            </ErrorBoundary>
          ))}
        </div>
      ))}
      {!queued && !over && <Working run={run} begun={parts.length > 0} />}
      <FailedTools run={run} />
      <RunEnd run={run} newest={newest} />
      {over && <RunDetails run={run} />}
      {replies.map((block) => (
        <QuickReplies
          key={block.suggestions[0]?.id ?? block.text}
          block={block}
          chosen={chosen}
          open={newest}
        />
      ))}
    </div>
  );
});

function Result({ block, run, view }: { block: Block; run: RunView; view: ConversationView }) {
  if (block.type !== "approval_required") return <BlockView block={block} run={run} view={view} />;
  return <ApprovalCard approval={block} run={run} resolution={decisions(run)[block.approval_id] ?? null} />;
}
