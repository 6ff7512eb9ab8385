import { Suspense, useCallback, useMemo, useRef, useState } from "react";
import { Chat } from "../chat/Chat";
import { useConversationList, useLive, useSession } from "../state/session";
import { temporaryTitles } from "../state/storage";
import { texts } from "../texts";
import { later } from "../ui/later";
import { ConversationNav } from "./ConversationNav";
import { DropZone } from "./DropZone";
import { ErrorBoundary } from "./ErrorBoundary";
import { FaultsNotice } from "./FaultsNotice";
import { Header } from "./Header";
import { OnceOpened } from "./OnceOpened";
import styles from "./Page.module.css";

const Drawer = later(() => import("../ui/Sheet").then(({ Drawer }) => Drawer));
const Panels = later(() => import("../panels/Panels").then(({ Panels }) => Panels));

/** The page around one conversation: the list of them at the side, what can be opened above. */
export function Page() {
  const { live, about } = useSession();
  const [drawer, setDrawer] = useState(false);
  const closeDrawer = useCallback(() => setDrawer(false), []);
  const identity = useIdentity(live);
  const title = useTitle();
  return (
    <DropZone>
      <title>{title === null ? texts.shell.name : texts.shell.title(title)}</title>
      <a className={styles.skip} href="#composer">
        {texts.shell.skip}
      </a>
      <div className={styles.page}>
        <aside className={styles.side}>
          <p className={styles.brand}>
            <img src="/icon.svg" alt="" width="24" height="24" />
            {texts.shell.name}
          </p>
          <ConversationNav onChosen={closeDrawer} />
        </aside>
        <OnceOpened open={drawer}>
          <Drawer open={drawer} title={texts.shell.conversations} onClose={closeDrawer}>
            <ConversationNav onChosen={closeDrawer} />
          </Drawer>
        </OnceOpened>
        <main className={styles.main}>
          <Header title={title} onMenu={() => setDrawer(true)} />
          <FaultsNotice about={about} />
          <ErrorBoundary key={identity}>
            <Chat />
          </ErrorBoundary>
        </main>
      </div>
      <ErrorBoundary>
        <Suspense fallback={null}>
          <Panels />
        </Suspense>
      </ErrorBoundary>
    </DropZone>
  );
}

const TITLE_CHARS = 60;

/** As the list has it, else what was asked first. */
function useTitle(): string | null {
  const { live } = useSession();
  const { rows } = useConversationList();
  const { view } = useLive();
  const { conversationId } = live;
  const first = view.messages.find((message) => message.role === "user")?.text;
  return useMemo(() => {
    const listed = rows.find((row) => row.conversationId === conversationId)?.title;
    const named = conversationId === null ? null : temporaryTitles.read(conversationId);
    return listed || named || first?.trim().split("\n")[0]?.slice(0, TITLE_CHARS) || null;
  }, [rows, conversationId, first]);
}

/** A number that is another one for every other object. */
function useIdentity(object: object): number {
  const last = useRef({ object, number: 1 });
  if (last.current.object !== object) last.current = { object, number: last.current.number + 1 };
  return last.current.number;
}
