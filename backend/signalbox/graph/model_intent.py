"""Asks a language model what a message wants, when the local classifier is not sure: a typed answer or none."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from signalbox.agents.base import Agent
from signalbox.envelope import Intent
from signalbox.errors import ProviderError
from signalbox.graph.intent import Classification
from signalbox.graph.state import TurnState
from signalbox.llm.base import ChatMessage, Judging, Model, ModelRequest, Usage, read_whole
from signalbox.llm.prompts import Prompt, load
from signalbox.memory.contact_data import ends_without_contact_data, without_contact_data
from signalbox.memory.conversation import recent_intents
from signalbox.memory.fencing import fenced
from signalbox.pinned import Pinned

logger = structlog.get_logger(__name__)

PATIENCE_S: Final = 6.0
MOST_CHARS: Final = 4_000
# Below this the model itself would rather ask back.
LEAST: Final = 0.6
MOST_INTENTS: Final = 3

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)

Fault = Literal["unreadable", "unsure"]


class IntentClassification(BaseModel):
    """What the model has to answer."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    intent: Intent
    also: tuple[Intent, ...] = ()
    confidence: float = Field(ge=0, le=1)
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """``verdict`` is None when the model was unsure or answered nothing usable; asking may have cost all the same."""

    verdict: Classification | None
    also: tuple[Intent, ...] = ()
    usage: Usage | None = None


async def ask_model(model: Model, agents: Mapping[str, Agent], state: TurnState, pinned: Pinned) -> Asked:
    """The model's reading of the message; no verdict when it cannot be asked or did not answer in time.

    Where its answer cannot be read or is not sure, a stronger model is asked once, within the same patience. A failing
    provider never fails the message: the user is then asked which of the likely things was meant.
    """
    if not model.instructable:
        return Asked(None)
    request = await asyncio.to_thread(_request, agents, state, pinned)
    asked = Asked(None)
    try:
        async with asyncio.timeout(PATIENCE_S):
            asked, fault = await _tried(model, request, agents)
            if fault is not None:
                stronger = replace(request, tier="strong", about={**request.about, "again": fault})
                again, _ = await _tried(model, stronger, agents)
                asked = replace(again, usage=_both(asked.usage, again.usage))
    except (TimeoutError, ProviderError) as exc:
        logger.warning("the model could not be asked for an intent", error=type(exc).__name__)
    return asked


async def _tried(model: Model, request: ModelRequest, agents: Mapping[str, Agent]) -> tuple[Asked, Fault | None]:
    reading = await read_whole(model, request)
    asked, fault = _read(reading.text, agents, reading.usage)
    if isinstance(model, Judging):
        model.judged(request, kept=fault is None)
    return asked, fault


def _request(agents: Mapping[str, Agent], state: TurnState, pinned: Pinned) -> ModelRequest:
    prompt = classify_prompt(agents).pinned(pinned)
    recent = list(recent_intents(state.history))
    message, left_out = _both_ends(state.message)
    return ModelRequest(
        task="classify",
        messages=(
            ChatMessage("system", prompt.text),
            ChatMessage("user", f"{fenced('earlier', recent)}\n{fenced('message', message)}"),
        ),
        draft="",
        max_tokens=200,
        temperature=0.0,
        prompts=(prompt.ref,),
        about={"shortened": {"kept": MOST_CHARS, "of": MOST_CHARS + left_out}} if left_out else {},
    )


def _read(text: str, agents: Mapping[str, Agent], usage: Usage | None) -> tuple[Asked, Fault | None]:
    found = _OBJECT.search(text)
    try:
        answer = IntentClassification.model_validate(json.loads(found[0] if found else ""))
    except (ValueError, ValidationError):
        logger.warning("the model's intent could not be read")
        return Asked(None, usage=usage), "unreadable"
    if answer.confidence < LEAST or answer.intent not in agents:
        return Asked(None, usage=usage), "unsure"
    reasoning = " ".join(answer.reasoning.split())[:200]
    verdict = Classification(answer.intent, answer.confidence, "language_model", reasoning, ())
    also = tuple(intent for intent in answer.also if intent in agents)
    return Asked(verdict, also[: MOST_INTENTS - 1], usage), None


def classify_prompt(agents: Mapping[str, Agent]) -> Prompt:
    """The system prompt: the same for every message, as long as the agents are."""
    return load("classify").filled(
        "specialists", "\n".join(f"- {agent.name}: {agent.when_to_use}" for agent in agents.values())
    )


def _both(one: Usage | None, other: Usage | None) -> Usage | None:
    """What two questions have used together, under the name of the second one's model."""
    if one is None or other is None:
        return other or one
    costs = None if one.cost_usd is None or other.cost_usd is None else one.cost_usd + other.cost_usd
    return replace(
        other,
        input_tokens=one.input_tokens + other.input_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        estimated=one.estimated or other.estimated,
        cost_usd=costs,
    )


def _both_ends(message: str) -> tuple[str, int]:
    """The message without contact data, of a long one both ends, and how many characters that leaves out: what is
    wanted stands there.
    """
    left_out = len(message) - MOST_CHARS
    if left_out <= 0:
        return without_contact_data(message), 0
    begin, end = ends_without_contact_data(message, MOST_CHARS // 2, MOST_CHARS // 2)
    return f"{begin}\n[... {left_out:,} characters left out ...]\n{end}", left_out
