import { useId, useState } from "react";
import { inert, line } from "../safe/inert";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { type BlockProps, isNewest, useKept } from "./block";
import { Blanks, Body, Evidence, Marked } from "./Draft";
import styles from "./Draft.module.css";
import { filled, mailLink, open, type Values } from "./drafts";
import { Frame, OnDemand, Plain } from "./parts";
import shared from "./parts.module.css";
import { TakeOver } from "./TakeOver";

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

/** An e-mail to read, change in place, copy or open in a mail program. What is changed here stays here. */
export function EmailDraft({ block, view, id }: BlockProps<"email_draft">) {
  const words = texts.blocks.mail;
  const written = { to: line(block.to, 320), subject: line(block.subject, 400), body: inert(block.body) };
  const [mail, setMail] = useKept<Mail>(`${id}/mail`, written);
  const [values, setValues] = useKept<Values>(`${id}/values`, {});
  const [editing, setEditing] = useState(false);
  const blanks = open(block.placeholders, mail.subject, mail.body);
  const done: Mail = {
    to: mail.to,
    subject: filled(mail.subject, blanks, values),
    body: filled(mail.body, blanks, values),
  };
  const changed = (["to", "subject", "body"] as const).some((name) => mail[name] !== written[name]);
  return (
    <Frame type="email_draft" title={words.kinds[line(block.kind)] ?? words.title}>
      {editing ? (
        <Fields mail={mail} onChange={setMail} />
      ) : (
        <>
          <Head mail={mail} blanks={blanks} values={values} />
          <Subjects
            subjects={[...new Set([written.subject, ...block.subjects.map((each) => line(each, 400))])]}
            subject={mail.subject}
            onChange={(subject) => setMail({ ...mail, subject })}
          />
          <Body>
            <Marked text={mail.body} blanks={blanks} values={values} />
          </Body>
          <Blanks blanks={blanks} values={values} onChange={setValues}>
            {isNewest(view, block) && <TakeOver blanks={blanks} values={values} />}
          </Blanks>
        </>
      )}
      <div className={shared.bar}>
        <Button
          small
          look={editing ? "primary" : "plain"}
          onClick={() => {
            if (!editing) setMail(done);
            setEditing(!editing);
          }}
        >
          {editing ? words.done : words.edit}
        </Button>
        <CopyButton worded text={() => done.body} label={words.copy} />
        <MailLink mail={done} />
        {changed && (
          <Button small look="quiet" onClick={() => setMail(written)}>
            {words.undo}
          </Button>
        )}
      </div>
      {(changed || editing) && <p className={shared.small}>{words.staysHere}</p>}
      <Evidence evidence={block.evidence} />
    </Frame>
  );
}

function Head({ mail, blanks, values }: { mail: Mail; blanks: readonly string[]; values: Values }) {
  const words = texts.blocks.mail;
  return (
    <dl className={styles.head}>
      <dt>{words.to}</dt>
      <dd>
        {mail.to ? <Plain text={mail.to} /> : <span className={shared.small}>{words.noRecipient}</span>}
      </dd>
      <dt>{words.subject}</dt>
      <dd className={styles.subject} dir="auto">
        <Marked text={mail.subject} blanks={blanks} values={values} />
      </dd>
    </dl>
  );
}

function Subjects({
  subjects,
  subject,
  onChange,
}: {
  subjects: readonly string[];
  subject: string;
  onChange: (subject: string) => void;
}) {
  const name = useId();
  const known = subjects.filter(Boolean);
  if (known.length < 2) return null;
  return (
    <OnDemand label={texts.blocks.mail.otherSubjects(known.length - 1)}>
      <fieldset className={styles.choices}>
        <legend className="visually-hidden">{texts.blocks.mail.subject}</legend>
        {known.map((each) => (
          <label key={each}>
            <input type="radio" name={name} checked={each === subject} onChange={() => onChange(each)} />
            <Plain text={each} />
          </label>
        ))}
      </fieldset>
    </OnDemand>
  );
}

function Fields({ mail, onChange }: { mail: Mail; onChange: (mail: Mail) => void }) {
  const id = useId();
  const words = texts.blocks.mail;
  return (
    <div className={styles.form}>
      <div>
        <label className={shared.label} htmlFor={`${id}-to`}>
          {words.to}
        </label>
        <input
          id={`${id}-to`}
          className={styles.field}
          type="email"
          autoComplete="off"
          value={mail.to}
          onChange={(event) => onChange({ ...mail, to: event.target.value })}
        />
      </div>
      <div>
        <label className={shared.label} htmlFor={`${id}-subject`}>
          {words.subject}
        </label>
        <input
          id={`${id}-subject`}
          className={styles.field}
          dir="auto"
          value={mail.subject}
          onChange={(event) => onChange({ ...mail, subject: event.target.value })}
        />
      </div>
      <div>
        <label className={shared.label} htmlFor={`${id}-body`}>
          {words.body}
        </label>
        <textarea
          id={`${id}-body`}
          className={styles.field}
          dir="auto"
          value={mail.body}
          onChange={(event) => onChange({ ...mail, body: event.target.value })}
        />
      </div>
    </div>
  );
}

function MailLink({ mail }: { mail: Mail }) {
  const words = texts.blocks.mail;
  const { href, whole } = mailLink(mail.to, mail.subject, mail.body);
  return (
    <>
      <a className={styles.mail} href={href} rel="noopener noreferrer">
        {words.open}
      </a>
      {!whole && <span className={shared.small}>{words.tooLong}</span>}
    </>
  );
}
