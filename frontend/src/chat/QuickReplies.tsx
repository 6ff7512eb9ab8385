import type { BlockOf, Suggestion } from "@signalbox/client";
import { useState } from "react";
import { inert } from "../safe/inert";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { inWords } from "../ui/fault";
import { CheckIcon } from "../ui/icons";
import styles from "./Turn.module.css";

/**
 * Buttons that say something for the user. One can be chosen, once, in whatever tab; those of an earlier answer are
 * past. They stay reachable by keyboard when locked, so that the choice can be read and focus is not lost.
 */
export function QuickReplies({
  block,
  chosen,
  open,
  asked,
}: {
  block: BlockOf<"suggestions">;
  chosen: ReadonlySet<string>;
  open: boolean;
  /** The answer above asks the same in the same words. */
  asked: boolean;
}) {
  const { actions, announce } = useSession();
  const [choosing, setChoosing] = useState<string | null>(null);
  const picked = block.suggestions.find((reply) => chosen.has(reply.id))?.id ?? choosing;
  const locked = picked !== null || !open;
  const choose = (reply: Suggestion) => {
    if (locked) return;
    setChoosing(reply.id);
    // Once it is taken the conversation tells what is chosen, and may take it back.
    actions
      .choose(reply)
      .catch((error: Error) => announce(inWords(error), "error"))
      .finally(() => setChoosing(null));
  };
  return (
    <fieldset className={styles.replies}>
      <legend className={block.text && !asked ? styles.ask : "visually-hidden"} dir="auto">
        {inert(block.text) || texts.chat.replies}
      </legend>
      {block.suggestions.map((reply) => (
        <Button
          key={reply.id}
          className={styles.reply}
          aria-disabled={locked}
          aria-pressed={reply.id === picked}
          title={reply.message}
          onClick={() => choose(reply)}
          data-testid="quick-reply"
          data-chosen={reply.id === picked || undefined}
        >
          {reply.id === picked && <CheckIcon />}
          {inert(reply.label)}
          {reply.id === picked && <span className="visually-hidden">{texts.chat.chosen}</span>}
        </Button>
      ))}
    </fieldset>
  );
}
