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
import { Browser, World } from "./world.js";

let world: World;
const settle = (ms = 50) => vi.advanceTimersByTimeAsync(ms);
const texts = (live: LiveConversation) => live.state.view.messages.map((message) => message.text);

function open(conversationId: string | null = "c_1", tabs: Browser | null = null) {
  const live = new LiveConversation(world.client(), conversationId, { tabs: tabs?.open() ?? null });
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

  it("takes the message away again if it is refused, and rejects with why", async () => {
    const { live } = open();
    await settle();
    hold();
    const sending = live.send("a");
    world.refuse = new ApiError("Too long.", "payload_too_large", 413, false);
    taken();
    await expect(sending).rejects.toBe(world.refuse);
    expect(texts(live)).toEqual([]);
    expect(live.state.view.runs).toEqual([]);
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
