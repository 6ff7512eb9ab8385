import type { ConversationView, JobVerdict } from "@signalbox/client";
import { useState } from "react";
import { line } from "../safe/inert";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { AskAbout } from "./AskAbout";
import type { BlockProps } from "./block";
import { JobHead } from "./JobCard";
import styles from "./JobMatch.module.css";
import { keyed } from "./keyed";
import { Points } from "./Points";
import { Chip, Collapsed, Frame, Notice, type Tone } from "./parts";
import shared from "./parts.module.css";
import { Skills } from "./Skills";

const FEW = 5;
const TONES: Record<JobVerdict["verdict"], [tone: Tone, mark: string]> = {
  strong: ["good", "✓✓"],
  good: ["good", "✓"],
  partial: ["accent", "◐"],
  weak: ["plain", "○"],
  ruled_out: ["bad", "✕"],
  unknown: ["plain", "?"],
};

/** Postings judged, best first. */
export function JobMatch({ block, view }: BlockProps<"job_match">) {
  const words = texts.blocks.match;
  const criterion = line(block.criterion, 60);
  return (
    <Frame
      type="job_match"
      title={words.title(block.verdicts.length)}
      note={criterion && (words.criteria[criterion] ?? words.by(criterion))}
    >
      {block.verdicts.length === 0 && (
        <Notice tone="plain" mark="○">
          {words.none}
        </Notice>
      )}
      <Collapsed items={block.verdicts} few={FEW}>
        {(shown) => (
          <ol className={shared.rows}>
            {keyed(shown, (v) => `${v.place}/${v.job.job_id}`).map(({ key, item: verdict }) => (
              <Verdict
                key={key}
                verdict={verdict}
                best={block.best !== null && verdict.job.job_id === block.best}
                view={view}
              />
            ))}
          </ol>
        )}
      </Collapsed>
      {block.verdicts.some(({ job }) => job.sample) && (
        <p className={shared.small}>{texts.blocks.sampleMeans}</p>
      )}
    </Frame>
  );
}

function Verdict({ verdict, best, view }: { verdict: JobVerdict; best: boolean; view: ConversationView }) {
  const [asking, setAsking] = useState(false);
  const words = texts.blocks.match;
  const [tone, mark] = TONES[verdict.verdict] ?? TONES.unknown;
  return (
    <li className={best ? styles.best : undefined} data-testid="job-card">
      <div className={shared.chips}>
        {best && (
          <Chip tone="accent" mark="★">
            {words.best}
          </Chip>
        )}
        <Chip tone={tone} mark={mark}>
          {words.verdicts[verdict.verdict] ?? words.verdicts.unknown}
        </Chip>
      </div>
      <JobHead job={verdict.job} place={verdict.place} />
      <Points mark="+" look="up" label={words.strengths} points={verdict.strengths} />
      <Points mark="−" look="down" label={words.concerns} points={verdict.concerns} />
      {verdict.strengths.length + verdict.concerns.length === 0 && (
        <Skills matched={verdict.job.matched_skills} missing={verdict.job.missing_skills} />
      )}
      <Button
        small
        look="quiet"
        className={styles.ask}
        aria-expanded={asking}
        onClick={() => setAsking(!asking)}
      >
        {texts.blocks.ask.open}
      </Button>
      {asking && <AskAbout job={verdict.job} view={view} />}
    </li>
  );
}
