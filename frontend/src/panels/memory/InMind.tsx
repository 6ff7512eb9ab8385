import type { ConversationSummary, Noted } from "@signalbox/client";
import { useCallback } from "react";
import { inert } from "../../safe/inert";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Fault } from "../../ui/Fault";
import { moment } from "../../ui/format";
import { Sheet } from "../../ui/Sheet";
import { useEvents } from "../common/useEvents";
import { useLoaded } from "../common/useLoaded";
import { Waiting } from "../common/Waiting";
import styles from "./memory.module.css";

/** What the assistant keeps in mind of the older part of a conversation. */
export default function InMind({
  conversationId,
  open,
  onClose,
}: {
  conversationId: string;
  open: boolean;
  onClose: () => void;
}) {
  const t = texts.panels.inMind;
  return (
    <Sheet open={open} title={t.title} onClose={onClose}>
      <div className={styles.panel} data-testid="in-mind">
        <p className={styles.soft}>{t.lead}</p>
        <Loaded conversationId={conversationId} />
      </div>
    </Sheet>
  );
}

function Loaded({ conversationId }: { conversationId: string }) {
  const { client } = useSession();
  const load = useCallback(() => client.summary(conversationId), [client, conversationId]);
  const { value, error, reload } = useLoaded(load);
  useEvents("complete", reload);
  if (error !== null) return <Fault error={error} onRetry={() => void reload()} />;
  if (value === undefined) return <Waiting />;
  return value.version === 0 ? <Nothing /> : <Summary summary={value} />;
}

function Nothing() {
  const t = texts.panels.inMind;
  return (
    <div className={styles.empty} data-testid="in-mind-empty">
      <p>{t.empty}</p>
      <p className={styles.soft}>{t.emptyHow}</p>
    </div>
  );
}

function Summary({ summary }: { summary: ConversationSummary }) {
  const t = texts.panels.inMind;
  const { currentGoal: goal, createdAt } = summary;
  const parts: readonly (readonly [string, readonly Noted[]])[] = [
    [t.hardConstraints, summary.hardConstraints],
    [t.currentGoal, goal === null ? [] : [goal]],
    [t.jobPreferences, summary.jobPreferences],
    [t.decisions, summary.decisions],
    [t.openQuestions, summary.openQuestions],
    [t.mentionedCompanies, summary.mentionedCompanies],
  ];
  const told = parts.filter(([, notes]) => notes.length > 0);
  return (
    <>
      {told.length === 0 && <p>{t.none}</p>}
      {told.map(([name, notes]) => (
        <section key={name} aria-label={name}>
          <h3>{name}</h3>
          <ul className={styles.notes}>
            {notes.map(({ text, sources }) => (
              <li key={`${sources.join()}/${text}`} dir="auto">
                {inert(text)}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p className={styles.soft}>
        {createdAt !== null && t.noted(moment(createdAt))} {t.change}
      </p>
    </>
  );
}
