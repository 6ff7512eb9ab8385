import type { Client, ConversationInfo } from "@signalbox/client";
import { asError } from "../ui/fault";
import { temporaryTitles } from "./storage";
import type { OtherTabs } from "./tabs";

export interface ListState {
  readonly rows: readonly ConversationInfo[];
  readonly query: string;
  readonly loading: boolean;
  /** Whether there are older ones than those loaded. */
  readonly more: boolean;
  readonly error: Error | null;
}

const PAGE = 40;

/** The user's conversations, newest first, as far as they were scrolled to. Feeds `useSyncExternalStore`. */
export class ConversationList {
  #state: ListState = { rows: [], query: "", loading: true, more: false, error: null };
  readonly #listeners = new Set<() => void>();
  /** An answer to an older question than the last one asked is not shown. */
  #asked = 0;

  constructor(
    private readonly client: Client,
    private readonly tabs: OtherTabs,
  ) {}

  get state(): ListState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Look now, and whenever another tab changed something or this one is looked at again. */
  follow(): () => void {
    void this.refresh();
    const forget = this.tabs.listen("list", () => void this.refresh());
    const seen = () => {
      if (document.visibilityState === "visible") void this.refresh();
    };
    document.addEventListener("visibilitychange", seen);
    return () => {
      forget();
      document.removeEventListener("visibilitychange", seen);
    };
  }

  /** Something happened in a conversation here. */
  async changed(): Promise<void> {
    this.tabs.tell("list");
    await this.refresh();
  }

  async search(query: string): Promise<void> {
    this.#set({ query, rows: [], more: false });
    await this.refresh();
  }

  /** Look again at the newest page; older ones that were loaded stay. */
  async refresh(): Promise<void> {
    await this.#load(undefined, (page, { rows }) => {
      const oldest = page.at(-1)?.updatedAt;
      if (page.length < PAGE || oldest === undefined) return { rows: page, more: false };
      const known = new Set(page.map((row) => row.conversationId));
      const older = rows.filter((row) => !known.has(row.conversationId) && row.updatedAt < oldest);
      return { rows: [...page, ...older], more: older.length > 0 ? this.#state.more : true };
    });
  }

  async older(): Promise<void> {
    const before = this.#state.rows.at(-1)?.updatedAt;
    if (this.#state.loading || !this.#state.more || before === undefined) return;
    await this.#load(before, (page, { rows }) => ({ rows: [...rows, ...page], more: page.length === PAGE }));
  }

  async rename(conversationId: string, title: string): Promise<void> {
    const renamed = await this.client.rename(conversationId, title);
    this.tabs.tell("list");
    const listed = this.#state.rows.some((row) => row.conversationId === conversationId);
    if (!listed && renamed.title !== null) temporaryTitles.keep(conversationId, renamed.title);
    const rows = this.#state.rows.map((row) =>
      row.conversationId === conversationId ? { ...row, title: renamed.title } : row,
    );
    this.#set({ rows });
  }

  async remove(conversationId: string): Promise<void> {
    await this.client.deleteConversation(conversationId);
    this.tabs.tell("list");
    this.#set({ rows: this.#state.rows.filter((row) => row.conversationId !== conversationId) });
  }

  async #load(
    before: string | undefined,
    join: (page: ConversationInfo[], state: ListState) => Partial<ListState>,
  ): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    this.#set({ loading: true });
    const { query } = this.#state;
    try {
      const page = await this.client.conversations({
        limit: PAGE,
        ...(query !== "" && { query }),
        ...(before !== undefined && { before }),
      });
      if (asked === this.#asked) this.#set({ ...join(page, this.#state), loading: false, error: null });
    } catch (error) {
      if (asked === this.#asked) this.#set({ loading: false, error: asError(error) });
    }
  }

  #set(changes: Partial<ListState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}
