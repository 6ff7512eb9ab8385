"""How an attempt went, and what a run leaves behind: worked out from the events it has said."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

import structlog

from signalbox.blocks import Suggestions
from signalbox.encoding import clean_json
from signalbox.envelope import ENVELOPE, Event, Part
from signalbox.errors import Fenced, LogUnavailable, SignalboxError, StoreUnavailable
from signalbox.events import (
    BLOCK_TYPES,
    AgentFinished,
    AgentStarted,
    Chunk,
    Handoff,
    IntentClassified,
    Message,
    Rewind,
    RunStatus,
    SnapshotHandoff,
    SnapshotRewind,
    SnapshotTool,
    SnapshotUsage,
    ToolCall,
    ToolResult,
    Usage,
)
from signalbox.graph.state import TurnState
from signalbox.runs.records import Ending, StartedRun, StoredAnswer
from signalbox.stream.writer import RunWriter
from signalbox.telemetry import told_of

logger = structlog.get_logger(__name__)

# Of a run that did more, a snapshot tells the latest.
MAX_SHOWN: Final = 200

How = Literal["succeeded", "failed", "cancelled", "dead", "waiting", "released", "fenced"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt went, before it is stored. Three are no end of the run: it waits for a human, it was given back
    for another worker to go on with, or another worker has it already.
    """

    how: How = "succeeded"
    final: TurnState | None = None
    failure: SignalboxError | None = None

    @property
    def status(self) -> RunStatus:
        return "pending" if self.how in {"released", "fenced"} else cast("RunStatus", self.how)


def failed(exc: SignalboxError) -> Outcome:
    """How an attempt went that ended in ``exc``."""
    if isinstance(exc, StoreUnavailable | LogUnavailable):
        # What it did last is not recorded. Nothing is wrong with the answer: it goes on when both are back.
        logger.warning("a run's step could not be stored: it goes on later", code=exc.code)
        return Outcome(how="released")
    logger.warning("run failed", code=exc.code, error=told_of(exc.__cause__ or exc))
    return Outcome(how="fenced" if isinstance(exc, Fenced) else "failed", failure=exc)


def ending_of(run: StartedRun, writer: RunWriter, outcome: Outcome) -> Ending:
    """What is to be stored of all that the run has said, in this attempt and those before."""
    said = writer.said
    answers = [answer for part in _turns(run.answer_id, said) if (answer := _answer(run.answer_id, part)) is not None]
    failure = outcome.failure
    return Ending(
        status=outcome.status,
        answers=answers,
        agent=next((answer.agent for answer in answers if answer.agent), None),
        usage=_usage(said),
        error=(failure.code, failure.public, failure.retry) if failure else None,
        classification=_classification(run, said, outcome),
        suggestions=[
            reply.model_dump() for event in said if isinstance(event, Suggestions) for reply in event.suggestions
        ],
        activity=_activity(said),
        epoch=writer.epoch,
        first_offset=writer.first,
        last_offset=writer.last,
    )


def _turns(answer_id: str, said: Sequence[Event]) -> Iterator[list[Event]]:
    """The events of each agent's turn; what came before the first belongs to the first.

    ``agent_started`` is any agent's to say, and one may say it again of its own turn. That is one turn: two answers
    under one message id are none that could be stored.
    """
    part: list[Event] = []
    begun: set[str] = set()
    for event in said:
        if isinstance(event, AgentStarted):
            message_id = event.message_id or answer_id
            if begun and message_id not in begun:
                yield part
                part = []
            begun.add(message_id)
        part.append(event)
    yield part


def _answer(answer_id: str, said: Sequence[Event]) -> StoredAnswer | None:
    whole = next((event for event in reversed(said) if isinstance(event, Message)), None)
    text = whole.content if whole else _shown_text(said)
    blocks = [event.model_dump(mode="json", exclude=set(ENVELOPE)) for event in said if _type(event) in BLOCK_TYPES]
    if not text and not blocks:
        return None
    ids = [event.message_id for event in said if isinstance(event, AgentStarted) and event.message_id]
    agents = [event.agent for event in said if isinstance(event, AgentStarted | Chunk | Message)]
    return StoredAnswer(
        message_id=ids[0] if ids else answer_id,
        text=text,
        partial=whole is None,
        agent=agents[0] if agents else None,
        blocks=blocks,
        citations=[citation.model_dump(mode="json") for citation in (whole.citations if whole else ())],
    )


def _shown_text(said: Sequence[Event]) -> str:
    """What readers were left with of its messages: of each, the pieces since its last rewind."""
    parts: dict[str, list[str]] = {}
    for event in said:
        if isinstance(event, Rewind):
            parts.pop(event.message_id, None)
        elif isinstance(event, Chunk):
            parts.setdefault(event.message_id, []).append(event.content)
    return "".join(piece for pieces in parts.values() for piece in pieces)


def _type(event: Event) -> str:
    return event.type  # type: ignore[attr-defined,no-any-return]


def _usage(said: Sequence[Event]) -> Mapping[str, Any] | None:
    calls = [event for event in said if isinstance(event, Usage)]
    if not calls:
        return None
    return {
        "model": calls[-1].model,
        "input_tokens": sum(call.input_tokens for call in calls),
        "cached_tokens": sum(call.cached_tokens for call in calls),
        "output_tokens": sum(call.output_tokens for call in calls),
        "estimated": any(call.estimated for call in calls),
    }


def _activity(said: Sequence[Event]) -> Mapping[str, Any]:
    """What whoever followed the run was left with, besides its messages."""
    intent = next((event for event in reversed(said) if isinstance(event, IntentClassified)), None)
    agents = [event.agent for event in said if isinstance(event, AgentStarted | AgentFinished)]
    told = {
        "intent": intent.intent if intent else None,
        "confidence": intent.confidence if intent else None,
        "source": intent.source if intent else None,
        "agent": agents[-1] if agents else None,
        "usage": [_part(SnapshotUsage, event) for event in said if isinstance(event, Usage)][-MAX_SHOWN:],
        "tools": _tools(said)[-MAX_SHOWN:],
        "handoffs": [_part(SnapshotHandoff, event) for event in said if isinstance(event, Handoff)][-MAX_SHOWN:],
        "rewinds": [_part(SnapshotRewind, event) for event in said if isinstance(event, Rewind)][-MAX_SHOWN:],
    }
    shown: dict[str, Any] = clean_json(told)
    return shown


def _tools(said: Sequence[Event]) -> list[dict[str, Any]]:
    """Each call that came to a result, in the order they were made."""
    results = {event.call_id: event for event in said if isinstance(event, ToolResult)}
    made = dict.fromkeys(event.call_id for event in said if isinstance(event, ToolCall | ToolResult))
    return [_part(SnapshotTool, results[call_id]) for call_id in made if call_id in results]


def _part(kind: type[Part], event: Event) -> dict[str, Any]:
    return event.model_dump(mode="json", include=set(kind.model_fields))


def _classification(run: StartedRun, said: Sequence[Event], outcome: Outcome) -> Mapping[str, Any] | None:
    intent = next((event for event in said if isinstance(event, IntentClassified)), None)
    if intent is None:
        return None
    clarified = outcome.final is not None and outcome.final.agent == "clarify"
    return {
        "text": "" if run.temporary else run.message[:2_000],
        "intent": intent.intent,
        "confidence": intent.confidence,
        "source": intent.source,
        "alternatives": [score.model_dump() for score in intent.alternatives],
        "outcome": "clarified" if clarified else "routed",
    }
