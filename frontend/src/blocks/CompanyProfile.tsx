import { texts } from "../texts";
import type { BlockProps } from "./block";
import styles from "./CompanyProfile.module.css";
import { Chip, Frame, Notice, Plain, SampleMark } from "./parts";
import shared from "./parts.module.css";
import { SourceLine } from "./SourceLine";

/** What sources say of a company, each fact with its own; and what none of them says. */
export function CompanyProfile({ block }: BlockProps<"company_profile">) {
  const words = texts.blocks.company;
  return (
    <Frame
      type="company_profile"
      title={<Plain text={block.company || words.untitled} limit={160} />}
      mark={block.sample && <SampleMark />}
      note={block.sample ? words.sample : undefined}
    >
      {block.facts.length === 0 && (
        <Notice tone="plain" mark="○">
          {words.none}
        </Notice>
      )}
      <dl className={styles.facts}>
        {block.facts.map((fact, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: facts have no id and never change place
          <div key={index}>
            <dt>
              <Plain text={fact.label || words.fact} limit={60} />
            </dt>
            <dd>
              <span className={styles.fact} dir="auto">
                <Plain text={fact.fact} />
              </span>
              {!sameSource(block, index) && (
                <SourceLine source={fact.source} url={fact.url} as_of={fact.as_of} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      {block.unknown.length > 0 && (
        <div>
          <p className={shared.label}>{words.unknown}</p>
          <ul className={shared.chips}>
            {[...new Set(block.unknown)].map((name) => (
              <li key={name}>
                <Chip mark="?">
                  <Plain text={name} limit={80} />
                </Chip>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Frame>
  );
}

/** Whether the fact after this one is from the same source: then that one names it for both. */
function sameSource({ facts }: BlockProps<"company_profile">["block"], index: number): boolean {
  const [one, next] = [facts[index], facts[index + 1]];
  if (!one || !next) return false;
  return one.source === next.source && one.as_of === next.as_of && one.url === next.url;
}
