/**
 * One connection per conversation, however many tabs of a browser show it. One tab leads: it has the stream, and hands
 * every event to the others over a `BroadcastChannel`. Each tab knows its own place: a follower that finds a hole
 * fetches what it missed, and one that becomes the leader streams on from where it stands.
 */

import { ApiError, ClientError, ConnectionLost } from "../errors.js";
import type { SignalboxEvent } from "../events.gen.js";
import type { ConnectionState, StateDetail } from "../stream/options.js";
import type { Feed, FeedOptions, Source } from "./feed.js";
import { Leadership } from "./leadership.js";
import { isBehind, isNext, isPast } from "./positions.js";
import { restored, type Said, saved, type Told } from "./tab-messages.js";
import type { Channel, Tabs } from "./tabs.js";

/** How often a tab that is looked at asks whether the leader is alive, and how long the answer may take. */
const ASK_MS = 3_000;
const ANSWER_MS = 1_000;

export class SharedFeed implements Feed {
  cursor: string | null;
  readonly #leadership: Leadership;
  readonly #channel: Channel;
  #stream: Feed | null = null;
  #state: ConnectionState = "connecting";
  #outbox: Told[] = [];
  /** What came while a hole is being filled; null while there is none. */
  #held: Told[] | null = null;
  /** It has been level with the leader: what it fetches from now on makes up for something. */
  #joined = false;
  #asking: ReturnType<typeof setInterval> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #unlisten: () => void = () => {};
  #closed = false;

  constructor(
    private readonly source: Source,
    private readonly conversationId: string,
    private readonly options: FeedOptions,
    private readonly tabs: Tabs,
  ) {
    this.cursor = options.cursor;
    const name = `signalbox:${source.connection.url}:${conversationId}`;
    this.#channel = tabs.open(name);
    this.#leadership = new Leadership(tabs.locks, name, (leading) =>
      leading ? this.#lead() : this.#follow(),
    );
  }

  start(): void {
    this.#channel.onmessage = ({ data }) => this.#heard(data as Said);
    this.#unlisten = this.tabs.wake.listen((signal) => signal !== "offline" && this.#ask());
    this.#leadership.queue();
    this.#follow();
  }

  reconnect(): void {
    if (this.#stream) {
      this.#stream.reconnect();
    } else {
      this.#say({ kind: "reconnect" });
      this.#ask();
    }
  }

  close(): void {
    this.#closed = true;
    this.#unlisten();
    this.#hush();
    this.#leave();
    this.#leadership.close();
    this.#channel.onmessage = null;
    this.#channel.close();
  }

  // -- leading

  #lead(): void {
    this.#hush();
    this.#held = null;
    this.#joined = true;
    const mine = <A extends unknown[]>(act: (...args: A) => void) => {
      return (...args: A) => {
        if (this.#stream === stream) act(...args);
      };
    };
    const stream: Feed = this.source.stream(
      { conversationId: this.conversationId },
      {
        cursor: this.cursor,
        onEvent: mine((event: SignalboxEvent, id: string | null) => this.#pass(event, id)),
        onState: mine((state: ConnectionState, detail: StateDetail) => this.#announce(state, detail)),
        onGiveUp: mine((error: ClientError) => this.#giveUp(error)),
      },
    );
    this.#stream = stream;
    stream.start();
  }

  #pass(event: SignalboxEvent, id: string | null): void {
    // A whole read of the connection goes out as one message.
    if (this.#outbox.push([event, id]) === 1) queueMicrotask(() => this.#flush());
    this.#deliver(event, id);
  }

  #flush(): void {
    const events = this.#outbox;
    this.#outbox = [];
    if (events.length > 0) this.#say({ kind: "events", events });
  }

  #announce(state: ConnectionState, detail: StateDetail): void {
    this.#state = state;
    this.#flush();
    const { resumedEvents, retryInMs } = detail;
    this.#say({
      kind: "here",
      cursor: this.cursor,
      state,
      ...(resumedEvents !== undefined && { resumedEvents }),
      ...(retryInMs !== undefined && { retryInMs }),
    });
    this.options.onState(state, detail);
  }

  #giveUp(error: ClientError): void {
    this.#say({ kind: "over", state: this.#state, error: saved(error) });
    this.options.onGiveUp(error);
  }

  // -- following

  #leave(): void {
    const stream = this.#stream;
    this.#stream = null;
    stream?.close();
    this.#flush();
  }

  #follow(): void {
    this.#leave();
    this.#hush();
    this.#asking = setInterval(() => this.tabs.visible() && this.#ask(), ASK_MS);
    this.#ask();
  }

  /** Make sure that there is a leader: a frozen tab keeps its lock, but does not answer. */
  #ask(): void {
    if (this.#closed || this.#stream !== null) return;
    this.#say({ kind: "ask" });
    this.#deadline ??= setTimeout(() => {
      this.#deadline = undefined;
      this.#leadership.take();
    }, ANSWER_MS);
  }

  #answered(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  #hush(): void {
    clearInterval(this.#asking);
    this.#answered();
  }

  #heard(said: Said): void {
    if (this.#stream !== null) {
      if (said.kind === "ask") this.#say({ kind: "here", cursor: this.cursor, state: this.#state });
      if (said.kind === "reconnect") this.#stream.reconnect();
      return;
    }
    if (said.kind === "ask" || said.kind === "reconnect") return;
    this.#answered();
    if (said.kind === "events") for (const [event, id] of said.events) this.#take(event, id);
    else if (said.kind === "here") this.#heardWhere(said);
    else this.#heardEnd(said);
  }

  #heardWhere({ cursor, state, resumedEvents, retryInMs }: Extract<Said, { kind: "here" }>): void {
    if (state !== this.#state || resumedEvents !== undefined) {
      this.#state = state;
      this.options.onState(state, {
        ...(resumedEvents !== undefined && { resumedEvents }),
        ...(retryInMs !== undefined && { retryInMs }),
      });
    }
    // What the leader had before this was sent before it: what is not here by now is not coming.
    if (isBehind(this.cursor, cursor)) this.#fill([], cursor);
    else this.#joined = true;
  }

  #heardEnd({ state, error }: Extract<Said, { kind: "over" }>): void {
    this.#state = state;
    this.options.onState(state, { error: restored(error) });
    this.options.onGiveUp(restored(error));
  }

  #take(event: SignalboxEvent, id: string | null): void {
    if (this.#held !== null) {
      this.#held.push([event, id]);
      return;
    }
    // A snapshot stands for all before it, wherever this tab is.
    if (event.type === "gap" || event.type === "snapshot" || isNext(this.cursor, id))
      this.#deliver(event, id);
    else if (!isPast(this.cursor, id)) this.#fill([[event, id]], id);
  }

  /** Fetch what is missing between this tab's place and `upTo`, or what the leader has told meanwhile. */
  #fill(held: Told[], upTo: string | null): void {
    if (this.#held !== null) return;
    this.#held = held;
    this.#fetch(held, upTo).then(
      (count) => this.#filled(held, count),
      (error: unknown) => this.#unfilled(held, error),
    );
  }

  async #fetch(held: Told[], upTo: string | null): Promise<number> {
    for (let count = 0; ; ) {
      const { events, cursor } = await this.source.eventsAfter(this.conversationId, this.cursor);
      if (this.#held !== held || this.#closed) return count;
      const epoch = cursor?.split("-")[0] ?? "";
      for (const event of events) {
        const id = event.type === "gap" ? null : `${epoch}-${event.seq}`;
        if (event.type !== "snapshot" && isPast(this.cursor, id)) continue;
        this.#deliver(event, id);
        count += 1;
      }
      const next = held.find(([, id]) => id !== null && !isPast(this.cursor, id));
      if (events.length === 0 || !isBehind(this.cursor, upTo)) return count;
      if (next && isNext(this.cursor, next[1])) return count;
    }
  }

  #filled(held: Told[], count: number): void {
    if (this.#held !== held || this.#closed) return;
    this.#held = null;
    if (count > 0 && this.#joined) this.options.onState(this.#state, { resumedEvents: count });
    this.#joined = true;
    for (const [event, id] of held) this.#take(event, id);
  }

  #unfilled(held: Told[], error: unknown): void {
    if (this.#held !== held || this.#closed) return;
    this.#held = null;
    const known = error instanceof ClientError ? error : new ConnectionLost(String(error));
    this.#state = known instanceof ApiError ? "ended" : "lost";
    this.options.onState(this.#state, { error: known });
    this.options.onGiveUp(known);
  }

  #deliver(event: SignalboxEvent, id: string | null): void {
    if (this.#closed) return;
    if (id) this.cursor = id;
    this.options.onEvent(event, id);
  }

  #say(said: Said): void {
    this.#channel.postMessage(said);
  }
}
