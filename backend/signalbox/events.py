"""The event contract, v1: what a client sees. One frozen model per event, one union discriminated by ``type``.

This module decides names and shapes; it knows nothing of logs, runs or HTTP. How an event becomes JSON whatever
it holds is the business of ``encoding``.
"""

from datetime import date
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import Field, TypeAdapter

from signalbox.blocks import (
    ApplicationStatus,
    ApprovalRequired,
    ApprovalResolved,
    CompanyProfile,
    CoverLetter,
    EmailDraft,
    InterviewPractice,
    InterviewQuestions,
    JobMatch,
    JobsData,
    Knowledge,
    ProfileUpdated,
    ResumeFeedback,
    SalaryRange,
    SkillGap,
    SuggestionChosen,
    Suggestions,
)
from signalbox.envelope import Event, Intent, Part

RunStatus = Literal["pending", "running", "waiting", "succeeded", "failed", "cancelled", "dead"]
IfBusy = Literal["enqueue", "interrupt", "reject", "rollback"]
LostReason = Literal["unknown_epoch", "trimmed", "expired"]
FinalStatus = Literal["succeeded", "failed", "cancelled", "waiting"]


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
    """``source``: who decided. ``quick_reply`` or ``command``: the user; ``rule``: plain words of theirs; ``context``:
    what was going on; ``classifier``: the local one, no language model; ``language_model``.
    """

    type: Literal["intent"] = "intent"
    intent: Intent
    confidence: float = Field(ge=0, le=1)
    reasoning: str
    source: str
    alternatives: tuple[IntentScore, ...] = ()


class AgentStarted(Event):
    """From here to the next ``agent_started`` all typed results belong to ``message_id``."""

    type: Literal["agent_started"] = "agent_started"
    agent: str
    message_id: str = ""


class AgentFinished(Event):
    type: Literal["agent_finished"] = "agent_finished"
    agent: str
    duration_ms: int


class Handoff(Event):
    """One agent's turn is over and another's begins, in the same run: ``reason`` says why, in words to show."""

    type: Literal["handoff"] = "handoff"
    from_agent: str
    to_agent: str
    reason: str


class Chunk(Event):
    """A piece of a message's text; the pieces of one ``message_id`` joined are the message."""

    type: Literal["chunk"] = "chunk"
    message_id: str
    agent: str
    content: str


class Citation(Part):
    """Where a claim comes from. ``id`` can be looked up (``GET /v1/sources/{id}``): a posting, a passage of a guide,
    a company's record, a wage table's row. ``heading`` is the path within a document; ``as_of`` dates the source.
    """

    id: str
    title: str
    source: str
    url: str | None = None
    heading: str = ""
    as_of: date | None = None


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


class Retracted(Event):
    """The run was taken back: its question (``user_message_id``) and all it answered are to vanish.

    Comes before the run's ``complete``, or long after it: a run that is over can be taken back, too.
    """

    type: Literal["retracted"] = "retracted"
    user_message_id: str


class ToolCall(Event):
    type: Literal["tool_call"] = "tool_call"
    call_id: str
    tool: str
    arguments: dict[str, Any]


class ToolResult(Event):
    """``ok``: found. ``empty``: looked, and there is nothing. ``error``: could not look (``kind`` says why).

    ``truncated``: there is more than was returned, ``total`` if known. ``missed``: what was not asked successfully, in
    words to show: with any, what was found is a part of what there may be.
    """

    type: Literal["tool_result"] = "tool_result"
    call_id: str
    tool: str
    status: Literal["ok", "empty", "error"]
    kind: str | None = None
    truncated: bool = False
    total: int | None = None
    missed: tuple[str, ...] = ()
    note: str = ""


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


class SnapshotTool(Part):
    """How one tool call went, as its ``tool_result`` told."""

    call_id: str
    tool: str
    status: Literal["ok", "empty", "error"]
    kind: str | None = None
    note: str = ""
    truncated: bool = False
    total: int | None = None
    missed: tuple[str, ...] = ()


class SnapshotUsage(Part):
    """One model call, as its ``usage`` told."""

    model: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_usd: float | None = None
    estimated: bool = False


class SnapshotHandoff(Part):
    """One agent gave over to another, as its ``handoff`` told."""

    from_agent: str
    to_agent: str
    reason: str


class SnapshotRewind(Part):
    """The text of a message was dropped and sent anew, as its ``rewind`` told."""

    message_id: str
    reason: str


class SnapshotRun(Part):
    """How a run stands, and how it came to its answer: what its ``intent`` event, its tools, its model calls, its
    hand-overs and its rewinds told, and which agent spoke last. While it is going on the latter are empty: its events
    tell them.
    """

    run_id: str
    status: RunStatus
    error: RunError | None = None
    intent: str | None = None
    confidence: float | None = None
    source: str | None = None
    agent: str | None = None
    usage: tuple[SnapshotUsage, ...] = ()
    tools: tuple[SnapshotTool, ...] = ()
    handoffs: tuple[SnapshotHandoff, ...] = ()
    rewinds: tuple[SnapshotRewind, ...] = ()


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
    """Always last, agreeing with the stored status; exactly one per run. Only a run that waits for a human
    (``waiting``) goes on after it, once the human has decided, and ends with another one. A conversation's stream may
    still say that the run was ``retracted``.
    """

    type: Literal["complete"] = "complete"
    status: FinalStatus


AnyEvent = Annotated[
    RunStarted
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
    | Complete,
    Field(discriminator="type"),
]

# Typed results that belong to the answer: kept with the message and given back by a snapshot.
BLOCK_TYPES: Final = frozenset(
    {
        "jobs_data",
        "job_match",
        "interview_practice",
        "knowledge",
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
    ``temporary`` neither reads nor writes the profile, and the conversation is not listed. ``if_busy``: what to do
    while an earlier message of the conversation is being answered: wait for it (``enqueue``), cut it short and keep
    what it said (``interrupt``), refuse this one (``reject``), or cut it short and take it back (``rollback``).
    ``replaces``: a run that this message takes the place of, as when a question is edited or asked again; it and all
    later ones of its conversation are taken back first. Without a ``message`` the same is asked again.
    """

    message: str | None = None
    conversation_id: str | None = None
    suggestion_id: str | None = None
    temporary: bool = False
    if_busy: IfBusy = "enqueue"
    replaces: str | None = None


def event_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of any event as it goes over the wire."""
    schema = event_adapter.json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "SignalboxEvent", **schema}


def decode(data: str | bytes) -> AnyEvent:
    """One event from its wire JSON; raises ``pydantic.ValidationError``."""
    return event_adapter.validate_json(data)
