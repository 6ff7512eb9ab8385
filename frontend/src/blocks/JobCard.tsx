import type { ConversationView, Job } from "@signalbox/client";
import { useId, useState } from "react";
import { SafeLink } from "../safe/SafeLink";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { AskAbout } from "./AskAbout";
import { pay, saysRemote, sourceName } from "./format";
import styles from "./JobCard.module.css";
import { DateShown, Plain, SampleMark } from "./parts";
import { ScoreBadge, ScoreParts, scoreOf } from "./Score";
import { Skills } from "./Skills";

interface Choosing {
  readonly chosen: boolean;
  /** As many as can be compared are chosen already. */
  readonly full: boolean;
  toggle(): void;
}

export function JobCard({
  job,
  place,
  view,
  choosing,
}: {
  job: Job;
  place: number;
  view: ConversationView;
  choosing: Choosing | null;
}) {
  const [asking, setAsking] = useState(false);
  return (
    <li className={styles.card} data-testid="job-card">
      <JobHead job={job} place={place} />
      <Skills matched={job.matched_skills} missing={job.missing_skills} />
      <div className={styles.actions}>
        <Button small look="quiet" aria-expanded={asking} onClick={() => setAsking(!asking)}>
          {texts.blocks.ask.open}
          <span className="visually-hidden">
            : <Plain text={job.title} limit={60} />
          </span>
        </Button>
        {choosing && <Choose job={job} place={place} choosing={choosing} />}
      </div>
      {asking && <AskAbout job={job} view={view} />}
    </li>
  );
}

function Choose({ job, place, choosing }: { job: Job; place: number; choosing: Choosing }) {
  return (
    <label className={styles.choose}>
      <input
        type="checkbox"
        checked={choosing.chosen}
        disabled={choosing.full && !choosing.chosen}
        onChange={choosing.toggle}
      />
      {texts.blocks.compare.choose}
      <span className="visually-hidden">
        {place} <Plain text={job.title} limit={60} />
      </span>
    </label>
  );
}

/** What a posting is, where, for how much and how well it fits; the score opens what it is made of. */
export function JobHead({ job, place }: { job: Job; place: number }) {
  const parts = useId();
  const [open, setOpen] = useState(false);
  const score = scoreOf(job);
  const explained = job.score_parts.length > 0;
  return (
    <>
      <div className={styles.head}>
        <span className={styles.place}>{place}</span>
        <div className={styles.names}>
          <h4 className={styles.title}>
            <SafeLink href={job.url}>
              <Plain text={job.title || texts.blocks.untitled} limit={160} />
            </SafeLink>
          </h4>
          <p className={styles.facts}>
            <JobPlace job={job} />
          </p>
        </div>
        {score !== null && (
          <ScoreBadge
            score={score}
            open={open}
            controls={parts}
            onToggle={explained ? () => setOpen(!open) : null}
          />
        )}
      </div>
      <JobFacts job={job} />
      {open && score !== null && <ScoreParts id={parts} parts={job.score_parts} score={score} />}
    </>
  );
}

function JobPlace({ job }: { job: Job }) {
  return (
    <>
      <span className={styles.company}>
        <Plain text={job.company} limit={120} />
      </span>
      {job.location && <Plain text={job.location} limit={120} />}
      {job.remote === true && !saysRemote(job) && <span>{texts.blocks.remote}</span>}
      {job.remote === false && <span>{texts.blocks.onSite}</span>}
    </>
  );
}

function JobFacts({ job }: { job: Job }) {
  const paid = pay(job.salary);
  return (
    <p className={styles.facts}>
      <span className={paid ? styles.pay : undefined}>{paid ?? texts.blocks.noPay}</span>
      <DateShown iso={job.posted_at} />
      {job.source && !job.sample && (
        <span>
          {texts.blocks.via} <Plain text={sourceName(job.source)} limit={60} />
        </span>
      )}
      {job.sample && <SampleMark />}
    </p>
  );
}
