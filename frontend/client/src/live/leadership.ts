/** Who of several tabs does the work for all: the holder of a Web Lock. The browser passes it on when a tab dies. */

export interface Locks {
  request(
    name: string,
    options: { signal?: AbortSignal; steal?: boolean },
    held: () => Promise<void>,
  ): Promise<unknown>;
}

export class Leadership {
  #leading = false;
  #closed = false;
  #release: () => void = () => {};
  /** Requests: for a turn, for the place of a leader that does not answer, and the one that was granted. */
  #waiting: AbortController | null = null;
  #taking: AbortController | null = null;
  #granted: AbortController | null = null;

  /** `changed` is told whenever this tab begins to lead, or no longer does. */
  constructor(
    private readonly locks: Locks,
    private readonly name: string,
    private readonly changed: (leading: boolean) => void,
  ) {}

  get leading(): boolean {
    return this.#leading;
  }

  /** Wait for one's turn. */
  queue(): void {
    if (this.#closed || this.#leading || this.#waiting !== null) return;
    this.#waiting = new AbortController();
    this.#request(this.#waiting, { signal: this.#waiting.signal });
  }

  /** Take over from a leader that does not answer; it learns of it when it runs again. */
  take(): void {
    if (this.#closed || this.#leading || this.#taking !== null) return;
    this.#taking = new AbortController();
    this.#leaveQueue();
    this.#request(this.#taking, { steal: true });
  }

  /** Leave the lead, or the wait for it, to others until the next `queue`. */
  stepDown(): void {
    this.#leaveQueue();
    this.#taking?.abort();
    this.#taking = null;
    this.#leading = false;
    this.#release();
  }

  close(): void {
    this.#closed = true;
    this.stepDown();
  }

  #leaveQueue(): void {
    this.#waiting?.abort();
    this.#waiting = null;
  }

  #request(asked: AbortController, options: { signal?: AbortSignal; steal?: boolean }): void {
    // It may be granted in the moment in which it is taken back.
    const held = () => (asked.signal.aborted ? Promise.resolve() : this.#held(asked));
    // Async, so that what is thrown at once is a rejection as well.
    const request = async () => this.locks.request(this.name, options, held);
    request().catch((error: unknown) => this.#lost(asked, error));
  }

  #held(asked: AbortController): Promise<void> {
    this.#waiting = null;
    this.#taking = null;
    if (this.#closed || this.#leading) return Promise.resolve();
    this.#granted = asked;
    return new Promise((resolve) => this.#begin(resolve));
  }

  #begin(release: () => void): void {
    this.#leading = true;
    this.#release = release;
    this.changed(true);
  }

  #lost(asked: AbortController, error: unknown): void {
    if (this.#taking === asked) this.#taking = null;
    if (this.#waiting === asked) this.#waiting = null;
    if (this.#closed || asked.signal.aborted) return;
    if (this.#granted === asked) this.#stolen();
    // No locks where storage is blocked, so each tab is on its own.
    else if (isRefusal(error) && !this.#leading) this.#begin(() => {});
    else this.queue();
  }

  #stolen(): void {
    this.#granted = null;
    this.#release();
    if (!this.#leading) return;
    this.#leading = false;
    this.queue();
    this.changed(false);
  }
}

function isRefusal(error: unknown): boolean {
  return !(error instanceof Error && error.name === "AbortError");
}
