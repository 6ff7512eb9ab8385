/** The plain calls, against a server on a raw socket: nothing is sent twice, and refusals are told in its words. */

import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError, Client, type ClientOptions, ConnectionLost, type Decision } from "../src/index.js";
import { type Answer, type Asked, Wire } from "./server.js";

const COOKIE = "signalbox_user=anon_1.abc; Path=/; HttpOnly";

const json = (value: unknown, more: Partial<Answer> = {}): Answer => ({
  type: "application/json",
  pieces: [JSON.stringify(value)],
  ...more,
});

const problem = (
  status: number,
  code: string,
  detail: string,
  more: Record<string, unknown> = {},
): Answer => ({
  status,
  type: "application/problem+json",
  pieces: [JSON.stringify({ type: "about:blank", title: "x", status, code, detail, ...more })],
});

const portal: Answer = { type: "text/html", pieces: ["<h1>Welcome to our WiFi</h1>"] };
const handle = json({ run_id: "r_1", conversation_id: "c_1", events_url: "/x" }, { status: 202 });

const wires: Wire[] = [];

/** A client of a server that gives these answers, one after another; by default one with a key. */
async function client(
  answers: (Answer | ((asked: Asked) => Answer))[],
  options: ClientOptions = { key: "k" },
) {
  const wire = await Wire.script(...answers);
  wires.push(wire);
  const quick = { backoffBaseMs: 5, backoffCapMs: 20, giveUpAfterMs: 20_000, timeoutMs: 10_000 };
  return { wire, client: new Client({ url: `${wire.url}/`, ...quick, ...options }) };
}

afterEach(async () => {
  vi.unstubAllGlobals();
  await Promise.all(wires.splice(0).map((wire) => wire.close()));
});

describe("sending", () => {
  it("repeats a message whose answer was lost, refused for now or came from a sign-in page with one key", async () => {
    const down = problem(503, "stopping", "Soon back.", { retry: true });
    const busy: Answer = { status: 429, headers: { "Retry-After": "0" } };
    const { wire, client: it } = await client([
      { end: "reset" },
      down,
      busy,
      portal,
      { status: 502 },
      handle,
    ]);
    expect(await it.send("hello", { temporary: true, replaces: "r_0" })).toMatchObject({
      runId: "r_1",
      conversationId: "c_1",
    });
    const keys = new Set(wire.asked.map((asked) => asked.headers["idempotency-key"]));
    expect([wire.asked.length, keys.size]).toEqual([6, 1]);
    expect([...keys][0]).toMatch(/^[0-9a-f]{32}$/);
    const bodies = new Set(wire.asked.map((asked) => asked.body));
    expect([...bodies].map((body) => JSON.parse(body))).toEqual([
      { message: "hello", temporary: true, replaces: "r_0" },
    ]);
    expect(wire.asked[0]?.headers.authorization).toBe("Bearer k");
  });

  it("gives each message a key of its own, and keeps to the one it is given", async () => {
    const { wire, client: it } = await client([handle]);
    await it.send("a");
    await it.send("a");
    await it.send(null, { suggestionId: "s_1", conversationId: "c_1", idempotencyKey: "mine" });
    const [first, second, third] = wire.asked.map((asked) => asked.headers["idempotency-key"]);
    expect(first).not.toBe(second);
    expect(third).toBe("mine");
    expect(JSON.parse(wire.asked[2]?.body ?? "")).toEqual({ suggestion_id: "s_1", conversation_id: "c_1" });
  });

  it("tells a refusal in the server's words, at once", async () => {
    const { wire, client: it } = await client([problem(413, "payload_too_large", "40,000 are allowed.")]);
    const refused = await it.send("long").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({
      code: "payload_too_large",
      status: 413,
      message: "40,000 are allowed.",
      retry: false,
    });
    expect(wire.asked).toHaveLength(1);
  });

  it("does not repeat what it was asked to give up for a busy conversation", async () => {
    const { wire, client: it } = await client([problem(409, "busy", "It is busy.", { retry: true })]);
    await expect(it.send("x", { ifBusy: "reject" })).rejects.toMatchObject({ code: "busy" });
    expect(wire.asked).toHaveLength(1);
  });

  it("loses a server of which nothing is heard but a sign-in page", async () => {
    const { client: it } = await client([portal], { key: "k", giveUpAfterMs: 60 });
    const lost = await it.send("x").catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(ConnectionLost);
    expect(lost).toMatchObject({ code: "connection_lost", retry: true });
    expect(String(lost)).toContain("sign-in page");
  });

  it("tells what the server said last when it gives up", async () => {
    const full = problem(503, "starting", "Soon back.", { retry: true });
    const { client: it } = await client([full], { key: "k", giveUpAfterMs: 60 });
    await expect(it.send("x")).rejects.toMatchObject({
      name: "ApiError",
      code: "starting",
      status: 503,
      message: "Soon back.",
    });
  });

  it.each([
    ["1", 2],
    ["60", 1],
  ])("tells soon of a limit of the server's own that lasts %s s", async (wait, tries) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const limit = problem(429, "too_many_waiting", "Wait for an answer first.", { retry: true });
    const { wire, client: it } = await client([
      () => {
        vi.setSystemTime(Date.now() + 9_500);
        return { ...limit, headers: { "Retry-After": wait } };
      },
    ]);
    await expect(it.send("x")).rejects.toMatchObject({ code: "too_many_waiting", status: 429 });
    expect(wire.asked).toHaveLength(tries);
    vi.useRealTimers();
  });

  it("gives up a try that takes too long, and makes another", async () => {
    const { wire, client: it } = await client([{ end: "mute", holdMs: 5_000 }, handle], {
      key: "k",
      timeoutMs: 200,
    });
    await it.send("x");
    expect(wire.asked.length).toBeGreaterThan(1);
  });
});

describe("an anonymous user", () => {
  it("has a cookie before the first message is sent, and one for all calls", async () => {
    const { wire, client: it } = await client(
      [json({ conversations: [] }, { headers: { "Set-Cookie": COOKIE } }), handle],
      {},
    );
    await Promise.all([it.send("a"), it.send("b"), it.applications().catch(() => [])]);
    const [first, ...rest] = wire.asked.map((asked) => [asked.path, asked.headers.cookie]);
    expect(first).toEqual(["/v1/conversations?limit=1", undefined]);
    expect(rest.map(([, cookie]) => cookie)).toEqual(Array(3).fill("signalbox_user=anon_1.abc"));
    expect(it.userCookie).toBe("anon_1.abc");
  });

  it("is the same one another day", async () => {
    const { wire, client: it } = await client([handle], { userCookie: "anon_1.abc" });
    await it.send("a");
    expect(wire.asked.map((asked) => asked.headers.cookie)).toEqual(["signalbox_user=anon_1.abc"]);
  });

  it("asks again for a cookie that could not be had", async () => {
    const { wire, client: it } = await client(
      [problem(400, "bad", "No."), json({ conversations: [] }), handle],
      {},
    );
    await expect(it.send("a")).rejects.toMatchObject({ code: "bad" });
    await it.send("a");
    expect(wire.asked.map((asked) => asked.method)).toEqual(["GET", "GET", "POST"]);
  });
});

describe("deciding", () => {
  const row = (decision: string | null, edited: unknown = null) => ({
    approval_id: "ap_1",
    run_id: "r_1",
    tool: "send_email",
    arguments: { some_name: 1 },
    digest: "d",
    risk: "It goes out.",
    created_at: "2026-01-01T00:00:00Z",
    expires_at: "2026-01-02T00:00:00Z",
    decision,
    edited,
    note: "",
    decided_at: null,
  });
  const decided = problem(409, "decided", "It was decided before.");

  it("finds that its lost try stands", async () => {
    const edit: Decision = { decision: "edit", arguments: { subject: "Hi" }, digest: "d" };
    const stands = json({ approvals: [row("edited", { subject: "Hi", to: "a" })] });
    const { client: it } = await client([{ end: "reset" }, decided, stands]);
    expect(await it.decide("r_1", "ap_1", edit)).toMatchObject({
      decision: "edited",
      arguments: { some_name: 1 },
    });
  });

  it.each([
    ["approve", row("rejected")],
    ["edit", row("edited", { subject: "Other" })],
  ] as const)("tells that another decision stands: %s", async (decision, found) => {
    const { client: it } = await client([{ end: "reset" }, decided, json({ approvals: [found] })]);
    await expect(it.decide("r_1", "ap_1", { decision, arguments: { subject: "Hi" } })).rejects.toMatchObject({
      code: "decided",
    });
  });

  it("does not look any further where nothing was lost", async () => {
    const { wire, client: it } = await client([decided]);
    await expect(it.decide("r_1", "ap_1", { decision: "approve" })).rejects.toMatchObject({
      code: "decided",
    });
    expect(wire.asked).toHaveLength(1);
  });
});

describe("the other calls", () => {
  it("search, page and rename conversations", async () => {
    const row = { conversation_id: "c_1", title: "T", created_at: "a", updated_at: "b" };
    const { wire, client: it } = await client([
      json({ conversations: [{ ...row, match: "…Berlin…" }, row] }),
      json({ ...row, title: "New" }),
    ]);
    const found = await it.conversations({
      query: "Köln & more",
      limit: 5,
      before: "2026-01-01T00:00:00+00:00",
    });
    expect(found.map((each) => [each.conversationId, each.match])).toEqual([
      ["c_1", "…Berlin…"],
      ["c_1", null],
    ]);
    expect(await it.rename("c_1", "New")).toMatchObject({ title: "New", updatedAt: "b" });
    expect(wire.asked.map((asked) => [asked.method, decodeURIComponent(asked.path), asked.body])).toEqual([
      ["GET", "/v1/conversations?q=Köln & more&limit=5&before=2026-01-01T00:00:00+00:00", ""],
      ["PATCH", "/v1/conversations/c_1", '{"title":"New"}'],
    ]);
  });

  it.each([
    ["while it is asked", { end: "mute" }],
    ["while it waits to ask again", { status: 502, headers: { "Retry-After": "60" } }],
  ] as const)("can stop a search %s", async (_, answer) => {
    const { wire, client: it } = await client([answer]);
    const abort = new AbortController();
    const searching = it.conversations({ query: "x", signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    await expect(searching).rejects.toMatchObject({ name: "AbortError" });
    expect(wire.asked).toHaveLength(1);
    await expect(it.conversations({ signal: abort.signal })).rejects.toMatchObject({ name: "AbortError" });
  });

  it("load a conversation as a snapshot and the place after it", async () => {
    const { client: it } = await client([
      json({ conversation_id: "c_1", messages: [], runs: [], omitted: 2, cursor: "0a1b2c3d-17" }),
    ]);
    expect(await it.messages("c_1")).toMatchObject({
      snapshot: { type: "snapshot", conversation_id: "c_1", seq: 17, omitted: 2 },
      cursor: "0a1b2c3d-17",
    });
  });

  it("tell what is known of the user, and from where", async () => {
    const fact = { fact_id: "f_1", kind: "fact", key: "city", value: "Berlin", source_message_id: "m_1" };
    const source = { kind: "message", message_id: "m_1", conversation_id: "c_1", text: "I live in Berlin" };
    const change = { change_id: "ch_1", changed_at: "b", added: [fact], removed: [] };
    const known = { facts: [{ ...fact, created_at: "a", source }], newest_change: change };
    const undone = { change_id: "ch_1", changed_at: "b", removed: [fact], restored: [], facts: [] };
    const { wire, client: it } = await client([json(known), json(known), { end: "reset" }, json(undone)]);
    expect(await it.profile()).toEqual({
      facts: [
        {
          fact,
          createdAt: "a",
          source: { kind: "message", messageId: "m_1", conversationId: "c_1", text: source.text },
        },
      ],
      newestChange: { changeId: "ch_1", changedAt: "b", added: [fact], removed: [] },
      resume: null,
      settings: { remember: true },
    });
    expect(await it.undoProfile()).toMatchObject({ changeId: "ch_1", removed: [fact] });
    // A second try names the change as well, so that it cannot take another one back.
    expect(wire.asked.slice(2).map((asked) => asked.body)).toEqual(Array(2).fill('{"change_id":"ch_1"}'));
  });

  it("change what is known of the user, and say what is to be erased", async () => {
    const fact = { fact_id: "f_2", key: "city", value: "Bonn" };
    const { wire, client: it } = await client([
      json(fact),
      json({ remember: false }),
      json({ format: "signalbox-export/1", facts: [] }),
      json({ erased: { facts: 3, messages: 8 }, kept: "costs" }),
    ]);
    expect(await it.amendFact("f 1", { value: "Bonn" })).toEqual(fact);
    expect(await it.remember(false)).toEqual({ remember: false });
    expect(await it.exportAll()).toMatchObject({ facts: [] });
    expect(await it.eraseAll()).toEqual({ facts: 3, messages: 8 });
    expect(wire.asked.map(({ method, path, body }) => [method, path, body])).toEqual([
      ["PATCH", "/v1/profile/facts/f%201", '{"value":"Bonn"}'],
      ["PUT", "/v1/profile/settings", '{"remember":false}'],
      ["GET", "/v1/profile/export", ""],
      ["DELETE", "/v1/profile", '{"erase":"everything"}'],
    ]);
  });

  it("tell what is kept in mind of a conversation, and what answers have cost", async () => {
    const noted = { text: "No nights.", sources: ["m_1"] };
    const summary = { hard_constraints: [noted], job_preferences: [], current_goal: null };
    const period = { since: "a", calls: 1, input_tokens: 5, cost_usd: 0.1, unpriced_calls: 0 };
    const models = [{ model: "m", calls: 1, input_tokens: 5, cached_tokens: 2, cost_usd: 0.1 }];
    const { client: it } = await client([
      json({ conversation_id: "c_1", version: 2, created_at: "b", summary }),
      json({
        today: { ...period, models },
        month: { ...period, models: [] },
        budget: { usd: 1, left_usd: 0.9, renewed_at: "c" },
      }),
    ]);
    expect(await it.summary("c_1")).toMatchObject({
      version: 2,
      createdAt: "b",
      hardConstraints: [noted],
      currentGoal: null,
    });
    expect(await it.usage()).toMatchObject({
      today: { inputTokens: 5, unpricedCalls: 0, models: [{ model: "m", cachedTokens: 2 }] },
      month: { models: [] },
      budget: { leftUsd: 0.9, renewedAt: "c" },
    });
  });

  it("know that deleting twice is deleting, and that no CV is no error", async () => {
    const gone = problem(404, "not_found", "There is none.");
    const stored = { resume_id: "cv_1", file_name: "a.pdf", media_type: "application/pdf", created_at: "b" };
    const { client: it } = await client([
      { end: "reset" },
      gone,
      json({ facts: [], newest_change: null, resume: null }),
      json({ facts: [], newest_change: null, resume: stored }),
      gone,
      gone,
    ]);
    await it.deleteConversation("c_1");
    expect(await it.resume()).toBeNull();
    expect(await it.resume()).toBeNull(); // erased between the two questions
    await expect(it.deleteConversation("c_2")).rejects.toMatchObject({ status: 404 });
  });

  it("read a page of events and the place after it", async () => {
    const events = [{ type: "gap", conversation_id: "c_1", run_id: "", seq: 3, ts: "", reason: "trimmed" }];
    const { wire, client: it } = await client([
      json(events, { headers: { "X-Last-Event-Id": "0a1b2c3d-9" } }),
      { status: 204 },
    ]);
    expect(await it.eventsAfter("c_1", "0a1b2c3d-3")).toEqual({ events, cursor: "0a1b2c3d-9" });
    expect(await it.eventsAfter("c_1", "0a1b2c3d-9")).toEqual({ events: [], cursor: "0a1b2c3d-9" });
    expect(wire.asked[0]?.headers).toMatchObject({
      accept: "application/json",
      "last-event-id": "0a1b2c3d-3",
    });
  });
});

describe("a key that is refused", () => {
  it("is told of, whatever is asked with it", async () => {
    const refused = problem(401, "unauthorized", "This key is not known.");
    const told: ApiError[] = [];
    const onUnauthorized = (error: ApiError) => told.push(error);
    const { client: it } = await client([refused], { key: "old", onUnauthorized });
    await expect(it.applications()).rejects.toBeInstanceOf(ApiError);
    expect(told.map((each) => each.message)).toEqual(["This key is not known."]);
    await expect(it.uploadResume(new File(["x"], "cv.pdf"))).rejects.toBeInstanceOf(ApiError);
    expect(told).toHaveLength(2);
    await new Promise((onGiveUp) => it.stream({ runId: "r_1" }, { onEvent: () => {}, onGiveUp }).start());
    expect(told.map((each) => each.status)).toEqual([401, 401, 401]);
  });

  it("is not to blame for other refusals", async () => {
    const told: ApiError[] = [];
    const { client: it } = await client([problem(403, "forbidden", "No.")], {
      key: "k",
      onUnauthorized: (error) => told.push(error),
    });
    await expect(it.applications()).rejects.toMatchObject({ status: 403 });
    await new Promise((onGiveUp) => it.stream({ runId: "r_1" }, { onEvent: () => {}, onGiveUp }).start());
    expect(told).toEqual([]);
  });
});

describe("uploading a CV", () => {
  const taken = json(
    { resume_id: "cv_1", file_name: "cv.pdf", added: [], removed: [], warnings: ["w"] },
    { status: 201 },
  );
  const file = () => new File(["%PDF"], "cv.pdf", { type: "application/pdf" });

  it("sends the file in a form", async () => {
    const { wire, client: it } = await client([taken]);
    const progress: number[] = [];
    const answer = await it.uploadResume(file(), { onProgress: (fraction) => progress.push(fraction) });
    expect(answer).toMatchObject({ resumeId: "cv_1", warnings: ["w"] });
    expect(wire.asked[0]?.body).toContain('name="file"; filename="cv.pdf"');
    expect(progress).toEqual([1]);
  });

  it("is tried once, and tells why not", async () => {
    const { client: it } = await client([
      problem(415, "unsupported_resume", "Send a PDF."),
      { end: "reset" },
    ]);
    await expect(it.uploadResume(file())).rejects.toMatchObject({ message: "Send a PDF." });
    await expect(it.uploadResume(file())).rejects.toBeInstanceOf(ConnectionLost);
  });

  it("can be stopped", async () => {
    const { client: it } = await client([{ end: "mute" }]);
    const abort = new AbortController();
    const sending = it.uploadResume(file(), { signal: abort.signal });
    setTimeout(() => abort.abort(), 20);
    await expect(sending).rejects.toMatchObject({ name: "AbortError" });
  });

  it("tells how far it is where XMLHttpRequest does", async () => {
    vi.stubGlobal("XMLHttpRequest", Sending);
    const { client: it } = await client([{}]);
    const progress: number[] = [];
    const answer = await it.uploadResume(file(), { onProgress: (fraction) => progress.push(fraction) });
    expect([answer.resumeId, progress]).toEqual(["cv_2", [0.5, 1]]);
    expect(Sending.headers).toMatchObject({ Authorization: "Bearer k" });
  });
});

/** As much of an XMLHttpRequest as an upload needs. */
class Sending {
  static headers: Record<string, string> = {};
  readonly upload: { onprogress?: (at: { loaded: number; total: number }) => void; onload?: () => void } = {};
  onload = () => {};
  onloadend = () => {};
  readonly status = 201;
  readonly responseText = '{"resume_id":"cv_2"}';
  withCredentials = false;
  open() {}
  setRequestHeader(name: string, value: string) {
    Sending.headers[name] = value;
  }
  getResponseHeader() {
    return "application/json";
  }
  send() {
    this.upload.onprogress?.({ loaded: 1, total: 2 });
    this.upload.onload?.();
    this.onload();
    this.onloadend();
  }
}
