/** The event types that this client knows, as values; the compiler holds the list equal to the contract. */

import type { SignalboxEvent } from "../events.gen.js";

const KNOWN: Record<SignalboxEvent["type"], true> = {
  run_started: true,
  thinking: true,
  intent: true,
  agent_started: true,
  agent_finished: true,
  handoff: true,
  chunk: true,
  message: true,
  rewind: true,
  retracted: true,
  tool_call: true,
  tool_result: true,
  jobs_data: true,
  job_match: true,
  email_draft: true,
  cover_letter: true,
  resume_feedback: true,
  skill_gap: true,
  interview_questions: true,
  interview_practice: true,
  salary_range: true,
  company_profile: true,
  application_status: true,
  profile_updated: true,
  knowledge: true,
  suggestions: true,
  suggestion_chosen: true,
  approval_required: true,
  approval_resolved: true,
  usage: true,
  gap: true,
  snapshot: true,
  error: true,
  complete: true,
};

export const EVENT_TYPES: readonly string[] = Object.keys(KNOWN);

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
  const known = typeof type === "string" && Object.hasOwn(KNOWN, type);
  return (
    known && typeof conversation_id === "string" && typeof run_id === "string" && typeof seq === "number"
  );
}
