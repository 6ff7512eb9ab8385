import type { ResumeFinding } from "@signalbox/client";
import { inert, line } from "../safe/inert";
import { texts } from "../texts";
import { CopyButton } from "../ui/CopyButton";
import type { BlockProps } from "./block";
import { Points } from "./Points";
import { Chip, Collapsed, Frame, Notice, Plain, Prose, type Tone } from "./parts";
import shared from "./parts.module.css";
import styles from "./ResumeFeedback.module.css";

const FEW = 6;
const SEVERITIES = ["high", "medium", "low"] as const;
const TONES: Record<ResumeFinding["severity"], [tone: Tone, mark: string]> = {
  high: ["bad", "▲"],
  medium: ["warn", "■"],
  low: ["plain", "●"],
};

/** A CV reviewed: what is good, what to change and how, and which words of the posting it lacks. */
export function ResumeFeedback({ block }: BlockProps<"resume_feedback">) {
  const words = texts.blocks.resume;
  const findings = SEVERITIES.flatMap((severity) =>
    block.findings.filter((each) => each.severity === severity),
  );
  return (
    <Frame type="resume_feedback" title={words.title} note={<About block={block} />}>
      <Points mark="+" look="up" label={words.strengths} points={block.strengths} />
      {findings.length === 0 ? (
        <Notice tone="plain" mark="✓">
          {words.none}
        </Notice>
      ) : (
        <Collapsed items={findings} few={FEW}>
          {(shown) => (
            <ol className={shared.rows}>
              {shown.map((finding, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: findings have no id and never change place
                <Finding key={index} finding={finding} />
              ))}
            </ol>
          )}
        </Collapsed>
      )}
      <Keywords label={words.unsaid} mark="◐" words={block.unsaid_keywords} />
      <Keywords label={words.missing} mark="○" words={block.missing_keywords} />
    </Frame>
  );
}

function About({ block }: { block: BlockProps<"resume_feedback">["block"] }) {
  const words = texts.blocks.resume;
  const counts = SEVERITIES.map((severity) => ({
    severity,
    count: block.findings.filter((each) => each.severity === severity).length,
  })).filter(({ count }) => count > 0);
  return (
    <>
      {block.source === "pasted" ? words.pasted : <Plain text={block.source} limit={120} />}
      {block.target && (
        <>
          {" "}
          {words.against} <Plain text={block.target} limit={160} />
        </>
      )}
      {counts.length > 0 &&
        ` · ${counts.map(({ severity, count }) => words.counted(severity, count)).join(", ")}`}
    </>
  );
}

function Finding({ finding }: { finding: ResumeFinding }) {
  const [tone, mark] = TONES[finding.severity] ?? TONES.medium;
  const quote = inert(finding.quote);
  return (
    <li>
      <div className={shared.chips}>
        <Chip tone={tone} mark={mark}>
          {texts.blocks.resume.severities[finding.severity]}
        </Chip>
        <span className={shared.small}>
          <Plain text={finding.section} limit={80} />
        </span>
      </div>
      <strong className={styles.finding}>
        <Plain text={finding.finding} />
      </strong>
      {quote && quote !== inert(finding.before) && (
        <blockquote className={styles.quote} dir="auto">
          {quote}
        </blockquote>
      )}
      <Prose text={finding.suggestion} />
      {finding.before && finding.after && <Rewrite before={finding.before} after={finding.after} />}
    </li>
  );
}

function Rewrite({ before, after }: { before: string; after: string }) {
  const words = texts.blocks.resume;
  return (
    <div className={styles.rewrite}>
      <del className={styles.before}>
        <span className={shared.label}>{words.before}</span>
        <Plain text={before} />
      </del>
      <ins className={styles.after}>
        <span className={shared.label}>{words.after}</span>
        <Plain text={after} />
      </ins>
      <div className={styles.copy}>
        <CopyButton worded text={() => line(after)} />
      </div>
    </div>
  );
}

function Keywords({ label, mark, words }: { label: string; mark: string; words: readonly string[] }) {
  if (words.length === 0) return null;
  return (
    <div>
      <p className={shared.label}>{label}</p>
      <ul className={shared.chips}>
        {[...new Set(words)].map((word) => (
          <li key={word}>
            <Chip mark={mark}>
              <Plain text={word} limit={60} />
            </Chip>
          </li>
        ))}
      </ul>
    </div>
  );
}
