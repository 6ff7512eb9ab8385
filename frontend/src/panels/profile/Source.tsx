import type { SourcedFact } from "@signalbox/client";
import { Link } from "wouter";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { moment } from "../../ui/format";
import styles from "./profile.module.css";

/** Where a fact comes from, in the user's own words or by the file's name, with a way there. A long message is one line until it is opened. */
export function Source({ known }: { known: SourcedFact }) {
  const t = texts.panels.profile;
  const { openPanel } = useSession();
  const { source } = known;
  const when = t.since(moment(known.createdAt));
  if (source === null) {
    const { origin, source_message_id: message } = known.fact;
    return (
      <span className={styles.source}>
        {origin === "said" && message === null ? t.fromHere : t.fromGone}, {when}
      </span>
    );
  }
  if (source.kind === "resume") {
    return (
      <span className={styles.source}>
        {t.fromResume} <bdi>{source.fileName}</bdi>, {when}
      </span>
    );
  }
  return (
    <div className={styles.source}>
      <details>
        <summary>
          {known.fact.origin === "extracted" ? t.fromNoticing : t.fromMessage} <q dir="auto">{source.text}</q>
        </summary>
      </details>
      {when}{" "}
      {source.conversationId !== null && (
        <Link href={`/c/${encodeURIComponent(source.conversationId)}`} onClick={() => openPanel(null)}>
          {t.openConversation}
        </Link>
      )}
    </div>
  );
}
