import { useState } from "react";
import { texts } from "../texts";
import { Chip, Plain } from "./parts";
import styles from "./parts.module.css";

const FEW = 8;
const FEWEST_MISSING = 3;

/** Skills a posting names: those the user has, then those not known of them. Told apart by sign and word, too. */
export function Skills({ matched, missing }: { matched: readonly string[]; missing: readonly string[] }) {
  const [all, setAll] = useState(false);
  const has = [...new Set(matched)];
  const lacks = [...new Set(missing)];
  if (has.length + lacks.length === 0) return null;
  // One more takes no more room than the button that would hide it.
  const whole = all || has.length + lacks.length <= FEW + 1;
  const shown = whole ? has : has.slice(0, FEW);
  const lacking = whole ? lacks : lacks.slice(0, Math.max(FEWEST_MISSING, FEW - shown.length));
  const hidden = has.length + lacks.length - shown.length - lacking.length;
  return (
    <ul className={styles.chips} aria-label={texts.blocks.skills}>
      {shown.map((skill) => (
        <Skill key={`+${skill}`} skill={skill} has />
      ))}
      {lacking.map((skill) => (
        <Skill key={`-${skill}`} skill={skill} has={false} />
      ))}
      {hidden > 0 && (
        <li>
          <button type="button" className={styles.rest} onClick={() => setAll(true)}>
            {texts.blocks.andMore(hidden)}
          </button>
        </li>
      )}
    </ul>
  );
}

function Skill({ skill, has }: { skill: string; has: boolean }) {
  const meaning = has ? texts.blocks.haveSkill : texts.blocks.missingSkill;
  return (
    <li>
      <Chip tone={has ? "good" : "plain"} mark={has ? "✓" : "○"} hint={meaning}>
        <span className="visually-hidden">{meaning} </span>
        <Plain text={skill} limit={40} />
      </Chip>
    </li>
  );
}
