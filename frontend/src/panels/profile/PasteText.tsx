import { useId, useState } from "react";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import styles from "./profile.module.css";

/** For a CV that cannot be read as a file, or is none. */
export function PasteText({ onSend }: { onSend: (file: File) => void }) {
  const t = texts.panels.resume;
  const [text, setText] = useState("");
  const id = useId();
  return (
    <details className={styles.details}>
      <summary className={styles.folded}>{t.paste}</summary>
      <div className={styles.paste}>
        <label htmlFor={id} className="visually-hidden">
          {t.pasteLabel}
        </label>
        <textarea
          id={id}
          dir="auto"
          rows={6}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button
          small
          disabled={text.trim() === ""}
          data-testid="paste-send"
          onClick={() => onSend(new File([text], t.pastedName, { type: "text/plain" }))}
        >
          {t.pasteSend}
        </Button>
      </div>
    </details>
  );
}
