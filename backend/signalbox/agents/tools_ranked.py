"""Which tools a model is offered first where not all have room: what fits the message, and looking before changing.

Only an order, never a permission: a server that words its tools to come first gets no more than its turn. Pure.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from signalbox.memory.words import words_in
from signalbox.tools.base import Tool

# How much of what a tool says is read, and what a word of its name counts more than one of its description.
_READ_CHARS: Final = 1_000
_NAME_WEIGHT: Final = 3.0
_REMOVES: Final = 3
_PARTS: Final = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+")
_COMMON: Final = words_in(
    """a about all an and any are as at be been but by can could did do does for from get give had has have her his how
    i if in into is it its list make me more most my new no not of on one only or our out please server should show so
    some tell than that the their them then there they this to tool tools up use used user using want was we were what
    when where which who why will with would you your"""
)
_LOOKING: Final = words_in(
    "check count describe fetch find get inspect list look lookup open peek preview query read search show status view"
)
_REMOVING: Final = words_in(
    "cancel clear close delete destroy discard drop erase forget kill prune purge remove reset revoke terminate "
    "truncate uninstall unlink unset wipe"
)


def ranked(tools: Sequence[Tool[Any, Any]], asked: str) -> list[Tool[Any, Any]]:
    """The tools, those with words of ``asked`` first and what removes things last, unless it speaks of that. Servers
    (and the tools of our own) take turns, so that one with many tools does not shut out the others.
    """
    fits = _fits(tools, asked)
    removing = not _REMOVING.isdisjoint(part.lower() for part in _PARTS.findall(asked))
    groups: dict[tuple[int, str], list[Tool[Any, Any]]] = {}
    for tool in tools:
        care = _care(tool)
        rank = 0 if fits[tool.name] and (care < _REMOVES or removing) else 1 + care
        groups.setdefault((rank, _server(tool.name)), []).append(tool)
    turns: list[tuple[tuple[float, ...], Tool[Any, Any]]] = []
    for (rank, _), group in groups.items():
        group.sort(key=lambda tool: (-fits[tool.name], _care(tool)))
        turns += [((rank, turn, -fits[tool.name], _care(tool)), tool) for turn, tool in enumerate(group)]
    return [tool for _, tool in sorted(turns, key=lambda each: each[0])]


def _fits(tools: Sequence[Tool[Any, Any]], asked: str) -> Mapping[str, float]:
    """How well each fits what is asked, by its name; 0 is not at all. A word that many tools share tells little."""
    wanted = frozenset(_stems(asked))
    names = {tool.name: frozenset(_stems(tool.name)) & wanted for tool in tools}
    said = {tool.name: frozenset(_stems(_said(tool))) & wanted for tool in tools}
    shared = Counter(word for name in names for word in names[name] | said[name])
    worth = {word: math.log(1 + len(names) / times) for word, times in shared.items()}
    return {
        name: _NAME_WEIGHT * sum(map(worth.__getitem__, sorted(names[name])))
        + sum(map(worth.__getitem__, sorted(said[name] - names[name])))
        for name in names
    }


def _care(tool: Tool[Any, Any]) -> int:
    """0 for what looks only, ``_REMOVES`` for what removes things. The name tells of unclassified tools, too."""
    if tool.effect == "read":
        return 0
    words = _PARTS.findall(tool.name.rpartition("__")[2])
    verbs = {word.lower() for word in words}
    if verbs & _REMOVING:
        return _REMOVES
    return 1 if words and words[0].lower() in _LOOKING else 2


def _said(tool: Tool[Any, Any]) -> str:
    spec = getattr(tool, "spec", None)
    said = str(spec.description if spec is not None else getattr(tool, "description", ""))
    return said[:_READ_CHARS]


def _server(name: str) -> str:
    return name.partition("__")[0] if "__" in name else ""


def _stems(text: str) -> Iterable[str]:
    for part in _PARTS.findall(text):
        word = part.lower()
        if word not in _COMMON and len(word) > 1:
            yield _stem(word)


def _stem(word: str) -> str:
    """Without the commonest endings: "entities" and "entity" are one word, and so are "noted" and "notes"."""
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending) + instead
    return word
