"""The event contract, v1: what a client sees. One frozen model per event, one union discriminated by ``type``.

This module decides names and shapes; it knows nothing of logs, runs or HTTP. How an event becomes JSON whatever
it holds is the business of ``encoding``.
"""

from datetime import UTC, date, datetime
from typing import Annotated, Any, Final, Literal, NewType, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

ConversationId = NewType("ConversationId", str)
RunId = NewType("RunId", str)
MessageId = NewType("MessageId", str)

Intent = Literal[
    "job_search",
    "job_match",
    "followup",
    "cold_email",
    "cover_letter",
    "resume_review",
    "skill_gap",
    "interview_prep",
    "salary",
    "company_research",
    "profile_update",
    "general",
]
INTENTS: Final[tuple[Intent, ...]] = get_args(Intent)

RunStatus = Literal["pending", "running", "waiting", "succeeded", "failed", "cancelled", "dead"]
LostReason = Literal["unknown_epoch", "trimmed", "expired"]
FinalStatus = Literal["succeeded", "failed", "cancelled", "waiting"]

ENVELOPE: Final = frozenset({"conversation_id", "run_id", "seq", "ts"})
_UNSET_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Part(BaseModel):
    """A value inside an event. What has a default is sent all the same, so the schema requires it."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)


class Event(Part):
    """Common to all events. Agents leave these four alone: the event log fills them in.

    ``seq`` is the offset in the conversation (1, 2, 3, ... without holes), ``ts`` is UTC.
    """

    conversation_id: str = ""
    run_id: str = ""
    seq: int = 0
    ts: datetime = _UNSET_TIME


class RunStarted(Event):
    """``message`` is what was asked, so that every tab can show it."""

    type: Literal["run_started"] = "run_started"
    attempt: int
    user_message_id: str
    message: str = ""


class Thinking(Event):
    type: Literal["thinking"] = "thinking"
    stage: str
    label: str


class IntentScore(Part):
    intent: Intent
    confidence: float = Field(ge=0, le=1)


class IntentClassified(Event):
    """``source``: who decided (``model``, ``rule``, ``command`` or ``quick_reply``)."""

    type: Literal["intent"] = "intent"
    intent: Intent
    confidence: float = Field(ge=0, le=1)
    reasoning: str
    source: str
    alternatives: tuple[IntentScore, ...] = ()


class AgentStarted(Event):
    type: Literal["agent_started"] = "agent_started"
    agent: str


class AgentFinished(Event):
    type: Literal["agent_finished"] = "agent_finished"
    agent: str
    duration_ms: int


class Chunk(Event):
    """A piece of a message's text; the pieces of one ``message_id`` joined are the message."""

    type: Literal["chunk"] = "chunk"
    message_id: str
    agent: str
    content: str


class Citation(Part):
    id: str
    title: str
    source: str
    url: str | None = None


class Message(Event):
    """The whole text of a message, once, after its chunks."""

    type: Literal["message"] = "message"
    message_id: str
    agent: str
    content: str
    citations: tuple[Citation, ...] = ()


class Rewind(Event):
    """Drop the text shown so far under ``message_id``: it will be sent anew."""

    type: Literal["rewind"] = "rewind"
    message_id: str
    reason: str


class ToolCall(Event):
    type: Literal["tool_call"] = "tool_call"
    call_id: str
    tool: str
    arguments: dict[str, Any]


class ToolResult(Event):
    """``ok``: found. ``empty``: looked, and there is nothing. ``error``: could not look (``kind`` says why)."""

    type: Literal["tool_result"] = "tool_result"
    call_id: str
    tool: str
    status: Literal["ok", "empty", "error"]
    kind: str | None = None
    truncated: bool = False
    note: str = ""


class Salary(Part):
    """``period``: year, month, day or hour, as the posting states it."""

    min: float | None = None
    max: float | None = None
    currency: str | None = None
    period: str | None = None


class Job(Part):
    """``match_score`` is 0 to 100; ``sample`` marks a fictional posting of the built-in catalogue."""

    job_id: str
    title: str
    company: str
    location: str | None = None
    remote: bool | None = None
    url: str | None = None
    salary: Salary | None = None
    match_score: float | None = None
    match_reasons: tuple[str, ...] = ()
    matched_skills: tuple[str, ...] = ()
    missing_skills: tuple[str, ...] = ()
    posted_at: date | None = None
    source: str = ""
    sample: bool = False


class SourceStatus(Part):
    name: str
    status: Literal["ok", "empty", "error"]
    note: str = ""


class JobsData(Event):
    """``total`` counts all that fit, ``truncated`` tells that ``jobs`` is only a part of them."""

    type: Literal["jobs_data"] = "jobs_data"
    jobs: tuple[Job, ...]
    total: int
    truncated: bool
    sources: tuple[SourceStatus, ...]


class EmailDraft(Event):
    type: Literal["email_draft"] = "email_draft"
    to: str | None = None
    subject: str
    body: str
    subjects: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()


class CoverLetter(Event):
    type: Literal["cover_letter"] = "cover_letter"
    title: str
    body: str
    job_id: str | None = None


class ResumeFinding(Part):
    section: str
    finding: str
    suggestion: str


class ResumeFeedback(Event):
    type: Literal["resume_feedback"] = "resume_feedback"
    findings: tuple[ResumeFinding, ...]
    missing_keywords: tuple[str, ...] = ()


class SkillDemand(Part):
    """``share`` is the fraction (0 to 1) of the postings looked at that ask for the skill."""

    skill: str
    status: Literal["have", "partial", "missing"]
    postings: int
    share: float = Field(ge=0, le=1)


class SkillGap(Event):
    type: Literal["skill_gap"] = "skill_gap"
    target: str
    postings: int
    sample_postings: int
    skills: tuple[SkillDemand, ...]
    learn_next: tuple[str, ...]


class InterviewQuestion(Part):
    question: str
    why: str
    hint: str = ""


class InterviewQuestions(Event):
    type: Literal["interview_questions"] = "interview_questions"
    role: str
    questions: tuple[InterviewQuestion, ...]


class SalaryRange(Event):
    type: Literal["salary_range"] = "salary_range"
    role: str
    location: str | None
    n: int
    currency: str
    period: str
    p10: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p90: float | None
    date_from: date | None = None
    date_to: date | None = None


class CompanyFact(Part):
    fact: str
    source: str
    as_of: date | None = None


class CompanyProfile(Event):
    type: Literal["company_profile"] = "company_profile"
    company: str
    facts: tuple[CompanyFact, ...]


class Application(Part):
    application_id: str
    company: str
    title: str
    status: str
    applied_on: date | None = None
    days_since: int | None = None


class ApplicationStatus(Event):
    type: Literal["application_status"] = "application_status"
    applications: tuple[Application, ...]


class ProfileFact(Part):
    """One thing known of the user; ``source_message_id`` is the message that said it."""

    fact_id: str
    kind: Literal["fact", "preference", "constraint"]
    key: str
    value: str
    source_message_id: str | None = None


class ProfileUpdated(Event):
    type: Literal["profile_updated"] = "profile_updated"
    added: tuple[ProfileFact, ...] = ()
    removed: tuple[ProfileFact, ...] = ()
    profile: tuple[ProfileFact, ...] = ()


class Suggestion(Part):
    """A quick reply: ``label`` on the button, ``message`` is what choosing it says; with an ``intent`` the
    choice is final and nothing is classified again.
    """

    id: str
    label: str
    message: str
    intent: Intent | None = None


class Suggestions(Event):
    type: Literal["suggestions"] = "suggestions"
    text: str
    suggestions: tuple[Suggestion, ...]


class SuggestionChosen(Event):
    """Locks the quick replies that ``suggestion_id`` belongs to, in every tab and after a reload."""

    type: Literal["suggestion_chosen"] = "suggestion_chosen"
    suggestion_id: str


class ApprovalRequired(Event):
    type: Literal["approval_required"] = "approval_required"
    approval_id: str
    tool: str
    arguments: dict[str, Any]
    risk: str
    expires_at: datetime


class ApprovalResolved(Event):
    type: Literal["approval_resolved"] = "approval_resolved"
    approval_id: str
    decision: Literal["approved", "edited", "rejected", "expired"]


class Usage(Event):
    type: Literal["usage"] = "usage"
    model: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_usd: float | None = None
    estimated: bool = False


class Gap(Event):
    """Events were lost to this reader (``reason``); a ``snapshot`` follows."""

    type: Literal["gap"] = "gap"
    reason: LostReason


class SnapshotMessage(Part):
    """``blocks`` are the message's typed events (``jobs_data``, ``suggestions`` ...) as they were sent."""

    message_id: str
    run_id: str
    role: Literal["user", "assistant"]
    content: str
    status: Literal["complete", "partial"]
    agent: str | None = None
    blocks: tuple[dict[str, Any], ...] = ()
    citations: tuple[Citation, ...] = ()


class RunError(Part):
    code: str
    content: str
    retry: bool


class SnapshotRun(Part):
    run_id: str
    status: RunStatus
    error: RunError | None = None


class Snapshot(Event):
    """The conversation as the store has it. A client replaces what it shows by this, then goes on.

    Only the newest messages of a very long conversation are in it; ``omitted`` counts the older ones.
    """

    type: Literal["snapshot"] = "snapshot"
    omitted: int = 0
    messages: tuple[SnapshotMessage, ...]
    runs: tuple[SnapshotRun, ...]


class Error(Event):
    """``content`` is safe to show; ``retry``: sending the message again may help."""

    type: Literal["error"] = "error"
    code: str
    content: str
    retry: bool


class Complete(Event):
    """Exactly one per run, always last, agreeing with the stored status."""

    type: Literal["complete"] = "complete"
    status: FinalStatus


AnyEvent = Annotated[
    RunStarted
    | Thinking
    | IntentClassified
    | AgentStarted
    | AgentFinished
    | Chunk
    | Message
    | Rewind
    | ToolCall
    | ToolResult
    | JobsData
    | EmailDraft
    | CoverLetter
    | ResumeFeedback
    | SkillGap
    | InterviewQuestions
    | SalaryRange
    | CompanyProfile
    | ApplicationStatus
    | ProfileUpdated
    | Suggestions
    | SuggestionChosen
    | ApprovalRequired
    | ApprovalResolved
    | Usage
    | Gap
    | Snapshot
    | Error
    | Complete,
    Field(discriminator="type"),
]

# Typed results that belong to the answer: kept with the message and given back by a snapshot.
BLOCK_TYPES: Final = frozenset(
    {
        "jobs_data",
        "email_draft",
        "cover_letter",
        "resume_feedback",
        "skill_gap",
        "interview_questions",
        "salary_range",
        "company_profile",
        "application_status",
        "profile_updated",
        "suggestions",
        "suggestion_chosen",
        "approval_required",
        "approval_resolved",
    }
)

event_adapter: Final[TypeAdapter[AnyEvent]] = TypeAdapter(AnyEvent)
EVENT_TYPES: Final = frozenset(model.model_fields["type"].default for model in get_args(get_args(AnyEvent)[0]))


class ChatRequest(Part):
    """The body of ``POST /v1/chat``.

    ``suggestion_id`` answers a quick reply (its stored message is used when ``message`` is absent);
    ``temporary`` neither reads nor writes the profile, and the conversation is not listed.
    """

    message: str | None = None
    conversation_id: str | None = None
    suggestion_id: str | None = None
    temporary: bool = False


def event_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of any event as it goes over the wire."""
    schema = event_adapter.json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "SignalboxEvent", **schema}


def decode(data: str | bytes) -> AnyEvent:
    """One event from its wire JSON; raises ``pydantic.ValidationError``."""
    return event_adapter.validate_json(data)
