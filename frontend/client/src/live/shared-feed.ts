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
/** The lock is kept until the others have heard that the leader gave up, or each would try what it tried. */
const FAREWELL_MS = 100;

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
  /** Why it neither leads nor waits for its turn; null while it does. */
  #gaveUp: ClientError | null = null;
  #resigning: ReturnType<typeof setTimeout> | undefined;
  #asking: ReturnType<typeof setInterval> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #unlisten: () => void = () => {};
  #closed = false;

  constructor(
    private readonly source: Source,
    private readonly conversationId: string,
    private readonly options: FeedOptions,
    private readonly tabs: Tabs,
    name: string,
    channel: Channel,
  ) {
    this.cursor = options.cursor;
    this.#channel = channel;
    this.#leadership = new Leadership(tabs.locks, name, (leading) =>
      leading ? this.#lead() : this.#replaced(),
    );
  }

  start(): void {
    this.#channel.onmessage = ({ data }) => this.#heard(data as Said);
    this.#unlisten = this.tabs.wake.listen((signal) => signal !== "offline" && this.#woken());
    this.#join();
  }

  reconnect(): void {
    if (this.#stream) {
      this.#stream.reconnect();
    } else {
      this.#say({ kind: "reconnect" });
      if (this.#gaveUp === null) this.#ask();
      else this.#join();
    }
  }

  close(): void {
    this.#closed = true;
    this.#unlisten();
    this.#hush();
    this.#leave();
    clearTimeout(this.#resigning);
    this.#leadership.close();
    this.#channel.onmessage = null;
    this.#channel.close();
  }

  /** Wait for the lead, and meanwhile follow whoever has it. */
  #join(): void {
    if (this.#gaveUp !== null) this.#stepDown();
    this.#gaveUp = null;
    this.#leadership.queue();
    this.#follow();
  }

  #woken(): void {
    if (this.#gaveUp === null) this.#ask();
    // A refusal stays one, whoever looks.
    else if (!(this.#gaveUp instanceof ApiError)) this.#join();
  }

  // -- leading

  #lead(): void {
    this.#hush();
    this.#gaveUp = null;
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
    this.#flush();
    this.#say({ kind: "over", state: this.#state, error: saved(error) });
    this.#rest(error);
    this.#resigning = setTimeout(() => this.#stepDown(), FAREWELL_MS);
    this.options.onGiveUp(error);
  }

  /** Whoever comes later, or is told to, may try: this tab no longer stands in their way. */
  #rest(error: ClientError): void {
    this.#gaveUp = error;
    this.#held = null;
    this.#hush();
    this.#leave();
  }

  #stepDown(): void {
    clearTimeout(this.#resigning);
    this.#leadership.stepDown();
  }

  #replaced(): void {
    if (this.#gaveUp === null) this.#follow();
    else this.#stepDown();
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
    if (this.#gaveUp !== null) {
      // Somebody else got through.
      if (said.kind === "over" || (said.kind === "here" && said.state !== "live")) return;
      this.#join();
    }
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
    const known = restored(error);
    this.#state = state;
    this.#rest(known);
    this.#stepDown();
    this.options.onState(state, { error: known });
    this.options.onGiveUp(known);
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
