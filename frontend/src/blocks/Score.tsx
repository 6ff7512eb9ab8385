import type { Job, ScorePart } from "@signalbox/client";
import { texts } from "../texts";
import { finite, held, whole } from "./format";
import { keyed } from "./keyed";
import { Plain } from "./parts";
import styles from "./Score.module.css";

/** What is scored without knowing anything of the user. */
const OF_SEARCH = new Set(["relevance", "freshness"]);

/** A match of 0 to 100, rounded; null where none is known. */
export function scoreOf(job: Job): number | null {
  const score = finite(job.match_score);
  return score === null ? null : Math.round(held(score, 0, 100));
}

export function Bar({ share }: { share: number }) {
  return (
    <span className={styles.track} aria-hidden="true">
      <span className={styles.fill} style={{ inlineSize: `${held(share, 0, 1) * 100}%` }} />
    </span>
  );
}

/** The score as a button that explains it, or as a number where there is nothing to explain. */
export function ScoreBadge({
  score,
  open,
  controls,
  onToggle,
}: {
  score: number;
  open: boolean;
  controls: string;
  onToggle: (() => void) | null;
}) {
  const shown = (
    <>
      <span className={styles.number}>
        {score}
        <span className={styles.of}>{texts.blocks.ofHundred}</span>
      </span>
      <Bar share={score / 100} />
    </>
  );
  if (onToggle === null) return <div className={styles.badge}>{shown}</div>;
  return (
    <button
      type="button"
      className={styles.badge}
      aria-expanded={open}
      aria-controls={open ? controls : undefined}
      onClick={onToggle}
      title={texts.blocks.whyScore}
    >
      {shown}
      <span className="visually-hidden">{texts.blocks.whyScore}</span>
    </button>
  );
}

/** What the score is made of: points as bars, and why. */
export function ScoreParts({ id, parts, score }: { id: string; parts: readonly ScorePart[]; score: number }) {
  return (
    <div className={styles.parts} id={id}>
      <p className={styles.how}>
        {parts.every(({ name }) => OF_SEARCH.has(name))
          ? texts.blocks.searchOnly(score)
          : texts.blocks.scoreMeans(score)}
      </p>
      <ul className={styles.list}>
        {keyed(parts, (p) => p.name).map(({ key, item: part }) => (
          <li key={key}>
            <span className={styles.name}>
              <Plain text={texts.blocks.scoreParts[part.name] ?? part.name} limit={40} />
            </span>
            <Bar share={part.out_of > 0 ? part.points / part.out_of : 0} />
            <span className={styles.points}>
              {texts.blocks.points(points(part.points), points(part.out_of))}
            </span>
            <span className={styles.reason}>
              <Plain text={part.reason} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function points(value: number): string {
  return Number.isFinite(value) && Math.abs(value) < 1000
    ? String(Math.round(value * 10) / 10)
    : whole(value);
}
