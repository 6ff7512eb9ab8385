/** A server, and a browser's tabs, in memory: what of them a conversation that is followed needs. */

import {
  ApiError,
  type Client,
  type ClientError,
  type SignalboxEvent,
  type Tabs,
  type Visibility,
  type WakeSignal,
} from "../src/index.js";
import type { Feed, FeedOptions, Source } from "../src/live/feed.js";
import type { Locks } from "../src/live/leadership.js";
import type { Channel } from "../src/live/tabs.js";

type Loose = { type: SignalboxEvent["type"] } & Record<string, unknown>;

/** One conversation's log and what is asked of it. */
export class World {
  epoch = "0a1b2c3d";
  readonly log: SignalboxEvent[] = [];
  readonly streams = new Set<FakeStream>();
  /** What was asked, in order. */
  readonly asked: string[] = [];
  /** What `GET messages` tells; the log's end is its cursor unless said. */
  stored: { messages: unknown[]; runs: unknown[]; after?: number } = { messages: [], runs: [] };
  /** What stands in the way of the next calls. */
  refuse: Error | null = null;
  /** How a stream ends as soon as it is open. */
  ends: ClientError | null = null;
  /** Holds a message back until it is resolved. */
  sending: Promise<unknown> = Promise.resolve();

  append(...events: Loose[]): void {
    for (const event of events) {
      this.log.push({
        run_id: "r_1",
        ...event,
        conversation_id: "c_1",
        seq: this.log.length + 1,
        ts: "",
      } as never);
    }
    for (const stream of this.streams) stream.deliver();
  }

  say(text: string, runId = "r_1"): void {
    this.append({
      type: "chunk",
      message_id: `${runId}_answer`,
      agent: "general",
      content: text,
      run_id: runId,
    });
  }

  begin(runId: string, message: string): void {
    this.append({
      type: "run_started",
      run_id: runId,
      attempt: 1,
      user_message_id: `${runId}_asked`,
      message,
    });
  }

  id(seq: number): string {
    return `${this.epoch}-${seq}`;
  }

  after(cursor: string | null): SignalboxEvent[] {
    return this.log.slice(Number(cursor?.split("-")[1] ?? 0));
  }

  /** A client of this server, as one tab has it. */
  client(key?: string): Client {
    const connection = { url: "", headers: key === undefined ? {} : { Authorization: `Bearer ${key}` } };
    return {
      connection,
      stream: (_: unknown, options: FeedOptions) => new FakeStream(this, options),
      eventsAfter: async (_: string, cursor: string | null) => {
        this.asked.push(`page after ${cursor}`);
        if (this.refuse) throw this.refuse;
        const events = this.after(cursor).slice(0, 3);
        return { events, cursor: events.length > 0 ? this.id(events.at(-1)?.seq ?? 0) : cursor };
      },
      messages: async () => {
        this.asked.push("messages");
        if (this.refuse) throw this.refuse;
        const seq = this.stored.after ?? this.log.length;
        const { messages, runs } = this.stored;
        const snapshot = {
          type: "snapshot",
          conversation_id: "c_1",
          run_id: "",
          seq,
          ts: "",
          omitted: 0,
          messages,
          runs,
        };
        return { snapshot, cursor: this.id(seq) };
      },
      send: async (message: string, options: object) => {
        this.asked.push(`send ${JSON.stringify({ message, ...options, idempotencyKey: undefined })}`);
        await this.sending;
        if (this.refuse) throw this.refuse;
        return { runId: `r_${message}`, conversationId: "c_1" };
      },
    } as unknown as Client & Source;
  }
}

/** A stream as `EventStream` is one, over the world's log. */
export class FakeStream implements Feed {
  cursor: string | null;
  /** Nothing gets through. */
  frozen = false;
  #closed = false;

  constructor(
    readonly world: World,
    readonly options: FeedOptions,
  ) {
    this.cursor = options.cursor;
  }

  start(): void {
    this.world.asked.push(`stream after ${this.cursor}`);
    this.world.streams.add(this);
    this.options.onState("connecting", {});
    if (this.world.ends === null) {
      this.options.onState("live", {});
      this.deliver();
    } else {
      this.end(this.world.ends);
    }
  }

  /** As `EventStream` ends: refused by the server, or tired of trying. */
  end(error: ClientError): void {
    this.options.onState(error instanceof ApiError ? "ended" : "lost", { error });
    this.options.onGiveUp(error);
  }

  deliver(): void {
    if (this.frozen || this.#closed) return;
    for (const event of this.world.after(this.cursor)) this.give(event, this.world.id(event.seq));
  }

  give(event: SignalboxEvent, id: string | null): void {
    if (id) this.cursor = id;
    this.options.onEvent(event, id);
  }

  reconnect(): void {
    this.world.asked.push(`reconnect after ${this.cursor}`);
    this.options.onState("live", { resumedEvents: 0 });
    this.deliver();
  }

  close(): void {
    this.#closed = true;
    this.world.streams.delete(this);
    this.options.onState("ended", {});
  }
}

/** A page that is looked at, or not. */
export class FakePage implements Visibility {
  visible = true;
  readonly #listeners = new Set<() => void>();

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  show(visible: boolean): void {
    this.visible = visible;
    for (const listener of this.#listeners) listener();
  }
}

interface Waiting {
  held: () => Promise<void>;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** A browser: its locks and channels reach all tabs, but not one that is frozen. */
export class Browser {
  readonly tabs: FakeTab[] = [];
  readonly #locks = new Map<string, Lock>();

  open(): FakeTab {
    const tab = new FakeTab(this);
    this.tabs.push(tab);
    return tab;
  }

  lock(name: string): Lock {
    const lock = this.#locks.get(name) ?? new Lock();
    this.#locks.set(name, lock);
    return lock;
  }
}

class Lock {
  #holder: Waiting | null = null;
  #queue: Waiting[] = [];

  request(options: { signal?: AbortSignal; steal?: boolean }, held: () => Promise<void>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting = { held, resolve, reject };
      if (options.steal) {
        this.#holder?.reject(new DOMException("stolen", "AbortError"));
        this.#grant(waiting);
        return;
      }
      options.signal?.addEventListener("abort", () => {
        this.#queue = this.#queue.filter((each) => each !== waiting);
        reject(new DOMException("aborted", "AbortError"));
      });
      this.#queue.push(waiting);
      this.#next();
    });
  }

  #next(): void {
    const first = this.#holder === null ? this.#queue.shift() : undefined;
    if (first) this.#grant(first);
  }

  #grant(waiting: Waiting): void {
    this.#holder = waiting;
    Promise.resolve()
      .then(waiting.held)
      .then((value) => {
        waiting.resolve(value);
        if (this.#holder !== waiting) return;
        this.#holder = null;
        this.#next();
      });
  }
}

export class FakeTab implements Tabs {
  frozen = false;
  looked = true;
  readonly channels = new Set<FakeChannel>();
  readonly #listeners = new Set<(signal: WakeSignal) => void>();
  readonly #postponed: (() => void)[] = [];

  constructor(readonly browser: Browser) {}

  readonly locks: Locks = {
    // A frozen tab asks for nothing, and learns what it got or lost when it runs again.
    request: (name, options, held) =>
      new Promise((resolve, reject) => {
        const run = () => new Promise<void>((done) => this.run(() => done(held())));
        this.run(() =>
          this.browser
            .lock(name)
            .request(options, run)
            .then(resolve, (error) => this.run(() => reject(error))),
        );
      }),
  };

  readonly wake = {
    online: true,
    listen: (listener: (signal: WakeSignal) => void) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
  };

  open(name: string): Channel {
    return new FakeChannel(this, name);
  }

  visible(): boolean {
    return this.looked && !this.frozen;
  }

  run(task: () => void): void {
    if (this.frozen) this.#postponed.push(task);
    else task();
  }

  signal(signal: WakeSignal): void {
    for (const listener of this.#listeners) listener(signal);
  }

  freeze(): void {
    this.frozen = true;
  }

  thaw(): void {
    this.frozen = false;
    for (const task of this.#postponed.splice(0)) task();
    this.signal("thawed");
  }
}

class FakeChannel implements Channel {
  onmessage: ((message: { data: unknown }) => void) | null = null;

  constructor(
    readonly tab: FakeTab,
    readonly name: string,
  ) {
    tab.channels.add(this);
  }

  postMessage(message: unknown): void {
    const data = structuredClone(message);
    for (const tab of this.tab.browser.tabs) {
      for (const channel of tab.channels) {
        if (channel === this || channel.name !== this.name) continue;
        setTimeout(() => tab.run(() => channel.onmessage?.({ data })), 0);
      }
    }
  }

  close(): void {
    this.tab.channels.delete(this);
  }
}
