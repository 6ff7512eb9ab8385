import type { Job } from "@signalbox/client";
import type { ReactNode } from "react";
import { SafeLink } from "../safe/SafeLink";
import { texts } from "../texts";
import { Modal } from "../ui/Sheet";
import styles from "./CompareJobs.module.css";
import { pay, saysRemote, sourceName } from "./format";
import { DateShown, Plain, SampleMark } from "./parts";
import { Bar, scoreOf } from "./Score";
import { Skills } from "./Skills";

export interface Picked {
  readonly job: Job;
  readonly place: number;
}

/** Jobs side by side. The names of the rows stay in sight while the rest is scrolled. */
export function CompareJobs({
  picked,
  open,
  onClose,
}: {
  picked: readonly Picked[];
  open: boolean;
  onClose: () => void;
}) {
  return (
    <Modal open={open} wide={picked.length > 2} title={texts.blocks.compare.title} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={texts.blocks.compare.title}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{texts.blocks.compare.job}</th>
              {picked.map(({ job, place }) => (
                <th key={place} scope="col">
                  {place}. <Plain text={job.title} limit={120} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ROWS.map(({ name, cell }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {picked.map(({ job, place }) => (
                  <td key={place}>{cell(job)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Modal>
  );
}

const words = texts.blocks.compare;
const none = <span className={styles.none}>{texts.blocks.notStated}</span>;

const ROWS: readonly { name: string; cell: (job: Job) => ReactNode }[] = [
  { name: words.company, cell: (job) => <Plain text={job.company} limit={120} /> },
  { name: words.place, cell: place },
  { name: words.pay, cell: (job) => pay(job.salary) ?? none },
  { name: words.match, cell: match },
  { name: words.has, cell: (job) => <SkillCell matched={job.matched_skills} missing={[]} /> },
  { name: words.lacks, cell: (job) => <SkillCell matched={[]} missing={job.missing_skills} /> },
  { name: words.posted, cell: (job) => (job.posted_at ? <DateShown iso={job.posted_at} /> : none) },
  { name: words.source, cell: source },
];

function place(job: Job): ReactNode {
  const remote = job.remote && !saysRemote(job) ? texts.blocks.remote : "";
  if (!job.location) return remote || none;
  return (
    <>
      <Plain text={job.location} limit={120} />
      {remote && ` · ${remote}`}
    </>
  );
}

function match(job: Job): ReactNode {
  const score = scoreOf(job);
  if (score === null) return <span className={styles.none}>{texts.blocks.notScored}</span>;
  return (
    <span className={styles.match}>
      {score}
      {texts.blocks.ofHundred}
      <Bar share={score / 100} />
    </span>
  );
}

function SkillCell({ matched, missing }: { matched: readonly string[]; missing: readonly string[] }) {
  return matched.length + missing.length > 0 ? (
    <Skills matched={matched} missing={missing} />
  ) : (
    texts.blocks.none
  );
}

function source(job: Job): ReactNode {
  if (job.sample) return <SampleMark />;
  return (
    <SafeLink href={job.url}>
      <Plain text={sourceName(job.source) || job.url} limit={60} />
    </SafeLink>
  );
}
