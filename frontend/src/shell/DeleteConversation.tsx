import { useState } from "react";
import { useLocation } from "wouter";
import { useConversationList, useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { Modal } from "../ui/Sheet";
import styles from "./ConversationNav.module.css";

/** Asks before a conversation is deleted; null asks nothing. */
export function DeleteConversation({
  conversationId,
  onClose,
}: {
  conversationId: string | null;
  onClose: () => void;
}) {
  const { live, conversations, announce } = useSession();
  const { rows } = useConversationList();
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(false);
  const title = rows.find((row) => row.conversationId === conversationId)?.title || texts.shell.untitled;
  const remove = async () => {
    if (conversationId === null) return;
    setBusy(true);
    try {
      await conversations.remove(conversationId);
      announce(texts.shell.deleted);
      if (conversationId === live.conversationId) navigate("/");
      onClose();
    } catch (error) {
      announce(error instanceof Error ? error.message : String(error), "error");
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal open={conversationId !== null} title={texts.shell.deleteTitle} onClose={onClose}>
      <p>{texts.shell.deleteWarning(title)}</p>
      <div className={styles.choices}>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button look="danger" onClick={() => void remove()} disabled={busy} data-testid="confirm-delete">
          {texts.shell.delete}
        </Button>
      </div>
    </Modal>
  );
}
