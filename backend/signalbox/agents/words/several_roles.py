"""Several lines of work in one question: "nurses and teachers", "a teacher in London and another as a nurse in York".
Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from signalbox.agents.pay.spelling import names_work
from signalbox.memory.statement_rules import is_occupation
from signalbox.memory.words import words_in
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.words import word_list

# Whoever lists more wants no separate answer to each.
MOST: Final = 4
_LONGEST: Final = 400
_MOST_WORDS: Final = 4
_WORD = re.compile(r"\s*(?P<word>[^\W\d_][\w'+#.-]*)")
_JOINT = re.compile(
    r"(?:\s*,)?\s*(?:\b(?:and|or|plus|as well as|vs\.?|versus)\b|&|,)\s*(?:also\s+)?"
    r"(?:(?:another|one)\s+(?:(?:job|one|role|post|position)\s+)?(?:as|for)\s+|(?:as|for)\s+|another\s+)?"
    r"(?:(?:an?|the|some)\s+)?",
    re.IGNORECASE,
)
_NOUN = re.compile(r"\s+(?:jobs?|roles?|positions?|openings?|vacanc(?:y|ies)|postings?|work)\b", re.IGNORECASE)
_IN = re.compile(r"\s+(?:in|near|around)\s+(?:the\s+)?", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][\w'-]*(?:\s+[A-Z][\w'-]*){0,2}")
# What people are called by their work without an ending that says so.
_MORE_WORK: Final = words_in("barista coach waitress steward surgeon secretary carer cleaner dj postman")
_NO_PART: Final = word_list("noise") | words_in("remote hybrid part-time full-time no not my you we they he she")


# "What does a plumber earn and an electrician?"
_EARNS = re.compile(r"\s+(?:earn|make|get(?: paid)?|cost|charge)(?=\W*$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Item:
    """Where the words of work begin and end, "jobs" behind them ends, and a place behind that. ``occupation``: they
    name who does the work.
    """

    start: int
    role_end: int
    noun_end: int
    end: int
    occupation: bool

    @property
    def has_noun(self) -> bool:
        return self.noun_end > self.role_end

    @property
    def has_place(self) -> bool:
        return self.end > self.noun_end


def each_role(text: str) -> tuple[str, ...]:
    """``text`` once for each line of work that it lists, each time with that one alone; ``text`` itself where it lists
    none. What follows the last of them ("jobs in Leeds") is meant of all, unless another has the like.
    """
    for joint in _JOINT.finditer(text) if len(text) <= _LONGEST else ():
        earns = _EARNS.search(text, 0, joint.start())
        first = _item_before(text, earns.start() if earns else joint.start())
        items = [first, *_items_behind(text, joint)] if first else []
        if len(items) > MOST:  # from the next joint on, the first would stand before each of the others
            return (text,)
        if len(items) > 1 and _are_alike(items):
            return _apart(text, items, earns[0] if earns else "")
    return (text,)


def names_worker(text: str) -> bool:
    """Whether a word of it is what people are called by their work."""
    return any(_is_work(match["word"]) for match in _WORD.finditer(text[:_LONGEST]))


def _are_alike(items: list[_Item]) -> bool:
    """Whether they are of a kind: "Python jobs and Java jobs" are two searches, "Python and Java jobs" are one."""
    return all(item.occupation for item in items) or all(item.has_noun for item in items)


def _apart(text: str, items: list[_Item], verb: str) -> tuple[str, ...]:
    *others, last = items
    noun_of_all = not any(item.has_noun or item.has_place for item in others)
    place_of_all = not any(item.has_place for item in others)

    def end(item: _Item) -> int:
        return item.role_end if noun_of_all else item.noun_end if place_of_all else item.end

    head, tail = text[: items[0].start], f"{verb}{text[end(last) :]}"
    return tuple(dict.fromkeys(f"{head}{text[item.start : end(item)]}{tail}" for item in items))


def _items_behind(text: str, joint: re.Match[str]) -> Iterator[_Item]:
    following: re.Match[str] | None = joint
    while following and (item := _item_at(text, following.end())):
        yield item
        following = _JOINT.match(text, item.end)


def _item_before(text: str, end: int) -> _Item | None:
    """The item that ends there; of several the longest."""
    starts = [match.start("word") for match in _WORD.finditer(text, 0, end)][-2 * _MOST_WORDS :]
    items = (_item_at(text, start) for start in starts)
    return next((item for item in items if item and item.end == end), None)


def _item_at(text: str, start: int) -> _Item | None:
    """A line of work that begins there, with "jobs" and a place behind it."""
    at, occupation = start, False
    for _ in range(_MOST_WORDS):
        word = _WORD.match(text, at)
        if word is None or _is_no_part(word["word"]) or (occupation and not _is_work(word["word"])):
            break
        at, occupation = word.end(), _is_work(word["word"])
        if not occupation and _NOUN.match(text, at):
            break
    noun = _NOUN.match(text, at)
    if at == start or not (occupation or noun):
        return None
    noun_end = noun.end() if noun else at
    return _Item(start, at, noun_end, _place_end(text, noun_end) or noun_end, occupation)


def _place_end(text: str, at: int) -> int | None:
    lead = _IN.match(text, at)
    name = (gazetteer().pattern.match(text, lead.end()) or _NAME.match(text, lead.end())) if lead else None
    return name.end() if name else None


def _is_no_part(word: str) -> bool:
    return word.casefold() in _NO_PART and not _is_work(word)


def _is_work(word: str) -> bool:
    """Whether people are called so by their work: "teachers", not "teaching"."""
    plain = word.casefold()
    single = plain.removesuffix("s")
    return plain in _MORE_WORK or single in _MORE_WORK or (names_work(plain) and is_occupation([plain]))
