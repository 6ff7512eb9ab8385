/** Plain HTTP calls that are made again until the server answers. Every call reads, or is safe to repeat. */

import { ConnectionLost, problem, reasonOf } from "../errors.js";
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
}

export interface Answer {
  readonly value: unknown;
  readonly headers: Headers;
}

/** A try that may be followed by another. */
interface Failed {
  readonly reason: string;
  readonly floorMs: number;
}

const IN_BETWEEN = "something in between answered in its place, perhaps the network's sign-in page";

export class Calls {
  /** Called with each `Set-Cookie` that the platform lets a program see. */
  onCookie: (cookie: string) => void = () => {};

  constructor(
    readonly connection: Connection,
    readonly options: CallsOptions,
  ) {}

  /** The JSON of a success; null for one without content. Throws `ApiError` and `ConnectionLost`. */
  async json(method: string, path: string, init: CallInit = {}): Promise<unknown> {
    return (await this.answer(method, path, init)).value;
  }

  async answer(method: string, path: string, init: CallInit = {}): Promise<Answer> {
    const { backoffBaseMs, backoffCapMs, giveUpAfterMs } = this.options;
    const backoff = new Backoff(backoffBaseMs, backoffCapMs, Math.random);
    let since: number | null = null;
    for (let again = false; ; again = true) {
      const answer = await this.#try(method, path, init, again);
      if ("value" in answer) return answer;
      since ??= Date.now();
      if (Date.now() - since >= giveUpAfterMs) throw new ConnectionLost(answer.reason);
      const woken = await this.#wait(backoff.next(answer.floorMs));
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
      return { reason: reasonOf(error), floorMs: 0 };
    }
    for (const cookie of response.headers.getSetCookie?.() ?? []) this.onCookie(cookie);
    if (response.ok) return success(response, text) ?? { reason: IN_BETWEEN, floorMs: 0 };
    if (again && method === "DELETE" && response.status === 404)
      return { value: null, headers: response.headers };
    const refusal = problem(response.status, text);
    // Busy passes, but whoever chose to be refused wants to be told.
    if (!refusal.retry || refusal.code === "busy") {
      refusal.again = again;
      throw refusal;
    }
    return { reason: refusal.message, floorMs: retryAfter(response.headers.get("retry-after"), Date.now()) };
  }

  async #fetched(method: string, path: string, init: CallInit): Promise<[Response, string]> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error("nothing came in time")), this.options.timeoutMs);
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
    }
  }

  /** Resolves to whether the device came back meanwhile, which ends the wait. */
  #wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (woken: boolean) => {
        clearTimeout(timer);
        forget();
        resolve(woken);
      };
      const timer = setTimeout(() => done(false), ms);
      const forget = this.options.wake.listen((signal) => signal !== "offline" && done(true));
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
