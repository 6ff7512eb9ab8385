import { useId, useState } from "react";
import styles from "./common.module.css";

/** A field for the word that shows that somebody means it; it tells whether it stands there. */
export function TypedWord({
  label,
  word,
  busy,
  onTyped,
}: {
  label: string;
  word: string;
  busy: boolean;
  onTyped: (typed: boolean) => void;
}) {
  const [text, setText] = useState("");
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        autoComplete="off"
        autoCapitalize="none"
        value={text}
        disabled={busy}
        data-testid="confirm-word"
        onChange={(event) => {
          setText(event.target.value);
          onTyped(event.target.value.trim().toLowerCase() === word);
        }}
      />
    </div>
  );
}
