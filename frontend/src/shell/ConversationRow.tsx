import type { ConversationInfo } from "@signalbox/client";
import { memo, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { line } from "../safe/inert";
import { texts } from "../texts";
import { EditIcon, TrashIcon } from "../ui/icons";
import { MoreMenu } from "../ui/MoreMenu";
import styles from "./ConversationNav.module.css";
import { found } from "./found";
import { RenameForm } from "./RenameForm";

/** One conversation of the list; its title turns into a field to rename it. */
export const ConversationRow = memo(function ConversationRow({
  row,
  query,
  active,
  onChosen,
  onDelete,
}: {
  row: ConversationInfo;
  /** What the list was searched for. */
  query: string;
  active: boolean;
  onChosen: () => void;
  onDelete: (conversationId: string) => void;
}) {
  const [renaming, setRenaming] = useState(false);
  const link = useFocusAfter(renaming);
  const title = line(row.title) || texts.shell.untitled;
  return (
    <li className={styles.row} data-active={active || undefined} data-testid="conversation-item">
      {renaming ? (
        <RenameForm
          conversationId={row.conversationId}
          title={row.title ?? ""}
          onDone={() => setRenaming(false)}
        />
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
              <Marked text={title} query={query} />
            </span>
            {row.match !== null && (
              <span className={styles.match} dir="auto">
                <Marked text={line(row.match)} query={query} short />
              </span>
            )}
          </Link>
          <MoreMenu
            label={texts.shell.rowMenu(title)}
            className={styles.rowMenu}
            choices={[
              {
                label: texts.shell.rename,
                icon: <EditIcon />,
                movesFocus: true,
                onChoose: () => setRenaming(true),
              },
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

/** The link has the focus when the field is gone that took its place. */
function useFocusAfter(renaming: boolean) {
  const link = useRef<HTMLAnchorElement>(null);
  const before = useRef(renaming);
  // Any later, and a dialog around the list would have taken the focus that is left over.
  useLayoutEffect(() => {
    if (before.current && !renaming) link.current?.focus();
    before.current = renaming;
  }, [renaming]);
  return link;
}

function Marked({ text, query, short = false }: { text: string; query: string; short?: boolean }) {
  return found(text, query, { short }).map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a stretch is its place in the text.
    part.found ? <mark key={at}>{part.text}</mark> : part.text,
  );
}
