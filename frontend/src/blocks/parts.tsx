/** What typed results are put together from: frame, text of others, chips, dates, things shown on demand. */

import { type ReactNode, useId, useState } from "react";
import { inert, line } from "../safe/inert";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { absolute, day, relative } from "./format";
import styles from "./parts.module.css";

export type Tone = "plain" | "good" | "warn" | "bad" | "accent";

function names(...classes: (string | false | undefined)[]): string {
  return classes.filter(Boolean).join(" ");
}

/** The box around one typed result. `note` stands under its title. */
export function Frame({
  type,
  title,
  note,
  mark,
  children,
}: {
  type: string;
  title: ReactNode;
  note?: ReactNode;
  mark?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of things to read is no fieldset, and a section would be a landmark
    <div className={styles.frame} data-testid={`block-${type}`} role="group" aria-labelledby={id}>
      <header className={styles.head}>
        <h3 className={styles.title} id={id}>
          {title}
        </h3>
        {mark}
        {note && <p className={styles.note}>{note}</p>}
      </header>
      {children}
    </div>
  );
}

/** Somebody else's words on one line, which cannot turn the text around them. */
export function Plain({ text, limit }: { text: string | null | undefined; limit?: number }) {
  return <bdi dir="auto">{line(text, limit)}</bdi>;
}

/** Somebody else's words with their line breaks. */
export function Prose({
  text,
  className,
}: {
  text: string | null | undefined;
  className?: string | undefined;
}) {
  return (
    <p className={names(styles.prose, className)} dir="auto">
      {inert(text)}
    </p>
  );
}

export function Chip({
  tone = "plain",
  mark,
  hint,
  children,
}: {
  tone?: Tone;
  /** A sign before the words, so that colour is never all there is. */
  mark?: string;
  hint?: string;
  children: ReactNode;
}) {
  return (
    <span className={names(styles.chip, styles[tone])} title={hint}>
      {mark && (
        <span className={styles.mark} aria-hidden="true">
          {mark}
        </span>
      )}
      {children}
    </span>
  );
}

export function SampleMark() {
  return (
    <Chip tone="warn" hint={texts.blocks.sampleMeans}>
      {texts.blocks.sample}
    </Chip>
  );
}

/** "3 days ago · 24 Nov 2026"; nothing for a date that is none. */
export function DateShown({ iso, prefix = "" }: { iso: string | null | undefined; prefix?: string }) {
  const date = day(iso);
  if (date === null) return null;
  return (
    <time className={styles.date} dateTime={date.toISOString().slice(0, 10)}>
      {prefix}
      {relative(date)} · {absolute(date)}
    </time>
  );
}

/** Shown when asked for. */
export function OnDemand({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <details className={styles.demand}>
      <summary>{label}</summary>
      <div className={styles.demanded}>{children}</div>
    </details>
  );
}

/** The first `few` of a long list, and the rest when asked for. One more than `few` is shown at once. */
export function Collapsed<T>({
  items,
  few,
  children,
}: {
  items: readonly T[];
  few: number;
  children: (shown: readonly T[]) => ReactNode;
}) {
  const [all, setAll] = useState(false);
  const long = items.length > few + 1;
  if (items.length === 0) return null;
  return (
    <>
      {children(long && !all ? items.slice(0, few) : items)}
      {long && (
        <Button small look="quiet" className={styles.more} aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? texts.blocks.showFewer : texts.blocks.showMore(items.length - few)}
        </Button>
      )}
    </>
  );
}

/** A line that tells something about the result as a whole. */
export function Notice({
  tone,
  mark,
  children,
}: {
  tone: "plain" | "warn";
  mark: string;
  children: ReactNode;
}) {
  return (
    <p className={names(styles.notice, tone === "warn" && styles.warn)}>
      <span className={styles.mark} aria-hidden="true">
        {mark}
      </span>
      <span>{children}</span>
    </p>
  );
}
