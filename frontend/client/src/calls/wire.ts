/**
 * The API's answers with the names that `api.ts` gives them. The server's shapes are trusted: what is checked before is
 * that it was the server that answered.
 */

import type { ProfileFact, Snapshot } from "../events.gen.js";
import type {
  About,
  ConversationInfo,
  ConversationSummary,
  FactSource,
  PeriodUsage,
  Profile,
  RunInfo,
  RunUsage,
  SourcedFact,
  Transcript,
  Undone,
  UserUsage,
} from "./api.js";

type Row = Record<string, unknown>;

/** A row with its own field names in camelCase; values stay as they are. */
export function camel<T>(row: unknown): T {
  const entries = Object.entries(row as Row).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(entries) as T;
}

export function rowsOf(answer: unknown, name: string): readonly unknown[] {
  const rows = (answer as Row)[name];
  return Array.isArray(rows) ? rows : [];
}

export function runInfo(row: unknown): RunInfo {
  const info = camel<RunInfo>(row);
  return { ...info, usage: info.usage && camel<RunUsage>(info.usage) };
}

export function about(row: unknown): About {
  const info = camel<About>(row);
  return { ...info, limits: camel(info.limits), faults: info.faults ?? [] };
}

export function conversationInfo(row: unknown): ConversationInfo {
  return { match: null, ...camel<Omit<ConversationInfo, "match">>(row) };
}

export function profile(row: unknown): Profile {
  const { newest_change: change, resume, settings } = row as Row;
  return {
    facts: rowsOf(row, "facts").map(sourcedFact),
    newestChange: change ? camel(change) : null,
    resume: resume ? camel(resume) : null,
    settings: { remember: true, ...(settings as object) },
  };
}

export function conversationSummary(row: unknown): ConversationSummary {
  const { summary, ...version } = row as Row;
  return { ...camel<ConversationSummary>(version), ...camel<ConversationSummary>(summary) };
}

export function userUsage(row: unknown): UserUsage {
  const { today, month, budget } = row as Row;
  return { today: period(today), month: period(month), budget: budget ? camel(budget) : null };
}

function period(row: unknown): PeriodUsage {
  return { ...camel<PeriodUsage>(row), models: rowsOf(row, "models").map((model) => camel(model)) };
}

export function undone(row: unknown): Undone {
  return { ...camel<Undone>(row), facts: rowsOf(row, "facts").map(sourcedFact) };
}

function sourcedFact(row: unknown): SourcedFact {
  const {
    created_at: createdAt,
    source,
    ...fact
  } = row as ProfileFact & { created_at: string; source: Row | null };
  return { fact, createdAt, source: source && camel<FactSource>(source) };
}

/** As an event, so that it folds into a view like one. */
export function transcript(row: unknown): Transcript {
  const { cursor, ...stored } = row as Omit<Snapshot, "type"> & { cursor: string };
  const seq = Number(cursor.split("-")[1] ?? 0);
  const snapshot: Snapshot = { ...stored, type: "snapshot", run_id: "", seq, ts: "1970-01-01T00:00:00Z" };
  return { snapshot, cursor };
}
