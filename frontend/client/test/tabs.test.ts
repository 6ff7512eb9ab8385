/** Several tabs of a browser share one connection, and none of them loses or doubles an event, whatever happens. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ApiError,
  type ClientError,
  ConnectionLost,
  type ConnectionState,
  type SignalboxEvent,
} from "../src/index.js";
import { channelName } from "../src/live/channel-name.js";
import type { Feed, Source } from "../src/live/feed.js";
import { feedOf, pageTabs } from "../src/live/tabs.js";
import { Browser, type FakeStream, type FakeTab, World } from "./world.js";

/** A tab that follows the conversation, and what it was told. */
class Reader {
  readonly seqs: number[] = [];
  readonly states: ConnectionState[] = [];
  resumed: number[] = [];
  error: ClientError | null = null;
  readonly feed: Feed;
  readonly stream: () => FakeStream | undefined;

  constructor(
    world: World,
    readonly tab: FakeTab,
    cursor: string | null = null,
    key?: string,
  ) {
    const client = world.client(key) as unknown as Source;
    let mine: FakeStream | undefined;
    const source = {
      ...client,
      stream: (...args: Parameters<Source["stream"]>) => {
        mine = client.stream(...args) as FakeStream;
        return mine;
      },
    };
    this.stream = () => (mine && world.streams.has(mine) ? mine : undefined);
    const options = {
      cursor,
      onEvent: (event: SignalboxEvent) => this.seqs.push(event.seq),
      onState: (state: ConnectionState, detail: { resumedEvents?: number }) => {
        this.states.push(state);
        if (detail.resumedEvents !== undefined) this.resumed.push(detail.resumedEvents);
      },
      onGiveUp: (error: ClientError) => {
        this.error = error;
      },
    };
    this.feed = feedOf(source, "c_1", options, tab);
    this.feed.start();
  }

  get leads(): boolean {
    return this.stream() !== undefined;
  }
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

let world: World;
let browser: Browser;
const settle = (ms = 50) => vi.advanceTimersByTimeAsync(ms);

async function readers(count: number): Promise<Reader[]> {
  const opened: Reader[] = [];
  for (let at = 0; at < count; at += 1) {
    opened.push(new Reader(world, browser.open()));
    await settle();
  }
  return opened;
}

beforeEach(() => {
  vi.useFakeTimers();
  world = new World();
  browser = new Browser();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("one connection for all tabs", () => {
  it("is the first tab's, and all get each event once", async () => {
    world.begin("r_1", "q");
    const tabs = await readers(4);
    for (let at = 0; at < 20; at += 1) {
      world.say("x");
      if (at % 3 === 0) await settle(1);
    }
    await settle();
    expect(world.streams.size).toBe(1);
    expect(tabs.map((each) => each.leads)).toEqual([true, false, false, false]);
    for (const each of tabs) expect(each.seqs).toEqual(upTo(21));
    for (const each of tabs) expect(each.states.at(-1)).toBe("live");
  });

  it("goes to another tab when the first one is closed", async () => {
    const tabs = await readers(3);
    world.say("a");
    await settle();
    tabs[0]?.feed.close();
    world.say("b");
    await settle();
    world.say("c");
    await settle();
    expect(world.streams.size).toBe(1);
    expect(tabs.slice(1).map((each) => each.leads)).toEqual([true, false]);
    for (const each of tabs.slice(1)) expect(each.seqs).toEqual([1, 2, 3]);
    expect(tabs[0]?.seqs).toEqual([1]);
  });

  it("is not opened anew for a tab that comes later: it fetches what it lacks", async () => {
    await readers(1);
    for (let at = 0; at < 8; at += 1) world.say("x");
    await settle();
    const late = new Reader(world, browser.open(), world.id(2));
    await settle();
    expect(late.seqs).toEqual(upTo(8, 3));
    expect(late.resumed, "it made up for nothing").toEqual([]);
    expect(world.asked.filter((each) => each.startsWith("stream"))).toHaveLength(1);
    expect(world.asked.filter((each) => each.startsWith("page"))[0]).toBe(`page after ${world.id(2)}`);
  });

  it("tells every tab its state, and that it was refused", async () => {
    const tabs = await readers(3);
    const stream = tabs[0]?.stream();
    stream?.options.onState("resuming", { retryInMs: 5 });
    await settle();
    expect(tabs.map((each) => each.states.at(-1))).toEqual(Array(3).fill("resuming"));
    const gone = new ApiError("There is no conversation under that id.", "not_found", 404, false);
    stream?.options.onState("ended", { error: gone });
    stream?.options.onGiveUp(gone);
    await settle();
    for (const each of tabs) expect(each.states.at(-1)).toBe("ended");
    for (const each of tabs)
      expect(each.error).toMatchObject({ name: "ApiError", code: "not_found", status: 404 });
  });

  it("is made anew when any of the tabs wants it", async () => {
    const tabs = await readers(2);
    tabs[1]?.feed.reconnect();
    await settle();
    expect(world.asked.filter((each) => each.startsWith("reconnect"))).toHaveLength(1);
    expect(tabs.map((each) => each.leads)).toEqual([true, false]);
  });
});

describe("a follower", () => {
  it("fills the hole that lost messages left, while new ones come", async () => {
    const [leader, follower] = await readers(2);
    const channel = [...(follower?.tab.channels ?? [])][0];
    const hear = channel?.onmessage ?? null;
    if (channel) channel.onmessage = null; // nothing reaches it
    for (let at = 0; at < 5; at += 1) world.say("lost");
    await settle();
    if (channel) channel.onmessage = hear;
    for (let at = 0; at < 5; at += 1) {
      world.say("heard");
      await settle(1);
    }
    await settle();
    expect(leader?.seqs).toEqual(upTo(10));
    expect(follower?.seqs).toEqual(upTo(10));
    expect(follower?.resumed.length, "it tells what it made up for").toBeGreaterThan(0);
    expect(follower?.leads).toBe(false);
  });

  it("notices a hole that no event follows", async () => {
    const [, follower] = await readers(2);
    const channel = [...(follower?.tab.channels ?? [])][0];
    const hear = channel?.onmessage ?? null;
    if (channel) channel.onmessage = null;
    world.say("lost");
    await settle();
    if (channel) channel.onmessage = hear;
    await settle(3_500);
    expect(follower?.seqs).toEqual([1]);
  });

  it("takes a snapshot from the leader, wherever it stands", async () => {
    const tabs = await readers(2);
    world.say("a");
    await settle();
    const stream = tabs[0]?.stream();
    const base = { conversation_id: "c_1", run_id: "", ts: "" };
    world.epoch = "ffffffff";
    stream?.give({ ...base, type: "gap", seq: 0, reason: "unknown_epoch" }, null);
    stream?.give({ ...base, type: "snapshot", seq: 0, omitted: 0, messages: [], runs: [] }, world.id(0));
    stream?.deliver();
    world.say("b");
    await settle();
    for (const each of tabs) expect(each.seqs).toEqual([1, 0, 0, 1, 2]);
    expect(world.asked.filter((each) => each.startsWith("page"))).toEqual([]);
  });

  it("tells when what it lacks cannot be had", async () => {
    await readers(1);
    world.say("a");
    await settle();
    world.refuse = new ApiError("Gone.", "not_found", 404, false);
    const late = new Reader(world, browser.open());
    await settle();
    expect(late.error).toBe(world.refuse);
    expect(late.states.at(-1)).toBe("ended");
  });
});

describe("a leader that is frozen", () => {
  it.each([1, 3])(
    "is succeeded within 5 s by one of %i others, and becomes a follower when it thaws",
    async (others) => {
      const tabs = await readers(1 + others);
      const [first] = tabs;
      const stream = first?.stream();
      world.say("a");
      await settle();
      first?.tab.freeze();
      if (stream) stream.frozen = true;
      world.say("b");
      world.say("c");
      await settle(5_000);
      for (const each of tabs.slice(1)) expect(each.seqs).toEqual([1, 2, 3]);
      expect(tabs.slice(1).filter((each) => each.leads)).toHaveLength(1);
      expect(first?.seqs).toEqual([1]);

      if (stream) stream.frozen = false;
      stream?.deliver();
      first?.tab.thaw();
      world.say("d");
      await settle(5_000);
      world.say("e");
      await settle();
      expect(first?.leads).toBe(false);
      expect(world.streams.size).toBe(1);
      for (const each of tabs) expect(each.seqs).toEqual(upTo(5));
    },
  );

  it("is noticed within 2 s by a tab that is looked at again", async () => {
    const [first, second] = await readers(2);
    if (second) second.tab.looked = false;
    await settle(10_000);
    first?.tab.freeze();
    const stream = first?.stream();
    if (stream) stream.frozen = true;
    world.say("a");
    await settle(30_000);
    expect(second?.seqs).toEqual([]);
    if (second) second.tab.looked = true;
    second?.tab.signal("visible");
    await settle(2_000);
    expect(second?.seqs).toEqual([1]);
  });

  it("is noticed within 2 s by a tab that is opened", async () => {
    const [first] = await readers(1);
    first?.tab.freeze();
    const stream = first?.stream();
    if (stream) stream.frozen = true;
    world.say("a");
    const second = new Reader(world, browser.open());
    await settle(2_000);
    expect([second.seqs, second.states.at(-1)]).toEqual([[1], "live"]);
  });
});

describe("a leader that gave up", () => {
  const refused = new ApiError("The key is not valid.", "unauthorized", 401, false);
  const lost = new ConnectionLost("no network");

  it("makes way for a tab that comes later, and goes on with it", async () => {
    world.ends = refused;
    const [first] = await readers(1);
    await settle(2_000);
    expect([first?.leads, first?.states.at(-1), first?.error]).toEqual([false, "ended", refused]);
    world.ends = null;
    const second = new Reader(world, browser.open());
    await settle();
    world.say("a");
    await settle();
    expect([second.leads, second.error, second.states]).toEqual([true, null, ["connecting", "live"]]);
    expect([first?.leads, first?.states.at(-1), first?.seqs]).toEqual([false, "live", [1]]);
  });

  it("spares the others what it tried", async () => {
    const tabs = await readers(3);
    tabs[0]?.stream()?.end(lost);
    await settle(60_000);
    expect(world.asked.filter((each) => each.startsWith("stream"))).toHaveLength(1);
    expect(world.streams.size).toBe(0);
    for (const each of tabs) expect(each.states.at(-1)).toBe("lost");
    for (const each of tabs) expect(each.error?.message).toBe(lost.message);
  });

  it.each([0, 1])("lets tab %i try again when it is asked to, for all", async (which) => {
    const tabs = await readers(2);
    tabs[0]?.stream()?.end(refused);
    if (which > 0) await settle(5_000);
    tabs[which]?.feed.reconnect();
    world.say("a");
    await settle(500);
    expect(tabs.filter((each) => each.leads)).toHaveLength(1);
    for (const each of tabs) expect([each.states.at(-1), each.seqs]).toEqual(["live", [1]]);
  });

  it("tries again when the device wakes, but not what the server refused", async () => {
    const tabs = await readers(2);
    tabs[0]?.stream()?.end(lost);
    await settle(5_000);
    for (const each of tabs) each.tab.signal("online");
    await settle(500);
    expect(world.streams.size).toBe(1);
    for (const each of tabs) expect(each.states.at(-1)).toBe("live");
    [...world.streams][0]?.end(refused);
    await settle(5_000);
    for (const each of tabs) each.tab.signal("online");
    await settle(5_000);
    expect(world.streams.size).toBe(0);
    for (const each of tabs) expect(each.states.at(-1)).toBe("ended");
  });
});

describe("tabs of different users", () => {
  it("hear nothing of each other", async () => {
    const mine = new Reader(world, browser.open(), null, "mine");
    await settle();
    const log = world;
    world = new World();
    const theirs = new Reader(world, browser.open(), null, "theirs");
    await settle();
    log.begin("r_1", "a secret");
    await settle(5_000);
    expect([mine.seqs, theirs.seqs]).toEqual([[1], []]);
    expect([log.streams.size, world.streams.size]).toEqual([1, 1]);
  });

  it("have other names, which do not tell their keys", () => {
    const named = (key: string) =>
      channelName({ url: "https://chat.example", headers: { Authorization: `Bearer ${key}` } }, "c_1");
    expect(named("sk_1")).toBe(named("sk_1"));
    expect(named("sk_1")).not.toBe(named("sk_2"));
    expect(named("sk_1")).not.toContain("sk_1");
    expect(named("sk_1")).not.toBe(channelName({ url: "https://chat.example", headers: {} }, "c_1"));
  });

  it("have one name for one server, in full or as the page's own", () => {
    vi.stubGlobal("location", { href: "https://chat.example/c/c_1?x" });
    const named = (url: string) => channelName({ url, headers: {} }, "c_1");
    expect(named("")).toBe(named("https://chat.example"));
    expect(named("https://chat.example:443")).toBe(named(""));
    expect(named("https://chat.example/api")).not.toBe(named(""));
    vi.unstubAllGlobals();
  });
});

describe("chance", () => {
  it.each(Array.from({ length: 20 }, (_, at) => at))(
    "of closing, freezing and opening loses nothing: %i",
    async (seed) => {
      let state = seed * 7_919 + 1;
      const dice = (sides: number) => {
        state = (state * 48_271) % 2_147_483_647;
        return state % sides;
      };
      let open: Reader[] = await readers(3);
      const frozen: Reader[] = [];
      const closed: Reader[] = [];
      for (let at = 0; at < 120; at += 1) {
        world.say("x");
        if (dice(2)) await settle(dice(400));
        const pick = open[dice(open.length)];
        const fate = dice(30);
        if (fate === 0 && pick && open.length > 1) {
          pick.feed.close();
          open = open.filter((each) => each !== pick);
          closed.push(pick);
        } else if (fate === 1 && pick && open.length > 1) {
          const stream = pick.stream();
          if (stream) stream.frozen = true;
          pick.tab.freeze();
          open = open.filter((each) => each !== pick);
          frozen.push(pick);
        } else if (fate === 2 && frozen.length > 0) {
          const back = frozen.pop();
          const stream = back?.stream();
          if (stream) stream.frozen = false;
          stream?.deliver();
          back?.tab.thaw();
          if (back) open.push(back);
        } else if (fate === 3) {
          open.push(new Reader(world, browser.open()));
        }
      }
      await settle(8_000);
      for (const each of open) expect(each.seqs).toEqual(upTo(120));
      for (const each of closed) expect(each.seqs).toEqual(upTo(each.seqs.length));
      expect([...world.streams].filter((each) => !each.frozen)).toHaveLength(1);
    },
  );
});

describe("where tabs cannot agree", () => {
  it("each has a connection of its own", () => {
    expect(pageTabs({} as typeof globalThis)).toBeNull();
    expect(pageTabs({ document: {}, navigator: { locks: {} } } as typeof globalThis)).toBeNull();
    const client = world.client() as unknown as Source;
    const options = { cursor: null, onEvent: () => {}, onState: () => {}, onGiveUp: () => {} };
    feedOf(client, "c_1", options, null).start();
    feedOf(client, "c_1", options, null).start();
    expect(world.streams.size).toBe(2);
  });

  it.each([
    [
      "at once",
      () => {
        throw new DOMException("denied", "SecurityError");
      },
    ],
    [
      "later",
      async () => {
        throw new DOMException("denied", "SecurityError");
      },
    ],
  ])("each has a connection of its own where locks are refused %s", async (_, request) => {
    const tabs = [browser.open(), browser.open()].map((tab) => {
      Object.assign(tab.locks, { request });
      return new Reader(world, tab);
    });
    world.say("a");
    await settle(10_000);
    expect(world.streams.size).toBe(2);
    for (const each of tabs) expect([each.seqs, each.states.at(-1)]).toEqual([[1], "live"]);
    for (const each of tabs) each.feed.close();
    expect(world.streams.size).toBe(0);
  });

  it("each has a connection of its own where channels are refused", () => {
    const tab = browser.open();
    tab.open = () => {
      throw new DOMException("denied", "SecurityError");
    };
    const reader = new Reader(world, tab);
    expect([reader.leads, reader.states.at(-1)]).toEqual([true, "live"]);
  });
});
