"""Finds what a text claims and no fact holds: numbers, skills, titles, degrees and names. Pure.

It reads words, not meaning: it can miss a claim that is made without any of these, and is no proof of truth.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from signalbox.memory.statement_rules import is_occupation
from signalbox.memory.words import words_in
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.tools.vocabulary import packaged_vocabulary

_PLACEHOLDER = re.compile(r"\[[^\[\]]*\]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_][\w’'+#&.-]*[\w+#]|[^\W\d_]")
_SENTENCE = re.compile(r"(?<=[.!?:])[\"”’)]*\s+|\n+")
_NUMBER_WORDS: Final = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40",
    "fifty": "50", "hundred": "100", "dozen": "12", "thousand": "1000", "million": "1000000",
}  # fmt: skip
# A number in words is a claim where things are counted that a career is measured in.
_COUNTED = re.compile(
    rf"\b(?P<number>{'|'.join(_NUMBER_WORDS)})\b(?=\s+(?:[\w-]+\s+)?(?:years?|people|employees|staff|clients?|"
    rf"customers?|projects?|percent|per cent|members?|reports|languages?|countries|pupils|students|patients|teams?|"
    rf"engineers?|sites?|awards?|publications?|companies|employers)\b)",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"\b(?:i am|i'm|i’m|i was|i have been|work(?:ed|ing)? as|role as|job as|position as|served as|experience as|as)\s+"
    r"(?:currently\s+)?an?\s+(?P<title>[\w/&+.'’-]+(?:\s+[\w/&+'’-]+){0,5})",
    re.IGNORECASE,
)
_TITLE_ENDS: Final = words_in(
    """with in at for from who and or of to on since by that which whose where i but while because"""
)
# Said of what somebody is like, not of what they do.
_NO_TITLES: Final = words_in("player starter thinker communicator achiever listener believer finisher")
_QUALIFICATION = re.compile(
    r"\b(?:ph\.?d|doctorate|mba|m\.?sc|b\.?sc|b\.?a|m\.?a|master['’]?s|bachelor['’]?s|diploma|degree|licen[cs]e|"
    r"certified|certificate|certification|chartered|award[- ]winning|fluent(?:ly)?|native|bilingual)\b(?!\w)",
    re.IGNORECASE,
)
# What one says of a skill without claiming to have it.
_NO_CLAIM = re.compile(
    r"\b(?:learn\w*|have no|do not (?:yet )?(?:have|know)|don't (?:yet )?(?:have|know)|not yet)\b", re.IGNORECASE
)
# Capitalised in any letter, and names of nothing that is claimed.
_NO_NAMES: Final = words_in(
    """i i'm i've i'd i'll dear sir madam kind regards best wishes yours sincerely faithfully hello hi hiring manager
    team cv resume re january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday linkedin ps pdf human resources department personnel committee
    to whom it concern e-mail email subject thank you please mr ms mrs mx dr prof"""
)


_OPENERS: Final = words_in(
    """a an the this that these those at in on as for from with since to of by my our your their we it he she they you
    if when while after before during although though and but so because there here what who where how once before
    between under over among through as both all one two no not also then now working being having"""
)


def unsupported_claims(
    text: str, evidence: Sequence[str], vocabulary: SkillVocabulary | None = None
) -> tuple[str, ...]:
    """What ``text`` says and no text of ``evidence`` does, in reading order, each once: numbers and years, skills of
    the vocabulary, titles and degrees, names of companies, places and languages. [Placeholders] claim nothing, nor
    does a sentence about learning a skill.
    """
    known = vocabulary or packaged_vocabulary()
    bare = _PLACEHOLDER.sub(" ", text)
    facts = "\n".join(evidence)
    found = [*_numbers(bare, facts), *_titles(bare, facts), *_qualifications(bare, facts)]
    found += [*_skills(bare, facts, known), *_names(bare, facts)]
    spans = sorted(found, key=lambda claim: bare.casefold().find(claim.casefold()))
    return tuple(dict.fromkeys(spans))


def texts_of(value: Any, *, without: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Every text and number inside ``value`` (JSON as Python has it), as evidence; keys of ``without`` are left out."""
    return tuple(_texts(value, without))


def _texts(value: Any, without: frozenset[str]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key not in without:
                yield from _texts(each, without)
    elif isinstance(value, Iterable):
        for each in value:
            yield from _texts(each, without)


def _numbers(text: str, facts: str) -> Iterator[str]:
    held = {_plain_number(match.group()) for match in _NUMBER.finditer(facts)}
    held |= {_NUMBER_WORDS[word] for word in re.findall(r"[a-z]+", facts.casefold()) if word in _NUMBER_WORDS}
    for match in _NUMBER.finditer(text):
        if _plain_number(match.group()) not in held:
            yield match.group()
    for match in _COUNTED.finditer(text):
        if _NUMBER_WORDS[match["number"].casefold()] not in held:
            yield match["number"]


def _plain_number(number: str) -> str:
    return re.sub(r",(?=\d{3}\b)", "", number).rstrip(".,")


def _titles(text: str, facts: str) -> Iterator[str]:
    folded = _flat(facts)
    for match in _TITLE.finditer(text):
        words: list[str] = []
        for word in match["title"].rstrip(".").split():
            if word.casefold() in _TITLE_ENDS:
                break
            words.append(word)
        # "I am a data analyst": the shortest stretch that ends in an occupation is the title.
        size = next((n for n in range(1, len(words) + 1) if is_occupation(words[:n])), 0)
        title = " ".join(words[:size])
        if size and words[size - 1].casefold() not in _NO_TITLES and _flat(title) not in folded:
            yield title


def _qualifications(text: str, facts: str) -> Iterator[str]:
    folded = facts.casefold().replace("’", "'").replace(".", "")
    for sentence in _SENTENCE.split(text):
        if not _NO_CLAIM.search(sentence):
            found = (match.group() for match in _QUALIFICATION.finditer(sentence))
            yield from (name for name in found if name.casefold().replace("’", "'").replace(".", "") not in folded)


def _skills(text: str, facts: str, vocabulary: SkillVocabulary) -> Iterator[str]:
    held = set(vocabulary.extract(facts, loose=True)) | set(vocabulary.extract(facts))
    folded = _flat(facts)
    for sentence in _SENTENCE.split(text):
        if _NO_CLAIM.search(sentence):
            continue
        for name, start, end in vocabulary.spans(sentence):
            if name not in held and _flat(sentence[start:end]) not in folded:
                yield sentence[start:end]


def _names(text: str, facts: str) -> Iterator[str]:
    """Words with a capital in mid-sentence, and runs of them at its start, that stand in no fact."""
    held = {form for word in _WORD.findall(facts.casefold()) for form in _forms(word)}
    for sentence in _SENTENCE.split(text):
        if _NO_CLAIM.search(sentence):
            continue
        tokens = list(_WORD.finditer(sentence))
        for place, match in enumerate(tokens):
            word = match.group()
            following = tokens[place + 1].group() if place + 1 < len(tokens) else ""
            # One capital opens every sentence; two in a row may be a name.
            if (
                not word[0].isupper()
                or (place == 0 and word.casefold() in _OPENERS)
                or (place == 0 and not (following[:1].isupper() and following.casefold() not in _NO_NAMES))
            ):
                continue
            if word.casefold() in _NO_NAMES or not held.isdisjoint(_forms(word.casefold())):
                continue
            yield word


def _forms(word: str) -> tuple[str, ...]:
    """The word, without a possessive, and its parts where hyphens, dots and strokes join them."""
    bare = re.sub(r"['’]s?$", "", word).rstrip(".")
    return (word, bare, *(part for part in re.split(r"[-./&'’]", bare) if len(part) > 1))


def _flat(text: str) -> str:
    return " ".join(re.sub(r"[-–—/]", " ", text.casefold()).split())
