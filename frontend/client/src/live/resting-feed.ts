/**
 * A feed that is let go while nobody looks. A browser allows few connections to one server, over all tabs: those that
 * are not looked at leave them to those that are. What was missed is made up for when somebody looks again.
 */

import { ApiError, type ClientError } from "../errors.js";
import type { ConnectionState, StateDetail } from "../stream/options.js";
import type { Feed, FeedOptions } from "./feed.js";
import type { Visibility } from "./visibility.js";

/** How long a feed outlives the last look at it, and for how long one is kept that was never looked at. */
const HIDDEN_MS = 30_000;
const UNSEEN_MS = 3_000;
/** How often a feed that is still needed is looked at again. */
const BUSY_MS = 5_000;

export class RestingFeed implements Feed {
  #cursor: string | null;
  /** Null while it rests. */
  #feed: Feed | null = null;
  #rested = false;
  /** The server refused: nobody gets more by looking. */
  #refused = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unlisten: () => void = () => {};

  /** `open` makes the feed; `isBusy` tells whether it is needed though nobody looks. */
  constructor(
    private readonly open: (options: FeedOptions) => Feed,
    private readonly options: FeedOptions,
    private readonly visibility: Visibility,
    private readonly isBusy: () => boolean,
  ) {
    this.#cursor = options.cursor;
  }

  get cursor(): string | null {
    return this.#feed?.cursor ?? this.#cursor;
  }

  start(): void {
    this.#unlisten = this.visibility.listen(() => this.#looked());
    if (!this.visibility.visible) this.#restIn(UNSEEN_MS);
    this.#follow();
  }

  reconnect(): void {
    this.#refused = false;
    if (this.#feed !== null) this.#feed.reconnect();
    else this.#follow();
  }

  close(): void {
    this.#unlisten();
    clearTimeout(this.#timer);
    this.#leave();
  }

  #looked(): void {
    clearTimeout(this.#timer);
    if (!this.visibility.visible) this.#restIn(HIDDEN_MS);
    else if (this.#feed === null) this.#follow();
  }

  #restIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#rest(), ms);
  }

  #rest(): void {
    if (this.#feed === null || this.#refused) return;
    if (this.isBusy()) {
      this.#restIn(BUSY_MS);
      return;
    }
    this.#leave();
    this.#rested = true;
    this.options.onState("resuming", {});
  }

  #leave(): void {
    const feed = this.#feed;
    this.#cursor = this.cursor;
    this.#feed = null;
    feed?.close();
  }

  #follow(): void {
    const mine = <A extends unknown[]>(act: (...args: A) => void) => {
      return (...args: A) => {
        if (this.#feed === feed) act(...args);
      };
    };
    const { onEvent } = this.options;
    const feed = this.open({
      cursor: this.#cursor,
      onEvent: mine(onEvent),
      onState: mine((state: ConnectionState, detail: StateDetail) => this.#tell(state, detail)),
      onGiveUp: mine((error: ClientError) => this.#giveUp(error)),
    });
    this.#feed = feed;
    feed.start();
  }

  #tell(state: ConnectionState, detail: StateDetail): void {
    if (state === "live") this.#refused = false;
    // To a reader it is the same stream, which goes on.
    this.options.onState(state === "connecting" && this.#rested ? "resuming" : state, detail);
  }

  #giveUp(error: ClientError): void {
    this.#refused = error instanceof ApiError;
    this.options.onGiveUp(error);
  }
}
