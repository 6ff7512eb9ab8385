"""The place a question names: "which of them are near Leeds?", "is it in London?". Pure; it knows no distances."""

import re

from signalbox.retrieval.places import gazetteer

_WHERE = re.compile(
    r"\b(?:in|near|around|close to|at|from|within reach of|outside|based in|located in)\s+(?P<where>.+)", re.IGNORECASE
)
_IS_THERE = re.compile(
    r"\b(?:is|are|would|it's|its)\b[^.?!]{0,40}?\b(?P<how>near|around|close to|far from|from|within reach of|in|at)\b",
    re.IGNORECASE,
)


def place_named(message: str) -> str | None:
    """The known place behind a preposition, in the gazetteer's spelling."""
    where = _WHERE.search(message)
    named = gazetteer().pattern.search(where["where"]) if where else None
    place = gazetteer().find(named.group()) if named else None
    return place.name if place else None


def asks_whether_there(message: str) -> bool:
    """Whether a posting lies in or near a place that the message names."""
    return _IS_THERE.search(message) is not None and place_named(message) is not None


def asks_whether_inside(message: str) -> bool:
    """In it, and not only near it."""
    how = _IS_THERE.search(message)
    return how is not None and how["how"].casefold() in {"in", "at"}
