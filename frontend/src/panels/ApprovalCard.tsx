import type { ApprovalRequired, Decision, RunView } from "@signalbox/client";
import { Suspense, useRef, useState } from "react";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { codeOf } from "../ui/fault";
import { later } from "../ui/later";
import { useDeed } from "../ui/useDeed";
import styles from "./approval/approval.module.css";
import { drafted, hasEdits } from "./approval/fields";
import { Open } from "./approval/Open";
import { Outcome } from "./approval/Outcome";
import { standingOf } from "./approval/standing";
import { useApproval } from "./approval/useApproval";
import { useDrafts } from "./approval/useDrafts";
import { useTimeLeft } from "./approval/useTimeLeft";

const ApprovalEditor = later(() => import("./approval/ApprovalEditor").then((part) => part.default));

/** What a waiting run asks before it does what cannot be taken back, and what became of the question. */
export function ApprovalCard({
  approval,
  run,
  resolution = null,
}: {
  approval: Pick<ApprovalRequired, "approval_id" | "tool" | "arguments" | "risk" | "expires_at">;
  run: RunView;
  resolution?: string | null | undefined;
}) {
  const { actions, announce } = useSession();
  const t = texts.panels.approval;
  const stored = useApproval(run.runId, approval.approval_id, resolution);
  const decided = (resolution ?? stored.value?.decision ?? null) !== null;
  const left = useTimeLeft(stored.value?.expiresAt ?? approval.expires_at, decided);
  const standing = standingOf(resolution, stored.value, run, left);
  const shown = stored.value?.arguments ?? approval.arguments;
  const [editing, setEditing] = useState(false);
  const [drafts, setDrafts] = useDrafts(approval.approval_id, shown);
  const heading = useRef<HTMLHeadingElement>(null);

  const deed = useDeed(async (decision: Decision) => {
    try {
      await actions.decide(run.runId, approval.approval_id, decision);
      announce(t.told[decision.decision], "quiet");
    } finally {
      // Also after a refusal, or when it is not known whether the decision arrived: then this tells.
      await stored.reload();
    }
  });
  const decide = async (decision: Decision) => {
    const digest = stored.value?.digest;
    if (!(await deed.run(digest === undefined ? decision : { ...decision, digest }))) return;
    setEditing(false);
    setDrafts(null);
    heading.current?.focus();
  };

  const refused = deed.error !== null && standing !== "open" && codeOf(deed.error) === "decided";
  return (
    <section
      className={styles.card}
      data-testid="approval-card"
      data-standing={standing}
      aria-label={t.title(approval.tool)}
    >
      <header className={styles.head}>
        <h3 ref={heading} tabIndex={-1}>
          {standing === "open" ? t.title(approval.tool) : t.titleOver(approval.tool)}
        </h3>
      </header>
      {standing === "open" ? (
        <Open
          tool={approval.tool}
          shown={shown}
          risk={stored.value?.risk ?? approval.risk}
          left={left}
          stored={stored}
          deed={deed}
          edited={drafts !== null && hasEdits(shown, drafts)}
          onDecide={decide}
          onEdit={() => {
            if (drafts === null) setDrafts(drafted(shown));
            deed.clear();
            setEditing(true);
          }}
        />
      ) : (
        <Outcome
          standing={standing}
          tool={approval.tool}
          asked={shown}
          run={run}
          stored={stored}
          refusal={refused ? deed.error : null}
        />
      )}
      {drafts !== null && stored.value !== undefined && (
        <Suspense>
          <ApprovalEditor
            open={editing}
            stored={stored.value}
            standing={standing}
            left={left}
            drafts={drafts}
            deed={deed}
            onDrafts={setDrafts}
            onClose={() => setEditing(false)}
            onApprove={(changed) => decide({ decision: "edit", arguments: changed })}
          />
        </Suspense>
      )}
    </section>
  );
}
