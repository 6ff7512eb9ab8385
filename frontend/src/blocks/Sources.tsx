import type { SourceStatus } from "@signalbox/client";
import { texts } from "../texts";
import { keyed } from "./keyed";
import { Notice, Plain } from "./parts";
import styles from "./Sources.module.css";
import { type Asked, asked } from "./sources-asked";

/**
 * Where was looked. "Could not be asked" and "searched in part" are warnings; "nothing found there" is an answer.
 * `partial`: something was found.
 */
export function Sources({ sources, partial }: { sources: readonly SourceStatus[]; partial: boolean }) {
  if (sources.length === 0) return null;
  const told = asked(sources);
  const lacking = [...told.failed, ...told.partly];
  return (
    <>
      {lacking.length > 0 && (
        <Notice tone="warn" mark="!">
          <strong>{headline(told, sources.length, partial)}</strong>
          {keyed(lacking, (s) => s.name).map(({ key, item: source }) => (
            <span className={styles.failed} key={key}>
              <Plain text={source.name} limit={60} /> {wordFor(source)}
              {source.note && (
                <>
                  {": "}
                  <Plain text={source.note} limit={160} />
                </>
              )}
            </span>
          ))}
        </Notice>
      )}
      {told.whole.length > 0 && (
        <ul className={styles.asked} aria-label={texts.blocks.sources.asked}>
          {keyed(told.whole, (s) => s.name).map(({ key, item: source }) => (
            <Whole key={key} source={source} />
          ))}
        </ul>
      )}
    </>
  );
}

function Whole({ source }: { source: SourceStatus }) {
  return (
    <li>
      <span aria-hidden="true">{source.status === "ok" ? "✓" : "○"}</span>{" "}
      <Plain text={source.name} limit={60} /> {wordFor(source)}
      {source.note && (
        <>
          {" ("}
          <Plain text={source.note} limit={160} />
          {")"}
        </>
      )}
    </li>
  );
}

function wordFor({ status, partial }: SourceStatus): string {
  const words = texts.blocks.sources;
  if (status === "error") return words.failed;
  if (partial) return status === "ok" ? words.partly : words.partlyEmpty;
  return status === "ok" ? words.ok : words.empty;
}

function headline({ failed, partly }: Asked, all: number, partial: boolean): string {
  const words = texts.blocks.sources;
  if (failed.length === all && !partial) return words.allFailed;
  const lacking = words.lacking(failed.length, partly.length, all);
  return partial ? words.partial(lacking) : words.nothingElsewhere(lacking);
}
