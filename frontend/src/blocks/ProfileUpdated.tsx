import type { ProfileFact } from "@signalbox/client";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import type { BlockProps } from "./block";
import { nameOf, shownOf } from "./facts";
import { keyed } from "./keyed";
import styles from "./ProfileUpdated.module.css";
import { Frame, Notice, Plain } from "./parts";
import shared from "./parts.module.css";

/** What was just learned of the user, or forgotten. */
export function ProfileUpdated({ block }: BlockProps<"profile_updated">) {
  const { openPanel } = useSession();
  const words = texts.blocks.profile;
  const nothing = block.added.length + block.removed.length === 0;
  return (
    <Frame type="profile_updated" title={words.title} note={words.known(block.profile.length)}>
      {nothing && (
        <Notice tone="plain" mark="○">
          {words.nothing}
        </Notice>
      )}
      <Facts label={words.added} facts={block.added} />
      <Facts label={words.removed} facts={block.removed} gone />
      <Button small look="quiet" className={styles.open} onClick={() => openPanel("profile")}>
        {words.open}
      </Button>
    </Frame>
  );
}

function Facts({
  label,
  facts,
  gone = false,
}: {
  label: string;
  facts: readonly ProfileFact[];
  gone?: boolean;
}) {
  if (facts.length === 0) return null;
  const words = texts.blocks.profile;
  const Value = gone ? "del" : "span";
  return (
    <ul className={styles.facts} aria-label={label}>
      {keyed(facts, (f) => f.fact_id).map(({ key, item: fact }) => (
        <li key={key}>
          <span className={gone ? styles.minus : styles.plus} aria-hidden="true">
            {gone ? "−" : "+"}
          </span>
          <span>
            <span className={shared.small}>
              <Plain text={nameOf(fact.key)} />
            </span>{" "}
            <Value>
              <Plain text={shownOf(fact)} limit={300} />
            </Value>
            {fact.kind === "constraint" && <span className={shared.small}> · {words.constraint}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
