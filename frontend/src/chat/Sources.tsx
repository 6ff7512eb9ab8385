import type { Citation } from "@signalbox/client";
import { useState } from "react";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { DownIcon } from "../ui/icons";
import styles from "./Citation.module.css";
import { CitationMark } from "./CitationMark";

// More of them would push what belongs to the answer out of sight.
const FEW = 3;

/** What an answer rests on, by name; many of them are named when they are asked for. */
export function Sources({ citations }: { citations: readonly Citation[] }) {
  const [open, setOpen] = useState(false);
  const many = citations.length > FEW;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in.
    <div role="group" className={styles.sources} aria-label={texts.chat.sources} data-testid="sources">
      {many && (
        <Button
          small
          look="quiet"
          className={styles.all}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          data-testid="show-sources"
        >
          {texts.chat.showSources(citations.length)}
          <DownIcon />
        </Button>
      )}
      {(open || !many) &&
        citations.map((citation, at) => (
          <CitationMark key={citation.id} number={at + 1} citation={citation} named />
        ))}
    </div>
  );
}
