"""The facts that one sentence says of its writer, and a note of what no rule has read. Pure, by rules."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from signalbox.memory.exclusions import exclusions
from signalbox.memory.found import Found, Span
from signalbox.memory.noteworthy import CLAUSE, EMPTY_WORDS, WORD, is_lasting, without_mood
from signalbox.memory.profile import NewFact
from signalbox.memory.selection import is_safety
from signalbox.memory.skill_lists import listed_beside
from signalbox.memory.statement_rules import RULES, is_occupation
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.skills import SkillVocabulary

MAX_NOTE: Final = 500
_REST_FOR_A_NOTE: Final = 3

_OF_ANOTHER = re.compile(
    r"\W*(?:my (?:brother|sister|wife|husband|friend|boss|manager|son|daughter|partner|mum|mom|mother|dad|father|"
    r"colleague|flatmate|ex|cousin|uncle|aunt|girlfriend|boyfriend|neighbour|team)|he|she)\b",
    re.IGNORECASE,
)
_OF_ONESELF = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|we)\b", re.IGNORECASE)
_LISTS_SKILLS = re.compile(
    r"^\W*(?:i (?:do )?know|(?:i'm |i am )?(?:skilled|trained|good|proficient|experienced) (?:in|at|with)|"
    r"(?:my )?skills?(?: are| include|:))\b(?!.*(?:\b(?:not|no|want|learn\w*)\b|n't\b))",
    re.IGNORECASE,
)
_WORKED_AS = re.compile(r"\b(?:as|and|also|trained|qualified)\s+an?\s|\b(?:experience|years?) as\b", re.IGNORECASE)
_WORK_IN = re.compile(r"\b(?:jobs?|work|roles?|positions?|anything) (?:in|around|near) (?P<place>[A-Z][\w'-]+)")


def facts_in(sentence: str, vocabulary: SkillVocabulary, *, whole: bool, told: bool = False) -> list[NewFact]:
    """``told``: to be remembered in so many words, so it is kept whatever it is about."""
    note = sentence if told else without_mood(sentence)
    if _OF_ANOTHER.match(sentence) and not _OF_ONESELF.search(sentence):
        return [NewFact("fact", "note", _cut(note))] if told or is_lasting(note, whole=whole) else []
    facts: list[NewFact] = []
    spans: list[Span] = []
    for fact, span in exclusions(sentence, vocabulary):
        facts.append(fact)
        spans.append(span)
    # What an exclusion or a certificate has claimed is not also a skill: "PMP" is one thing.
    claimed = list(spans)
    for rule in RULES:
        for found in rule(sentence, vocabulary):
            if any(start <= found.span[0] < end for start, end in claimed) or _is_implied(found, sentence, spans):
                continue
            facts.append(found.fact)
            spans.append(found.span)
            if found.fact.key == "certificate":
                claimed.append(found.span)
    rest = [word for word in _rest(sentence, spans) if note is sentence or word in note]
    more = _says_more(sentence, rest, facts) or _lists_unknown(sentence, rest, vocabulary)
    if (told and not facts) or (more and (told or is_lasting(note, whole=whole))):
        facts.append(NewFact("fact", "note", _cut(note)))
    elif needed := _needed(note, rest):
        facts.append(NewFact("fact", "note", _cut(needed)))
    return facts


def _needed(sentence: str, rest: Sequence[str]) -> str:
    """What of the sentence tells of its writer's health, needs at work or safety and stands in no fact: it is never
    lost for being short, or for standing beside something else ("my name is Zoe and I'm deaf").
    """
    if not is_safety(" ".join(rest)) or not _OF_ONESELF.search(sentence):
        return ""
    clauses = [clause.strip(" ,;") for clause in CLAUSE.split(sentence) if clause and is_safety(clause)]
    return ", ".join(clauses)


def _says_more(sentence: str, rest: Sequence[str], facts: Sequence[NewFact]) -> bool:
    """Whether the words that no rule has read would be missed: many, all, a skill of a list, or a second place."""
    if not rest:
        return False
    lists = _LISTS_SKILLS.match(sentence)
    if len(rest) >= _REST_FOR_A_NOTE or not facts or (lists and any(word not in lists[0] for word in rest)):
        return True
    wished = _WORK_IN.search(sentence)
    return wished is not None and wished["place"] in rest and gazetteer().find(wished["place"]) is not None


def _lists_unknown(sentence: str, rest: Sequence[str], vocabulary: SkillVocabulary) -> bool:
    """Whether a word that no rule has read is one of a list of skills ("python and spark"), or what they worked as."""
    if not rest:
        return False
    listed = listed_beside(sentence, vocabulary.spans(sentence, loose=True), vocabulary)
    left = {word.casefold() for word in rest}
    in_list = any(not left.isdisjoint(each.name.casefold().split()) for each in listed)
    return in_list or any(is_occupation([word]) and _WORKED_AS.search(sentence) for word in rest)


def _is_implied(found: Found, sentence: str, spans: Iterable[Span]) -> bool:
    """A skill that is only read into a title: "pharmacist" says "Pharmacy", but the writer did not."""
    start, end = found.span
    if found.fact.key != "skill" or found.fact.value.casefold() in sentence[start:end].casefold():
        return False
    in_title = any(first <= start and end <= last for first, last in spans)
    return in_title or is_occupation(sentence[start:end].split())


def _cut(sentence: str) -> str:
    """At most ``MAX_NOTE`` characters, and a sign of it where words are missing."""
    sentence = sentence.rstrip(" ;,")
    return sentence if len(sentence) <= MAX_NOTE else sentence[: MAX_NOTE - 2].rsplit(" ", 1)[0] + " …"


def _rest(sentence: str, spans: Iterable[Span]) -> list[str]:
    """The words of the sentence that no rule has accounted for and that say something."""
    bare = list(sentence)
    for start, end in spans:
        bare[start:end] = " " * (min(end, len(bare)) - start)
    return [word for word in WORD.findall("".join(bare)) if word.casefold() not in EMPTY_WORDS]
