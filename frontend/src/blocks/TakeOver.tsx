import { texts } from "../texts";
import { Button } from "../ui/Button";
import styles from "./Draft.module.css";
import { told, type Values } from "./drafts";
import shared from "./parts.module.css";
import { useAsk } from "./useAsk";

/** Tells the assistant what was filled in here, as a message of the user's: a draft is only sent as the assistant has it. */
export function TakeOver({ blanks, values }: { blanks: readonly string[]; values: Values }) {
  const { ask, sending } = useAsk();
  const words = texts.blocks.draft;
  const message = told(blanks, values);
  return (
    <div className={styles.takeOver}>
      <Button small disabled={sending || message === ""} onClick={() => void ask(message)}>
        {words.use}
      </Button>
      <span className={shared.small}>{words.useMeans}</span>
    </div>
  );
}
