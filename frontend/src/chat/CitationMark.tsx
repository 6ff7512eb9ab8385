import { Popover } from "@base-ui/react/popover";
import type { Citation } from "@signalbox/client";
import { useEffect, useState } from "react";
import { inert } from "../safe/inert";
import { SafeLink } from "../safe/SafeLink";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { asError, inWords } from "../ui/fault";
import { day } from "../ui/format";
import { Late } from "../ui/Late";
import styles from "./Citation.module.css";
import { excerptOf } from "./source";

/** The number of a source; it opens what is stored of it. `named`: with its title, for the list below an answer. */
export function CitationMark({
  number,
  citation,
  named = false,
}: {
  number: number;
  citation: Citation;
  named?: boolean;
}) {
  const title = inert(citation.title);
  return (
    <Popover.Root>
      <Popover.Trigger
        className={named ? styles.named : styles.mark}
        aria-label={named ? undefined : texts.chat.source(number, title)}
        data-testid={named ? "source" : "citation"}
      >
        {named ? <b>{number}</b> : number}
        {named && <span dir="auto">{title}</span>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} collisionPadding={8} className={styles.positioner}>
          <Popover.Popup className={styles.popup} data-testid="source-popover">
            <Popover.Title className={styles.title} dir="auto">
              {title}
            </Popover.Title>
            <p className={styles.origin}>
              {[citation.source, citation.heading, citation.as_of && texts.chat.asOf(day(citation.as_of))]
                .filter(Boolean)
                .map((part) => inert(String(part)))
                .join(" · ")}
            </p>
            <Stored id={citation.id} />
            {citation.url !== null && <SafeLink href={citation.url}>{texts.chat.openSource}</SafeLink>}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** What the server holds under the id, asked for when it is first wanted. */
function Stored({ id }: { id: string }) {
  const { client } = useSession();
  const [found, setFound] = useState<{ text: string } | { error: Error } | null>(null);
  useEffect(() => {
    let current = true;
    client.source(id).then(
      (record) => current && setFound({ text: excerptOf(record) }),
      (error: unknown) => current && setFound({ error: asError(error) }),
    );
    return () => {
      current = false;
    };
  }, [client, id]);
  if (found === null) return <Late>{<p className={styles.origin}>{texts.ui.loading}</p>}</Late>;
  if ("error" in found) return <p className={styles.failed}>{inWords(found.error)}</p>;
  if (found.text === "") return null;
  return (
    <blockquote className={styles.excerpt} dir="auto">
      {inert(found.text)}
    </blockquote>
  );
}
