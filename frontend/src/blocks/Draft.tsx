import type { DraftEvidence } from "@signalbox/client";
import { type ReactNode, useId } from "react";
import { texts } from "../texts";
import styles from "./Draft.module.css";
import { pieces, type Values } from "./drafts";
import { Chip, OnDemand, Plain } from "./parts";
import shared from "./parts.module.css";

/** Text of a draft; its open blanks stand out, and so does what filled them. */
export function Marked({
  text,
  blanks,
  values,
}: {
  text: string;
  blanks: readonly string[];
  values: Values;
}) {
  return pieces(text, blanks, values).map((piece, index) =>
    piece.blank === null ? (
      piece.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text are in its order
      <mark key={index} className={piece.filled ? styles.filled : styles.blank}>
        <bdi dir="auto">{piece.text}</bdi>
      </mark>
    ),
  );
}

export function Body({ children }: { children: ReactNode }) {
  return (
    <div className={styles.body} dir="auto">
      {children}
    </div>
  );
}

/** A field for every blank that is still open in the draft; `children` follow them. */
export function Blanks({
  blanks,
  values,
  onChange,
  children,
}: {
  blanks: readonly string[];
  values: Values;
  onChange: (values: Values) => void;
  children?: ReactNode;
}) {
  const id = useId();
  if (blanks.length === 0) return null;
  const left = blanks.filter((blank) => !values[blank]?.trim()).length;
  return (
    <OnDemand label={left > 0 ? texts.blocks.draft.fillIn(left) : texts.blocks.draft.allFilled}>
      <div className={styles.blanks}>
        {blanks.map((blank, index) => (
          <div key={blank}>
            <label htmlFor={`${id}-${index}`} className={shared.label}>
              <Plain text={blank.replace(/^\[|\]$/g, "")} limit={200} />
            </label>
            <input
              id={`${id}-${index}`}
              className={styles.field}
              dir="auto"
              maxLength={2000}
              value={values[blank] ?? ""}
              onChange={(event) => onChange({ ...values, [blank]: event.target.value })}
            />
          </div>
        ))}
        {children}
      </div>
    </OnDemand>
  );
}

/** What the claims of a draft rest on. */
export function Evidence({ evidence }: { evidence: readonly DraftEvidence[] }) {
  if (evidence.length === 0) return null;
  const words = texts.blocks.draft;
  return (
    <OnDemand label={words.evidence(evidence.length)}>
      <ul className={styles.evidence}>
        {evidence.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={index}>
            <Plain text={each.claim} />
            <span className={shared.small}>
              <Chip>{words.sources[each.source] ?? <Plain text={each.source} limit={40} />}</Chip>{" "}
              <Plain text={each.fact} />
            </span>
          </li>
        ))}
      </ul>
    </OnDemand>
  );
}
