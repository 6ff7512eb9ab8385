"""Who answers a message: commands and rules first, then the local classifier, the task in hand, and last a model.

Decides one ``Verdict``; nothing is emitted and no agent is called here.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from signalbox.agents.base import Agent, Holding
from signalbox.agents.letters.undoing import changed_last
from signalbox.agents.talk.care import in_crisis
from signalbox.agents.talk.small_talk import topic_of
from signalbox.agents.tracking.past import tracker_is_newest
from signalbox.envelope import Intent
from signalbox.events import IntentScore
from signalbox.graph.intent import CONFIDENT, Classification
from signalbox.graph.model_intent import ask_model
from signalbox.graph.plain_words import (
    asks_for_a_cover_letter,
    asks_for_the_tracker,
    asks_to_follow_up,
    is_about_an_application,
    is_about_the_profile,
    news_and_request,
    states_a_need,
    takes_off_the_tracker,
    tells_of_an_answer,
)
from signalbox.graph.several import is_request, parts_of
from signalbox.graph.state import Planned, Route, TurnState
from signalbox.llm.base import Model, Usage
from signalbox.memory.conversation import recent_intents
from signalbox.memory.forgetting import asks_how_to_forget, wants_resume_erased, wants_undone
from signalbox.memory.reading import as_read
from signalbox.memory.taken_back import changes_rules
from signalbox.pinned import Pinned

# More characters than this are looked through off the event loop.
_LONG: Final = 2_000
# So sure must the classifier be of another intent for a request to end a task that waits for the user's reply.
LEAVES: Final = 0.85
# The first of two requests is read with the conversation behind it, the second with nothing but the first before it.
FIRST_PART: Final = 0.6
LATER_PART: Final = 0.4
ELLIPTICAL_WORDS: Final = 6
# How sure the plain words of a message make us.
PLAIN: Final = 0.95
_COMMAND: Final = re.compile(r"\s*/(?P<word>[^\s/]*)(?=\s|$)")
# "And in Leeds?" asks for jobs there, whatever was written in between.
_ELSEWHERE: Final = re.compile(
    r"^\W*(?:(?:ok|and|so|now|but)\W+)*(?:(?:what|how) about\s+)?(?:in|near|around)\s+[^\W\d_][\w' -]{1,40}\W*$",
    re.IGNORECASE,
)
_POINTS_BACK: Final = re.compile(
    r"\b(?:it|that|this|those|these|them|ones?|same|others?|another|instead|again|also|too|more|else|and|about|then)\b",
    re.IGNORECASE,
)


class Classifier(Protocol):
    async def of(self, text: str, recent: Sequence[Intent]) -> Classification: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """``plan`` is empty when nobody should be guessed. ``usage``: what asking a model has used."""

    route: Route
    plan: tuple[Planned, ...]
    usage: Usage | None = None


class Router:
    """Stateless; shared by all runs."""

    def __init__(self, classifier: Classifier, agents: Mapping[str, Agent]) -> None:
        self._classifier = classifier
        self._agents = agents

    async def of(self, state: TurnState, model: Model, pinned: Pinned | None = None) -> Verdict:
        long = len(state.message) > _LONG
        given = await asyncio.to_thread(self._given, state) if long else self._given(state)
        if given is not None:
            return _decided(given, _without_command(state.message, given.intent))
        recent = recent_intents(state.history)
        verdict = await self._read(state.message, recent)
        if (staying := self._in_task(state, verdict)) is not None:
            return _decided(staying, state.message)
        if (several := await self._several(state, verdict, recent)) is not None:
            return several
        elsewhere = verdict.confidence >= CONFIDENT and verdict.intent != "general"
        if (plainly := _plainly(state, verdict)) is not None:
            return _decided(plainly, state.message)
        if not elsewhere and (states_a_need(state.message) or changes_rules(state.message, state.profile)):
            said = Classification("profile_update", PLAIN, "rule", "you say what holds for you", ())
            return _decided(said, state.message)
        return (
            _decided(verdict, state.message)
            if verdict.confidence >= CONFIDENT
            else await self._unsure(state, verdict, model, pinned or Pinned())
        )

    async def _read(self, text: str, recent: Sequence[Intent]) -> Classification:
        """What the classifier says, unless the words themselves leave no doubt."""
        verdict = await self._classifier.of(text, recent)
        sure = verdict.intent == "followup" and verdict.confidence >= CONFIDENT
        if sure or not (is_about_an_application(text) or asks_for_the_tracker(text)):
            return verdict
        others = tuple(
            (i, c) for i, c in ((verdict.intent, verdict.confidence), *verdict.alternatives) if i != "followup"
        )
        return Classification("followup", PLAIN, "rule", "you speak of applications you have sent", others[:3])

    async def _unsure(self, state: TurnState, verdict: Classification, model: Model, pinned: Pinned) -> Verdict:
        asked = await ask_model(model, self._agents, state, pinned)
        if asked.verdict is not None:
            return replace(_decided(asked.verdict, state.message, asked.also), usage=asked.usage)
        elliptical = _elliptical(state, verdict)
        decided = (
            Verdict(_route(verdict, clear=False), ()) if elliptical is None else _decided(elliptical, state.message)
        )
        return replace(decided, usage=asked.usage)

    def _given(self, state: TurnState) -> Classification | None:
        """What needs no guess: a cry for help, whatever else the message is; a chosen quick reply, a command."""
        text = as_read(state.message)
        if in_crisis(text):
            return Classification("general", 1.0, "rule", "this comes before anything else", ())
        if state.chosen_intent is not None:
            return Classification(state.chosen_intent, 1.0, "quick_reply", "you chose this", ())
        if (command := _COMMAND.match(state.message)) is not None:
            word = command["word"].casefold()
            intent: Intent = self._agents[word].name if word in self._agents else "general"
            return Classification(intent, 1.0, "command", "you asked for it by a command", ())
        if (stored := self._of_what_is_stored(state, text)) is not None:
            return stored
        if topic_of(text) == "scam":
            return Classification("general", 1.0, "rule", "this may be a scam", ())
        return None

    def _of_what_is_stored(self, state: TurnState, text: str) -> Classification | None:
        undoes = wants_undone(text)
        kind, who = changed_last(state.history) if undoes else ("", "")
        if kind != "profile_updated" and who in self._agents:
            agent = self._agents[who]
            if isinstance(agent, Holding) and agent.holds(state.message, state.history):
                return Classification(agent.name, 1.0, "rule", "this takes back what was changed last", ())
        if undoes or wants_resume_erased(text) or asks_how_to_forget(text) or is_about_the_profile(state.message):
            return Classification("profile_update", 1.0, "rule", "this is about what is stored of you", ())
        return None

    def _in_task(self, state: TurnState, verdict: Classification) -> Classification | None:
        """The agent that asked something keeps the turn, unless the message is clearly a request to another."""
        agent = self._holder(state)
        if agent is None:
            return None
        leaves = CONFIDENT if state.message.rstrip().endswith("?") else LEAVES
        elsewhere = verdict.intent not in {agent.name, "general"}  # small talk does not end a task
        if elsewhere and verdict.confidence >= leaves and is_request(state.message):
            return None
        reason = "this answers the question that is still open"
        return Classification(agent.name, max(CONFIDENT, _share(verdict, agent.name)), "context", reason, ())

    def _holder(self, state: TurnState) -> Holding | None:
        """Who waits for this message."""
        waiting = (one for one in self._agents.values() if isinstance(one, Holding))
        return next((one for one in waiting if one.holds(state.message, state.history)), None)

    async def _several(self, state: TurnState, whole: Classification, recent: Sequence[Intent]) -> Verdict | None:
        """Two or three requests in one message, each for another agent."""
        parts = parts_of(state.message)
        if len(parts) == 1:
            parts = news_and_request(state.message) or parts
        if len(parts) == 1:
            return None
        verdicts = await asyncio.gather(
            *(self._read(part, () if number else recent) for number, part in enumerate(parts))
        )
        intents = [verdict.intent for verdict in verdicts]
        least = [FIRST_PART] + [LATER_PART] * (len(parts) - 1)
        sure = all(verdict.confidence >= bound for verdict, bound in zip(verdicts, least, strict=True))
        if not sure or len(set(intents)) < len(intents) or "general" in intents:
            return None
        route = _route(
            replace(whole, intent=intents[0], reasoning=f"asks for {' and then '.join(intents)}", alternatives=()),
            clear=True,
        )
        route = route.model_copy(update={"confidence": min(verdict.confidence for verdict in verdicts)})
        plan = tuple(Planned(intent=i, message=part) for i, part in zip(intents, parts, strict=True))
        return Verdict(route, plan)


def as_told(verdict: Verdict, told: Route, message: str) -> Verdict:
    """``verdict``, or what readers were told instead by a worker that died before it was recorded: by then an answer
    had begun. The same message may be read otherwise elsewhere: an agent is missing there, a model answers this time.
    """
    if (verdict.route.intent, verdict.route.clear) == (told.intent, told.clear):
        return replace(verdict, route=told)
    plan = (Planned(intent=told.intent, message=_without_command(message, told.intent)),) if told.clear else ()
    return Verdict(told, plan, verdict.usage)


def _plainly(state: TurnState, verdict: Classification) -> Classification | None:
    """What is asked in so many words, where the names between them mislead the classifier or leave it unsure."""
    if verdict.confidence >= CONFIDENT and verdict.intent != "general":
        return None
    intent: Intent | None = None
    if takes_off_the_tracker(state.message, tracker_shown=tracker_is_newest(state.history)):
        intent = "followup"
    elif asks_for_a_cover_letter(state.message):
        intent = "cover_letter"
    elif asks_to_follow_up(state.message):
        # Of a first message that was drafted here its writer writes the second.
        intent = "cold_email" if changed_last(state.history)[1] == "cold_email" else "followup"
    elif verdict.confidence < CONFIDENT and tells_of_an_answer(state.message):
        intent = "followup"
    if intent is None:
        return None
    others = tuple((i, c) for i, c in ((verdict.intent, verdict.confidence), *verdict.alternatives) if i != intent)
    return Classification(intent, PLAIN, "rule", "you ask for it in so many words", others[:3])


def _elliptical(state: TurnState, verdict: Classification) -> Classification | None:
    """A few words that cannot stand alone stay with whoever answered last, if the classifier thinks it possible."""
    recent = recent_intents(state.history)
    if recent and recent[-1] not in {"job_search", "salary"} and _ELSEWHERE.match(state.message):
        return Classification("job_search", CONFIDENT, "context", "another place for what was searched for", ())
    if not recent or len(state.message.split()) > ELLIPTICAL_WORDS or not _POINTS_BACK.search(state.message):
        return None
    share = _share(verdict, recent[-1])
    if share < max(0.25, verdict.confidence - 0.2):
        return None
    others = tuple((i, c) for i, c in ((verdict.intent, verdict.confidence), *verdict.alternatives) if i != recent[-1])
    return Classification(recent[-1], CONFIDENT, "context", "too short to stand alone, so it goes on as before", others)


def _share(verdict: Classification, intent: Intent) -> float:
    return dict([(verdict.intent, verdict.confidence), *verdict.alternatives]).get(intent, 0.0)


def _decided(verdict: Classification, message: str, also: Sequence[Intent] = ()) -> Verdict:
    plan = tuple(Planned(intent=intent, message=message) for intent in dict.fromkeys((verdict.intent, *also)))
    return Verdict(_route(verdict, clear=True), plan)


def _route(verdict: Classification, *, clear: bool) -> Route:
    return Route(
        intent=verdict.intent,
        confidence=verdict.confidence,
        reasoning=verdict.reasoning,
        source=verdict.source,
        alternatives=tuple(IntentScore(intent=i, confidence=c) for i, c in verdict.alternatives),
        clear=clear,
    )


def _without_command(message: str, intent: Intent) -> str:
    """``/job_search python`` reaches the agent as ``python``; a command that nobody has stays as it is."""
    command = _COMMAND.match(message)
    if command is None or command["word"].casefold() != intent:
        return message
    return message[command.end() :].strip()
