"""What an answer claims of a look-up: that there is nothing, that it could not look, that it is a part or all, and
advice that only makes sense if there is nothing. A grammar over classes of words; it knows no agent. Pure.

The weakness of rules is wording that nobody thought of: ``docs/truth.md`` tells how often they err.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Final, Literal, get_args

from signalbox.evals import grammar, passages
from signalbox.evals.wording import packaged_lexicon

Kind = Literal["absence", "premise", "unknown", "part", "whole"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

# Stands where something was taken out: no rule reads across it.
_GAP: Final = "…~BRK~ "


@dataclass(frozen=True, slots=True)
class Claim:
    kind: Kind
    sentence: str


@dataclass(frozen=True, slots=True)
class _Reading:
    """One sentence. ``offers`` something else, which is advice where there is nothing; ``asks`` whether there is
    something; ``denies`` in a word, which is absence behind such a question.
    """

    kinds: frozenset[Kind]
    offers: bool
    asks: bool
    denies: bool


def claims_in(text: str) -> tuple[Claim, ...]:
    """Every claim with the sentence that makes it, in their order; a sentence may make several."""
    found: list[Claim] = []
    nothing = asked = False
    for sentence in passages.sentences_of(text):
        reading = _reading_of(sentence)
        kinds = set(reading.kinds)
        if asked and reading.denies:
            kinds.add("absence")
        nothing = nothing or "absence" in kinds
        if nothing and reading.offers:
            kinds.add("premise")
        asked = reading.asks
        found += [Claim(kind, sentence) for kind in KINDS if kind in kinds]
    return tuple(found)


def kinds_in(text: str) -> frozenset[Kind]:
    return frozenset(claim.kind for claim in claims_in(text))


@functools.lru_cache(maxsize=50_000)  # answers to one message under many faults share most sentences
def _reading_of(sentence: str) -> _Reading:
    tagged = packaged_lexicon().tagged(sentence)
    said = _without("supposed", tagged)
    firm = _without("denied", said)
    kinds: set[Kind] = {kind for kind in ("unknown", "part") if _says(kind, said if kind == "unknown" else firm)}
    if _says("offered", tagged):
        kinds.add("part")
    if _says("premise", _without("needless", tagged)):
        kinds.add("premise")
    # "Not all" is a part, "no other jobs" is all, and "no source answered" is a failure: none of them is absence.
    if "part" not in kinds and _says("whole", _without("part", firm)):
        kinds.add("whole")
    rest = _without("whole", _without("part", _without("denied", _without("unknown", said))))
    if _says("absence", _without("emptyhanded", rest) if "unknown" in kinds else rest):
        kinds.add("absence")
    return _Reading(frozenset(kinds), _says("offers", tagged), _says("asks", tagged), _says("denies", tagged))


def _says(section: str, tagged: str) -> bool:
    return packaged_rules()[section].search(tagged) is not None


def _without(section: str, tagged: str) -> str:
    return packaged_rules()[section].sub(_GAP, tagged)


@functools.cache
def packaged_rules() -> Mapping[str, re.Pattern[str]]:
    """By section of the rules' file."""
    text = (resources.files("signalbox.data") / "evals" / "claims.rules").read_text("utf-8")
    return MappingProxyType(grammar.rules_of(text))
