/** A user of one server: sends messages, follows typed events, and makes the plain calls. */

import { ApiError, type ClientError } from "../errors.js";
import type { Application, ProfileFact, SignalboxEvent } from "../events.gen.js";
import {
  type Connection,
  EventStream,
  FetchTransport,
  type StreamOptions,
  type Target,
  type Transport,
  XhrTransport,
} from "../stream/stream.js";
import { pageWake } from "../stream/wake.js";
import type {
  About,
  Amendment,
  Approval,
  ChatRequest,
  ConversationInfo,
  ConversationSummary,
  ConversationsOptions,
  Decision,
  Erased,
  EventsPage,
  Profile,
  ProfileSettings,
  ResumeTaken,
  RunHandle,
  RunInfo,
  SendOptions,
  StoredResume,
  Transcript,
  Undone,
  UploadOptions,
  UserUsage,
} from "./api.js";
import { Calls } from "./calls.js";
import { freshKey } from "./keys.js";
import { uploaded } from "./upload.js";
import {
  about,
  camel,
  conversationInfo,
  conversationSummary,
  profile,
  rowsOf,
  runInfo,
  transcript,
  undone,
  userUsage,
} from "./wire.js";

type StreamDefaults = Omit<StreamOptions, "cursor" | "types" | "onEvent" | "onState" | "onGiveUp">;

export interface ClientOptions extends StreamDefaults {
  /** Of the server, e.g. `https://chat.example`; the page's own origin if absent. */
  url?: string;
  /** An API key. Without one the server knows its user by a cookie. */
  key?: string;
  /** Where the platform keeps no cookies (Node): the `userCookie` of an earlier client, to be the same user. */
  userCookie?: string;
  fetch?: typeof fetch;
  /** A try of a call is given up after this long without its whole answer. */
  timeoutMs?: number;
  /**
   * The server does not know the user (any more): a key was wrong or revoked. Told with each 401, of calls and of
   * streams, before they fail with the same error.
   */
  onUnauthorized?: (error: ApiError) => void;
}

const COOKIE = "signalbox_user";
const STANDS = { approve: "approved", edit: "edited", reject: "rejected" } as const;

export class Client {
  readonly connection: Connection;
  readonly #calls: Calls;
  readonly #streams: StreamDefaults;
  readonly #onUnauthorized: (error: ApiError) => void;
  #introduction: Promise<unknown> | null = null;

  constructor(options: ClientOptions = {}) {
    const {
      url = "",
      key,
      userCookie,
      fetch = globalThis.fetch.bind(globalThis),
      timeoutMs = 30_000,
      onUnauthorized = () => {},
      ...streams
    } = options;
    const headers: Record<string, string> = {};
    if (key) headers.Authorization = `Bearer ${key}`;
    if (userCookie) headers.Cookie = `${COOKIE}=${userCookie}`;
    this.connection = { url: url.replace(/\/+$/, ""), headers };
    const credentials = url === "" ? "same-origin" : "include";
    this.#streams = { transport: transportOf(credentials, options.fetch), ...streams };
    this.#calls = new Calls(this.connection, {
      fetch,
      credentials,
      wake: streams.wake ?? pageWake(),
      timeoutMs,
      backoffBaseMs: streams.backoffBaseMs ?? 250,
      backoffCapMs: streams.backoffCapMs ?? 15_000,
      giveUpAfterMs: streams.giveUpAfterMs || 120_000,
    });
    this.#onUnauthorized = onUnauthorized;
    this.#calls.onUnauthorized = onUnauthorized;
    // Only where the platform keeps no cookies can a program see them.
    this.#calls.onCookie = (cookie) => {
      const [pair = ""] = cookie.split(";");
      if (pair.startsWith(`${COOKIE}=`)) headers.Cookie = pair;
    };
  }

  /** What makes this anonymous user the same one next time; null where the platform itself keeps it. */
  get userCookie(): string | null {
    return this.connection.headers.Cookie?.slice(COOKIE.length + 1) ?? null;
  }

  about(): Promise<About> {
    return this.#calls.json("GET", "/v1/about").then(about);
  }

  // -- talking

  /**
   * Start a run for `message`, or for the quick reply `suggestionId` alone; its events come from `stream`.
   * Retried with one Idempotency-Key throughout, so a lost response never makes a second run.
   */
  async send(message: string | null, options: SendOptions = {}): Promise<RunHandle> {
    const key = options.idempotencyKey ?? freshKey();
    const body = chatRequest(message, options);
    return camel(await this.#json("POST", "/v1/chat", body, { "Idempotency-Key": key }));
  }

  /** The events of a run or a conversation. Nothing is read before its `start`. */
  stream(target: Target, options: StreamOptions): EventStream {
    const onGiveUp = (error: ClientError) => {
      if (error instanceof ApiError && error.status === 401) this.#onUnauthorized(error);
      options.onGiveUp?.(error);
    };
    return new EventStream(this.connection, target, { ...this.#streams, ...options, onGiveUp });
  }

  async run(runId: string): Promise<RunInfo> {
    return runInfo(await this.#json("GET", `/v1/runs/${encodeURIComponent(runId)}`));
  }

  /** Ask the run to stop; a finished run is returned as it is. What was streamed stays. */
  async cancel(runId: string): Promise<RunInfo> {
    return runInfo(await this.#json("POST", `/v1/runs/${encodeURIComponent(runId)}/cancel`));
  }

  /** What the run has asked its user, oldest first; `decision` is null while one is open. */
  async approvals(runId: string): Promise<Approval[]> {
    const answer = await this.#json("GET", `/v1/runs/${encodeURIComponent(runId)}/approvals`);
    return rowsOf(answer, "approvals").map((row) => camel<Approval>(row));
  }

  /** Decide, once. `ApiError` `decided`: it was decided before, or too late; 400: the tool refuses the arguments. */
  async decide(runId: string, approvalId: string, decision: Decision): Promise<Approval> {
    const path = `/v1/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(approvalId)}`;
    try {
      return camel(await this.#json("POST", path, decision));
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "decided" && error.again)) throw error;
      // The answer to an earlier try was lost: what stands may well be what it decided.
      const stands = (await this.approvals(runId)).find((each) => each.approvalId === approvalId);
      if (stands === undefined || !isWhatStands(decision, stands)) throw error;
      return stands;
    }
  }

  // -- conversations

  /** Newest first. */
  async conversations(options: ConversationsOptions = {}): Promise<ConversationInfo[]> {
    const asked = query({ q: options.query, limit: options.limit, before: options.before });
    await this.#introduced();
    const { signal } = options;
    const answer = await this.#calls.json("GET", `/v1/conversations${asked}`, { signal });
    return rowsOf(answer, "conversations").map(conversationInfo);
  }

  async rename(conversationId: string, title: string): Promise<ConversationInfo> {
    return conversationInfo(
      await this.#json("PATCH", `/v1/conversations/${encodeURIComponent(conversationId)}`, { title }),
    );
  }

  async deleteConversation(conversationId: string): Promise<void> {
    await this.#json("DELETE", `/v1/conversations/${encodeURIComponent(conversationId)}`);
  }

  async messages(conversationId: string): Promise<Transcript> {
    return transcript(
      await this.#json("GET", `/v1/conversations/${encodeURIComponent(conversationId)}/messages`),
    );
  }

  /** What the log holds after `cursor`, at once: one page, and where it ends. Several pages make a long backlog. */
  async eventsAfter(conversationId: string, cursor: string | null): Promise<EventsPage> {
    await this.#introduced();
    const path = `/v1/conversations/${encodeURIComponent(conversationId)}/events`;
    const { value, headers } = await this.#calls.answer(
      "GET",
      path,
      cursor ? { headers: { "Last-Event-ID": cursor } } : {},
    );
    return {
      events: (value ?? []) as readonly SignalboxEvent[],
      cursor: headers.get("x-last-event-id") ?? cursor,
    };
  }

  /** What was noted of the turns that are no longer told word for word. */
  async summary(conversationId: string): Promise<ConversationSummary> {
    return conversationSummary(
      await this.#json("GET", `/v1/conversations/${encodeURIComponent(conversationId)}/summary`),
    );
  }

  // -- the user

  async profile(): Promise<Profile> {
    return profile(await this.#json("GET", "/v1/profile"));
  }

  /** Forgetting a fact again is no error. It can be undone. */
  async forgetFact(factId: string): Promise<void> {
    await this.#json("DELETE", `/v1/profile/facts/${encodeURIComponent(factId)}`);
  }

  /** Correct a fact, or pin it. A new value makes a fact with a new id of it; it can be undone. */
  async amendFact(factId: string, change: Amendment): Promise<ProfileFact> {
    const path = `/v1/profile/facts/${encodeURIComponent(factId)}`;
    return (await this.#json("PATCH", path, change)) as ProfileFact;
  }

  /** Whether facts about the user are stored, and those that are stored are used. */
  async remember(remember: boolean): Promise<ProfileSettings> {
    return (await this.#json("PUT", "/v1/profile/settings", { remember })) as ProfileSettings;
  }

  /** All that is stored of the user, as JSON; whole, or not at all. */
  async exportAll(): Promise<unknown> {
    return this.#json("GET", "/v1/profile/export");
  }

  /** Erases all that is stored of the user, for good. An anonymous user is a new one after it. */
  async eraseAll(): Promise<Erased> {
    const answer = await this.#json("DELETE", "/v1/profile", { erase: "everything" });
    return (answer as { erased?: Erased } | null)?.erased ?? {};
  }

  async usage(): Promise<UserUsage> {
    return userUsage(await this.#json("GET", "/v1/usage"));
  }

  /** Take a change of the profile back: the newest, or the one named, which may be repeated. */
  async undoProfile(changeId?: string): Promise<Undone> {
    // Without its name, a second try after a lost answer would take one more change back.
    const named = changeId ?? (await this.profile()).newestChange?.changeId;
    return undone(
      await this.#json("POST", "/v1/profile/undo", named === undefined ? {} : { change_id: named }),
    );
  }

  /** The CV as it was understood; null where there is none. */
  async resume(): Promise<StoredResume | null> {
    // Asked first, since a browser tells its console of every 404.
    if ((await this.profile()).resume === null) return null;
    try {
      return camel(await this.#json("GET", "/v1/profile/resume"));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** It replaces the CV there was. Tried once. */
  async uploadResume(file: Blob, options: UploadOptions = {}): Promise<ResumeTaken> {
    await this.#introduced();
    return camel(await uploaded(this.#calls, file, options));
  }

  /** Erases all CVs for good. */
  async deleteResume(): Promise<void> {
    await this.#json("DELETE", "/v1/profile/resume");
  }

  async applications(): Promise<Application[]> {
    return rowsOf(await this.#json("GET", "/v1/applications"), "applications") as Application[];
  }

  async forgetApplication(applicationId: string): Promise<void> {
    await this.#json("DELETE", `/v1/applications/${encodeURIComponent(applicationId)}`);
  }

  /** The record behind a citation's id, whole: `kind` says what it is. */
  async source(id: string): Promise<unknown> {
    return this.#json("GET", `/v1/sources/${id.split("/").map(encodeURIComponent).join("/")}`);
  }

  // -- requests

  async #json(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<unknown> {
    await this.#introduced();
    return this.#calls.json(method, path, { body, ...(headers && { headers }) });
  }

  /**
   * An anonymous user gets their cookie before anything else is asked: what is stored belongs to a user, and two first
   * calls at a time would make two.
   */
  #introduced(): Promise<unknown> {
    const { headers } = this.connection;
    if (headers.Authorization || headers.Cookie) return Promise.resolve();
    this.#introduction ??= this.#calls.json("GET", "/v1/conversations?limit=1").catch((error: unknown) => {
      this.#introduction = null;
      throw error;
    });
    return this.#introduction;
  }
}

function transportOf(credentials: RequestCredentials, fetch: typeof globalThis.fetch | undefined): Transport {
  return FetchTransport.streams
    ? new FetchTransport({ credentials, ...(fetch && { fetch }) })
    : new XhrTransport({ withCredentials: credentials === "include" });
}

function chatRequest(message: string | null, options: SendOptions): ChatRequest {
  const { conversationId, suggestionId, temporary, ifBusy, replaces } = options;
  return {
    ...(message !== null && { message }),
    ...(conversationId && { conversation_id: conversationId }),
    ...(suggestionId && { suggestion_id: suggestionId }),
    ...(temporary && { temporary }),
    ...(ifBusy && ifBusy !== "enqueue" && { if_busy: ifBusy }),
    ...(replaces && { replaces }),
  };
}

function isWhatStands(decision: Decision, stands: Approval): boolean {
  if (stands.decision !== STANDS[decision.decision]) return false;
  const edits = decision.decision === "edit" ? decision.arguments : {};
  return Object.entries(edits).every(
    ([name, value]) => JSON.stringify(stands.edited?.[name]) === JSON.stringify(value),
  );
}

function query(parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  return given.length === 0
    ? ""
    : `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&")}`;
}
