"""Places in questions about pay: the town of an address, and a name of a place that was mistyped. Pure."""

import difflib
import functools
import json
import re
from collections.abc import Sequence
from importlib import resources
from typing import Final

from signalbox.memory.words import words_in
from signalbox.retrieval.places import Place, gazetteer
from signalbox.retrieval.words import word_list

_STREET = re.compile(
    r"\d|\b(?:ave(?:nue)?|st(?:reet)?|road|rd|blvd|boulevard|lane|drive|floor|fl|suite|room|building|plaza|square|"
    r"stra(?:ss|ß)e|platz|parkway|broadway|remote|anywhere)\b",
    re.IGNORECASE,
)
_AFTER_IN = re.compile(
    r"\b(?:in|near|around|about)\s+(?P<words>[^\W\d_][\w'-]*(?:\s+[^\W\d_][\w'-]*){0,2})", re.IGNORECASE
)
_AT_END = re.compile(r"(?P<words>[^\W\d_][\w'-]*(?:\s+[^\W\d_][\w'-]*)?)\W*$")
_WORD = re.compile(r"[^\W\d_][\w'-]*")
# How alike a slip of the pen is to the name that was meant, and how long a name must be to be sure.
_ALIKE: Final = 0.83
_SHORTEST: Final = 5
_MOST_CHARS: Final = 400
_MOST_TRIES: Final = 12
_NO_PLACE: Final = words_in(
    """general total reality theory practice hours month months years salary salaries wages money market person
    training banking nursing marketing software developer engineer manager compare compared comparison"""
)


def town_of(location: str | None) -> str | None:
    """The town of a posting's location, without streets and house numbers; None where no town can be told."""
    if not location:
        return None
    found = [place for match in gazetteer().pattern.finditer(location) if (place := _sure(match.group()))]
    towns = [place.name for place in found if place.kind == "city"]
    if towns:
        return towns[-1]
    parts = [part.strip() for part in location.split(",")]
    named = [part for part in parts if part and not _STREET.search(part)]
    known = [part for part in named if gazetteer().find(part)]
    unknown = [part for part in named if part not in known]
    if unknown and len(parts) <= 3 and not _STREET.search(parts[0]):
        return unknown[0]
    return found[-1].name if found else None


def _sure(name: str) -> Place | None:
    place = gazetteer().find(name)
    return place if place and (name[:1].isupper() or not place.needs_preposition) else None


def mistyped_place(message: str) -> tuple[str, str] | None:
    """A stretch of ``message`` that is nearly the name of a town or country, and that name."""
    head = message[:_MOST_CHARS]
    for tries, (text, behind_in) in enumerate(_stretches(head)):
        if tries == _MOST_TRIES:
            break
        if place := _nearly(text, behind_in=behind_in):
            return text, place
    return None


def _stretches(message: str) -> list[tuple[str, bool]]:
    """Where a place may stand: up to three words behind a preposition, the last one or two of the message."""
    if gazetteer().pattern.search(message):
        return []
    behind = [_shorter(match["words"]) for match in _AFTER_IN.finditer(message)]
    found = [(text, True) for texts in behind for text in texts]
    if not found and (end := _AT_END.search(message)):
        words = end["words"].split()
        found = [(" ".join(words[at:]), False) for at in range(len(words))]
    return found


def _shorter(words: str) -> Sequence[str]:
    parts = list(_WORD.finditer(words))
    return [words[: part.end()] for part in reversed(parts)]


def _nearly(text: str, *, behind_in: bool) -> str | None:
    key = " ".join(text.casefold().split())
    if len(key) < _SHORTEST or not _unknown(key):
        return None
    names = [
        name
        for name in _names()
        if name[0] == key[0] and abs(len(name) - len(key)) <= 1 and name.count(" ") == key.count(" ")
    ]
    near = difflib.get_close_matches(key, names, n=1, cutoff=_ALIKE)
    # Without a preposition only a swap or doubling within a longer name is sure enough.
    if not near or not (behind_in or sorted(key) == sorted(near[0]) or len(key) > _SHORTEST + 2):
        return None
    place = gazetteer().find(near[0])
    return place.name if place else None


def _unknown(key: str) -> bool:
    """A word that means something else is no slip of the pen."""
    words = set(key.split())
    return not (words & _NO_PLACE or (len(words) == 1 and words & (word_list("not_places") | word_list("noise"))))


@functools.cache
def _names() -> tuple[str, ...]:
    rows = json.loads((resources.files("signalbox.data") / "places.json").read_text(encoding="utf-8"))["places"]
    names = {name.casefold() for row in rows for name in (row["name"], *row.get("aliases", ()))}
    return tuple(sorted(name for name in names if len(name) >= _SHORTEST and name[0].isalpha()))
