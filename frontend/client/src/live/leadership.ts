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
  #waiting: AbortController | null = null;
  #taking = false;

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
    this.#request({ signal: this.#waiting.signal });
  }

  /** Take over from a leader that does not answer; it learns of it when it runs again. */
  take(): void {
    if (this.#closed || this.#leading || this.#taking) return;
    this.#taking = true;
    this.#leaveQueue();
    this.#request({ steal: true });
  }

  close(): void {
    this.#closed = true;
    this.#leaveQueue();
    this.#leading = false;
    this.#release();
  }

  #leaveQueue(): void {
    this.#waiting?.abort();
    this.#waiting = null;
  }

  #request(options: { signal?: AbortSignal; steal?: boolean }): void {
    const held = () => this.#held();
    // Rejected when it was waited for in vain, and when it was taken away.
    this.locks.request(this.name, options, held).catch(() => this.#lost(options.signal));
  }

  #held(): Promise<void> {
    this.#waiting = null;
    this.#taking = false;
    if (this.#closed || this.#leading) return Promise.resolve();
    this.#leading = true;
    return new Promise((resolve) => {
      this.#release = resolve;
      this.changed(true);
    });
  }

  #lost(signal: AbortSignal | undefined): void {
    this.#taking = false;
    if (this.#closed || signal?.aborted) return;
    this.#release();
    if (this.#leading) {
      this.#leading = false;
      this.changed(false);
    }
    this.queue();
  }
}
