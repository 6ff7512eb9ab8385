import { type FormEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { going } from "../state/actions";
import { RESUME_FILES } from "../state/resume";
import { useLive, useSession } from "../state/session";
import { drafts } from "../state/storage";
import { texts } from "../texts";
import { Button, IconButton } from "../ui/Button";
import { inWords } from "../ui/fault";
import { GrowingArea } from "../ui/GrowingArea";
import { SendIcon, StopIcon, UploadIcon } from "../ui/icons";
import styles from "./Composer.module.css";
import { ConnectionLine } from "./ConnectionLine";
import { charactersLeft, isSendKey, isTouch } from "./keys";

// From here on the user is told how much room is left.
const NEAR_LIMIT = 0.8;

/** Where messages are written. A second one while an answer is going waits for it, or stops it. */
export function Composer() {
  const { about, actions, announce, live } = useSession();
  const { view } = useLive();
  const [text, setText] = useDraft();
  const area = useRef<HTMLTextAreaElement>(null);
  const several = useSeveralLines(area, text);
  const run = going(view);
  const limit = about.limits.messageChars;
  const left = charactersLeft(text, limit);
  const problem = left < 0 ? texts.chat.tooLong(-left) : null;
  const blank = text.trim() === "";
  useFirstFocus(area, live.conversationId === null);

  const submit = (interrupt: boolean) => {
    const message = text.trim();
    if (blank || problem !== null) return;
    setText("");
    area.current?.focus();
    actions.send(message, { interrupt }).catch((error: Error) => {
      // What could not be sent is given back, wherever its user is by now.
      drafts.giveBack(live.conversationId, message);
      announce(inWords(error), "error");
    });
  };
  const press = (event: KeyboardEvent) => {
    if (!isSendKey(event)) return;
    event.preventDefault();
    submit(false);
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        submit(false);
      }}
    >
      {run !== undefined && !blank && <Waiting onInterrupt={() => submit(true)} />}
      <div className={styles.box}>
        <CvButton />
        <GrowingArea
          ref={area}
          id="composer"
          className={several ? `${styles.area} ${styles.several}` : styles.area}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={press}
          placeholder={texts.chat.placeholder}
          aria-label={texts.chat.message}
          aria-describedby="composer-hint"
          aria-invalid={problem !== null}
          enterKeyHint={isTouch() ? "enter" : "send"}
          dir="auto"
          data-testid="composer"
        />
        {run !== undefined && <Stop />}
        {(run === undefined || !blank) && (
          <IconButton
            type="submit"
            label={run === undefined ? texts.chat.send : texts.chat.sendAfter}
            className={styles.send}
            disabled={blank || problem !== null}
            data-testid="send"
          >
            <SendIcon />
          </IconButton>
        )}
      </div>
      <div className={styles.line}>
        <ConnectionLine />
        <span id="composer-hint" className={problem === null ? undefined : styles.problem}>
          {problem ??
            (left < limit * (1 - NEAR_LIMIT) ? texts.chat.left(left) : isTouch() ? "" : texts.chat.hint)}
        </span>
      </div>
    </form>
  );
}

/** What is typed, kept per conversation over a reload; a new conversation takes it along when it gets its id. */
function useDraft() {
  const { live } = useSession();
  const { view } = useLive();
  const id = live.conversationId ?? (view.conversationId || null);
  const [text, setText] = useState(() => drafts.read(live.conversationId));
  const under = useRef(live.conversationId);
  // What is being written by now is not written over.
  useEffect(() => drafts.onGivenBack(id, (lost) => setText((now) => now || lost)), [id]);
  useEffect(() => {
    if (under.current !== id) drafts.keep(under.current, "");
    under.current = id;
    drafts.keep(id, text);
  }, [id, text]);
  return [text, setText] as const;
}

/** Whether the text has several lines. It has more room then and may fit on one: that changes back when it is shorter. */
function useSeveralLines(area: React.RefObject<HTMLTextAreaElement | null>, text: string): boolean {
  const [from, setFrom] = useState(Number.POSITIVE_INFINITY);
  const several = text !== "" && text.length >= from;
  useLayoutEffect(() => {
    if (area.current === null || several) return;
    const line = Number.parseFloat(getComputedStyle(area.current).lineHeight);
    const wraps = text !== "" && area.current.scrollHeight > 2 * line;
    setFrom(wraps ? text.length : Number.POSITIVE_INFINITY);
  }, [area, text, several]);
  return several;
}

/** A new conversation is there to be written in. On a phone the keyboard would cover what it offers. */
function useFirstFocus(area: React.RefObject<HTMLTextAreaElement | null>, isNew: boolean): void {
  const wanted = useRef(isNew);
  useEffect(() => {
    if (!isTouch() && (wanted.current || document.activeElement === document.body)) area.current?.focus();
  }, [area]);
}

function Waiting({ onInterrupt }: { onInterrupt: () => void }) {
  return (
    <div className={styles.waiting}>
      <span>{texts.chat.willWait}</span>
      <Button small onClick={onInterrupt} data-testid="stop-and-send">
        {texts.chat.stopAndSend}
      </Button>
    </div>
  );
}

function Stop() {
  const { actions, announce } = useSession();
  const [stopping, setStopping] = useState(false);
  const stop = () => {
    setStopping(true);
    actions
      .stop()
      .catch((error: Error) => announce(inWords(error), "error"))
      .finally(() => setStopping(false));
  };
  return (
    <IconButton
      label={texts.chat.stop}
      className={styles.stop}
      onClick={stop}
      disabled={stopping}
      data-testid="stop"
    >
      <StopIcon />
    </IconButton>
  );
}

function CvButton() {
  const { offerUpload } = useSession();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label={texts.chat.uploadCv} onClick={() => input.current?.click()}>
        <UploadIcon />
      </IconButton>
      <input
        ref={input}
        type="file"
        hidden
        accept={RESUME_FILES}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file !== undefined) offerUpload(file);
          event.target.value = "";
        }}
      />
    </>
  );
}
