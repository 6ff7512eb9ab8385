/** Which events are typed results: kept with the answer, given back by a snapshot. */

import type { SignalboxEvent } from "../events.gen.js";

export type Envelope = "conversation_id" | "run_id" | "seq" | "ts";

// An event that is new in the contract does not compile until it is decided here.
const IS_BLOCK = {
  run_started: false,
  thinking: false,
  intent: false,
  agent_started: false,
  agent_finished: false,
  handoff: false,
  chunk: false,
  message: false,
  rewind: false,
  retracted: false,
  tool_call: false,
  tool_result: false,
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
  usage: false,
  gap: false,
  snapshot: false,
  error: false,
  complete: false,
} as const satisfies Record<SignalboxEvent["type"], boolean>;

type Kinds = typeof IS_BLOCK;
export type BlockType = { [K in keyof Kinds]: Kinds[K] extends true ? K : never }[keyof Kinds];
type Bare<E> = E extends SignalboxEvent ? Omit<E, Envelope> : never;
/** A typed result without its envelope, discriminated by `type`. */
export type Block = Bare<Extract<SignalboxEvent, { type: BlockType }>>;
export type BlockOf<T extends BlockType> = Extract<Block, { type: T }>;

export const BLOCK_TYPES = Object.keys(IS_BLOCK).filter((type) => isBlockType(type));

export function isBlockType(type: unknown): type is BlockType {
  return typeof type === "string" && Object.hasOwn(IS_BLOCK, type) && IS_BLOCK[type as keyof Kinds];
}

/** The event without its envelope, as a snapshot gives it back. */
export function bare<E extends SignalboxEvent>(event: E): Bare<E> {
  const { conversation_id: _c, run_id: _r, seq: _s, ts: _t, ...rest } = event;
  return rest as unknown as Bare<E>;
}

/** Blocks and, as many, the messages they belong to. */
export interface Owned {
  readonly blocks: readonly Block[];
  readonly owners: readonly (string | null)[];
}

export const noBlocks: Owned = { blocks: [], owners: [] };

/** Each block once: a log's older end may repeat what a waiting run's snapshot has. */
export function joined<T extends Owned>(owned: T, block: Block, owner: string | null): T {
  if (owned.blocks.some((known) => same(known, block))) return owned;
  return { ...owned, blocks: [...owned.blocks, block], owners: [...owned.owners, owner] };
}

/** Equal as JSON is, whatever the order of the fields. */
function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && same(one[name as never], other[name as never]))
  );
}
