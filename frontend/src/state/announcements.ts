import type { AnnouncementKind } from "./session";

export interface Announcement {
  readonly id: number;
  readonly text: string;
  readonly kind: AnnouncementKind;
}

const SHOWN_MS: Record<AnnouncementKind, number> = { info: 5_000, error: 12_000, quiet: 3_000 };
const MOST = 3;

/** What is being said at the edge of the page, newest last. Feeds `useSyncExternalStore`. */
export class Announcements {
  #said: readonly Announcement[] = [];
  #next = 1;
  readonly #listeners = new Set<() => void>();

  get said(): readonly Announcement[] {
    return this.#said;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly say = (text: string, kind: AnnouncementKind = "info"): void => {
    const id = this.#next;
    this.#next += 1;
    const others = this.#said.filter((one) => one.text !== text || one.kind !== kind);
    this.#set([...others, { id, text, kind }].slice(-MOST));
    setTimeout(() => this.dismiss(id), SHOWN_MS[kind]);
  };

  readonly dismiss = (id: number): void => {
    this.#set(this.#said.filter((one) => one.id !== id));
  };

  #set(said: readonly Announcement[]): void {
    this.#said = said;
    for (const listener of this.#listeners) listener();
  }
}
