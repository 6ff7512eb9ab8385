import { useCallback, useEffect, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useConversationList, useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { inWords } from "../ui/fault";
import { PlusIcon, SearchIcon } from "../ui/icons";
import { Late } from "../ui/Late";
import styles from "./ConversationNav.module.css";
import { ConversationRow } from "./ConversationRow";
import { DeleteConversation } from "./DeleteConversation";

const TYPING_MS = 250;

/** The user's conversations: find, open, rename, delete; begin a new one. */
export function ConversationNav({ onChosen }: { onChosen: () => void }) {
  const { live, conversations, temporary, setTemporary } = useSession();
  const { rows, query, loading, more, error } = useConversationList();
  const [, navigate] = useLocation();
  const [deleting, setDeleting] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const place = useRef(0);
  const ask = useCallback(
    (conversationId: string) => {
      place.current = conversations.state.rows.findIndex((row) => row.conversationId === conversationId);
      setDeleting(conversationId);
    },
    [conversations],
  );
  // The row that was asked about, or the one that took its place.
  const focusAfter = () => {
    const links = list.current?.querySelectorAll("a") ?? [];
    return links[place.current] ?? links[links.length - 1] ?? document.getElementById("composer");
  };
  const sentinel = useOnSight(useCallback(() => void conversations.older(), [conversations]));
  const begin = () => {
    setTemporary(false);
    // Where one is open already, nothing else would move the focus.
    if (live.conversationId === null) document.getElementById("composer")?.focus();
    navigate("/");
    onChosen();
  };
  return (
    <nav className={styles.nav} aria-label={texts.shell.conversations}>
      <div className={styles.top}>
        <Button className={styles.begin} onClick={begin} data-testid="new-chat">
          <PlusIcon />
          {texts.shell.newChat}
        </Button>
        {live.conversationId === null && <TemporarySwitch on={temporary} onChange={setTemporary} />}
        <Search query={query} onSearch={(text) => void conversations.search(text)} />
      </div>
      <ul ref={list} className={styles.list} data-testid="conversations">
        {rows.map((row) => (
          <ConversationRow
            key={row.conversationId}
            row={row}
            query={query}
            active={row.conversationId === live.conversationId}
            onChosen={onChosen}
            onDelete={ask}
          />
        ))}
        {rows.length === 0 && !loading && error === null && (
          <li className={styles.note}>
            {query === "" ? texts.shell.noConversations : texts.shell.noMatches(query)}
          </li>
        )}
        {rows.length === 0 && loading && (
          <li className={styles.note}>
            <Late>{texts.ui.loading}</Late>
          </li>
        )}
        {error !== null && (
          <li className={styles.note}>
            {texts.shell.listFailed} {inWords(error)}{" "}
            <Button small onClick={() => void conversations.refresh()}>
              {texts.ui.tryAgain}
            </Button>
          </li>
        )}
        {more && <li ref={sentinel} className={styles.more} />}
      </ul>
      <DeleteConversation
        conversationId={deleting}
        onClose={() => setDeleting(null)}
        focusAfter={focusAfter}
      />
    </nav>
  );
}

function Search({ query, onSearch }: { query: string; onSearch: (text: string) => void }) {
  const [text, setText] = useState(query);
  const search = useRef(onSearch);
  search.current = onSearch;
  useEffect(() => {
    if (text.trim() === query) return;
    const timer = setTimeout(() => search.current(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, query]);
  return (
    <label className={styles.search}>
      <SearchIcon />
      <input
        type="search"
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder={texts.shell.search}
        aria-label={texts.shell.search}
        data-testid="search"
      />
    </label>
  );
}

function TemporarySwitch({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  const hint = useId();
  return (
    <div className={styles.temporary}>
      <label className={styles.check}>
        <input
          type="checkbox"
          role="switch"
          checked={on}
          aria-checked={on}
          onChange={(event) => onChange(event.target.checked)}
          aria-describedby={hint}
          data-testid="temporary"
        />
        {texts.shell.temporaryChat}
      </label>
      <p id={hint} className={styles.hint}>
        {texts.shell.temporaryHint}
      </p>
    </div>
  );
}

/** A ref whose element calls `onSight` whenever it comes into view. */
function useOnSight(onSight: () => void) {
  return useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return;
      const observer = new IntersectionObserver(
        (entries) => entries.some((one) => one.isIntersecting) && onSight(),
      );
      observer.observe(element);
      return () => observer.disconnect();
    },
    [onSight],
  );
}
