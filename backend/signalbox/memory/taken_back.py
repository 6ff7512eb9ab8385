"""Which hard rules of a profile a message takes back or corrects, and what else it says. Pure.

Plain words mean the same here as for the constraints of a conversation: both read them with ``lifting`` and
``restating``.
"""

import re
from collections.abc import Sequence
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.memory.clauses import clauses, is_elsewhere
from signalbox.memory.lifting import lifted, spoken_of
from signalbox.memory.loosening import loosened
from signalbox.memory.own_words import own_sentences, without_quotes
from signalbox.memory.profile import NewFact
from signalbox.memory.restating import restated
from signalbox.retrieval.terms import employment_kind

# A clause of one word is what is left of a list: "on-site and hybrid are fine".
_LEAST_CLAUSE: Final = 2
_LONGEST: Final = 300
# What is taken off "my list" is taken out of the profile.
_OFF_A_LIST = re.compile(r"\b(?:my|the|your) (?:\w+ )?list\b", re.IGNORECASE)
_ADDS = re.compile(r"\b(?:too|also|as well|either)\b", re.IGNORECASE)
_LASTING_KINDS: Final = (frozenset({"full-time", "part-time"}), frozenset({"permanent", "contract", "temporary"}))


def rules_of(profile: Sequence[ProfileFact]) -> tuple[ProfileFact, ...]:
    return tuple(fact for fact in profile if fact.kind == "constraint")


def taken_back(message: str, profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """The rules of ``profile`` that its user plainly no longer insists on. What is asked, supposed, quoted, pasted or
    said by others takes nothing back.
    """
    rules = rules_of(profile)
    if not rules:
        return ()
    said = own_sentences(without_quotes(message))
    return tuple(dict.fromkeys(fact for sentence in said for fact in lifted(sentence, rules)))


def perhaps_taken_back(message: str, profile: Sequence[ProfileFact]) -> tuple[ProfileFact, ...]:
    """The rules of ``profile`` that its user may mean to loosen and does not plainly take back: they stand."""
    rules = rules_of(profile)
    gone = taken_back(message, profile)
    said = list(own_sentences(without_quotes(message))) if rules else []
    meant = {(fact.key, fact.value) for sentence in said for fact in loosened(sentence, spoken_of(sentence, rules))}
    return tuple(
        rule
        for rule in rules
        if (rule.key, rule.value) in meant and NewFact(rule.kind, rule.key, rule.value) not in gone
    )


def speaks_of_else(sentence: str) -> bool:
    """Whether it may speak of a CV, of others or of a while only: then no rule goes for a name that it shares."""
    return is_elsewhere(_OFF_A_LIST.sub(" ", sentence))


def beside_taken_back(sentence: str, profile: Sequence[ProfileFact]) -> str:
    """What a sentence that takes rules back says besides: the clauses that take back nothing."""
    rules = rules_of(profile)
    _, *parts = clauses(sentence)
    kept = [part for part in parts if not lifted(part, rules)]
    if len(kept) == len(parts):
        return ""  # it takes them back as a whole
    return ", ".join(part for part in kept if len(part.split()) >= _LEAST_CLAUSE)


def corrected_rules(sentence: str, profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """The rules of ``profile`` that a sentence gives another value and says nothing else: "actually 45k is enough"."""
    if not any(True for _ in own_sentences(without_quotes(sentence))):
        return ()
    return tuple(NewFact("constraint", key, value) for key, value in restated(sentence, rules_of(profile)) or ())


def changes_rules(message: str, profile: Sequence[ProfileFact]) -> bool:
    """Whether it takes a rule of ``profile`` back or gives it another value: of a short message, told in a moment."""
    if len(message) > _LONGEST:
        return False
    return bool(taken_back(message, profile)) or bool(corrected_rules(message, profile))


def overtaken_times(sentence: str, add: Sequence[NewFact], profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """Working times of ``profile`` that cannot be so beside those that ``sentence`` adds: part-time, once full-time is
    wanted. One that is wanted too leaves the others.
    """
    if _ADDS.search(sentence):
        return ()
    new = [kinds for fact in add if fact.key == "work_time" for kinds in _rivals(fact.value)]
    return tuple(
        NewFact(fact.kind, fact.key, fact.value)
        for fact in profile
        if fact.key == "work_time" and _kind(fact.value) in new
    )


def _rivals(time: str) -> frozenset[str]:
    kind = _kind(time)
    return next((kinds - {kind} for kinds in _LASTING_KINDS if kind in kinds), frozenset())


def _kind(time: str) -> str:
    if time.startswith("permanent"):
        return "permanent"
    found = employment_kind(time.replace("contract work", "contract"))
    return found[0] if found else ""
