/** A conversation as it stands and as it goes on: loads it, follows it over one connection, folds events into a view. */

import type { RunHandle, SendOptions, Transcript } from "../calls/api.js";
import type { Client } from "../calls/client.js";
import { freshKey } from "../calls/keys.js";
import { ApiError, type ClientError } from "../errors.js";
import type { SignalboxEvent, Snapshot } from "../events.gen.js";
import type { ConnectionState, StateDetail } from "../stream/options.js";
import {
  type ConversationView,
  emptyView,
  isOver,
  mended,
  type RunView,
  reduce,
  reduceAll,
  runOf,
} from "../view/view.js";
import type { Feed, FeedOptions } from "./feed.js";
import { soon } from "./frames.js";
import { Outgoing } from "./outgoing.js";
import { RestingFeed } from "./resting-feed.js";
import { feedOf, pageTabs, type Tabs } from "./tabs.js";
import { pageVisibility, type Visibility } from "./visibility.js";

export interface LiveState {
  readonly view: ConversationView;
  readonly connection: ConnectionState;
  /** How many events the last reconnect made up for; null before the first one. `at` is a `Date.now()`. */
  readonly resumed: { readonly events: number; readonly at: number } | null;
  /** Nothing of the conversation is known yet. */
  readonly loading: boolean;
  /** Why it could not be loaded or followed; null while all is well. */
  readonly error: Error | null;
}

export interface LiveOptions {
  /** With what tabs of one browser share a connection; null: each has its own. The platform's if absent. */
  tabs?: Tabs | null;
  /** Whether somebody looks: while nobody does, the connection is let go. The page's if absent; null: always. */
  visibility?: Visibility | null;
}

/** How long the old view stays while the events after a snapshot are still on their way. */
const PATIENCE_MS = 400;

/**
 * `conversationId` null: a new conversation, which gets its id from the first message. Nothing is read before the
 * first `subscribe` or `send`; after `close`, the next one goes on from where it stood.
 */
export class LiveConversation {
  readonly #client: Client;
  readonly #tabs: Tabs | null;
  readonly #visibility: Visibility | null;
  readonly #listeners = new Set<() => void>();
  readonly #eventListeners = new Set<(event: SignalboxEvent, id: string | null) => void>();
  readonly #outgoing = new Outgoing();
  #conversationId: string | null;
  #state: LiveState;
  /** What the server has said; `state.view` may also show what is being sent. */
  #view = emptyView;
  #queue: SignalboxEvent[] = [];
  #feed: Feed | null = null;
  #running = false;
  /** Counts starts and closes: answers to what an earlier life asked are dropped. */
  #life = 0;
  #beginning: Promise<unknown> | null = null;
  #planned: (() => void) | null = null;
  /** Until when an unfinished view may be kept back; 0: show what there is. */
  #patientUntil = 0;
  #rereading = false;

  constructor(client: Client, conversationId: string | null, options: LiveOptions = {}) {
    this.#client = client;
    this.#conversationId = conversationId;
    this.#tabs = options.tabs === undefined ? pageTabs() : options.tabs;
    this.#visibility = options.visibility === undefined ? pageVisibility() : options.visibility;
    const known = conversationId !== null;
    this.#state = {
      view: emptyView,
      connection: known ? "connecting" : "live",
      resumed: null,
      loading: known,
      error: null,
    };
  }

  get conversationId(): string | null {
    return this.#conversationId;
  }

  /** The same object until something changes, so that it can feed `useSyncExternalStore`. */
  get state(): LiveState {
    return this.#state;
  }

  /** Called at most once a frame, however many events came. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#start();
    return () => this.#listeners.delete(listener);
  }

  /** Every event as it came, duplicates already dropped. */
  onEvent(listener: (event: SignalboxEvent, id: string | null) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  /** The server's id of a run that may still be on its way (`isSending`), once it is known; null: it was refused. */
  takenAs(runId: string): Promise<string | null> {
    return this.#outgoing.idOf(runId);
  }

  /** Send a message here. The view shows it at once, and takes it back if it is refused. */
  async send(message: string, options: SendOptions = {}): Promise<RunHandle> {
    this.#start();
    this.#fold();
    const key = options.idempotencyKey ?? freshKey();
    this.#outgoing.add(key, message, options, this.#view);
    const sending = this.#deliver(key, message, options);
    this.#outgoing.asked(key, sending);
    this.#publish();
    return sending;
  }

  async #deliver(key: string, message: string, options: SendOptions): Promise<RunHandle> {
    // Two first messages at a time would begin two conversations.
    while (this.#conversationId === null && this.#beginning !== null) await this.#beginning.catch(() => {});
    const sending = this.#client.send(message, {
      ...options,
      conversationId: this.#conversationId ?? options.conversationId,
      idempotencyKey: key,
    });
    if (this.#conversationId === null) this.#beginning = sending;
    try {
      const run = await sending;
      this.#fold();
      this.#view = this.#outgoing.taken(key, run.runId, this.#view);
      this.#begun(run);
      return run;
    } finally {
      if (this.#beginning === sending) this.#beginning = null;
      this.#outgoing.drop(key);
      this.#publish();
    }
  }

  /** Try again now, after `connection` became `lost`. */
  reconnect(): void {
    if (this.#feed !== null) {
      this.#change({ error: null });
      this.#feed.reconnect();
    } else {
      this.#running = false;
      this.#start();
    }
  }

  close(): void {
    this.#running = false;
    this.#life += 1;
    this.#feed?.close();
    this.#feed = null;
    this.#planned?.();
    this.#planned = null;
  }

  // -- loading and following

  #start(): void {
    if (this.#running) return;
    this.#running = true;
    if (this.#conversationId === null) return;
    this.#change({ error: null, connection: "connecting", loading: this.#view === emptyView });
    this.#load();
  }

  #load(): void {
    const life = ++this.#life;
    this.#client.messages(this.#conversationId ?? "").then(
      (transcript) => life === this.#life && this.#loaded(transcript),
      (error: ClientError) => life === this.#life && this.#giveUp(error),
    );
  }

  #loaded({ snapshot, cursor }: Transcript): void {
    this.#queue = [];
    this.#rereading = false;
    this.#view = reduce(this.#view, snapshot);
    this.#patientUntil = Date.now() + PATIENCE_MS;
    this.#plan();
    this.#followFrom(cursor);
  }

  #begun({ conversationId }: RunHandle): void {
    if (this.#conversationId !== null) return;
    this.#conversationId = conversationId;
    this.#view = { ...this.#view, conversationId };
    if (this.#running) this.#followFrom(null);
  }

  #followFrom(cursor: string | null): void {
    this.#feed?.close();
    const life = ++this.#life;
    const mine = <A extends unknown[]>(act: (...args: A) => void) => {
      return (...args: A) => {
        if (life === this.#life) act(...args);
      };
    };
    const options = {
      cursor,
      onEvent: mine((event: SignalboxEvent, id: string | null) => this.#take(event, id)),
      onState: mine((state: ConnectionState, detail: StateDetail) => this.#connected(state, detail)),
      onGiveUp: mine((error: ClientError) => this.#giveUp(error)),
    };
    const open = (asked: FeedOptions) => feedOf(this.#client, this.#conversationId ?? "", asked, this.#tabs);
    const isBusy = () => this.#state.view.runs.some(isGoing);
    this.#feed =
      this.#visibility === null ? open(options) : new RestingFeed(open, options, this.#visibility, isBusy);
    this.#feed.start();
  }

  #take(event: SignalboxEvent, id: string | null): void {
    for (const listener of this.#eventListeners) listener(event, id);
    if (event.type === "gap") this.#patientUntil = Date.now() + PATIENCE_MS;
    this.#queue.push(event);
    this.#plan();
  }

  #connected(connection: ConnectionState, { resumedEvents }: StateDetail): void {
    // A stream that takes another one's place is no news.
    if (connection === "connecting" && this.#state.connection === "live") return;
    this.#change({
      connection,
      ...(connection === "live" && { error: null }),
      ...(resumedEvents !== undefined && { resumed: { events: resumedEvents, at: Date.now() } }),
    });
  }

  #giveUp(error: ClientError): void {
    this.#patientUntil = 0;
    const connection = error instanceof ApiError ? "ended" : "lost";
    this.#change({ error, connection, loading: false });
  }

  // -- the view

  #plan(): void {
    this.#planned ??= soon(() => {
      this.#planned = null;
      this.#show();
    });
  }

  #show(): void {
    this.#fold();
    if (Date.now() < this.#patientUntil && isUnfinished(this.#view, this.#state.view)) {
      this.#plan();
      return;
    }
    this.#patientUntil = 0;
    this.#publish();
    this.#reread();
  }

  #fold(): void {
    const events = this.#queue;
    this.#queue = [];
    this.#view = reduceAll(this.#view, events);
  }

  /** Of a run that is over, but lost events while it ran, the store has all there is. */
  #reread(): void {
    if (this.#rereading || !this.#view.runs.some((run) => run.holed && isOver(run) && !run.retracted)) return;
    this.#rereading = true;
    const life = this.#life;
    const done = (mend: () => void) => {
      if (life !== this.#life) return;
      this.#rereading = false;
      mend();
    };
    this.#client.messages(this.#conversationId ?? "").then(
      ({ snapshot }) => done(() => this.#mend(snapshot)),
      // What is shown stays; the next event tries again.
      () => done(() => {}),
    );
  }

  #mend(snapshot: Snapshot): void {
    this.#fold();
    this.#view = mended(this.#view, snapshot);
    this.#publish();
  }

  #publish(): void {
    const view = this.#outgoing.shownIn(this.#view);
    const loading = this.#state.loading && this.#feed === null && this.#state.error === null;
    if (view !== this.#state.view || loading !== this.#state.loading) this.#change({ view, loading });
  }

  #change(changes: Partial<LiveState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

function isGoing(run: RunView): boolean {
  return !run.retracted && (run.status === "pending" || run.status === "running");
}

/**
 * Whether a gap waits for its snapshot, or a run that goes on for the events that make it whole: those from its start,
 * and of an answer as many as were shown before.
 */
function isUnfinished(view: ConversationView, shown: ConversationView): boolean {
  if (view.gap !== null || view.runs.some((run) => run.holed && run.status === "running")) return true;
  const half = shown.messages.filter((message) => message.status === "streaming");
  return half.some(({ messageId, runId, text }) => {
    const run = runOf(view, runId);
    if (run === undefined || run.retracted || isOver(run)) return false;
    const now = view.messages.find((message) => message.messageId === messageId);
    return (now?.text.length ?? 0) < text.length;
  });
}
