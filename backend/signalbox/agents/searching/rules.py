"""What of a search message is about the profile: rules that are to last, and changes that belong to its own agent."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.agents.searching.corrected import drops_outright, places_too
from signalbox.agents.searching.request import own_clauses
from signalbox.agents.searching.turns import profile_changed_last, search_turns
from signalbox.agents.words.profile_words import LABELS
from signalbox.blocks import ProfileFact
from signalbox.memory.conversation import PastMessage
from signalbox.memory.forgetting import as_new, removals
from signalbox.memory.more_places import widened
from signalbox.memory.profile import SINGLE, NewFact
from signalbox.memory.statements import lasting_rules, own_words
from signalbox.memory.taken_back import overtaken_times, taken_back
from signalbox.retrieval.query import MAX_CHARS
from signalbox.retrieval.skills import SkillVocabulary

UNDO = re.compile(
    r"^\W*(?:(?:please|no|actually|ok|okay|can you|could you)\b\W*)*(?:undo|take (?:that|it|this) back|revert)"
    r"(?:\W+(?:that|it|this|please|the last (?:one|change|filter)))*\W*$",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"^\W*(?:(?:please|ok|okay|now|and|also|can you|could you)\b\W*)*(?:forget|delete|clear|lift|cancel|remove|drop)\b"
    r"[^.!?]{0,60}\b(?:rules?|settings?|limits?|exclusions?|restrictions?|constraints?|profile|minimum|preferences?)\b",
    re.IGNORECASE,
)
_SHOWING = r"(?:want|show|send|suggest|recommend|offer|give|include|list|bring)"
# Up to where the next request or sentence begins.
_ON = r"(?:(?!,?\s*\b(?:and|so|then|but)?\s*\b(?:please\s+)?(?:find|search|look for|list me|show me)\b)[^.;!?])*"
_RULE = re.compile(
    rf"(?:[,;]?\s*\b(?:and|but)\s+)?(?:(?:please\s+)?\b(?:i\s+)?never\s+(?:ever\s+)?{_SHOWING}\b{_ON}|"
    rf"\b(?:don'?t|do not)\s+(?:ever\s+)?{_SHOWING}\b{_ON}|"
    rf"\bno\s+[\w-]+(?:[ ,/-]+[\w-]+){{0,6}}?\s+(?:either|ever|again)\b|"
    rf"\b(?:from (?:now|here) on(?:wards)?|going forward|in (?:the )?future|as a (?:general )?rule)\b{_ON})",
    re.IGNORECASE,
)
_NOTED = re.compile(r"\b(?:remember|note|bear in mind|keep in mind)\b(?:\s+that\b|\s*:)?", re.IGNORECASE)


# What one who searches may say of themselves in passing and wants counted.
_LEARNED: Final = frozenset({"title", "seniority", "years", "skill", "certificate", "language", "location"})


@dataclass(frozen=True, slots=True)
class Lasting:
    """``facts`` are to be kept beyond this search; ``rest`` is the message without what said them."""

    facts: tuple[NewFact, ...]
    rest: str

    @property
    def told(self) -> tuple[str, ...]:
        return labelled(self.facts)


def labelled(facts: Iterable[NewFact | ProfileFact]) -> tuple[str, ...]:
    """As they are told, those of one kind together: "skill: Python, SQL"."""
    values: dict[str, list[str]] = {}
    for fact in facts:
        values.setdefault(LABELS.get(fact.key, fact.key).lower(), []).append(fact.value)
    return tuple(f"{label}: {', '.join(each)}" for label, each in values.items())


def read_own(message: str, vocabulary: SkillVocabulary) -> tuple[NewFact, ...]:
    """What a search message says of its writer as a fact: a title, years, skills. What is only wished for is none."""
    found = [fact for clause in own_clauses(message) for fact in own_words(clause, vocabulary)]
    facts = {(fact.key, fact.value.casefold()): fact for fact in found if fact.kind == "fact" and fact.key in _LEARNED}
    last = {fact.key: fact for fact in facts.values() if fact.key in SINGLE}
    return tuple(fact for fact in facts.values() if fact.key not in SINGLE or last[fact.key] is fact)


def read_lasting(message: str, vocabulary: SkillVocabulary) -> Lasting:
    """The rules that ``message`` states for good. Notes are left to the profile's own agent."""
    facts = tuple(fact for fact in lasting_rules(message, vocabulary) if fact.key != "note")
    # No more of it is ever read as a search.
    message = message[:MAX_CHARS]
    return Lasting(facts, search_alone(message) if facts else message)


def read_lifted(message: str, lasting: Sequence[NewFact], profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """The rules of ``profile`` that the message takes back in saying what would do ("remote is fine too"), or that
    cannot stand beside those it states for good. What is to be dropped outright ("drop the pay limit") is a condition
    of the search.
    """
    lifted = () if drops_outright(message) else taken_back(message, profile)
    return (*lifted, *overtaken_times(message, lasting, profile))


def read_wider(message: str, profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """The rule on where to work, with the places that the message says would do as well."""
    held = next((fact for fact in profile if fact.key == "location" and fact.kind == "constraint"), None)
    places = places_too(message) if held is not None else ()
    return (widened(as_new(held), places),) if held is not None and places else ()


def search_alone(message: str) -> str:
    """``message`` without its lasting rules."""
    return _NOTED.sub(" ", _RULE.sub(" ", message.replace("’", "'"))).strip()


def is_for_the_profile(
    message: str, history: Sequence[PastMessage], profile: Sequence[ProfileFact], lasting: Lasting
) -> bool:
    """Whether no search is asked for: "undo" after a change of the profile, a stored rule to forget, a rule alone."""
    searched = bool(search_turns(history))
    if UNDO.match(message):
        return profile_changed_last(history) or not searched
    if _FORGET.match(message):
        return bool(removals(message, profile)[0]) or not searched
    return bool(lasting.facts) and not searched and not re.search(r"[^\W\d_]", lasting.rest)
