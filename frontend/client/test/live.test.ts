/** A conversation that is followed: loaded, sent to, and right again after whatever happened to its connection. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ApiError,
  answers,
  ConnectionLost,
  isSending,
  LiveConversation,
  locked,
  type Suggestions,
} from "../src/index.js";
import { Browser, FakePage, World } from "./world.js";

let world: World;
const settle = (ms = 50) => vi.advanceTimersByTimeAsync(ms);
const texts = (live: LiveConversation) => live.state.view.messages.map((message) => message.text);

function open(
  conversationId: string | null = "c_1",
  tabs: Browser | null = null,
  visibility: FakePage | null = null,
) {
  const options = { tabs: tabs?.open() ?? null, visibility };
  const live = new LiveConversation(world.client(), conversationId, options);
  const told = { times: 0 };
  live.subscribe(() => {
    told.times += 1;
  });
  return { live, told };
}

const asked = (runId: string, content: string) => ({
  message_id: `${runId}_asked`,
  run_id: runId,
  role: "user",
  content,
  status: "complete",
  agent: null,
  blocks: [],
  citations: [],
});
const answered = (runId: string, content: string, blocks: object[] = []) => ({
  ...asked(runId, content),
  message_id: `${runId}_answer`,
  role: "assistant",
  agent: "general",
  blocks,
});
const run = (runId: string, status = "succeeded") => ({
  run_id: runId,
  status,
  error: null,
  intent: null,
  confidence: null,
  source: null,
  agent: null,
  usage: [],
  tools: [],
});

beforeEach(() => {
  vi.useFakeTimers();
  world = new World();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("loading", () => {
  it("shows what is stored and goes on from there", async () => {
    world.begin("r_1", "q");
    world.say("Hello.");
    world.append({ type: "complete", status: "succeeded" });
    world.stored = { messages: [asked("r_1", "q"), answered("r_1", "Hello.")], runs: [run("r_1")] };
    const { live } = open();
    expect(live.state).toMatchObject({ loading: true, connection: "connecting", error: null });
    await settle();
    expect(live.state).toMatchObject({ loading: false, connection: "live" });
    expect(texts(live)).toEqual(["q", "Hello."]);
    world.begin("r_2", "more");
    world.say("Yes.", "r_2");
    await settle();
    expect(texts(live)).toEqual(["q", "Hello.", "more", "Yes."]);
    expect(world.asked).toEqual(["messages", `stream after ${world.id(3)}`]);
  });

  it("in the middle of an answer shows all of it, and nothing before it is there", async () => {
    world.begin("r_1", "q");
    world.say("Hello ");
    world.say("you");
    world.stored = { messages: [asked("r_1", "q")], runs: [run("r_1", "running")], after: 0 };
    const { live } = open();
    const seen: string[][] = [];
    live.subscribe(() => seen.push(texts(live)));
    await settle();
    expect(texts(live)).toEqual(["q", "Hello you"]);
    expect(seen.filter((each) => each.length > 0)).toEqual([["q", "Hello you"]]);
  });

  it("starts with the first who looks, and again after it was closed", async () => {
    const live = new LiveConversation(world.client(), "c_1", { tabs: null });
    await settle();
    expect(world.asked).toEqual([]);
    live.subscribe(() => {});
    await settle();
    live.close();
    world.say("x");
    expect(world.streams.size).toBe(0);
    live.subscribe(() => {});
    await settle();
    expect(world.streams.size).toBe(1);
    expect(live.state.connection).toBe("live");
  });

  it("tells why it cannot, and tries again when asked to", async () => {
    world.refuse = new ApiError("There is no conversation under that id.", "not_found", 404, false);
    const { live } = open();
    await settle();
    expect(live.state).toMatchObject({ loading: false, connection: "ended", error: world.refuse });
    world.refuse = null;
    live.reconnect();
    expect(live.state).toMatchObject({ loading: true, error: null });
    await settle();
    expect(live.state).toMatchObject({ loading: false, connection: "live", error: null });
  });
});

describe("following", () => {
  it("tells of many events at most once a frame", async () => {
    const { live, told } = open();
    await settle();
    told.times = 0;
    world.begin("r_1", "q");
    for (let at = 0; at < 5_000; at += 1) world.say("word ");
    expect(told.times).toBe(0);
    await settle();
    expect(told.times).toBe(1);
    expect(texts(live)[1]).toHaveLength(25_000);
  });

  it("keeps its state the same object until something changes", async () => {
    const { live } = open();
    await settle();
    const before = live.state;
    await settle(5_000);
    expect(live.state).toBe(before);
  });

  it("gives every event to those who want them raw", async () => {
    const { live } = open();
    const ids: (string | null)[] = [];
    const stop = live.onEvent((_, id) => ids.push(id));
    await settle();
    world.say("a");
    stop();
    world.say("b");
    expect(ids).toEqual([world.id(1)]);
  });

  it("counts what a reconnect made up for, and tells that the connection is lost", async () => {
    const { live } = open();
    await settle();
    const [stream] = world.streams;
    stream?.options.onState("resuming", {});
    expect(live.state.connection).toBe("resuming");
    stream?.options.onState("live", { resumedEvents: 7 });
    expect(live.state).toMatchObject({ connection: "live", resumed: { events: 7, at: Date.now() } });
    const lost = new ConnectionLost("no network");
    stream?.options.onState("lost", { error: lost });
    stream?.options.onGiveUp(lost);
    expect(live.state).toMatchObject({ connection: "lost", error: lost });
    live.reconnect();
    expect(live.state).toMatchObject({ connection: "live", error: null });
  });

  it("keeps what is shown until what comes after a gap is there", async () => {
    const { live } = open();
    await settle();
    world.begin("r_1", "q");
    world.say("A long answer ");
    world.say("so far");
    await settle();
    const seen = new Set<string>();
    live.subscribe(() => seen.add(texts(live).join("|")));
    const [stream] = world.streams;
    if (!stream) throw new Error("no stream");
    const base = { conversation_id: "c_1", run_id: "", ts: "", seq: 0 };
    stream.give({ ...base, type: "gap", reason: "unknown_epoch" }, null);
    await settle();
    const stored = { messages: [asked("r_1", "q")], runs: [run("r_1", "running")], omitted: 0 };
    stream.give({ ...base, type: "snapshot", ...stored } as never, world.id(0));
    await settle();
    stream.deliver();
    await settle();
    world.say(", and more");
    await settle();
    expect([...seen]).toEqual(["q|A long answer so far", "q|A long answer so far, and more"]);
  });

  it("does not wait for ever for what does not come", async () => {
    const { live } = open();
    await settle();
    world.begin("r_1", "q");
    world.say("Lost");
    await settle();
    const [stream] = world.streams;
    const base = { conversation_id: "c_1", run_id: "", ts: "", seq: 9 };
    const stored = { messages: [asked("r_1", "q")], runs: [run("r_1", "running")], omitted: 0 };
    stream?.give({ ...base, type: "gap", reason: "trimmed" }, null);
    stream?.give({ ...base, type: "snapshot", ...stored } as never, world.id(9));
    await settle(1_000);
    expect(texts(live)).toEqual(["q"]);
  });

  it("reads a run that lost events anew once it is over", async () => {
    world.begin("r_1", "q");
    world.say("The beginning. ");
    world.stored = { messages: [asked("r_1", "q")], runs: [run("r_1", "running")], after: 2 };
    const { live } = open();
    await settle(1_000);
    world.say("The end.");
    await settle();
    expect(texts(live)).toEqual(["q", "The end."]);
    world.stored = {
      messages: [asked("r_1", "q"), answered("r_1", "The beginning. The end.")],
      runs: [run("r_1")],
    };
    world.append({ type: "complete", status: "succeeded" });
    await settle();
    expect(texts(live)).toEqual(["q", "The beginning. The end."]);
    expect(world.asked.filter((each) => each === "messages")).toHaveLength(2);
    await settle(10_000);
    expect(world.asked.filter((each) => each === "messages")).toHaveLength(2);
    expect(world.asked.filter((each) => each.startsWith("stream"))).toHaveLength(1);
  });

  it("loses nothing of what goes on while it reads another run anew", async () => {
    world.begin("r_1", "q");
    world.say("The beginning. ");
    world.stored = { messages: [asked("r_1", "q")], runs: [run("r_1", "running")], after: 2 };
    const { live } = open();
    await settle(1_000);
    world.stored = {
      messages: [asked("r_1", "q"), answered("r_1", "All of it."), asked("r_2", "more")],
      runs: [run("r_1"), run("r_2", "running")],
    };
    world.append({ type: "complete", status: "succeeded" });
    world.begin("r_2", "more");
    world.say("It goes ", "r_2");
    await settle();
    world.say("on.", "r_2");
    await settle();
    expect(texts(live)).toEqual(["q", "All of it.", "more", "It goes on."]);
    expect(live.state.view.runs.map((each) => [each.runId, each.holed])).toEqual([
      ["r_1", false],
      ["r_2", false],
    ]);
  });

  it("tells that the conversation was deleted", async () => {
    const { live } = open();
    await settle();
    const gone = new ApiError("Gone.", "not_found", 404, false);
    const [stream] = world.streams;
    stream?.options.onState("ended", { error: gone });
    stream?.options.onGiveUp(gone);
    expect(live.state).toMatchObject({ connection: "ended", error: gone });
  });
});

describe("sending", () => {
  let taken: () => void;
  const hold = () => {
    world.sending = new Promise<void>((resolve) => {
      taken = resolve;
    });
  };

  it("shows the message at once, and once, whatever comes first", async () => {
    const { live } = open();
    await settle();
    hold();
    const sending = live.send("a");
    expect(texts(live)).toEqual(["a"]);
    expect(live.state.view.runs.map((each) => [isSending(each.runId), each.status])).toEqual([
      [true, "pending"],
    ]);
    world.begin("r_a", "a");
    await settle();
    expect(texts(live)).toEqual(["a"]);
    taken();
    expect(await sending).toEqual({ runId: "r_a", conversationId: "c_1" });
    await settle();
    expect(texts(live)).toEqual(["a"]);
    expect(live.state.view.runs.map((each) => each.runId)).toEqual(["r_a"]);
  });

  it("knows a run by the id it was shown with until the server gave it one", async () => {
    const { live } = open();
    await settle();
    hold();
    const sending = live.send("a");
    const [shown] = live.state.view.runs;
    const id = live.takenAs(shown?.runId ?? "");
    world.begin("r_a", "a");
    taken();
    await sending;
    expect(await id).toBe("r_a");
    expect(await live.takenAs("r_a")).toBe("r_a");
  });

  it("takes the message away again if it is refused, and rejects with why", async () => {
    const { live } = open();
    await settle();
    hold();
    const sending = live.send("a");
    world.refuse = new ApiError("Too long.", "payload_too_large", 413, false);
    const [shown] = live.state.view.runs;
    taken();
    await expect(sending).rejects.toBe(world.refuse);
    expect(await live.takenAs(shown?.runId ?? "")).toBeNull();
    expect(texts(live)).toEqual([]);
    expect(live.state.view.runs).toEqual([]);
  });

  it("takes what has arrived for one message, and not for all with the same words", async () => {
    const { live } = open();
    await settle();
    hold();
    const sending = [live.send("yes"), live.send("yes")];
    expect(texts(live)).toEqual(["yes", "yes"]);
    world.begin("r_1", "yes");
    await settle();
    expect(texts(live)).toEqual(["yes", "yes"]);
    world.begin("r_2", "yes");
    await settle();
    expect(texts(live)).toEqual(["yes", "yes"]);
    taken();
    await Promise.all(sending);
  });

  it("still shows a message when one with the same words was taken before it", async () => {
    const { live } = open();
    await settle();
    hold();
    const sending = live.send("yes");
    const first = taken;
    await settle();
    hold();
    const next = live.send("yes");
    first();
    await sending;
    expect(texts(live)).toEqual(["yes", "yes"]);
    expect(live.state.view.runs.map((each) => isSending(each.runId))).toEqual([false, true]);
    taken();
    await next;
  });

  it("begins a new conversation with the first message, and only one", async () => {
    const { live } = open(null);
    await settle();
    expect(live.state).toMatchObject({ loading: false, connection: "live" });
    expect(world.asked).toEqual([]);
    world.begin("r_a", "a");
    world.say("Hello.", "r_a");
    hold();
    const sending = [live.send("a", { temporary: true }), live.send("b")];
    expect(texts(live)).toEqual(["a", "b"]);
    await settle();
    taken();
    await Promise.all(sending);
    await settle();
    expect(live.conversationId).toBe("c_1");
    expect(live.state.view.conversationId).toBe("c_1");
    expect(world.asked).toEqual([
      'send {"message":"a","temporary":true}',
      "stream after null",
      'send {"message":"b","conversationId":"c_1"}',
    ]);
    expect(texts(live)).toEqual(["a", "Hello.", "b"]);
  });

  it("leaves a new conversation new if its first message is refused", async () => {
    const { live } = open(null);
    world.refuse = new ApiError("No.", "bad", 400, false);
    await expect(live.send("a")).rejects.toBe(world.refuse);
    world.refuse = null;
    await live.send("a");
    expect(live.conversationId).toBe("c_1");
  });

  it("locks the quick replies at once, and opens them again if the choice is refused", async () => {
    const block = {
      type: "suggestions",
      text: "?",
      suggestions: [{ id: "s_1", label: "A", message: "a", intent: null }],
    };
    world.stored = { messages: [asked("r_1", "q"), answered("r_1", "x", [block])], runs: [run("r_1")] };
    const { live } = open();
    await settle();
    hold();
    const chosen = () => locked(live.state.view, block as unknown as Suggestions);
    const sending = live.send("a", { suggestionId: "s_1" });
    expect(chosen()).toBe("s_1");
    world.refuse = new ApiError("It was chosen.", "chosen", 409, false);
    taken();
    await expect(sending).rejects.toBe(world.refuse);
    expect(chosen()).toBeNull();
    world.refuse = null;
    await live.send("a", { suggestionId: "s_1" });
    expect(chosen()).toBe("s_1");
    world.begin("r_a", "a");
    world.append({ type: "suggestion_chosen", run_id: "r_a", suggestion_id: "s_1" });
    await settle();
    expect(live.state.view.runs.at(-1)?.blocks).toHaveLength(1);
  });

  it("hides at once what it replaces, and brings it back if it is refused", async () => {
    world.stored = {
      messages: [asked("r_1", "one"), answered("r_1", "1"), asked("r_2", "two"), answered("r_2", "2")],
      runs: [run("r_1"), run("r_2")],
    };
    const { live } = open();
    await settle();
    hold();
    let sending = live.send("a", { replaces: "r_2" });
    expect(texts(live)).toEqual(["one", "1", "a"]);
    world.refuse = new ApiError("No.", "bad", 400, false);
    taken();
    await expect(sending).rejects.toBe(world.refuse);
    expect(texts(live)).toEqual(["one", "1", "two", "2"]);
    world.refuse = null;
    hold();
    sending = live.send("a", { replaces: "r_2" });
    taken();
    await sending;
    world.append({ type: "retracted", run_id: "r_2", user_message_id: "r_2_asked" });
    world.begin("r_a", "a");
    world.say("New.", "r_a");
    await settle();
    expect(texts(live)).toEqual(["one", "1", "a", "New."]);
    expect(answers(live.state.view, "r_2")).toEqual([]);
  });
});

describe("while nobody looks", () => {
  it("lets its connection go after half a minute, and goes on as soon as somebody does", async () => {
    const page = new FakePage();
    const { live } = open("c_1", null, page);
    await settle();
    world.begin("r_1", "q");
    world.append({ type: "complete", status: "succeeded" });
    page.show(false);
    await settle(29_000);
    expect(world.streams.size).toBe(1);
    await settle(2_000);
    expect(world.streams.size).toBe(0);
    world.begin("r_2", "more");
    page.show(true);
    expect(world.streams.size).toBe(1);
    await settle();
    expect(texts(live)).toEqual(["q", "more"]);
    expect(live.state).toMatchObject({ connection: "live", error: null });
    expect(world.asked).toEqual(["messages", `stream after ${world.id(0)}`, `stream after ${world.id(2)}`]);
  });

  it("stays connected through a glance elsewhere", async () => {
    const page = new FakePage();
    open("c_1", null, page);
    await settle();
    for (let times = 0; times < 5; times += 1) {
      page.show(false);
      await settle(20_000);
      page.show(true);
      await settle(20_000);
    }
    expect(world.asked.filter((each) => each.startsWith("stream"))).toHaveLength(1);
  });

  it("follows a run to its end, but not one that waits for its user", async () => {
    const page = new FakePage();
    const { live } = open("c_1", null, page);
    await settle();
    world.begin("r_1", "q");
    page.show(false);
    await settle(600_000);
    expect(world.streams.size).toBe(1);
    world.say("Done.");
    world.append({ type: "complete", status: "waiting" });
    await settle(6_000);
    expect(texts(live)).toEqual(["q", "Done."]);
    expect(world.streams.size).toBe(0);
  });

  it("has a connection for a moment only, opened in the background", async () => {
    const page = new FakePage();
    page.visible = false;
    open("c_1", null, page);
    await settle();
    expect(world.streams.size).toBe(1);
    await settle(4_000);
    expect(world.streams.size).toBe(0);
  });

  it("connects when it is asked to, and no more once it is closed", async () => {
    const page = new FakePage();
    page.visible = false;
    const { live } = open("c_1", null, page);
    await settle(4_000);
    live.reconnect();
    expect(world.streams.size).toBe(1);
    live.close();
    page.show(true);
    await settle(60_000);
    expect(world.streams.size).toBe(0);
  });

  it("is not asked again for what was refused", async () => {
    const page = new FakePage();
    const { live } = open("c_1", null, page);
    await settle();
    [...world.streams][0]?.end(new ApiError("Gone.", "not_found", 404, false));
    page.show(false);
    await settle(60_000);
    page.show(true);
    expect(live.state.connection).toBe("ended");
    expect(world.asked.filter((each) => each.startsWith("stream"))).toHaveLength(1);
  });

  it("leaves the lead to a tab that is looked at", async () => {
    const browser = new Browser();
    const pages = [new FakePage(), new FakePage()];
    const tabs = pages.map((page) => open("c_1", browser, page));
    await settle();
    const [first] = world.streams;
    pages[0]?.show(false);
    await settle(31_000);
    expect(world.streams.size).toBe(1);
    expect(world.streams.has(first as never)).toBe(false);
    world.begin("r_1", "q");
    await settle();
    expect(tabs.map(({ live }) => texts(live))).toEqual([[], ["q"]]);
    pages[0]?.show(true);
    await settle();
    expect(tabs.map(({ live }) => [texts(live), live.state.connection])).toEqual(
      Array(2).fill([["q"], "live"]),
    );
    expect(world.streams.size).toBe(1);
  });
});

describe("in several tabs", () => {
  it("every tab shows the same over one connection", async () => {
    const browser = new Browser();
    const tabs = [open("c_1", browser), open("c_1", browser), open("c_1", browser)];
    await settle();
    world.begin("r_1", "q");
    for (let at = 0; at < 50; at += 1) world.say("x");
    await settle();
    for (const { live } of tabs) expect(texts(live)).toEqual(["q", "x".repeat(50)]);
    expect(world.streams.size).toBe(1);
    tabs[0]?.live.close();
    world.say("!");
    await settle();
    for (const { live } of tabs.slice(1)) expect(texts(live)[1]).toBe(`${"x".repeat(50)}!`);
    expect(world.streams.size).toBe(1);
  });
});
