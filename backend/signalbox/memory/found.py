"""What a rule hands back: one fact and the stretch of the sentence that said it. Also where a clause says "not"."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from signalbox.memory.profile import Kind, NewFact
from signalbox.retrieval.skills import SkillVocabulary

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Found:
    fact: NewFact
    span: Span


Rule = Callable[[str, SkillVocabulary], Iterator[Found]]

# The second comma of a list starts no clause of its own, so a clause without a verb goes on as the one before did.
_CLAUSE_END = re.compile(
    r"[,;]\s*|\s+(?=(?:but|though|although|yet)\b)|\s+(?=and (?:i|i'm|i've|know|"
    r"use|speak|have|learning|want|no|not)\b)|"
    r"\s+(?=(?:not(?! only| just)|without)\b)",
    re.IGNORECASE,
)
_HELD = re.compile(
    r"\b(?:know|have|i've|got|use|using|work(?:ed|ing)?|speak|do|did|learn(?:ed|t)|can|am|i'm|with|passed|"
    r"good at|fluent|"
    r"native|but|add|put)\b",
    re.IGNORECASE,
)
_LACKED = re.compile(
    r"\b(?:want to learn|like to learn|(?<!machine )(?<!deep )(?<!reinforcement )(?<!supervised )(?<!transfer )(?<!e-)"
    r"learning(?! (?:and development|support|disabilit\w+|management|design))|don'?t know|do not know|can'?t|cannot|"
    r"never|no longer|not interested|"
    r"don'?t (?:have|want|like|use|speak|do)|do not (?:have|want|like|use|speak|do)|refuse|hate|no|not(?! only|"
    r" just)|"
    r"wrong|without|avoid|exclude|tired of|used to|(?:stopped|quit|gave up)(?: \w+ing)?|haven'?t|have not|"
    r"studying|working towards|hope to|plan(?:ning)? to|"
    r"done with|want to (?:be|become|get into))\b",
    re.IGNORECASE,
)


def found(kind: Kind, key: str, value: str, span: Span) -> Found:
    return Found(NewFact(kind, key, " ".join(value.split())), span)


def held_clauses(sentence: str) -> Iterator[Span]:
    """The clauses that do not say of their things that the writer lacks, shuns or only wants them."""
    start, lacked = 0, False
    for end, following in [*((m.start(), m.end()) for m in _CLAUSE_END.finditer(sentence)), (len(sentence),) * 2]:
        clause = sentence[start:end]
        if _LACKED.search(clause):
            lacked = True
        elif _HELD.search(clause):
            lacked = False
        if not lacked and clause.strip():
            yield start, end
        start = following


class HeldParts:
    """``at in HeldParts(sentence)``: whether what stands there is in a clause of ``held_clauses``."""

    def __init__(self, sentence: str) -> None:
        self._clauses = list(held_clauses(sentence))

    def __contains__(self, at: int) -> bool:
        number = bisect_right(self._clauses, at, key=lambda clause: clause[0]) - 1
        return number >= 0 and at < self._clauses[number][1]
