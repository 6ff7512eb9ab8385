import type { ProfileFact } from "@signalbox/client";
import { texts } from "../../texts";
import styles from "./profile.module.css";

/** How a fact came to be known. What was only concluded is marked, since it may be wrong. */
export function Origin({ fact }: { fact: ProfileFact }) {
  const t = texts.panels.profile;
  const { origin, confidence } = fact;
  if (origin !== "extracted") return <span className={styles.origin}>{t.origins[origin]}</span>;
  const means = t.extractedMeans(texts.units.percent(confidence));
  return (
    <span className={styles.noticed} title={means}>
      {t.origins.extracted}
      <span className="visually-hidden">. {means}</span>
    </span>
  );
}
