"""Asks a cheap model to bring a summary's notes up to date. It never touches a hard constraint: those come by rule.

Whatever is wrong with its answer, the summary is then the one that the rules made.
"""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from signalbox.blocks import ProfileFact
from signalbox.encoding import clean_text
from signalbox.errors import SignalboxError
from signalbox.llm.base import ChatMessage, Judging, Model, ModelRequest, read_whole
from signalbox.llm.prompts import load
from signalbox.memory.contact_data import ends_without_contact_data, without_contact_data
from signalbox.memory.fencing import fenced
from signalbox.memory.lifting import spoken_of
from signalbox.memory.loosening import loosened
from signalbox.memory.statements import read
from signalbox.memory.summarising import MOST_SOURCES, Said, latest, shortened
from signalbox.memory.summary import ConversationSummary, Noted
from signalbox.retrieval.skills import SkillVocabulary

logger = structlog.get_logger(__name__)

PATIENCE_S: Final = 45.0
MOST_TOKENS: Final = 1_200
# Of a long message both ends are shown.
MESSAGE_CHARS: Final = 1_500
ALL_CHARS: Final = 20_000

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_USER_IS = re.compile(r"^(?:the )?user (?:now |also )?(?:is|'s) ", re.IGNORECASE)
_USER_VERB = re.compile(r"^(?:the )?user (?:now |also )?(\w+?)s?\b", re.IGNORECASE)
_LISTS: Final = ("job_preferences", "mentioned_companies", "decisions", "open_questions")
# What only the user can say, so that a message of theirs has to be among the sources.
_USERS: Final = frozenset({"job_preferences", "current_goal", "decisions"})


class _Note(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    sources: tuple[str, ...] = ()


class SummaryAnswer(BaseModel):
    """What the model has to answer; hard constraints are not among it, and are not looked at if it adds them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    job_preferences: tuple[_Note, ...] = ()
    mentioned_companies: tuple[_Note, ...] = ()
    current_goal: _Note | None = None
    decisions: tuple[_Note, ...] = ()
    open_questions: tuple[_Note, ...] = ()


async def by_model(
    model: Model,
    before: ConversationSummary,
    said: Sequence[Said],
    ruled: ConversationSummary,
    vocabulary: SkillVocabulary,
) -> ConversationSummary | None:
    """``before`` brought up to date by ``model``, with the hard constraints of ``ruled``, which the rules made of the
    same messages. None when the model cannot be asked, takes too long or answers nothing usable.
    """
    if not model.instructable:
        return None
    sources = _sources(before, said)
    shown = await asyncio.to_thread(_messages_told, said)
    request = await asyncio.to_thread(_request, before, shown, ruled)
    try:
        async with asyncio.timeout(PATIENCE_S):
            reading = await read_whole(model, request)
    except (TimeoutError, SignalboxError) as exc:
        logger.warning("the model could not be asked for a summary", error=type(exc).__name__)
        return None  # truth: documented as "could not be asked"; the rules' summary stands
    unshown = frozenset(message.message_id for message in said[: len(said) - len(shown)])
    summary = await asyncio.to_thread(_checked, reading.text, sources, ruled, vocabulary, unshown)
    if isinstance(model, Judging):
        model.judged(request, kept=summary is not None)
    if summary is None:
        logger.warning("the model's summary could not be used")
    return summary


def _request(
    before: ConversationSummary, shown: Sequence[Mapping[str, str]], ruled: ConversationSummary
) -> ModelRequest:
    prompt = load("summarise")
    constraints = [without_contact_data(note.text) for note in ruled.hard_constraints]
    asked = "\n".join(
        (
            fenced("notes", _notes_told(before)),
            fenced("constraints", constraints),
            fenced("messages", list(shown)),
        )
    )
    return ModelRequest(
        task="summarise",
        messages=(ChatMessage("system", prompt.text), ChatMessage("user", asked)),
        draft="",
        max_tokens=MOST_TOKENS,
        temperature=0.0,
        prompts=(prompt.ref,),
    )


def _numbered(before: ConversationSummary) -> Iterator[tuple[str, str, Noted]]:
    """(id, kind, note) of the notes that a model may change."""
    notes = [(kind, note) for kind in (*_LISTS, "current_goal") for note in before.of(kind)]
    return ((f"n{number}", kind, note) for number, (kind, note) in enumerate(notes, 1))


def _notes_told(before: ConversationSummary) -> dict[str, list[dict[str, str]]]:
    told: dict[str, list[dict[str, str]]] = {}
    for name, kind, note in _numbered(before):
        told.setdefault(kind, []).append({"id": name, "text": without_contact_data(note.text)})
    return told


def _messages_told(said: Sequence[Said]) -> list[dict[str, str]]:
    """The newest that fit in, oldest first."""
    told: list[dict[str, str]] = []
    room = ALL_CHARS
    for number, message in reversed(list(enumerate(said, 1))):
        text = _both_ends(message.content)
        room -= len(text)
        if room < 0:
            break
        told.append({"id": f"m{number}", "who": message.role, "text": text})
    return told[::-1]


def _both_ends(text: str) -> str:
    if len(text) <= MESSAGE_CHARS:
        return without_contact_data(text)
    begin, end = ends_without_contact_data(text, MESSAGE_CHARS * 2 // 3, MESSAGE_CHARS // 3)
    return f"{begin}\n[...]\n{end}"


def _sources(before: ConversationSummary, said: Sequence[Said]) -> dict[str, tuple[tuple[str, ...], bool]]:
    """What each id in the request stands for: message ids, and whether the user is among those who said it."""
    known: dict[str, tuple[tuple[str, ...], bool]] = {
        f"m{number}": ((message.message_id,), message.role == "user") for number, message in enumerate(said, 1)
    }
    known |= {name: (note.sources, kind != "mentioned_companies") for name, kind, note in _numbered(before)}
    return known


def _checked(
    text: str,
    sources: Mapping[str, tuple[tuple[str, ...], bool]],
    ruled: ConversationSummary,
    vocabulary: SkillVocabulary,
    unshown: frozenset[str] = frozenset(),
) -> ConversationSummary | None:
    """The answer as a summary: entries without a source, and those that speak of constraints, are left out. What rules
    found in messages for which there was no room stays: the model could say nothing of it.
    """
    found = _OBJECT.search(text)
    try:
        answer = SummaryAnswer.model_validate(json.loads(found[0] if found else ""))
    except (ValueError, ValidationError, RecursionError):
        return None  # truth: no usable answer; the rules' summary stands
    told: dict[str, Any] = {}
    for kind in (*_LISTS, "current_goal"):
        given = getattr(answer, kind)
        notes = given if isinstance(given, tuple) else (given,) if given is not None else ()
        kept: dict[str, Noted] = {}
        for note in notes:
            if (entry := _entry(kind, note, sources)) and not _speaks_of(
                entry.text, ruled.hard_constraints, vocabulary
            ):
                kept.setdefault(entry.text.casefold(), entry)
        told[kind] = tuple(kept.values())
    if not any(told.values()) and any(ruled.of(kind) for kind in told):
        return None
    goals = told.pop("current_goal")
    cleared = "current_goal" in answer.model_fields_set and answer.current_goal is None
    goal = ruled.current_goal
    if goals or (cleared and goal is not None and not unshown & set(goal.sources)):
        goal = goals[-1] if goals else None
    lists = {kind: latest(_with_unshown(notes, ruled.of(kind), unshown)) for kind, notes in told.items()}
    return ruled.model_copy(update={**lists, "current_goal": goal})


def _with_unshown(notes: Sequence[Noted], ruled: Sequence[Noted], unshown: frozenset[str]) -> tuple[Noted, ...]:
    """``notes``, and before them what rules found in the older messages that the model was not shown."""
    there = {note.text.casefold() for note in notes}
    missing = [note for note in ruled if unshown & set(note.sources) and note.text.casefold() not in there]
    return (*missing, *notes)


def _entry(kind: str, note: _Note, sources: Mapping[str, tuple[tuple[str, ...], bool]]) -> Noted | None:
    known = [sources[name] for name in note.sources if name in sources]
    text = shortened(clean_text(note.text))
    if not text or not known or (kind in _USERS and not any(users for _, users in known)):
        return None
    ids = dict.fromkeys(message_id for message_ids, _ in known for message_id in message_ids)
    return Noted(text=text, sources=tuple(ids)[-MOST_SOURCES:])


def _speaks_of(text: str, constraints: Sequence[Noted], vocabulary: SkillVocabulary) -> bool:
    """Whether it words a hard constraint, or says something of one that is in force."""
    held = tuple(
        ProfileFact(fact_id=f"{number}-{key}", kind="constraint", key=key, value=value)
        for number, note in enumerate(constraints)
        for key, value in note.means
    )
    # Notes speak of the user as one would of oneself and as of somebody else.
    said = _USER_VERB.sub(r"I \1", _USER_IS.sub("I am ", text))
    near = spoken_of(text, held)
    statements = read(said, near, vocabulary)
    firm = {fact.key for fact in held}
    return (
        bool(statements.remove)
        or any(fact.kind == "constraint" or (fact.kind == "preference" and fact.key in firm) for fact in statements.add)
        or any(note.text.casefold() in text.casefold() for note in constraints)
        or bool(loosened(text, near) or loosened(said, near))
    )
