import type { Job } from "@signalbox/client";
import { useState } from "react";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { type BlockProps, useKept } from "./block";
import { CompareJobs } from "./CompareJobs";
import { JobCard } from "./JobCard";
import { Collapsed, Frame, Notice } from "./parts";
import styles from "./parts.module.css";
import { Sources } from "./Sources";
import { lacks } from "./sources-asked";

const FEW = 5;
const MOST_COMPARED = 4;

export function JobsData({ block, view, id }: BlockProps<"jobs_data">) {
  const { jobs, sources } = block;
  const [chosen, setChosen] = useKept<readonly number[]>(`${id}/chosen`, []);
  const toggle = (index: number) =>
    setChosen(chosen.includes(index) ? chosen.filter((each) => each !== index) : [...chosen, index]);
  return (
    <Frame type="jobs_data" title={title(block)}>
      <Sources sources={sources} partial={jobs.length > 0} />
      {jobs.length === 0 && !lacks(sources) && (
        <Notice tone="plain" mark="○">
          {texts.blocks.jobs.none}
        </Notice>
      )}
      <Collapsed items={jobs.map((job, index) => ({ job, index }))} few={FEW}>
        {(shown) => (
          <ol className={styles.rows}>
            {shown.map(({ job, index }) => (
              <JobCard
                key={`${index}/${job.job_id}`}
                job={job}
                place={index + 1}
                view={view}
                choosing={
                  jobs.length > 1
                    ? {
                        chosen: chosen.includes(index),
                        full: chosen.length >= MOST_COMPARED,
                        toggle: () => toggle(index),
                      }
                    : null
                }
              />
            ))}
          </ol>
        )}
      </Collapsed>
      {jobs.some((job) => job.sample) && <p className={styles.small}>{texts.blocks.sampleMeans}</p>}
      {jobs.length > 1 && <Comparing jobs={jobs} chosen={chosen} clear={() => setChosen([])} />}
    </Frame>
  );
}

function title({ jobs, total, truncated }: BlockProps<"jobs_data">["block"]): string {
  if (jobs.length === 0) return texts.blocks.jobs.title;
  return truncated || total > jobs.length
    ? texts.blocks.jobs.some(jobs.length, total)
    : texts.blocks.jobs.all(jobs.length);
}

function Comparing({
  jobs,
  chosen,
  clear,
}: {
  jobs: readonly Job[];
  chosen: readonly number[];
  clear: () => void;
}) {
  const [open, setOpen] = useState(false);
  const words = texts.blocks.compare;
  const picked = chosen
    .toSorted((a, b) => a - b)
    .flatMap((index) => {
      const job = jobs[index];
      return job ? [{ job, place: index + 1 }] : [];
    });
  return (
    <div className={styles.bar}>
      <Button small data-testid="compare" disabled={picked.length < 2} onClick={() => setOpen(true)}>
        {picked.length < 2 ? words.button : words.buttonFor(picked.length)}
      </Button>
      {picked.length > 0 && (
        <Button small look="quiet" onClick={clear}>
          {words.clear}
        </Button>
      )}
      <span className={styles.small} role="status">
        {picked.length < 2 ? words.hint(MOST_COMPARED) : picked.length >= MOST_COMPARED ? words.full : ""}
      </span>
      <CompareJobs picked={picked} open={open} onClose={() => setOpen(false)} />
    </div>
  );
}
