import { SafeLink } from "../safe/SafeLink";
import { texts } from "../texts";
import { absolute, day, sourceName } from "./format";
import { Plain } from "./parts";
import styles from "./parts.module.css";

/** Where something is from, and as of when. */
export function SourceLine({
  title,
  source,
  url,
  as_of,
}: {
  title?: string;
  source: string;
  url: string | null;
  as_of: string | null;
}) {
  const dated = day(as_of);
  const name = sourceName(source);
  return (
    <p className={styles.small}>
      <SafeLink href={url}>
        <Plain text={title || name} limit={160} />
      </SafeLink>
      {title && name && (
        <>
          {" · "}
          <Plain text={name} limit={80} />
        </>
      )}
      {dated && ` · ${texts.blocks.asOf(absolute(dated))}`}
    </p>
  );
}
