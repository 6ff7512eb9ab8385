import { type FormEvent, useState } from "react";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import styles from "./Notice.module.css";

/** Asks for the API key that this server wants. `refused`: the last one was not right. */
export function KeyEntry({
  refused,
  onEnter,
}: {
  refused: boolean;
  onEnter: (key: string, remember: boolean) => void;
}) {
  const [key, setKey] = useState("");
  const [remember, setRemember] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== "") onEnter(key.trim(), remember);
  };
  return (
    <main className={styles.page} data-testid="key-entry">
      <title>{texts.shell.title(texts.shell.keyTitle)}</title>
      <h1>{texts.shell.keyTitle}</h1>
      <p>{texts.shell.keyHint}</p>
      <form className={styles.form} onSubmit={submit}>
        <label>
          {texts.shell.key}
          <input
            type="password"
            autoComplete="current-password"
            value={key}
            onChange={(event) => setKey(event.target.value)}
            aria-invalid={refused}
            aria-describedby={refused ? "key-refused" : undefined}
            // biome-ignore lint/a11y/noAutofocus: it is all there is to do on this page.
            autoFocus
            required
          />
        </label>
        {refused && (
          <p id="key-refused" className={styles.refused} role="alert">
            {texts.shell.keyRefused}
          </p>
        )}
        <label className={styles.check}>
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
          {texts.shell.keyRemember}
        </label>
        <Button type="submit" look="primary">
          {texts.shell.keyEnter}
        </Button>
      </form>
    </main>
  );
}
