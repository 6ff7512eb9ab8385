import type { Resume, StoredResume } from "@signalbox/client";
import type { ReactNode } from "react";
import { texts } from "../../texts";
import { moment } from "../../ui/format";
import styles from "./profile.module.css";

/** The current CV as it was understood, so that what was misread is seen. */
export function ResumeView({ stored }: { stored: StoredResume }) {
  const t = texts.panels.resume;
  const { resume } = stored;
  const wordCount = resume.text.split(/\s+/).filter((word) => word !== "").length;
  return (
    <div className={styles.stored} data-testid="resume">
      <strong dir="auto">{t.from(stored.fileName, moment(stored.createdAt))}</strong>
      <span className={styles.soft}>{t.size(wordCount, resume.pages)}</span>
      {resume.contact.length > 0 && (
        <span className={styles.soft}>
          {t.dropped} {resume.contact.map(contactOf).join(", ")}
        </span>
      )}
      <details className={styles.details}>
        <summary className={styles.folded}>{t.current}</summary>
        <Sections resume={resume} />
      </details>
    </div>
  );
}

function Sections({ resume }: { resume: Resume }) {
  const t = texts.panels.resume;
  const person = [resume.headline, resume.location].filter((text) => text !== "").join(" · ");
  return (
    <>
      {person !== "" && <p dir="auto">{person}</p>}
      {resume.summary !== "" && (
        <Section title={t.summary}>
          <p dir="auto">{resume.summary}</p>
        </Section>
      )}
      <Items
        title={t.work}
        items={resume.work.map((job) => ({ ...job, lines: [job.title, job.company, job.location] }))}
      />
      <Items
        title={t.education}
        items={resume.education.map((one) => ({ ...one, lines: [one.degree, one.institution] }))}
      />
      <Items
        title={t.projects}
        items={resume.projects.map((one) => ({ ...one, lines: [one.name], current: false }))}
      />
      <Listed title={t.skills} items={resume.skills} />
      <Listed title={t.languages} items={resume.languages.map((one) => joined([one.language, one.level]))} />
      <Listed
        title={t.certificates}
        items={resume.certificates.map((one) => joined([one.name, one.issuer, one.date]))}
      />
      {resume.other.map((section, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a CV may have two sections of one name, and never changes
        <Listed key={at} title={section.heading} items={section.lines} />
      ))}
    </>
  );
}

interface Item {
  readonly lines: readonly string[];
  readonly start: string | null;
  readonly end: string | null;
  readonly current: boolean;
  readonly highlights: readonly string[];
}

function Items({ title, items }: { title: string; items: readonly Item[] }) {
  if (items.length === 0) return null;
  return (
    <Section title={title}>
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two stations may read the same, and a CV never changes
        <div key={at} className={styles.item}>
          <span dir="auto">{joined(item.lines)}</span>
          <span className={styles.soft}>{spanOf(item)}</span>
          {item.highlights.length > 0 && (
            <ul>
              {item.highlights.map((line, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <li key={place} dir="auto">
                  {line}
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </Section>
  );
}

function Listed({ title, items }: { title: string; items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <Section title={title}>
      <p dir="auto">{items.join(", ")}</p>
    </Section>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h4 dir="auto">{title}</h4>
      {children}
    </section>
  );
}

function joined(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== "").join(", ");
}

function spanOf({ start, end, current }: Item): string {
  const until = current ? texts.panels.resume.present : end;
  if (start === null) return until ?? "";
  return until === null ? start : `${start} – ${until}`;
}

function contactOf(kind: string): string {
  const known = texts.panels.resume.contact;
  return Object.hasOwn(known, kind) ? (known[kind] ?? kind) : kind;
}
