"""What a run is on its way through the process: a message to answer, the run that was leased for it, what it leaves."""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, Final

from signalbox.blocks import ProfileFact
from signalbox.encoding import clean_json, clean_text
from signalbox.envelope import Intent
from signalbox.events import FinalStatus, IfBusy, RunStatus
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.memory.summary import ConversationSummary
from signalbox.stream.log import Cursor

TITLE_CHARS: Final = 80


def new_id(kind: str) -> str:
    return f"{kind}_{secrets.token_hex(10)}"


@dataclass(frozen=True, slots=True)
class NewRun:
    """A message to answer. ``conversation_id`` None starts a conversation, or means that of the run it ``replaces``;
    then a ``message`` of None asks the same again. ``digest`` is that of the request as it came, and stays.
    """

    owner: Owner
    message: str | None
    conversation_id: str | None
    suggestion_id: str | None = None
    temporary: bool = False
    idempotency_key: str | None = None
    if_busy: IfBusy = "enqueue"
    replaces: str | None = None
    digest: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if self.digest:
            return  # a copy that was made more definite
        parts: tuple[str | bool | None, ...] = (self.message, self.conversation_id, self.suggestion_id, self.temporary)
        if self.replaces is not None:
            parts += (self.replaces,)
        object.__setattr__(self, "digest", hashlib.sha256(json.dumps(parts).encode()).hexdigest())


@dataclass(frozen=True, slots=True)
class Begin:
    """How a new run begins: ``here``, leased to this process at once (as long as its user has fewer than
    ``per_user`` answers going on anywhere), or pending until a worker claims it.
    """

    here: bool
    per_user: int
    model: str
    pins: str


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that this process has leased, and the context it starts from.

    ``summary`` tells what stands before ``history`` and in its ``summarised`` part. It, the profile, ``model`` and
    ``pins`` are those it began with. ``fresh``: nobody has worked on it before. ``given_up``: it stopped
    its worker too often and is only to be ended. ``cancelled``: so was asked before it was leased.
    """

    run_id: str
    conversation_id: str
    owner: Owner
    message_id: str
    message: str
    lease_token: int
    attempt: int
    started_at: datetime
    floor: Cursor | None
    temporary: bool
    history: tuple[PastMessage, ...]
    profile: tuple[ProfileFact, ...]
    summary: ConversationSummary | None = None
    suggestion_id: str | None = None
    chosen_intent: Intent | None = None
    model: str = ""
    pins: str = ""
    fresh: bool = True
    given_up: bool = False
    cancelled: bool = False

    @property
    def today(self) -> date:
        """The day it began, UTC: every worker that goes on with it lives on that day."""
        return self.started_at.astimezone(UTC).date()

    @property
    def answer_id(self) -> str:
        """The first answer's message id: the same in every attempt."""
        return f"m_{self.run_id.partition('_')[2]}"


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as stored. ``ahead``: the runs that one which was stored a moment ago has to wait for."""

    run_id: str
    conversation_id: str
    status: RunStatus
    attempt: int
    intent: str | None
    agent: str | None
    error_code: str | None
    error_text: str | None
    error_retry: bool | None
    usage: Mapping[str, Any] | None
    created_at: datetime
    finished_at: datetime | None
    ahead: tuple[str, ...] = ()

    @classmethod
    def of(cls, run: StartedRun) -> "RunRow":
        """A run that goes on here."""
        nothing = (None, None, None, None, None, None)
        return cls(run.run_id, run.conversation_id, "running", run.attempt, *nothing, datetime.now(UTC), None)

    @property
    def over(self) -> bool:
        return self.status not in {"pending", "running", "waiting"}


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One agent's message with its typed results and sources; ``partial``: it broke off."""

    message_id: str
    text: str
    partial: bool
    agent: str | None
    blocks: Sequence[Mapping[str, Any]]
    citations: Sequence[Mapping[str, Any]]

    def row(self) -> dict[str, Any]:
        """As the statement takes it; no text or value in it can be refused by the database."""
        return {
            "message_id": self.message_id,
            "content": clean_text(self.text),
            "status": "partial" if self.partial else "complete",
            "agent": self.agent,
            "blocks": [clean_json(block) for block in self.blocks],
            "citations": [clean_json(citation) for citation in self.citations],
        }


@dataclass(frozen=True, slots=True)
class Ending:
    """What a run leaves behind: its status, the assistant's messages in order, and how it was routed.

    ``activity`` is what a snapshot tells of how it came to its answer: fields of ``SnapshotRun``, from ``intent`` on.
    """

    status: RunStatus
    answers: Sequence["StoredAnswer"] = ()
    agent: str | None = None
    usage: Mapping[str, Any] | None = None
    error: tuple[str, str, bool] | None = None
    classification: Mapping[str, Any] | None = None
    suggestions: Sequence[Mapping[str, Any]] = ()
    activity: Mapping[str, Any] | None = None
    epoch: str = ""
    first_offset: int = 0
    last_offset: int = 0


@dataclass(frozen=True, slots=True)
class Orphan:
    """A run that was ended in the store by nobody's worker; its stream still needs an end. ``buried``: it also needs
    a reason. ``retracted``: it was taken back, and with it this message of the user.
    ``unanswered``: approvals that are not to be decided any more.
    """

    run_id: str
    conversation_id: str
    lease_token: int
    status: RunStatus
    buried: bool = False
    retracted: str | None = None
    unanswered: tuple[str, ...] = ()


def final_status(status: str) -> FinalStatus:
    """How a run that is over is told to its readers."""
    match status:
        case "succeeded" | "failed" | "cancelled" | "waiting":
            return status
        case _:
            return "failed"


def answer_rows(ending: Ending) -> list[dict[str, Any]]:
    return [answer.row() for answer in ending.answers]


def title_of(message: str) -> str:
    """What a conversation that begins with ``message`` is called."""
    line = " ".join(message.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1] + "…"


def owner_of(row: Mapping[str, Any]) -> Owner:
    return Owner(row["tenant"], row["user_id"])


def past_of_rows(rows: Sequence[Mapping[str, Any]]) -> tuple[PastMessage, ...]:
    return tuple(PastMessage(**row) for row in rows)


def summary_of_row(row: Mapping[str, Any]) -> ConversationSummary | None:
    """None while nothing has left the recent turns; a conversation's first message has nothing to look up."""
    content = row.get("summary")
    return ConversationSummary.model_validate(content) if content is not None else None


def facts_of_rows(rows: Sequence[Mapping[str, Any]]) -> tuple[ProfileFact, ...]:
    return tuple(ProfileFact(**row) for row in rows)
