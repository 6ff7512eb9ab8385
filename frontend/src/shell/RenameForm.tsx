import { type FormEvent, type KeyboardEvent, useState } from "react";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { inWords } from "../ui/fault";
import styles from "./ConversationNav.module.css";

const TITLE_CHARS = 200;

/** A field for another title of a conversation. */
export function RenameForm({
  conversationId,
  title: before,
  onDone,
}: {
  conversationId: string;
  title: string;
  onDone: () => void;
}) {
  const { conversations, announce } = useSession();
  const [title, setTitle] = useState(before);
  const [busy, setBusy] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next = title.trim();
    if (next === "" || next === before) return onDone();
    setBusy(true);
    conversations.rename(conversationId, next).then(onDone, (error: Error) => {
      setBusy(false);
      announce(inWords(error), "error");
    });
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    // Escape would close the drawer around the list as well.
    event.stopPropagation();
    onDone();
  };
  return (
    <form className={styles.rename} onSubmit={submit}>
      <input
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={leave}
        onFocus={(event) => event.target.select()}
        maxLength={TITLE_CHARS}
        aria-label={texts.shell.newTitle}
        // Disabled, it would lose the focus for good.
        readOnly={busy}
        // biome-ignore lint/a11y/noAutofocus: the field was asked for.
        autoFocus
        data-testid="rename"
      />
      <Button type="submit" small disabled={busy}>
        {texts.ui.save}
      </Button>
    </form>
  );
}
