import type { Profile, SourcedFact } from "@signalbox/client";
import { useState } from "react";
import { texts } from "../../texts";
import { moment } from "../../ui/format";
import { FactRow } from "./FactRow";
import { ForgottenRow } from "./ForgottenRow";
import styles from "./profile.module.css";

// It has a part of the panel of its own.
const CV = "resume";
const KINDS = ["fact", "preference", "constraint"] as const;

/** All facts by their kind. In the place of one that was forgotten here stays a way to have it back. */
export function Facts({ profile, onChanged }: { profile: Profile; onChanged: () => Promise<void> }) {
  const t = texts.panels.profile;
  const [forgotten, setForgotten] = useState<{ known: SourcedFact; at: number } | null>(null);
  const [amended, setAmended] = useState<string | null>(null);
  const change = profile.newestChange;
  const gone =
    forgotten !== null && change?.removed.some((one) => one.fact_id === forgotten.known.fact.fact_id);

  if (profile.facts.length === 0 && !gone) return <Nothing />;
  return KINDS.map((kind) => {
    const own = profile.facts.filter(({ fact }) => fact.kind === kind && fact.key !== CV);
    const rows = own.map((known, at) => (
      <FactRow
        key={known.fact.fact_id}
        known={known}
        goesOn={sameSource(known, own[at + 1])}
        amended={known.fact.fact_id === amended}
        onChanged={onChanged}
        onAmended={(fact) => setAmended(fact.fact_id)}
        onForgotten={() => {
          setForgotten({ known, at });
          return onChanged();
        }}
      />
    ));
    if (gone && change && forgotten.known.fact.kind === kind) {
      const row = (
        <ForgottenRow key="forgotten" fact={forgotten.known.fact} change={change} onUndone={onChanged} />
      );
      rows.splice(forgotten.at, 0, row);
    }
    if (rows.length === 0) return null;
    return (
      <section key={kind} aria-label={t.kinds[kind]}>
        <h3>{t.kinds[kind]}</h3>
        <ul className={styles.facts}>{rows}</ul>
      </section>
    );
  });
}

function sameSource(one: SourcedFact, next: SourcedFact | undefined): boolean {
  if (next === undefined || moment(one.createdAt) !== moment(next.createdAt)) return false;
  const { origin, source_message_id: message } = one.fact;
  if (origin !== next.fact.origin || message !== next.fact.source_message_id) return false;
  return JSON.stringify(one.source) === JSON.stringify(next.source);
}

function Nothing() {
  const t = texts.panels.profile;
  return (
    <div className={styles.empty}>
      <p>{t.empty}</p>
      <p className={styles.soft}>{t.emptyHow}</p>
    </div>
  );
}
