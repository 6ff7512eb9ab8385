import type { ProfileFact } from "@signalbox/client";
import { texts } from "../../texts";
import styles from "./profile.module.css";

/** Marks what nobody said in so many words: it may be wrong. Of all else its source tells enough. */
export function Origin({ fact: { origin, confidence } }: { fact: ProfileFact }) {
  const t = texts.panels.profile;
  if (origin !== "extracted") return null;
  const means = t.noticedMeans(texts.units.percent(confidence));
  return (
    <span className={styles.noticed} title={means} data-testid="noticed">
      {t.noticed}
      <span className="visually-hidden">. {means}</span>
    </span>
  );
}
