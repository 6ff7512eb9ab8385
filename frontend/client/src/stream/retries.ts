/** When to try again, when to give up, and what an answer that is no event stream means for that. */

import { type ClientError, ConnectionLost, passes, problem } from "../errors.js";
import { Backoff, retryAfter } from "./backoff.js";
import type { Settings } from "./options.js";
import type { Refusal } from "./transports/types.js";

export class Retries {
  /** What the stream's last `retry:` asked for. */
  retryMs = 0;
  /** Until then the server does not want to be asked, whatever happens. */
  notBefore = 0;
  readonly #backoff: Backoff;
  #failingSince: number | null = null;

  constructor(private readonly set: Settings) {
    this.#backoff = new Backoff(set.backoffBaseMs, set.backoffCapMs, set.random);
  }

  /** All is well, or different enough to begin anew. */
  recovered(): void {
    this.#backoff.reset();
    this.#failingSince = null;
  }

  /** One more failure: how long to wait; null: it is time to give up. */
  failed(floorMs: number): number | null {
    const { clock, wake, giveUpAfterMs, backoffCapMs } = this.set;
    if (!wake.online) {
      // A try cannot be expected to succeed, so it is none; but what the platform believes may be wrong.
      this.#failingSince = null;
      return Math.max(floorMs, backoffCapMs);
    }
    this.#failingSince ??= clock.now();
    if (giveUpAfterMs > 0 && clock.now() - this.#failingSince >= giveUpAfterMs) return null;
    return Math.round(this.#backoff.next(floorMs));
  }

  /** The server's wish to be left alone for a while. Returns how long. */
  asked(retryAfterHeader: string | null): number {
    const now = this.set.clock.now();
    const floorMs = retryAfter(retryAfterHeader, now);
    this.notBefore = now + floorMs;
    return floorMs;
  }
}

/** What a refusal means: `over`: the stream has an end, for `error` if there is one; else it may be tried again. */
export function judged(refusal: Refusal): { over: boolean; error: ClientError | null } {
  const { status, body } = refusal;
  if (status === 204) return { over: true, error: null };
  // A success that is no event stream comes from something in between: a captive portal, a maintenance page.
  if (status < 400)
    return { over: false, error: new ConnectionLost("something else answered in the server's place") };
  const error = problem(status, body);
  const again = passes(status) || (error.retry && status !== 409);
  return { over: !again, error };
}
