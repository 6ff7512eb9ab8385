"""Reads a name out of a message: what the writer calls themselves, or an answer that is nothing but a name. Pure."""

import itertools
import re
from typing import Final

from signalbox.memory.statement_rules import is_occupation
from signalbox.memory.words import words_in
from signalbox.retrieval.places import gazetteer

_LONGEST: Final = 1_000
_LONGEST_NAME: Final = 100
_MOST_WORDS: Final = 4
_WORD: Final = r"[^\W\d_][\w'’-]*\.?"
_STARTS: Final = r"(?:^|[\n;,.!]\s*|\b(?:and|please|ok|okay|yes|yep|sure|hi|hello|then|just|well)[\s,]+)"
_LEAD = re.compile(
    rf"{_STARTS}(?:(?P<sure>(?:my|the) name(?:'s|’s| is| should be| would be)|call me|i(?:'m| am) called|i go by|"
    r"(?:you can )?sign(?: (?:it|this|that|off|them|(?:the |my )?(?:e-?mail|mail|letter|note|message|draft)))*"
    r"(?: (?:as|with|by|from|off))*|signed(?: by)?)|i(?:'m|’m| am)|this is|it(?:'s|’s| is))[\s:]+"
    rf"(?P<name>{_WORD}(?: +{_WORD}){{0,{_MOST_WORDS}}})",
    re.IGNORECASE,
)
_PUT = re.compile(
    rf"{_STARTS}(?:use|put|put in|write|fill in|take)\s+(?P<name>{_WORD}(?: +{_WORD}){{0,3}}?)\s+"
    r"(?:as|for)\s+(?:my|the|your) name\b",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\s*(?:$|[,;.!?\n]|(?:and|please|pls|thanks|then|but|so|not|now|instead)\b)", re.IGNORECASE)
_COURTESY = re.compile(
    r"^\W*(?:yes|ok|okay|sure|oh|sorry)\b[\s,.!]+|[\s,]+(?:please|pls|thanks|thank you)\W*$", re.IGNORECASE
)
_PARTICLES: Final = words_in("de da del di du la le van von der den bin ibn al el ter y")
_NO_NAME: Final = words_in(
    """a an the my your his her their our its it this that these those i me you we they he she and or but if so as at by
    for from in of on to with about not no yes yep yeah nope ok okay sure thanks thank please pls hello hi hey sorry
    stop wait cancel help undo again back now later today tomorrow done good great fine perfect nice cool right wrong
    too very more less much same other another next first second last rest all both everything nothing anything
    shorter longer warmer colder firmer friendlier friendly formal informal casual simpler better short brief
    send write draft make change add remove delete leave take drop skip show find search tell give ask go do does
    let see try keep use put what which who whom where when why how full own name real happy glad ready sad busy new
    job jobs salary interview profile resume cv letter email mail note message title company role never maybe missing
    german french english spanish italian dutch polish turkish british american european indian chinese"""
)
# Trades that are family names as well.
_SURNAMES: Final = words_in(
    """archer baker barber bishop brewer butler carpenter carter chandler cook cooper draper farmer fisher fletcher
    forester fowler gardener glover harper hunter mason mercer miller page painter parker porter potter sailor sawyer
    shepherd singer skinner slater smith steward tailor taylor tanner turner tyler walker weaver wheeler wright"""
)


def own_name(message: str) -> tuple[str, tuple[int, int]] | None:
    """The name that the writer gives themselves ("my name is Ann Lee", "sign it Ann"), and where that is said."""
    message = message[:_LONGEST].replace("“", " ").replace("”", " ").replace('"', " ")
    for match in _LEAD.finditer(message):
        words = _taken(match["name"])
        end = match.start("name") + len(" ".join(words)) if words else match.end()
        sure = match["sure"] is not None
        if not words or _AFTER.match(message, end) is None or (not sure and not _sounds_like_one(words)):
            continue
        return _spelled(words), (match.start(), end)
    put = _PUT.search(message)
    if put is not None and len(words := _taken(put["name"])) == len(put["name"].split()):
        return _spelled(words), put.span()
    return None


def only_a_name(message: str) -> str:
    """The message, if it is a name and nothing else: "Ann Lee", "Ms Roe"."""
    if len(message) > _LONGEST_NAME:
        return ""
    words = _COURTESY.sub("", message).strip(' \t\n"“”.!,').split()
    if not 0 < len(words) <= _MOST_WORDS or _taken(" ".join(words)) != words or not _sounds_like_one(words):
        return ""
    return _spelled(words)


def _taken(text: str) -> list[str]:
    """The words that go on with the name; behind a capital only capitals do."""
    words = list(itertools.takewhile(lambda word: word.casefold().strip(".") not in _NO_NAME, text.split()))
    if words and words[0][:1].isupper():
        words = list(itertools.takewhile(lambda w: w[:1].isupper() or w.casefold() in _PARTICLES, words))
    ends = next((n for n, word in enumerate(words, start=1) if word.endswith(".") and len(word) > 3), len(words))
    words = words[: min(ends, _MOST_WORDS)]
    if words and len(words[-1]) > 2:
        words[-1] = words[-1].rstrip(".")
    return words


def _sounds_like_one(words: list[str]) -> bool:
    """A name by its looks: a capital to begin with, and no trade and no place."""
    return (
        words[0][:1].isupper()
        and all(re.fullmatch(_WORD, word) for word in words)
        and (words[-1].casefold() in _SURNAMES or not is_occupation([word.casefold() for word in words]))
        and gazetteer().find(" ".join(words)) is None
    )


def _spelled(words: list[str]) -> str:
    name = " ".join(words)
    return name if not name.islower() else " ".join(w if w in _PARTICLES else w[:1].upper() + w[1:] for w in words)
