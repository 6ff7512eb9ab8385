import { useLocation } from "wouter";
import { useConversationList, useSession } from "../state/session";
import { texts } from "../texts";
import { later } from "../ui/later";
import { useDeed } from "../ui/useDeed";
import { OnceOpened } from "./OnceOpened";

const Confirmation = later(() => import("../ui/Confirmation").then(({ Confirmation }) => Confirmation));

/** Asks before a conversation is deleted; null asks nothing. */
export function DeleteConversation({
  conversationId,
  title = null,
  onClose,
  focusAfter,
}: {
  conversationId: string | null;
  /** Of one that is in no list. */
  title?: string | null;
  onClose: () => void;
  focusAfter?: () => HTMLElement | null;
}) {
  const { live, conversations, announce } = useSession();
  const { rows } = useConversationList();
  const [, navigate] = useLocation();
  const deed = useDeed(async () => {
    if (conversationId === null) return;
    await conversations.remove(conversationId);
    announce(texts.shell.deleted);
    if (conversationId === live.conversationId) navigate("/");
    onClose();
  });
  const listed = rows.find((row) => row.conversationId === conversationId)?.title;
  return (
    <OnceOpened open={conversationId !== null}>
      <Confirmation
        open={conversationId !== null}
        title={texts.shell.deleteTitle}
        what={texts.shell.deleteWarning(title || listed || texts.shell.untitled)}
        yes={texts.shell.delete}
        deed={deed}
        testId="confirm-delete"
        onClose={onClose}
        focusAfter={focusAfter}
      />
    </OnceOpened>
  );
}
