import type { ConversationView, Job } from "@signalbox/client";
import { useState } from "react";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { naming, placeOf } from "./asking";
import styles from "./parts.module.css";

/** Things to ask about one job: each is a message of the user's. Some are sure only where a number can name it. */
export function AskAbout({ job, view }: { job: Job; view: ConversationView }) {
  const { actions, announce } = useSession();
  const [sending, setSending] = useState(false);
  const place = placeOf(view, job);
  const questions = texts.blocks.ask.about.filter((question) => place !== null || question.byName);

  async function ask(message: string) {
    setSending(true);
    try {
      await actions.send(message);
    } catch (error) {
      announce(error instanceof Error ? error.message : String(error), "error");
    } finally {
      setSending(false);
    }
  }

  return (
    <div className={styles.bar}>
      {questions.map(({ label, message }) => (
        <Button small key={label} disabled={sending} onClick={() => void ask(message(naming(place, job)))}>
          {label}
        </Button>
      ))}
    </div>
  );
}
