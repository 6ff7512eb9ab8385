import type { Client } from "@signalbox/client";
import { useState } from "react";
import { useLocation } from "wouter";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { Confirmation } from "../../ui/Confirmation";
import { useDeed } from "../../ui/useDeed";
import { TypedWord } from "../common/TypedWord";

/** Deletes every conversation once the word for it was typed. */
export function DeleteConversations() {
  const t = texts.panels.settings;
  const { client, conversations, announce, openPanel } = useSession();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState(false);
  const [done, setDone] = useState(0);
  const close = () => {
    setAsking(false);
    setTyped(false);
  };
  const deed = useDeed(async () => {
    setDone(0);
    try {
      const deleted = await deleteAll(client, setDone);
      announce(deleted === 0 ? t.deleteNone : t.deleted(deleted));
      close();
      openPanel(null);
      navigate("/");
    } finally {
      // Also if it stopped half-way: some of them are gone.
      await conversations.refresh();
    }
  });
  return (
    <>
      <Button look="danger" data-testid="delete-all" onClick={() => setAsking(true)}>
        {t.deleteAll}
      </Button>
      <Confirmation
        open={asking}
        title={t.deleteAll}
        what={t.deleteWhat}
        yes={deed.busy ? t.deleting(done) : t.deleteNow}
        deed={deed}
        allowed={typed}
        onClose={close}
      >
        <TypedWord
          label={t.deleteType(t.deleteWord)}
          word={t.deleteWord}
          busy={deed.busy}
          onTyped={setTyped}
        />
      </Confirmation>
    </>
  );
}

/** One after the other, page by page: there is no request for all at once. The number of those deleted. */
async function deleteAll(client: Client, onDone: (done: number) => void): Promise<number> {
  let done = 0;
  for (;;) {
    const page = await client.conversations({ limit: 100 });
    if (page.length === 0) return done;
    for (const { conversationId } of page) {
      await client.deleteConversation(conversationId);
      done += 1;
      onDone(done);
    }
  }
}
