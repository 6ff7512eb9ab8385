import type { ConversationInfo } from "@signalbox/client";
import { type FormEvent, type KeyboardEvent, memo, useRef, useState } from "react";
import { Link } from "wouter";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { EditIcon, TrashIcon } from "../ui/icons";
import { MoreMenu } from "../ui/MoreMenu";
import styles from "./ConversationNav.module.css";

/** One conversation of the list; its title turns into a field to rename it. */
export const ConversationRow = memo(function ConversationRow({
  row,
  active,
  onChosen,
  onDelete,
}: {
  row: ConversationInfo;
  active: boolean;
  onChosen: () => void;
  onDelete: (conversationId: string) => void;
}) {
  const [renaming, setRenaming] = useState(false);
  const link = useRef<HTMLAnchorElement>(null);
  const title = row.title || texts.shell.untitled;
  const done = () => {
    setRenaming(false);
    requestAnimationFrame(() => link.current?.focus());
  };
  return (
    <li className={styles.row} data-active={active || undefined} data-testid="conversation-item">
      {renaming ? (
        <Rename row={row} onDone={done} />
      ) : (
        <>
          <Link
            ref={link}
            href={`/c/${row.conversationId}`}
            className={styles.link ?? ""}
            onClick={onChosen}
            aria-current={active ? "page" : undefined}
          >
            <span className={styles.title} dir="auto">
              {title}
            </span>
            {row.match !== null && (
              <span className={styles.match} dir="auto">
                {plain(row.match)}
              </span>
            )}
          </Link>
          <MoreMenu
            label={texts.shell.rowMenu(title)}
            className={styles.rowMenu}
            choices={[
              { label: texts.shell.rename, icon: <EditIcon />, onChoose: () => setRenaming(true) },
              {
                label: texts.shell.delete,
                icon: <TrashIcon />,
                danger: true,
                onChoose: () => onDelete(row.conversationId),
              },
            ]}
          />
        </>
      )}
    </li>
  );
});

/** What was found stands in Markdown; its marks are no part of it. */
function plain(match: string): string {
  return match.replace(/\*\*|__|`|^#+ /gm, "");
}

const TITLE_CHARS = 200;

function Rename({ row, onDone }: { row: ConversationInfo; onDone: () => void }) {
  const { conversations, announce } = useSession();
  const [title, setTitle] = useState(row.title ?? "");
  const [busy, setBusy] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next = title.trim();
    if (next === "" || next === row.title) return onDone();
    setBusy(true);
    conversations.rename(row.conversationId, next).then(onDone, (error: Error) => {
      setBusy(false);
      announce(error.message, "error");
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
        disabled={busy}
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
