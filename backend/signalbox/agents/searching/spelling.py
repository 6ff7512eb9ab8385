"""Puts right what is mistyped in a search, against the words of titles, skills and places, and says what it changed.

A word that any vocabulary knows stays as it is, and so does one with no clear neighbour: a name nobody has heard of is
more often a town or an employer than a slip.
"""

import functools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from typing import Final

from signalbox.agents.pay.spelling import names_work
from signalbox.retrieval.words import word_list

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_SHORTEST: Final = 4
_MOST_WORDS: Final = 40
_ONE_SLIP_FROM: Final = 5
_TWO_SLIPS_FROM: Final = 9
# How much oftener than the next a word must be to be the clear one.
_CLEARLY: Final = 3
_ENDINGS: Final = ("s", "es", "ed", "ing")
# What searches are made of besides titles, skills and places.
_OF_SEARCHES: Final = (
    "jobs", "remote", "work", "salary", "part", "full", "time", "near", "senior", "junior", "roles", "vacancies",
    "openings", "companies", "experience", "internship", "contract", "hybrid", "anywhere",
)  # fmt: skip
# Counted as if so many titles had them.
_USUAL: Final = 50
_BEHIND_AT = re.compile(r"\bat\s+$", re.IGNORECASE)
_BEHIND_PLACE_WORD = re.compile(r"(?:\b(?:in|near|around|from|or)|,)\s+(?:\w+\s+)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spelled:
    """``read``: what was typed and what it was taken for, neighbouring words as one."""

    text: str
    read: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Words:
    """``targets``: what a slip may stand for, each with how often searches have it; 0 for mere names of places."""

    known: frozenset[str]
    targets: dict[str, int]
    places: frozenset[str]


def respelled(text: str) -> Spelled:
    """``text`` with its slips put right. It takes about a millisecond for each word that nothing knows."""
    # With every word capitalised, capitals mark no names.
    words = list(_WORD.finditer(text))
    mere_capitals = all(match.group()[0].isupper() for match in words)
    changed = [
        (match, right) for match in words[:_MOST_WORDS] if (right := _right(match, text, mere_capitals=mere_capitals))
    ]
    if not changed:
        return Spelled(text)
    pieces, end = [], 0
    for match, right in changed:
        pieces += [text[end : match.start()], right]
        end = match.end()
    return Spelled("".join([*pieces, text[end:]]), tuple(_side_by_side(changed, text)))


def _side_by_side(changed: list[tuple[re.Match[str], str]], text: str) -> Iterator[tuple[str, str]]:
    typed, meant = changed[0][0].group(), changed[0][1]
    for (before, _), (match, right) in pairwise(changed):
        if text[before.end() : match.start()].strip():
            yield typed, meant
            typed, meant = match.group(), right
        else:
            typed, meant = f"{typed} {match.group()}", f"{meant} {right}"
    yield typed, meant


def _right(match: re.Match[str], text: str, *, mere_capitals: bool) -> str | None:
    word, before = match.group(), text[: match.start()]
    typed = word.casefold()
    if len(typed) < _SHORTEST or "'" in typed or _is_known(typed) or _BEHIND_AT.search(before):
        return None
    named = word[0].isupper() and before.strip() != "" and not mere_capitals
    if named and not _BEHIND_PLACE_WORD.search(before):
        return None
    words = _words()
    where = _BEHIND_PLACE_WORD.search(before) is not None
    near = sorted(
        (slips, -often, other)
        for other, often in words.targets.items()
        if (slips := _slips(typed, other)) is not None and (other in words.places if named else where or often > 0)
    )
    if not near or (len(near) > 1 and near[0][0] == near[1][0] and near[0][1] > _CLEARLY * near[1][1]):
        return None
    best = near[0][2]
    return best.title() if best in words.places and (where or not words.targets[best]) else best


def _is_known(word: str) -> bool:
    known = _words().known
    return (
        word in known
        or names_work(word)
        or any(
            word.endswith(ending) and (stem := word.removesuffix(ending)) and (stem in known or f"{stem}e" in known)
            for ending in _ENDINGS
        )
    )


@functools.cache
def _words() -> _Words:
    """The packaged vocabularies; the word list of the embedding model knows common English beside them."""
    data = resources.files("signalbox.data")
    read = {name: json.loads((data / name).read_text(encoding="utf-8")) for name in ("skills.json", "places.json")}
    titles = [json.loads(line)["title"] for line in (data / "sample_jobs.jsonl").read_text("utf-8").splitlines()]
    english = json.loads((data / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    skills = [name for row in read["skills.json"]["skills"] for name in (row["name"], *row.get("aliases", ()))]
    towns = _split(name for row in read["places.json"]["places"] for name in (row["name"], *row.get("aliases", ())))
    targets = dict.fromkeys(towns, 0) | dict.fromkeys(_split(skills), 1)
    of_titles = Counter([*_split(titles), *word_list("generic_roles"), *_OF_SEARCHES * _USUAL])
    targets |= {word: 1 + count for word, count in of_titles.items()}
    lists = ("generic_roles", "not_places", "calendar", "noise", "kinds_of_work", "rare_words")
    known = {*english, *targets, *(word for name in lists for word in word_list(name))}
    return _Words(
        frozenset(known),
        {word: weight for word, weight in targets.items() if len(word) >= _SHORTEST - 1},
        frozenset(town for town in towns if len(town) >= _SHORTEST),
    )


def _split(names: Iterable[str]) -> list[str]:
    return [word.casefold() for name in names for word in _WORD.findall(name)]


def _slips(typed: str, meant: str) -> int | None:
    """How many letters are wrong, missing, added or changed places (Damerau, neighbours only); None: too many."""
    length = len(typed)
    most = 2 if length >= _TWO_SLIPS_FROM else 1
    swapped = typed[:2] == meant[1::-1] if len(meant) > 1 else False
    if abs(length - len(meant)) > most or (typed[0] != meant[0] and not swapped):
        return None
    slips = _distance(typed, meant)
    if length < _ONE_SLIP_FROM and sorted(typed) != sorted(meant):
        return None
    # Two slips that change the ending make another word of the same stem: "mediator" is no "mediation".
    return slips if slips == 1 or (slips == 2 == most and typed[-1] == meant[-1]) else None


def _distance(one: str, other: str) -> int:
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        following = [i]
        for j, against in enumerate(other, start=1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        before, row = row, following
    return row[-1]
