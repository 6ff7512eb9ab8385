import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { inWords } from "../ui/fault";
import styles from "./Chat.module.css";

/** What a conversation shows before its first message. */
export function Welcome() {
  const { actions, temporary, announce } = useSession();
  const ask = (message: string) => {
    actions.send(message).catch((error: Error) => announce(inWords(error), "error"));
  };
  return (
    <div className={styles.fill} data-testid="welcome">
      <div className={styles.middle}>
        <h2>{texts.chat.welcome}</h2>
        <p>{temporary ? texts.shell.temporaryHint : texts.chat.welcomeHint}</p>
        <ul className={styles.examples}>
          {texts.chat.examples.map(({ title, message }) => (
            <li key={title}>
              <Button className={styles.example} onClick={() => ask(message)} data-testid="example">
                <strong>{title}</strong>
                <span>{message}</span>
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
