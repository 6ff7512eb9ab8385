"""How near two job titles are in what the work is: their words, the general ones ("analyst") for little. Pure."""

import functools
import re
from collections.abc import Iterable
from typing import Final

from signalbox.retrieval.facts.role_words import stems
from signalbox.retrieval.words import word_list

_BRACKETS = re.compile(r"\([^)]*\)")
_GENERAL: Final = word_list("generic_roles")
_FULL_STACK = re.compile(r"\bfull[- ]?stack\b", re.IGNORECASE)
# Words that all say "writes software": between them a change is one of stack, not of trade.
_CODE: Final = frozenset((
    "software", "web", "full", "front", "back", "application", "app", "api", "ui", "mobile", "cloud", "platform",
    "site", "reliability", "devop", "server", "system", "program", "backend", "frontend",
))  # fmt: skip
_DATA: Final = frozenset(("data", "analytic", "bi", "insight", "reporting", "intelligence", "report"))
_TRADES: Final = (_CODE, _DATA)
_SAME_TRADE: Final = 0.6
# And what is left of it where the title names a tool the person has not got ("PHP Developer").
_OTHER_TOOL: Final = 0.5
# Two titles that share "analyst" and nothing else.
_SAME_ROLE_WORD: Final = 0.15
_ADDED: Final = 0.3
_LEFT_OUT: Final = 0.7
_OTHER_ROLE_WORD: Final = 0.6
_ONE_ROLE_WORD: Final = 0.75
# Where one title says no more than "engineer", it may or may not be the other.
_BARE: Final = 0.5


def nearest_title(
    title: str, titles: Iterable[str], skills: Iterable[str], lacked: Iterable[str] = ()
) -> tuple[float, str]:
    """The one of ``titles`` nearest to ``title`` and how near (0 to 1). ``skills`` are the person's, ``lacked`` those
    the posting asks for besides: a title that names one of the former ("Python Developer") is near to all who write
    software, one that names one of the latter less.
    """
    known = frozenset(word for skill in skills for word in special_words(skill))
    foreign = frozenset(word for skill in lacked for word in special_words(skill)) - known
    asked = title_words(title)
    return max(((_near(asked, title_words(other), known, foreign), other) for other in titles), default=(0.0, ""))


@functools.lru_cache(maxsize=4_096)
def special_words(name: str) -> frozenset[str]:
    """The words of a title or skill that are not general: "ios" of "iOS Development"."""
    words = title_words(name)
    return words - _general(words)


def _near(asked: frozenset[str], held: frozenset[str], known: frozenset[str], foreign: frozenset[str]) -> float:
    general, heads = _general(asked), _general(held)
    special, own = asked - general, held - heads
    same_head = bool(general & heads)
    if not special and not own:
        return 1.0 if same_head else 0.0
    if not special or not own:
        return _BARE if same_head else 0.0
    shared = len(special & own)
    # Tversky's index: what a posting adds ("... for Social Impact") says less against it than what it leaves out.
    alike = shared / (shared + _ADDED * len(special - own) + _LEFT_OUT * len(own - special))
    for trade in _TRADES:
        skilled = special & known if trade is _CODE and own & _CODE else frozenset[str]()
        if own & trade and (special & trade or skilled):
            alike = max(alike, _SAME_TRADE * (_OTHER_TOOL if special & foreign else 1.0))
    floor = _SAME_ROLE_WORD if same_head else 0.0
    if same_head or not (general or heads):
        return max(floor, alike)
    return alike * (_OTHER_ROLE_WORD if general and heads else _ONE_ROLE_WORD)


@functools.lru_cache(maxsize=4_096)
def title_words(title: str) -> frozenset[str]:
    """The words of the title itself: what stands in brackets is about shift, contract or place."""
    bare = _BRACKETS.sub(" ", title)
    words = {"developer" if word == "engineering" else word for word in stems(bare if bare.strip() else title)}
    return frozenset(words | ({"full"} if _FULL_STACK.search(title) else set()))


def _general(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word == "developer" or word in _GENERAL)
