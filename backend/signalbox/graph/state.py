"""The orchestrator's state, and the only thing a node may return.

LangGraph drops unknown keys and never checks the last node's types, so a node's output is validated in the
node itself, by ``TurnPatch``.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from signalbox.agents.turn import Answer
from signalbox.blocks import ProfileFact, ProfileUpdated
from signalbox.envelope import Intent
from signalbox.errors import NodeOutputError, said_by_check
from signalbox.events import IntentScore
from signalbox.memory.conversation import PastMessage
from signalbox.memory.reading import as_read
from signalbox.memory.summary import ConversationSummary


class Planned(BaseModel):
    """An agent turn to come: who answers, and the part of the message that is theirs."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    intent: Intent
    message: str


class Route(BaseModel):
    """The intent stage's verdict; ``clear`` is False when no agent should be guessed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    intent: Intent
    confidence: float
    reasoning: str
    source: str
    alternatives: tuple[IntentScore, ...] = ()
    clear: bool


class AgentTurn(BaseModel):
    """An agent turn that is over: what was asked, what was answered, and the typed results shown with it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    agent: Intent
    message: str
    answer: Answer
    blocks: tuple[dict[str, Any], ...] = ()


class Begun(BaseModel):
    """What readers were told by earlier attempts of the run: how it was routed (None: nothing followed from that yet),
    and which agent began which turn, by the turn's message id.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    route: Route | None = None
    agents: dict[str, str] = Field(default_factory=dict)


class TurnState(BaseModel):
    """One turn. The first block is given, the rest is filled in by nodes: ``plan`` holds the agent turns still to
    come, ``turns`` those that are over. What was ``begun`` by another worker goes on as it was begun.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    message: str
    message_id: str
    history: tuple[PastMessage, ...] = ()
    profile: tuple[ProfileFact, ...] = ()
    summary: ConversationSummary | None = None
    temporary: bool = False
    chosen_intent: Intent | None = None
    today: date = Field(default_factory=lambda: datetime.now(UTC).date())
    begun: Begun = Field(default_factory=Begun)

    route: Route | None = None
    plan: tuple[Planned, ...] = ()
    turns: tuple[AgentTurn, ...] = ()
    agent: str | None = None
    answer: Answer | None = None


class TurnPatch(BaseModel):
    """What a node adds. Every default is None, since any other would overwrite the state."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    route: Route | None = None
    plan: tuple[Planned, ...] | None = None
    turns: tuple[AgentTurn, ...] | None = None
    agent: str | None = None
    answer: Answer | None = None


def turn_id(answer_id: str, number: int) -> str:
    """The message id of the agents' turns of a run, counted from 0."""
    return f"{answer_id}_{number + 1}" if number else answer_id


def checked(node: str, output: object) -> dict[str, Any]:
    """``output`` as the state update it stands for; raises ``NodeOutputError`` naming node and field."""
    if isinstance(output, TurnPatch):
        output = {name: getattr(output, name) for name in output.model_fields_set}
    if isinstance(output, Mapping):
        try:
            output = TurnPatch.model_validate(dict(output))
        except ValidationError as exc:
            fault = exc.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(part) for part in fault["loc"]) or "output"
            raise NodeOutputError(node, field, said_by_check(fault["msg"])) from exc
    if not isinstance(output, TurnPatch):
        raise NodeOutputError(node, "output", f"a TurnPatch was expected, not {type(output).__name__}")
    return {name: getattr(output, name) for name in output.model_fields_set}


def past(state: TurnState) -> tuple[PastMessage, ...]:
    """The history an agent sees: the conversation's, and the agent turns of this run that came before."""
    told = [
        past if past.role == "assistant" else past.model_copy(update={"content": as_read(past.content)})
        for past in state.history
    ]
    for turn in state.turns:
        told += [
            PastMessage(role="user", content=turn.message, intent=turn.agent),
            PastMessage(
                role="assistant", content=turn.answer.text, agent=turn.agent, intent=turn.agent, blocks=turn.blocks
            ),
        ]
    return tuple(told)


def profile_now(state: TurnState) -> tuple[ProfileFact, ...]:
    """The profile as the agent turns of this run have left it."""
    blocks = [block for turn in state.turns for block in turn.blocks if block.get("type") == "profile_updated"]
    return ProfileUpdated.model_validate(blocks[-1]).profile if blocks else state.profile
