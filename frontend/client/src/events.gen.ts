/**
 * The event contract as the server sends it. Generated from docs/events.schema.json by frontend/scripts/types.mjs:
 * do not edit, run `npm run types` in frontend/.
 */

export type SignalboxEvent =
  | RunStarted
  | Thinking
  | IntentClassified
  | AgentStarted
  | AgentFinished
  | Handoff
  | Chunk
  | Message
  | Rewind
  | Retracted
  | ToolCall
  | ToolResult
  | JobsData
  | JobMatch
  | EmailDraft
  | CoverLetter
  | ResumeFeedback
  | SkillGap
  | InterviewQuestions
  | InterviewPractice
  | SalaryRange
  | CompanyProfile
  | ApplicationStatus
  | ProfileUpdated
  | Knowledge
  | Suggestions
  | SuggestionChosen
  | ApprovalRequired
  | ApprovalResolved
  | Usage
  | Gap
  | Snapshot
  | Error
  | Complete;

/**
 * `message` is what was asked, so that every tab can show it.
 */
export interface RunStarted {
  readonly attempt: number;
  readonly conversation_id: string;
  readonly message: string;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "run_started";
  readonly user_message_id: string;
}
export interface Thinking {
  readonly conversation_id: string;
  readonly label: string;
  readonly run_id: string;
  readonly seq: number;
  readonly stage: string;
  readonly ts: string;
  readonly type: "thinking";
}
/**
 * `source`: who decided. `quick_reply` or `command`: the user; `rule`: plain words of theirs; `context`:
 * what was going on; `classifier`: the local one, no language model; `language_model`.
 */
export interface IntentClassified {
  readonly alternatives: readonly IntentScore[];
  readonly confidence: number;
  readonly conversation_id: string;
  readonly intent: string;
  readonly reasoning: string;
  readonly run_id: string;
  readonly seq: number;
  readonly source: string;
  readonly ts: string;
  readonly type: "intent";
}
export interface IntentScore {
  readonly confidence: number;
  readonly intent: string;
}
/**
 * From here to the next `agent_started` all typed results belong to `message_id`.
 */
export interface AgentStarted {
  readonly agent: string;
  readonly conversation_id: string;
  readonly message_id: string;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "agent_started";
}
export interface AgentFinished {
  readonly agent: string;
  readonly conversation_id: string;
  readonly duration_ms: number;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "agent_finished";
}
/**
 * One agent's turn is over and another's begins, in the same run: `reason` says why, in words to show.
 */
export interface Handoff {
  readonly conversation_id: string;
  readonly from_agent: string;
  readonly reason: string;
  readonly run_id: string;
  readonly seq: number;
  readonly to_agent: string;
  readonly ts: string;
  readonly type: "handoff";
}
/**
 * A piece of a message's text; the pieces of one `message_id` joined are the message.
 */
export interface Chunk {
  readonly agent: string;
  readonly content: string;
  readonly conversation_id: string;
  readonly message_id: string;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "chunk";
}
/**
 * The whole text of a message, once, after its chunks.
 */
export interface Message {
  readonly agent: string;
  readonly citations: readonly Citation[];
  readonly content: string;
  readonly conversation_id: string;
  readonly message_id: string;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "message";
}
/**
 * Where a claim comes from. `id` can be looked up (`GET /v1/sources/{id}`): a posting, a passage of a guide,
 * a company's record, a wage table's row. `heading` is the path within a document; `as_of` dates the source.
 */
export interface Citation {
  readonly as_of: string | null;
  readonly heading: string;
  readonly id: string;
  readonly source: string;
  readonly title: string;
  readonly url: string | null;
}
/**
 * Drop the text shown so far under `message_id`: it will be sent anew.
 */
export interface Rewind {
  readonly conversation_id: string;
  readonly message_id: string;
  readonly reason: string;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "rewind";
}
/**
 * The run was taken back: its question (`user_message_id`) and all it answered are to vanish.
 *
 * Comes before the run's `complete`, or long after it: a run that is over can be taken back, too.
 */
export interface Retracted {
  readonly conversation_id: string;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "retracted";
  readonly user_message_id: string;
}
export interface ToolCall {
  readonly arguments: Record<string, unknown>;
  readonly call_id: string;
  readonly conversation_id: string;
  readonly run_id: string;
  readonly seq: number;
  readonly tool: string;
  readonly ts: string;
  readonly type: "tool_call";
}
/**
 * `ok`: found. `empty`: looked, and there is nothing. `error`: could not look (`kind` says why).
 *
 * `truncated`: there is more than was returned, `total` if known. `missed`: what was not asked successfully, in
 * words to show: with any, what was found is a part of what there may be.
 */
export interface ToolResult {
  readonly call_id: string;
  readonly conversation_id: string;
  readonly kind: string | null;
  readonly missed: readonly string[];
  readonly note: string;
  readonly run_id: string;
  readonly seq: number;
  readonly status: "ok" | "empty" | "error";
  readonly tool: string;
  readonly total: number | null;
  readonly truncated: boolean;
  readonly ts: string;
  readonly type: "tool_result";
}
/**
 * `total` counts all that fit, `truncated` tells that `jobs` is only a part of them.
 */
export interface JobsData {
  readonly conversation_id: string;
  readonly jobs: readonly Job[];
  readonly run_id: string;
  readonly seq: number;
  readonly sources: readonly SourceStatus[];
  readonly total: number;
  readonly truncated: boolean;
  readonly ts: string;
  readonly type: "jobs_data";
}
/**
 * `match_score` is 0 to 100, explained by `score_parts`, and null for whom no skill or title is known;
 * `sample` marks a fictional posting.
 */
export interface Job {
  readonly company: string;
  readonly job_id: string;
  readonly location: string | null;
  readonly match_reasons: readonly string[];
  readonly match_score: number | null;
  readonly matched_skills: readonly string[];
  readonly missing_skills: readonly string[];
  readonly posted_at: string | null;
  readonly remote: boolean | null;
  readonly salary: Salary | null;
  readonly sample: boolean;
  readonly score_parts: readonly ScorePart[];
  readonly source: string;
  readonly title: string;
  readonly url: string | null;
}
/**
 * `period`: year, month, day or hour, as the posting states it.
 */
export interface Salary {
  readonly currency: string | null;
  readonly max: number | null;
  readonly min: number | null;
  readonly period: string | null;
}
/**
 * `points` of `out_of`, and why in words fit to show. The parts make up a posting's `match_score`.
 */
export interface ScorePart {
  readonly name: string;
  readonly out_of: number;
  readonly points: number;
  readonly reason: string;
}
/**
 * What one source said. `empty`: it was asked, and has nothing; `error`: it could not be asked, so nothing is
 * known of what it has. `partial`: it answered, but not all of it was looked through.
 */
export interface SourceStatus {
  readonly name: string;
  readonly note: string;
  readonly partial: boolean;
  readonly status: "ok" | "empty" | "error";
}
/**
 * Postings on the table, judged by one `criterion`, best first; it is empty where nothing is ranked. `best` is
 * the winner's id, if there is one.
 */
export interface JobMatch {
  readonly best: string | null;
  readonly conversation_id: string;
  readonly criterion: string;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "job_match";
  readonly verdicts: readonly JobVerdict[];
}
/**
 * One posting judged. `place` is its number in the list the user saw (from 1).
 */
export interface JobVerdict {
  readonly concerns: readonly string[];
  readonly job: Job;
  readonly place: number;
  readonly strengths: readonly string[];
  readonly verdict: "strong" | "good" | "partial" | "weak" | "ruled_out" | "unknown";
}
/**
 * `placeholders` are the [blanks] the user has to fill in. `kind`: what the mail is for, where its writer knows
 * several: `chaser`, `thanks`, `feedback`, `withdrawal`, ...
 */
export interface EmailDraft {
  readonly body: string;
  readonly conversation_id: string;
  readonly evidence: readonly DraftEvidence[];
  readonly kind: string;
  readonly placeholders: readonly string[];
  readonly run_id: string;
  readonly seq: number;
  readonly subject: string;
  readonly subjects: readonly string[];
  readonly to: string | null;
  readonly ts: string;
  readonly type: "email_draft";
}
/**
 * `claim` stands in the draft; `fact` is what it rests on, as `source` has it.
 */
export interface DraftEvidence {
  readonly claim: string;
  readonly fact: string;
  readonly source: "cv" | "profile" | "message" | "posting" | "company";
}
/**
 * `kind` answer: the answer to `question` of a form; email: the text above an attached application; mended: the
 * user's own letter, changed. `job_id` is the posting's, if there is one. `left_out`: what the posting asks for
 * and the user is not known to have, which the text therefore does not claim.
 */
export interface CoverLetter {
  readonly body: string;
  readonly company: string | null;
  readonly conversation_id: string;
  readonly evidence: readonly DraftEvidence[];
  readonly job_id: string | null;
  readonly kind: "letter" | "speculative" | "internal" | "answer" | "email" | "mended";
  readonly left_out: readonly string[];
  readonly placeholders: readonly string[];
  readonly question: string | null;
  readonly role: string | null;
  readonly run_id: string;
  readonly seq: number;
  readonly title: string;
  readonly tone: "formal" | "friendly" | "plain";
  readonly ts: string;
  readonly type: "cover_letter";
  readonly words: number;
}
/**
 * A CV reviewed, the weightiest finding first. `source`: the file's name, or "pasted". `target`: the posting or
 * role it was held against; that asks for `unsaid_keywords` (known of the user, but the CV does not say them) and
 * `missing_keywords` (not known of the user either).
 */
export interface ResumeFeedback {
  readonly conversation_id: string;
  readonly findings: readonly ResumeFinding[];
  readonly missing_keywords: readonly string[];
  readonly run_id: string;
  readonly seq: number;
  readonly source: string;
  readonly strengths: readonly string[];
  readonly target: string | null;
  readonly ts: string;
  readonly type: "resume_feedback";
  readonly unsaid_keywords: readonly string[];
}
/**
 * `quote` is the CV's own wording. A rewritten bullet has `before` and `after`, and its number in the CV.
 */
export interface ResumeFinding {
  readonly after: string | null;
  readonly before: string | null;
  readonly bullet: number | null;
  readonly finding: string;
  readonly quote: string;
  readonly section: string;
  readonly severity: "high" | "medium" | "low";
  readonly suggestion: string;
}
export interface SkillGap {
  readonly conversation_id: string;
  readonly learn_next: readonly string[];
  readonly postings: number;
  readonly run_id: string;
  readonly sample_postings: number;
  readonly seq: number;
  readonly skills: readonly SkillDemand[];
  readonly target: string;
  readonly ts: string;
  readonly type: "skill_gap";
}
/**
 * `share` is the fraction (0 to 1) of the postings looked at that ask for the skill; `reason` says why it
 * counts as `have` or `partial`. `certificate`: a certificate or licence rather than a skill.
 */
export interface SkillDemand {
  readonly certificate: boolean;
  readonly postings: number;
  readonly reason: string;
  readonly share: number;
  readonly skill: string;
  readonly status: "have" | "partial" | "missing";
}
export interface InterviewQuestions {
  readonly company: string;
  readonly conversation_id: string;
  readonly questions: readonly InterviewQuestion[];
  readonly role: string;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "interview_questions";
}
/**
 * `basis`: a guide that lists it, or the posting or CV it was made from, as `why` tells. `hint`: what a good
 * answer shows. `citation_ids` are ids of the message's citations; a CV has none.
 */
export interface InterviewQuestion {
  readonly basis: "guide" | "posting" | "cv";
  readonly citation_ids: readonly string[];
  readonly hint: string;
  readonly kind: "opening" | "behavioural" | "role";
  readonly question: string;
  readonly why: string;
}
/**
 * One step of a practice interview, with all that is needed to go on from it.
 *
 * `open`: the question awaits an answer. `feedback` is on the answer before it. `asked` is the question with
 * what it rests on (None: the interview is over), `upcoming` are those kept for later, `notes` one an answer so
 * far, `sources` what the questions cite.
 */
export interface InterviewPractice {
  readonly asked: InterviewQuestion | null;
  readonly company: string;
  readonly conversation_id: string;
  readonly feedback: readonly string[];
  readonly notes: readonly PracticeNote[];
  readonly number: number;
  readonly of: number;
  readonly open: boolean;
  readonly question: string;
  readonly role: string;
  readonly run_id: string;
  readonly seq: number;
  readonly sources: readonly QuestionSource[];
  readonly ts: string;
  readonly type: "interview_practice";
  readonly upcoming: readonly InterviewQuestion[];
}
/**
 * What was noticed in one answer: its length, the parts of a told example that are in it, and by their names the
 * things to keep and to change. A skipped question has no words.
 */
export interface PracticeNote {
  readonly change: readonly string[];
  readonly keep: readonly string[];
  readonly question: string;
  readonly star: readonly ("situation" | "task" | "action" | "result")[];
  readonly words: number;
}
/**
 * Where questions come from. `id` is the id of its citation.
 */
export interface QuestionSource {
  readonly as_of: string | null;
  readonly heading: string;
  readonly id: string;
  readonly source: string;
  readonly title: string;
  readonly url: string | null;
}
/**
 * Pay for `role` from one `source`, in one currency, per `period`; None is a percentile not known.
 *
 * `basis` postings: interpolated over `n` postings, each by the middle of its range, `converted` of them from
 * another period; `figures` are the single ones if they are few, else some near the median; `sample`: they are
 * fictional. `basis` wage_table: as published for `occupation`, as of `date_to`, `n` people employed.
 * `asked` is the pay to judge and `asked_share` the fraction of postings below it. `location` is where the
 * figures are from, which may be wider than `asked_location`.
 */
export interface SalaryRange {
  readonly asked: number | null;
  readonly asked_location: string | null;
  readonly asked_share: number | null;
  readonly basis: "postings" | "wage_table";
  readonly conversation_id: string;
  readonly converted: number;
  readonly currency: string;
  readonly date_from: string | null;
  readonly date_to: string | null;
  readonly figures: readonly PayFigure[];
  readonly location: string | null;
  readonly method: string;
  readonly n: number;
  readonly occupation: string | null;
  readonly p10: number | null;
  readonly p25: number | null;
  readonly p50: number | null;
  readonly p75: number | null;
  readonly p90: number | null;
  readonly period: string;
  readonly role: string;
  readonly run_id: string;
  readonly sample: boolean;
  readonly seq: number;
  readonly small_sample: boolean;
  readonly source: string;
  readonly source_id: string | null;
  readonly ts: string;
  readonly type: "salary_range";
  readonly url: string | null;
}
/**
 * What one posting states, per year in the currency of its range.
 */
export interface PayFigure {
  readonly company: string;
  readonly job_id: string;
  readonly max: number;
  readonly min: number;
  readonly posted_at: string | null;
  readonly title: string;
}
/**
 * `unknown` names what was asked for and no source tells; `sample`: a company of the fictional catalogue.
 */
export interface CompanyProfile {
  readonly company: string;
  readonly conversation_id: string;
  readonly facts: readonly CompanyFact[];
  readonly run_id: string;
  readonly sample: boolean;
  readonly seq: number;
  readonly ts: string;
  readonly type: "company_profile";
  readonly unknown: readonly string[];
}
/**
 * `fact` as `source` says it, `as_of` a day; `source_id` is the id of its citation.
 */
export interface CompanyFact {
  readonly as_of: string | null;
  readonly fact: string;
  readonly label: string;
  readonly source: string;
  readonly source_id: string | null;
  readonly url: string | null;
}
/**
 * The tracker, open applications first; `changed`: the id of the one this turn recorded or changed.
 */
export interface ApplicationStatus {
  readonly applications: readonly Application[];
  readonly changed: string | null;
  readonly conversation_id: string;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "application_status";
}
/**
 * One application on the tracker. `days_since`: since the last sign of life (`last_contact_on`), negative for
 * an interview to come. `chase_on`: when to write again if nothing is heard; None where there is nothing to chase.
 */
export interface Application {
  readonly application_id: string;
  readonly applied_on: string | null;
  readonly chase_on: string | null;
  readonly company: string;
  readonly days_since: number | null;
  readonly job_id: string | null;
  readonly last_contact_on: string | null;
  readonly next_step: string;
  readonly status: string;
  readonly title: string;
}
export interface ProfileUpdated {
  readonly added: readonly ProfileFact[];
  readonly conversation_id: string;
  readonly profile: readonly ProfileFact[];
  readonly removed: readonly ProfileFact[];
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "profile_updated";
}
/**
 * One thing known of the user; `source_message_id` is the message that said it. `origin`: whether the user said
 * it, a model concluded it from their words (then with its `confidence`), or it stands in their CV. `pinned`: they
 * asked for it to be remembered. `noted_on`: the day (UTC) since when it is known.
 */
export interface ProfileFact {
  readonly confidence: number;
  readonly fact_id: string;
  readonly key: string;
  readonly kind: "fact" | "preference" | "constraint";
  readonly noted_on: string | null;
  readonly origin: "said" | "extracted" | "resume";
  readonly pinned: boolean;
  readonly source_message_id: string | null;
  readonly value: string;
}
/**
 * Passages that an answer to `question` rests on, the best first.
 */
export interface Knowledge {
  readonly conversation_id: string;
  readonly passages: readonly KnowledgePassage[];
  readonly question: string;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "knowledge";
}
/**
 * A passage of a guide. `passage_id` is the id of its citation.
 */
export interface KnowledgePassage {
  readonly as_of: string | null;
  readonly heading: string;
  readonly passage_id: string;
  readonly source: string;
  readonly text: string;
  readonly title: string;
  readonly url: string | null;
}
export interface Suggestions {
  readonly conversation_id: string;
  readonly run_id: string;
  readonly seq: number;
  readonly suggestions: readonly Suggestion[];
  readonly text: string;
  readonly ts: string;
  readonly type: "suggestions";
}
/**
 * A quick reply: `label` on the button, `message` is what choosing it says; with an `intent` the
 * choice is final and nothing is classified again.
 */
export interface Suggestion {
  readonly id: string;
  readonly intent: string | null;
  readonly label: string;
  readonly message: string;
}
/**
 * Locks the quick replies that `suggestion_id` belongs to, in every tab and after a reload.
 */
export interface SuggestionChosen {
  readonly conversation_id: string;
  readonly run_id: string;
  readonly seq: number;
  readonly suggestion_id: string;
  readonly ts: string;
  readonly type: "suggestion_chosen";
}
export interface ApprovalRequired {
  readonly approval_id: string;
  readonly arguments: Record<string, unknown>;
  readonly conversation_id: string;
  readonly expires_at: string;
  readonly risk: string;
  readonly run_id: string;
  readonly seq: number;
  readonly tool: string;
  readonly ts: string;
  readonly type: "approval_required";
}
export interface ApprovalResolved {
  readonly approval_id: string;
  readonly conversation_id: string;
  readonly decision: "approved" | "edited" | "rejected" | "expired";
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "approval_resolved";
}
export interface Usage {
  readonly cached_tokens: number;
  readonly conversation_id: string;
  readonly cost_usd: number | null;
  readonly estimated: boolean;
  readonly input_tokens: number;
  readonly model: string;
  readonly output_tokens: number;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "usage";
}
/**
 * Events were lost to this reader (`reason`); a `snapshot` follows.
 */
export interface Gap {
  readonly conversation_id: string;
  readonly reason: "unknown_epoch" | "trimmed" | "expired";
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "gap";
}
/**
 * The conversation as the store has it. A client replaces what it shows by this, then goes on.
 *
 * Only the newest messages of a very long conversation are in it; `omitted` counts the older ones.
 */
export interface Snapshot {
  readonly conversation_id: string;
  readonly messages: readonly SnapshotMessage[];
  readonly omitted: number;
  readonly run_id: string;
  readonly runs: readonly SnapshotRun[];
  readonly seq: number;
  readonly ts: string;
  readonly type: "snapshot";
}
/**
 * `blocks` are the message's typed events (`jobs_data`, `suggestions` ...) as they were sent.
 */
export interface SnapshotMessage {
  readonly agent: string | null;
  readonly blocks: readonly Record<string, unknown>[];
  readonly citations: readonly Citation[];
  readonly content: string;
  readonly message_id: string;
  readonly role: "user" | "assistant";
  readonly run_id: string;
  readonly status: "complete" | "partial";
}
/**
 * How a run stands, and how it came to its answer: what its `intent` event, its tools, its model calls, its
 * hand-overs and its rewinds told, and which agent spoke last. While it is going on the latter are empty: its events
 * tell them.
 */
export interface SnapshotRun {
  readonly agent: string | null;
  readonly confidence: number | null;
  readonly error: RunError | null;
  readonly handoffs: readonly SnapshotHandoff[];
  readonly intent: string | null;
  readonly rewinds: readonly SnapshotRewind[];
  readonly run_id: string;
  readonly source: string | null;
  readonly status: "pending" | "running" | "waiting" | "succeeded" | "failed" | "cancelled" | "dead";
  readonly tools: readonly SnapshotTool[];
  readonly usage: readonly SnapshotUsage[];
}
export interface RunError {
  readonly code: string;
  readonly content: string;
  readonly retry: boolean;
}
/**
 * One agent gave over to another, as its `handoff` told.
 */
export interface SnapshotHandoff {
  readonly from_agent: string;
  readonly reason: string;
  readonly to_agent: string;
}
/**
 * The text of a message was dropped and sent anew, as its `rewind` told.
 */
export interface SnapshotRewind {
  readonly message_id: string;
  readonly reason: string;
}
/**
 * How one tool call went, as its `tool_result` told.
 */
export interface SnapshotTool {
  readonly call_id: string;
  readonly kind: string | null;
  readonly missed: readonly string[];
  readonly note: string;
  readonly status: "ok" | "empty" | "error";
  readonly tool: string;
  readonly total: number | null;
  readonly truncated: boolean;
}
/**
 * One model call, as its `usage` told.
 */
export interface SnapshotUsage {
  readonly cached_tokens: number;
  readonly cost_usd: number | null;
  readonly estimated: boolean;
  readonly input_tokens: number;
  readonly model: string;
  readonly output_tokens: number;
}
/**
 * `content` is safe to show; `retry`: sending the message again may help.
 */
export interface Error {
  readonly code: string;
  readonly content: string;
  readonly conversation_id: string;
  readonly retry: boolean;
  readonly run_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: "error";
}
/**
 * Always last, agreeing with the stored status; exactly one per run. Only a run that waits for a human
 * (`waiting`) goes on after it, once the human has decided, and ends with another one. A conversation's stream may
 * still say that the run was `retracted`.
 */
export interface Complete {
  readonly conversation_id: string;
  readonly run_id: string;
  readonly seq: number;
  readonly status: "succeeded" | "failed" | "cancelled" | "waiting";
  readonly ts: string;
  readonly type: "complete";
}

/** Every `type` there is. */
export const EVENT_TYPES = [
  "run_started",
  "thinking",
  "intent",
  "agent_started",
  "agent_finished",
  "handoff",
  "chunk",
  "message",
  "rewind",
  "retracted",
  "tool_call",
  "tool_result",
  "jobs_data",
  "job_match",
  "email_draft",
  "cover_letter",
  "resume_feedback",
  "skill_gap",
  "interview_questions",
  "interview_practice",
  "salary_range",
  "company_profile",
  "application_status",
  "profile_updated",
  "knowledge",
  "suggestions",
  "suggestion_chosen",
  "approval_required",
  "approval_resolved",
  "usage",
  "gap",
  "snapshot",
  "error",
  "complete",
] as const satisfies readonly SignalboxEvent["type"][];
