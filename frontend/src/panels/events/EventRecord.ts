import type { SignalboxEvent } from "@signalbox/client";

/** An event as it came: its JSON, and what it is filtered by. */
export interface Recorded {
  /** 1, 2, 3, ... in the order of arrival, 0, -1, ... of those before: an offset may come with a snapshot again. */
  readonly number: number;
  readonly seq: number;
  readonly type: string;
  readonly ts: string;
  readonly runId: string;
  readonly json: string;
}

export interface Recording {
  readonly events: readonly Recorded[];
  /** How many of each type there are, in the order in which they first came. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many older ones made room. */
  readonly dropped: number;
}

const NOTHING: Recording = { events: [], counts: new Map(), dropped: 0 };

/**
 * The last events of a conversation, bounded in number and in characters. It is written to at every event, so that
 * costs little; the lists are only made for who looks, once per `settle`.
 */
export class EventRecord {
  #events: Recorded[] = [];
  #characters = 0;
  #number = 0;
  #dropped = 0;
  #shown: Recording = NOTHING;
  #settling: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly most = 5_000,
    private readonly mostCharacters = 24_000_000,
    private readonly settleMs = 100,
  ) {}

  readonly add = (event: SignalboxEvent): void => {
    this.#number += 1;
    this.#keep(recorded(event, this.#number));
    this.#announce();
  };

  get recording(): Recording {
    return this.#shown;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#show();
    return () => this.#listeners.delete(listener);
  };

  /** Earlier events, which were not seen as they came. */
  putBefore(events: readonly SignalboxEvent[]): void {
    const later = this.#events;
    const first = later[0];
    const earlier = events.filter((event) => first === undefined || event.seq < first.seq);
    const from = (first?.number ?? this.#number + 1) - earlier.length;
    this.#events = [];
    this.#characters = 0;
    for (const [at, event] of earlier.entries()) this.#keep(recorded(event, from + at));
    for (const event of later) this.#keep(event);
    this.#announce();
  }

  clear(): void {
    this.#events = [];
    this.#characters = 0;
    this.#dropped = 0;
    this.#announce();
  }

  #keep(event: Recorded): void {
    this.#characters += event.json.length;
    this.#events.push(event);
    // Shifting one at a time is quadratic on a busy stream: leave some slack and cut it off at once.
    if (this.#events.length > this.most * 1.2 || this.#characters > this.mostCharacters) this.#trim();
  }

  #trim(): void {
    let from = Math.max(0, this.#events.length - this.most);
    let characters = 0;
    for (let at = this.#events.length - 1; at >= from; at -= 1) {
      characters += this.#events[at]?.json.length ?? 0;
      if (characters > this.mostCharacters) from = at + 1;
    }
    // One that is larger than all there is room for is kept alone.
    from = Math.min(from, this.#events.length - 1);
    this.#events = this.#events.slice(from);
    this.#dropped += from;
    this.#characters = this.#events.reduce((sum, one) => sum + one.json.length, 0);
  }

  #announce(): void {
    if (this.#listeners.size === 0) return;
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      this.#show();
      for (const listener of this.#listeners) listener();
    }, this.settleMs);
  }

  #show(): void {
    const events = this.#events.slice(-this.most);
    const counts = new Map<string, number>();
    for (const one of events) counts.set(one.type, (counts.get(one.type) ?? 0) + 1);
    this.#shown = { events, counts, dropped: this.#dropped + this.#events.length - events.length };
  }
}

function recorded({ seq, type, ts, run_id: runId, ...rest }: SignalboxEvent, number: number): Recorded {
  return { number, seq, type, ts, runId, json: JSON.stringify({ seq, type, ts, run_id: runId, ...rest }) };
}

export interface Filter {
  /** Types that are shown; all if there are none. */
  readonly types: ReadonlySet<string>;
  readonly text: string;
}

export function filtered(events: readonly Recorded[], { types, text }: Filter): readonly Recorded[] {
  const wanted = text.trim().toLowerCase();
  if (types.size === 0 && wanted === "") return events;
  return events.filter(
    (one) =>
      (types.size === 0 || types.has(one.type)) && (wanted === "" || one.json.toLowerCase().includes(wanted)),
  );
}

/** One event a line, as they came. */
export function asLines(events: readonly Recorded[]): string {
  return events.map((one) => `${one.json}\n`).join("");
}
