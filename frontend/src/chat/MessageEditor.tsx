import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import { useSession } from "../state/session";
import { edits } from "../state/storage";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { GrowingArea } from "../ui/GrowingArea";
import { charactersLeft, isComposing, isSendKey } from "./keys";
import styles from "./Turn.module.css";
import { useTakeBack } from "./useTakeBack";

/** A message of the user's own, to be said otherwise. `focused`: it was opened just now, and not scrolled back to. */
export function MessageEditor({
  runId,
  text,
  focused,
  onDone,
}: {
  runId: string;
  text: string;
  focused: boolean;
  onDone: () => void;
}) {
  const { about, actions } = useSession();
  const [draft, setDraft] = useState(() => edits.read(runId) ?? text);
  const write = (next: string) => {
    setDraft(next);
    edits.keep(runId, next);
  };
  const hint = useId();
  const tooLong = -charactersLeft(draft, about.limits.messageChars);
  const resend = useTakeBack(runId, async () => {
    await actions.edit(runId, draft.trim());
    onDone();
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (draft.trim() === "" || tooLong > 0 || resend.busy) return;
    resend.begin();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !isComposing(event)) onDone();
    if (!isSendKey(event)) return;
    event.preventDefault();
    submit();
  };
  return (
    <form className={styles.editor} onSubmit={submit}>
      <GrowingArea
        value={draft}
        onChange={(event) => write(event.target.value)}
        onKeyDown={press}
        aria-label={texts.chat.editMessage}
        aria-describedby={hint}
        autoFocus={focused}
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
        <Button
          small
          look="primary"
          type="submit"
          disabled={resend.busy || draft.trim() === "" || tooLong > 0}
        >
          {texts.chat.send}
        </Button>
      </div>
      {resend.question}
    </form>
  );
}
