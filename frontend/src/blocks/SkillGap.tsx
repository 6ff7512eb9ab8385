import type { SkillDemand } from "@signalbox/client";
import { useState } from "react";
import { line } from "../safe/inert";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import type { BlockProps } from "./block";
import { held, percent } from "./format";
import { keyed } from "./keyed";
import { Chip, Collapsed, Frame, Notice, Plain, type Tone } from "./parts";
import shared from "./parts.module.css";
import styles from "./SkillGap.module.css";

const FEW = 10;
// Of fewer postings than this a percentage says more than is known.
const FEW_POSTINGS = 10;
const STATUSES = ["have", "partial", "missing"] as const;
const TONES: Record<SkillDemand["status"], Tone> = { have: "good", partial: "warn", missing: "plain" };
const MARKS: Record<SkillDemand["status"], string> = { have: "✓", partial: "◐", missing: "○" };

/** How many postings ask for what, and which of it the user has. Of one posting there is nothing to count. */
export function SkillGap({ block }: BlockProps<"skill_gap">) {
  const words = texts.blocks.gap;
  const one = block.postings === 1;
  return (
    <Frame
      type="skill_gap"
      title={
        <>
          {words.title} <Plain text={block.target} limit={120} />
        </>
      }
      note={one ? words.ofOne(block.sample_postings > 0) : words.basis(block.postings, block.sample_postings)}
    >
      {block.skills.length === 0 ? (
        <Notice tone="plain" mark="○">
          {words.none}
        </Notice>
      ) : one ? (
        <SkillGroups skills={block.skills} />
      ) : (
        <SkillChart skills={block.skills} postings={block.postings} />
      )}
      <LearnNext skills={block.learn_next} />
    </Frame>
  );
}

function SkillGroups({ skills }: { skills: readonly SkillDemand[] }) {
  const words = texts.blocks.gap;
  return STATUSES.map((status) => {
    const own = skills.filter((skill) => skill.status === status);
    if (own.length === 0) return null;
    return (
      <div key={status}>
        <p className={shared.label}>{words.counted(words.statuses[status], own.length)}</p>
        <ul className={shared.chips}>
          {keyed(own, (s) => s.skill).map(({ key, item: skill }) => (
            <li key={key}>
              <Chip tone={TONES[status]} mark={MARKS[status]} hint={line(skill.reason, 200)}>
                <Plain text={skill.skill} limit={60} />
              </Chip>
            </li>
          ))}
        </ul>
      </div>
    );
  });
}

/** As bars or as a table. */
function SkillChart({ skills, postings }: { skills: readonly SkillDemand[]; postings: number }) {
  const [asTable, setAsTable] = useState(false);
  const words = texts.blocks.gap;
  return (
    <>
      <div className={styles.legend}>
        {STATUSES.map((status) => (
          <span key={status} className={styles[status]}>
            <span className={styles.swatch} aria-hidden="true" />
            {words.counted(words.statuses[status], count(skills, status))}
          </span>
        ))}
        <Button small look="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? words.asBars : words.asTable}
        </Button>
      </div>
      <Collapsed items={skills} few={FEW}>
        {(shown) =>
          asTable ? <SkillTable skills={shown} /> : <SkillBars skills={shown} postings={postings} />
        }
      </Collapsed>
    </>
  );
}

function count(skills: readonly SkillDemand[], status: SkillDemand["status"]): number {
  return skills.filter((skill) => skill.status === status).length;
}

function SkillBars({ skills, postings }: { skills: readonly SkillDemand[]; postings: number }) {
  const words = texts.blocks.gap;
  return (
    <ul className={styles.bars}>
      {keyed(skills, (s) => s.skill).map(({ key, item: skill }) => (
        <li key={key} className={styles[skill.status]} title={line(skill.reason, 200) || undefined}>
          <span className={styles.name}>
            <span className={styles.mark} aria-hidden="true">
              {MARKS[skill.status]}
            </span>
            <Plain text={skill.skill} limit={60} />
            <span className="visually-hidden">{`, ${words.statuses[skill.status]},`}</span>
          </span>
          <span className={styles.track} aria-hidden="true">
            <span className={styles.fill} style={{ inlineSize: `${held(skill.share, 0, 1) * 100}%` }} />
          </span>
          <span className={styles.share}>
            {postings < FEW_POSTINGS ? words.few(skill.postings, postings) : percent(skill.share)}
            <span className="visually-hidden"> {words.ofPostings}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function SkillTable({ skills }: { skills: readonly SkillDemand[] }) {
  const words = texts.blocks.gap;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={words.asTable}>
      <table className={styles.table}>
        <thead>
          <tr>
            {[words.skill, words.you, words.asked, words.why].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keyed(skills, (s) => s.skill).map(({ key, item: skill }) => (
            <tr key={key}>
              <th scope="row">
                <Plain text={skill.skill} limit={60} />
                {skill.certificate && <span className={shared.small}> ({words.certificate})</span>}
              </th>
              <td>
                {MARKS[skill.status]} {words.statuses[skill.status]}
              </td>
              <td>{words.sharePostings(percent(skill.share), skill.postings)}</td>
              <td>
                <Plain text={skill.reason} limit={200} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function LearnNext({ skills }: { skills: readonly string[] }) {
  if (skills.length === 0) return null;
  return (
    <div>
      <p className={shared.label}>{texts.blocks.gap.learnNext}</p>
      <ol className={shared.chips}>
        {[...new Set(skills)].map((skill, index) => (
          <li key={skill}>
            <Chip tone="accent" mark={`${index + 1}`}>
              <Plain text={skill} limit={60} />
            </Chip>
          </li>
        ))}
      </ol>
    </div>
  );
}
