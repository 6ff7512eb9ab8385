import type { ConversationView, Job } from "@signalbox/client";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { naming, placeOf } from "./asking";
import styles from "./parts.module.css";
import { useAsk } from "./useAsk";

/** Things to ask about one job: each is a message of the user's. Some are sure only where a number can name it. */
export function AskAbout({ job, view }: { job: Job; view: ConversationView }) {
  const { ask, sending } = useAsk();
  const place = placeOf(view, job);
  const questions = texts.blocks.ask.about.filter((question) => place !== null || question.byName);

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
