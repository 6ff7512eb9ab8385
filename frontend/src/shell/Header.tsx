import { useLocation } from "wouter";
import { type PanelName, useSession } from "../state/session";
import { texts } from "../texts";
import { IconButton } from "../ui/Button";
import { CodeIcon, ListIcon, MenuIcon, PlusIcon, SettingsIcon, UserIcon } from "../ui/icons";
import { MoreMenu } from "../ui/MoreMenu";
import styles from "./Page.module.css";

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
        {title ?? texts.shell.name}
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
      <RarePanels />
    </header>
  );
}

function RarePanels() {
  const { openPanel } = useSession();
  return (
    <MoreMenu
      label={texts.shell.more}
      className={styles.narrow}
      testId="open-more"
      choices={PANELS.filter(({ often }) => !often).map(({ name, Icon }) => ({
        label: texts.shell.panels[name],
        icon: <Icon />,
        onChoose: () => openPanel(name),
      }))}
    />
  );
}
