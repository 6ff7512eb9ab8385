import type { SourceStatus } from "@signalbox/client";
import { texts } from "../texts";
import { keyed } from "./keyed";
import { Notice, Plain } from "./parts";
import styles from "./Sources.module.css";

/** Where was looked. "Could not be asked" is a warning; "nothing found there" is an answer. */
export function Sources({ sources, partial }: { sources: readonly SourceStatus[]; partial: boolean }) {
  if (sources.length === 0) return null;
  const failed = sources.filter((source) => source.status === "error");
  const asked = sources.filter((source) => source.status !== "error");
  return (
    <>
      {failed.length > 0 && (
        <Notice tone="warn" mark="!">
          <strong>{headline(failed.length, sources.length, partial)}</strong>
          {keyed(failed, (s) => s.name).map(({ key, item: source }) => (
            <span className={styles.failed} key={key}>
              <Plain text={source.name} limit={60} /> {texts.blocks.sources.failed}
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
      {asked.length > 0 && (
        <ul className={styles.asked} aria-label={texts.blocks.sources.asked}>
          {keyed(asked, (s) => s.name).map(({ key, item: source }) => (
            <Asked key={key} source={source} />
          ))}
        </ul>
      )}
    </>
  );
}

function Asked({ source }: { source: SourceStatus }) {
  const found = source.status === "ok";
  return (
    <li>
      <span aria-hidden="true">{found ? "✓" : "○"}</span> <Plain text={source.name} limit={60} />{" "}
      {found ? texts.blocks.sources.ok : texts.blocks.sources.empty}
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

function headline(failed: number, all: number, partial: boolean): string {
  const words = texts.blocks.sources;
  if (failed === all) return partial ? words.partial(failed, all) : words.allFailed;
  return partial ? words.partial(failed, all) : words.nothingElsewhere(failed, all);
}
