import type { MessageView, RunView } from "@signalbox/client";
import { memo, useRef, useState } from "react";
import { inert } from "../safe/inert";
import { useSession } from "../state/session";
import { edits } from "../state/storage";
import { texts } from "../texts";
import { Button, IconButton } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { inWords } from "../ui/fault";
import { EditIcon } from "../ui/icons";
import { MessageEditor } from "./MessageEditor";
import styles from "./Turn.module.css";

/** What the user said, as it was typed. It can be said anew, which takes back what came of it. */
export const UserMessage = memo(function UserMessage({
  message,
  run,
  queued,
}: {
  message: MessageView;
  run: RunView;
  queued: boolean;
}) {
  const [editing, setEditing] = useState(() => edits.read(run.runId) !== null);
  const [focused, setFocused] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const stored = message.messageId !== "";
  const open = () => {
    edits.keep(run.runId, message.text);
    setFocused(true);
    setEditing(true);
  };
  const close = () => {
    edits.keep(run.runId, null);
    setEditing(false);
    requestAnimationFrame(() => edit.current?.focus());
  };
  return (
    <article className={styles.question} aria-label={texts.chat.you} data-testid="message-user">
      {editing ? (
        <MessageEditor runId={run.runId} text={message.text} focused={focused} onDone={close} />
      ) : (
        <>
          <div className={styles.bubble} dir="auto">
            {inert(message.text)}
          </div>
          <div className={styles.tools}>
            {queued && <Queued />}
            <CopyButton text={message.text} label={texts.chat.copyMessage} className={styles.tool} />
            {stored && !queued && (
              <IconButton
                ref={edit}
                label={texts.chat.edit}
                className={styles.tool}
                onClick={open}
                data-testid="edit"
              >
                <EditIcon />
              </IconButton>
            )}
          </div>
        </>
      )}
    </article>
  );
});

/** Waits for the answer before it; its author may not want to. */
function Queued() {
  const { actions, announce } = useSession();
  const [stopping, setStopping] = useState(false);
  const stop = () => {
    setStopping(true);
    actions.stop().catch((error: Error) => {
      setStopping(false);
      announce(inWords(error), "error");
    });
  };
  return (
    <span className={styles.queued} data-testid="queued">
      {texts.chat.queued}
      <Button small look="quiet" onClick={stop} disabled={stopping}>
        {texts.chat.stopAndSend}
      </Button>
    </span>
  );
}
