/** Which of what comes is an event of the contract that this client was made for. */

import { EVENT_TYPES, type SignalboxEvent } from "../events.gen.js";

const KNOWN: ReadonlySet<unknown> = new Set(EVENT_TYPES);

/** The event in a frame's data; null for what this client cannot know or read. */
export function eventOf(data: string): SignalboxEvent | null {
  try {
    const value: unknown = JSON.parse(data);
    return isEvent(value) ? value : null;
  } catch {
    return null;
  }
}

function isEvent(value: unknown): value is SignalboxEvent {
  if (typeof value !== "object" || value === null) return false;
  const { type, conversation_id, run_id, seq } = value as Record<string, unknown>;
  const told = typeof conversation_id === "string" && typeof run_id === "string" && typeof seq === "number";
  return KNOWN.has(type) && told;
}
