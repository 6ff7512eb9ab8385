import type { Application } from "@signalbox/client";
import { useState } from "react";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { Confirmation } from "../../ui/Confirmation";
import { Fault } from "../../ui/Fault";
import { day } from "../../ui/format";
import { useDeed } from "../../ui/useDeed";
import styles from "./applications.module.css";
import { isDue, isOpen } from "./shown";

export function ApplicationRow({
  application,
  onForgotten,
}: {
  application: Application;
  onForgotten: () => Promise<void>;
}) {
  const t = texts.panels.applications;
  const { company, title, status, next_step: next } = application;
  // The server counts days in UTC.
  const due = isDue(application, new Date().toISOString().slice(0, 10));
  return (
    <li className={styles.row} data-testid="application" data-status={status}>
      <div className={styles.head}>
        <strong dir="auto">{nameOf(application)}</strong>
        <span className={isOpen(application) ? styles.open : styles.closed}>
          {Object.hasOwn(t.status, status) ? t.status[status] : status}
        </span>
      </div>
      <dl className={styles.dates}>
        <Dated name={t.applied} on={application.applied_on} />
        <Dated name={t.lastContact} on={application.last_contact_on} days={application.days_since} />
        <Dated name={t.chase} on={application.chase_on} mark={due ? t.due : null} />
      </dl>
      {next !== "" && (
        <p dir="auto">
          <span className={styles.label}>{t.next}:</span> {next}
        </p>
      )}
      <div className={styles.buttons}>
        {isOpen(application) && <FollowUp company={company} title={title} due={due} />}
        <Forget application={application} onForgotten={onForgotten} />
      </div>
    </li>
  );
}

function Dated({
  name,
  on,
  days = null,
  mark = null,
}: {
  name: string;
  on: string | null;
  days?: number | null;
  mark?: string | null;
}) {
  if (on === null) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className={styles.day}>{day(on)}</span>{" "}
        {days !== null && <span className={styles.soft}>({texts.panels.applications.quiet(days)})</span>}
        {mark !== null && <span className={styles.due}>{mark}</span>}
      </dd>
    </div>
  );
}

/** Asks the assistant for one in the conversation that is open. */
function FollowUp({ company, title, due }: { company: string; title: string; due: boolean }) {
  const t = texts.panels.applications;
  const { actions, openPanel, announce } = useSession();
  const ask = useDeed(async () => {
    await actions.send(t.followUpMessage(company, title));
    announce(t.sent, "quiet");
    openPanel(null);
  });
  return (
    <>
      {ask.error !== null && <Fault error={ask.error} />}
      <Button
        small
        look={due ? "primary" : "plain"}
        disabled={ask.busy}
        aria-busy={ask.busy}
        data-testid="follow-up"
        onClick={() => void ask.run()}
      >
        {t.followUp}
      </Button>
    </>
  );
}

function Forget({
  application,
  onForgotten,
}: {
  application: Application;
  onForgotten: () => Promise<void>;
}) {
  const t = texts.panels.applications;
  const { client, announce } = useSession();
  const [asking, setAsking] = useState(false);
  const what = nameOf(application);
  const forget = useDeed(async () => {
    await client.forgetApplication(application.application_id);
    announce(t.forgotten, "quiet");
    setAsking(false);
    await onForgotten();
  });
  return (
    <>
      <Button small look="quiet" aria-label={t.forgetLabel(what)} onClick={() => setAsking(true)}>
        {t.forget}
      </Button>
      <Confirmation
        open={asking}
        title={t.forgetTitle}
        what={t.forgetWhat(what)}
        yes={t.forgetNow}
        deed={forget}
        onClose={() => setAsking(false)}
      />
    </>
  );
}

function nameOf({ title, company }: Application): string {
  return title === "" ? company : `${title} ${texts.panels.applications.at(company)}`;
}
