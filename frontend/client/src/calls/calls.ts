/** Plain HTTP calls that are made again until the server answers. Every call reads, or is safe to repeat. */

import { type ApiError, type ClientError, ConnectionLost, problem, reasonOf } from "../errors.js";
import { Backoff, retryAfter } from "../stream/backoff.js";
import type { Connection } from "../stream/options.js";
import type { WakeSource } from "../stream/wake.js";

export interface CallsOptions {
  readonly fetch: typeof fetch;
  readonly credentials: RequestCredentials;
  readonly wake: WakeSource;
  readonly timeoutMs: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  readonly giveUpAfterMs: number;
}

export interface CallInit {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly value: unknown;
  readonly headers: Headers;
}

/** A try that may be followed by another. */
interface Failed {
  readonly error: ClientError;
  readonly floorMs: number;
  /** Until when, after the first failure, the next try has to begin. */
  readonly patienceMs: number;
}

/** For longer than this nobody waits, untold, for a limit that only they can do something about. */
const LIMITED_MS = 10_000;

const IN_BETWEEN = "something in between answered in its place, perhaps the network's sign-in page";

export class Calls {
  /** Called with each `Set-Cookie` that the platform lets a program see. */
  onCookie: (cookie: string) => void = () => {};
  /** Called with each refusal to know the user. */
  onUnauthorized: (error: ApiError) => void = () => {};

  constructor(
    readonly connection: Connection,
    readonly options: CallsOptions,
  ) {}

  /** The JSON of a success; null for one without content. Throws `ApiError`, `ConnectionLost` and `signal`'s reason. */
  async json(method: string, path: string, init: CallInit = {}): Promise<unknown> {
    return (await this.answer(method, path, init)).value;
  }

  async answer(method: string, path: string, init: CallInit = {}): Promise<Answer> {
    const { backoffBaseMs, backoffCapMs } = this.options;
    const backoff = new Backoff(backoffBaseMs, backoffCapMs, Math.random);
    let since: number | null = null;
    for (let again = false; ; again = true) {
      const answer = await this.#try(method, path, init, again);
      if ("value" in answer) return answer;
      since ??= Date.now();
      if (Date.now() - since >= answer.patienceMs) throw answer.error;
      const woken = await this.#wait(backoff.next(answer.floorMs), init.signal);
      // A device that slept has not been refused all that time.
      if (woken) since = null;
    }
  }

  async #try(method: string, path: string, init: CallInit, again: boolean): Promise<Answer | Failed> {
    let response: Response;
    let text: string;
    try {
      [response, text] = await this.#fetched(method, path, init);
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason;
      return this.#lost(reasonOf(error));
    }
    for (const cookie of response.headers.getSetCookie?.() ?? []) this.onCookie(cookie);
    if (response.ok) return success(response, text) ?? this.#lost(IN_BETWEEN);
    if (again && method === "DELETE" && response.status === 404)
      return { value: null, headers: response.headers };
    return this.#refused(response, text, again);
  }

  #lost(reason: string): Failed {
    return { error: new ConnectionLost(reason), floorMs: 0, patienceMs: this.options.giveUpAfterMs };
  }

  #refused(response: Response, text: string, again: boolean): Failed {
    const refusal = problem(response.status, text);
    refusal.again = again;
    if (refusal.status === 401) this.onUnauthorized(refusal);
    // Busy passes, but whoever chose to be refused wants to be told.
    if (!refusal.retry || refusal.code === "busy") throw refusal;
    const floorMs = retryAfter(response.headers.get("retry-after"), Date.now());
    const { giveUpAfterMs } = this.options;
    // A proxy's limit passes, and says nothing that would help; the server's own tells what to do.
    const limited = refusal.status === 429 && refusal.code !== "http_429";
    const patienceMs = limited ? Math.min(LIMITED_MS - floorMs, giveUpAfterMs) : giveUpAfterMs;
    return { error: refusal, floorMs, patienceMs };
  }

  async #fetched(method: string, path: string, init: CallInit): Promise<[Response, string]> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error("nothing came in time")), this.options.timeoutMs);
    const { signal } = init;
    const abort = () => late.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const response = await this.options.fetch(this.connection.url + path, {
        method,
        headers: {
          Accept: "application/json",
          ...this.connection.headers,
          ...(init.body !== undefined && { "Content-Type": "application/json" }),
          ...init.headers,
        },
        ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
        credentials: this.options.credentials,
        cache: "no-store",
        signal: late.signal,
      });
      return [response, await response.text()];
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Resolves to whether the device came back meanwhile, which ends the wait. */
  #wait(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const done = (woken: boolean) => {
        clearTimeout(timer);
        forget();
        signal?.removeEventListener("abort", abort);
        if (signal?.aborted) reject(signal.reason);
        else resolve(woken);
      };
      const abort = () => done(false);
      signal?.addEventListener("abort", abort, { once: true });
      const timer = setTimeout(() => done(false), ms);
      const forget = this.options.wake.listen((wake) => wake !== "offline" && done(true));
      if (signal?.aborted) abort();
    });
  }
}

/** Undefined for an answer that no Signalbox server gives: a sign-in page says 200, too. */
function success(response: Response, text: string): Answer | undefined {
  const { headers } = response;
  if (response.status === 204) return { value: null, headers };
  if (!/\bjson\b/.test(headers.get("content-type") ?? "")) return undefined;
  try {
    return { value: JSON.parse(text), headers };
  } catch {
    return undefined; // cut off on its way
  }
}
