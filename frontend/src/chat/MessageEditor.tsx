import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { GrowingArea } from "../ui/GrowingArea";
import styles from "./Turn.module.css";

/** A message of the user's own, to be said otherwise. */
export function MessageEditor({ runId, text, onDone }: { runId: string; text: string; onDone: () => void }) {
  const { about, actions, announce } = useSession();
  const [draft, setDraft] = useState(text);
  const [busy, setBusy] = useState(false);
  const hint = useId();
  const tooLong = draft.length - about.limits.messageChars;
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    const next = draft.trim();
    if (next === "" || tooLong > 0 || busy) return;
    setBusy(true);
    actions.edit(runId, next).then(onDone, (error: Error) => {
      setBusy(false);
      announce(error.message, "error");
    });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") onDone();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form className={styles.editor} onSubmit={submit}>
      <GrowingArea
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={press}
        aria-label={texts.chat.editMessage}
        aria-describedby={hint}
        autoFocus
        dir="auto"
        data-testid="editor"
      />
      <p id={hint} className={styles.note}>
        {tooLong > 0 ? texts.chat.tooLong(tooLong) : texts.chat.editHint}
      </p>
      <div className={styles.choices}>
        <Button small onClick={onDone}>
          {texts.ui.cancel}
        </Button>
        <Button small look="primary" type="submit" disabled={busy || draft.trim() === "" || tooLong > 0}>
          {texts.chat.send}
        </Button>
      </div>
    </form>
  );
}
