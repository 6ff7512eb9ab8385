/**
 * What the HTTP API takes and gives: names in camelCase. What the event contract has a name for (`Application`,
 * `ProfileFact`, `Snapshot`) is given as it is there, so that one component shows it wherever it comes from.
 */

import type { ProfileFact, SignalboxEvent, Snapshot } from "../events.gen.js";
import type { ErrorView, RunStatus } from "../view/view.js";

export type IfBusy = "enqueue" | "interrupt" | "reject" | "rollback";

/** The body of `POST /v1/chat`, as it goes over the wire. */
export interface ChatRequest {
  message?: string;
  conversation_id?: string;
  suggestion_id?: string;
  temporary?: boolean;
  if_busy?: IfBusy;
  replaces?: string;
}

export interface SendOptions {
  conversationId?: string | null | undefined;
  /** The quick reply that is chosen by this message. */
  suggestionId?: string | undefined;
  /** Neither read nor write the profile; the conversation is not listed. */
  temporary?: boolean | undefined;
  /**
   * While an earlier message is being answered: wait for it, cut it short and keep what it said, refuse this one
   * (`ApiError` with code `busy`), or take the earlier one back.
   */
  ifBusy?: IfBusy | undefined;
  /** A run that this message takes the place of; it and all later ones are taken back. */
  replaces?: string | undefined;
  /** Made up if absent. The same key and message give the same run, however often they are sent. */
  idempotencyKey?: string | undefined;
}

export interface RunHandle {
  readonly runId: string;
  readonly conversationId: string;
}

export interface RunInfo extends RunHandle {
  readonly status: RunStatus;
  readonly attempt: number;
  readonly intent: string | null;
  readonly agent: string | null;
  readonly usage: RunUsage | null;
  readonly error: ErrorView | null;
  readonly createdAt: string | null;
  readonly finishedAt: string | null;
}

/** All model calls of a run together; `model` is the last one's. */
export interface RunUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
}

/** What a run asks its user. `digest` is that of `arguments`; `edited` were approved in their place. */
export interface Approval {
  readonly approvalId: string;
  readonly runId: string;
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  readonly digest: string;
  readonly risk: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly decision: "approved" | "edited" | "rejected" | "expired" | null;
  readonly edited: Record<string, unknown> | null;
  readonly note: string;
  readonly decidedAt: string | null;
}

/** `edit` takes the arguments to change. With `digest` only the arguments are approved that it is of. */
export type Decision = (
  | { decision: "approve" }
  | { decision: "edit"; arguments: Record<string, unknown> }
  | { decision: "reject" }
) & { note?: string | undefined; digest?: string | undefined };

export interface ConversationInfo {
  readonly conversationId: string;
  readonly title: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** What a search found, in its surroundings. */
  readonly match: string | null;
}

export interface ConversationsOptions {
  /** Only those with this in their title or messages. */
  query?: string | undefined;
  limit?: number | undefined;
  /** The `updatedAt` to go on from. */
  before?: string | undefined;
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Stored messages; a stream of the conversation from `cursor` goes on without a seam. */
export interface Transcript {
  readonly snapshot: Snapshot;
  readonly cursor: string;
}

/** Some events of a conversation; `cursor` is the place after them. */
export interface EventsPage {
  readonly events: readonly SignalboxEvent[];
  readonly cursor: string | null;
}

export type FactSource =
  | { readonly kind: "resume"; readonly resumeId: string; readonly fileName: string }
  | {
      readonly kind: "message";
      readonly messageId: string | null;
      readonly conversationId: string | null;
      readonly text: string;
    };

export interface SourcedFact {
  readonly fact: ProfileFact;
  readonly createdAt: string;
  /** Null when what it came from is gone. */
  readonly source: FactSource | null;
}

export interface ProfileChange {
  readonly changeId: string;
  readonly changedAt: string;
  readonly added: readonly ProfileFact[];
  readonly removed: readonly ProfileFact[];
}

/** `newestChange` is what an undo would take back. Without `remember` nothing of it is used or added to. */
export interface Profile {
  readonly facts: readonly SourcedFact[];
  readonly newestChange: ProfileChange | null;
  /** The CV there is; what was understood of it comes from `Client.resume`. */
  readonly resume: NamedResume | null;
  readonly settings: ProfileSettings;
}

export interface ProfileSettings {
  readonly remember: boolean;
}

/** What is to be changed of a fact. `pinned`: it is told to the assistant whatever is talked about. */
export interface Amendment {
  readonly value?: string;
  readonly pinned?: boolean;
}

/** How much of each kind is gone. */
export type Erased = Readonly<Record<string, number>>;

/** `sources` are the ids of the messages that said it. */
export interface Noted {
  readonly text: string;
  readonly sources: readonly string[];
}

/** What was noted of a conversation's older turns. `version` 0: nothing yet. */
export interface ConversationSummary {
  readonly conversationId: string;
  readonly version: number;
  readonly createdAt: string | null;
  readonly hardConstraints: readonly Noted[];
  readonly jobPreferences: readonly Noted[];
  readonly mentionedCompanies: readonly Noted[];
  readonly decisions: readonly Noted[];
  readonly openQuestions: readonly Noted[];
  readonly currentGoal: Noted | null;
}

/** Tokens and cost of some model calls; `cachedTokens` are part of `inputTokens`. */
interface Spent {
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

export interface PeriodUsage extends Spent {
  readonly since: string;
  /** Calls without a known price, which are not in `costUsd`. */
  readonly unpricedCalls: number;
  readonly models: readonly (Spent & { readonly model: string })[];
}

/** What the user's answers have cost, by days and months of UTC. `budget` is that of a day, if there is one. */
export interface UserUsage {
  readonly today: PeriodUsage;
  readonly month: PeriodUsage;
  readonly budget: { readonly usd: number; readonly leftUsd: number; readonly renewedAt: string } | null;
}

/** `removed` and `restored` by taking the change back; `facts` are those known now. */
export interface Undone {
  readonly changeId: string;
  readonly changedAt: string;
  readonly removed: readonly ProfileFact[];
  readonly restored: readonly ProfileFact[];
  readonly facts: readonly SourcedFact[];
}

interface Span {
  readonly start: string | null;
  readonly end: string | null;
}

/** A CV as it was understood, without contact data: `contact` names what kinds of it were seen and dropped. */
export interface Resume {
  readonly headline: string;
  readonly summary: string;
  readonly location: string;
  readonly work: readonly (Span & {
    readonly title: string;
    readonly company: string;
    readonly location: string;
    readonly current: boolean;
    readonly highlights: readonly string[];
  })[];
  readonly education: readonly (Span & {
    readonly degree: string;
    readonly institution: string;
    readonly current: boolean;
    readonly highlights: readonly string[];
  })[];
  readonly skills: readonly string[];
  readonly languages: readonly { readonly language: string; readonly level: string }[];
  readonly certificates: readonly {
    readonly name: string;
    readonly issuer: string;
    readonly date: string | null;
  }[];
  readonly projects: readonly (Span & { readonly name: string; readonly highlights: readonly string[] })[];
  readonly other: readonly {
    readonly section: string;
    readonly heading: string;
    readonly lines: readonly string[];
  }[];
  readonly sections: readonly string[];
  readonly contact: readonly string[];
  readonly pages: number | null;
  readonly text: string;
  readonly source: string;
}

export interface NamedResume {
  readonly resumeId: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly createdAt: string;
}

export interface StoredResume extends NamedResume {
  readonly resume: Resume;
}

/** What an upload did to the profile, and what could not be read. */
export interface ResumeTaken extends StoredResume {
  readonly added: readonly ProfileFact[];
  readonly removed: readonly ProfileFact[];
  readonly warnings: readonly string[];
}

export interface UploadOptions {
  /** The file's name, where the blob has none. */
  name?: string | undefined;
  /** From 0 to 1, where the platform tells; 1 means sent, not yet read by the server. */
  onProgress?: ((fraction: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface About {
  readonly name: string;
  readonly version: string;
  readonly model: string;
  readonly offline: boolean;
  readonly auth: "cookie" | "key";
  readonly signedIn: boolean;
  readonly limits: { readonly messageChars: number; readonly resumeBytes: number };
  /** Whether e-mails can be sent from here. */
  readonly mail: boolean;
  /** What fails on purpose, as the operator has set it for a trial. */
  readonly faults: readonly string[];
}
