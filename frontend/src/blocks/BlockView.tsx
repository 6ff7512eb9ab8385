import type { Block, ConversationView, RunView } from "@signalbox/client";
import { memo } from "react";
import { ApplicationStatus } from "./ApplicationStatus";
import { CompanyProfile } from "./CompanyProfile";
import { CoverLetter } from "./CoverLetter";
import { EmailDraft } from "./EmailDraft";
import { InterviewPractice } from "./InterviewPractice";
import { InterviewQuestions } from "./InterviewQuestions";
import { JobMatch } from "./JobMatch";
import { JobsData } from "./JobsData";
import { Knowledge } from "./Knowledge";
import { ProfileUpdated } from "./ProfileUpdated";
import { ResumeFeedback } from "./ResumeFeedback";
import { SalaryRange } from "./SalaryRange";
import { SkillGap } from "./SkillGap";

/** One typed result. Nothing for a kind that only a newer server knows, and for those that stand elsewhere. */
export function BlockView({ block, run, view }: { block: Block; run: RunView; view: ConversationView }) {
  const id = `${run.runId}/${run.blocks.indexOf(block)}/${block.type}`;
  return <Shown key={id} block={block} run={run} view={view} id={id} />;
}

// The view is another object with every piece of text that comes; a result is as it was unless its runs are others.
const Shown = memo(
  Result,
  (before, after) =>
    before.block === after.block && before.id === after.id && before.view.runs === after.view.runs,
);

function Result({ block, ...place }: { block: Block; run: RunView; view: ConversationView; id: string }) {
  switch (block.type) {
    case "jobs_data":
      return <JobsData block={block} {...place} />;
    case "job_match":
      return <JobMatch block={block} {...place} />;
    case "skill_gap":
      return <SkillGap block={block} {...place} />;
    case "salary_range":
      return <SalaryRange block={block} {...place} />;
    case "resume_feedback":
      return <ResumeFeedback block={block} {...place} />;
    case "interview_questions":
      return <InterviewQuestions block={block} {...place} />;
    case "interview_practice":
      return <InterviewPractice block={block} {...place} />;
    case "company_profile":
      return <CompanyProfile block={block} {...place} />;
    case "knowledge":
      return <Knowledge block={block} {...place} />;
    case "cover_letter":
      return <CoverLetter block={block} {...place} />;
    case "email_draft":
      return <EmailDraft block={block} {...place} />;
    case "application_status":
      return <ApplicationStatus block={block} {...place} />;
    case "profile_updated":
      return <ProfileUpdated block={block} {...place} />;
    case "suggestions":
    case "suggestion_chosen":
    case "approval_required":
    case "approval_resolved":
      return null;
    default:
      return unknown(block);
  }
}

function unknown(_block: never): null {
  return null;
}
