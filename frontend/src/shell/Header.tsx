import { useState } from "react";
import { useLocation } from "wouter";
import { type PanelName, useSession } from "../state/session";
import { texts } from "../texts";
import { IconButton } from "../ui/Button";
import {
  CodeIcon,
  EditIcon,
  ListIcon,
  MenuIcon,
  NoteIcon,
  PlusIcon,
  SettingsIcon,
  TrashIcon,
  UserIcon,
} from "../ui/icons";
import { later } from "../ui/later";
import { type MenuChoice, MoreMenu } from "../ui/MoreMenu";
import { DeleteConversation } from "./DeleteConversation";
import { OnceOpened } from "./OnceOpened";
import styles from "./Page.module.css";
import { RenameForm } from "./RenameForm";

const InMind = later(() => import("../panels/memory/InMind").then((part) => part.default));
const Modal = later(() => import("../ui/Sheet").then(({ Modal }) => Modal));

const PANELS: readonly { name: PanelName; Icon: () => React.ReactNode; often: boolean }[] = [
  { name: "profile", Icon: UserIcon, often: true },
  { name: "applications", Icon: ListIcon, often: true },
  { name: "events", Icon: CodeIcon, often: false },
  { name: "settings", Icon: SettingsIcon, often: false },
];

/** The line above a conversation. On a phone what is rarely wanted goes into a menu. */
export function Header({ title, onMenu }: { title: string | null; onMenu: () => void }) {
  const { live, temporary, openPanel } = useSession();
  const [, navigate] = useLocation();
  return (
    <header className={styles.header}>
      <IconButton
        className={styles.menu}
        label={texts.shell.openList}
        onClick={onMenu}
        data-testid="open-conversations"
      >
        <MenuIcon />
      </IconButton>
      <h1 className={styles.title} dir="auto">
        {title ?? <Untitled />}
      </h1>
      {temporary && <span className={styles.badge}>{texts.shell.temporary}</span>}
      {live.conversationId !== null && (
        <IconButton className={styles.menu} label={texts.shell.newChat} onClick={() => navigate("/")}>
          <PlusIcon />
        </IconButton>
      )}
      {PANELS.map(({ name, Icon, often }) => (
        <IconButton
          key={name}
          className={often ? undefined : styles.rare}
          label={texts.shell.panels[name]}
          onClick={() => openPanel(name)}
          data-testid={`open-${name}`}
        >
          <Icon />
        </IconButton>
      ))}
      <MoreChoices title={title} />
    </header>
  );
}

/** Where the list is seen, the page's name stands above it. */
function Untitled() {
  return (
    <>
      <span className={styles.menu}>{texts.shell.name}</span>
      <span className={styles.wide}>{texts.shell.newChat}</span>
    </>
  );
}

/** What can be done with the conversation; on a phone also what has no room of its own. */
function MoreChoices({ title }: { title: string | null }) {
  const { live, openPanel } = useSession();
  const [asked, setAsked] = useState<"memory" | "rename" | "delete" | null>(null);
  const { conversationId } = live;
  const close = () => setAsked(null);
  const panels = PANELS.filter(({ often }) => !often).map(({ name, Icon }) => ({
    label: texts.shell.panels[name],
    icon: <Icon />,
    onChoose: () => openPanel(name),
  }));
  const own: readonly MenuChoice[] =
    conversationId === null
      ? []
      : [
          { label: texts.shell.inMind, icon: <NoteIcon />, onChoose: () => setAsked("memory") },
          { label: texts.shell.rename, icon: <EditIcon />, onChoose: () => setAsked("rename") },
          {
            label: texts.shell.delete,
            icon: <TrashIcon />,
            danger: true,
            onChoose: () => setAsked("delete"),
          },
        ];
  return (
    <>
      <MoreMenu
        label={texts.shell.more}
        className={styles.narrow}
        testId="open-more"
        choices={[...panels, ...own]}
      />
      {conversationId !== null && (
        <>
          <MoreMenu
            label={texts.shell.conversationMenu}
            className={styles.rare}
            testId="conversation-menu"
            choices={own}
          />
          <OnceOpened open={asked === "memory"}>
            <InMind conversationId={conversationId} open={asked === "memory"} onClose={close} />
          </OnceOpened>
          <OnceOpened open={asked === "rename"}>
            <Modal open={asked === "rename"} title={texts.shell.renameTitle} onClose={close}>
              <RenameForm conversationId={conversationId} title={title ?? ""} onDone={close} />
            </Modal>
          </OnceOpened>
          <DeleteConversation
            conversationId={asked === "delete" ? conversationId : null}
            title={title}
            onClose={close}
          />
        </>
      )}
    </>
  );
}
