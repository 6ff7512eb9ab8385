/** Where a reader stands in a conversation's events, and which of them it has had. */

const CURSOR = /^([0-9a-f]{8})-([0-9]{1,15})$/;

interface Offset {
  readonly epoch: string;
  readonly offset: number;
}

export class Place {
  /** What the server is asked to go on from; null: from the beginning. */
  cursor: string | null;
  #seen: Offset;

  constructor(cursor: string | null) {
    this.cursor = cursor;
    this.#seen = offsetOf(cursor) ?? { epoch: "", offset: 0 };
  }

  /** Move past a frame with this id that holds an event of this type (null: none). False: it was here before. */
  pass(id: string | null, type: string | null): boolean {
    const at = offsetOf(id);
    const had = at !== null && at.epoch === this.#seen.epoch && at.offset <= this.#seen.offset;
    if (had && type !== "gap" && type !== "snapshot") return false;
    if (id !== null && isCursor(id)) this.cursor = id || null;
    if (at !== null) {
      // A snapshot stands for all up to its offset; the `complete` made up after it may have the same one.
      this.#seen = type === "snapshot" ? { epoch: at.epoch, offset: at.offset - 1 } : at;
    }
    return true;
  }
}

/** Whether it can be sent in a header. */
export function isCursor(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function offsetOf(cursor: string | null): Offset | null {
  const match = CURSOR.exec(cursor ?? "");
  return match?.[1] === undefined ? null : { epoch: match[1], offset: Number(match[2]) };
}
