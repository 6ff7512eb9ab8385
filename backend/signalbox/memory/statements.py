"""Reads what a message says of its writer: facts to keep and facts to forget. Pure, by rules, nothing stored here.

What is durable and no rule understands is kept word for word as a note: dropping it would be a lie to the writer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.memory.exclusions import exclusions
from signalbox.memory.forgetting import as_new, removals, wants_all_forgotten
from signalbox.memory.found import Found, Span
from signalbox.memory.profile import SINGLE, NewFact
from signalbox.memory.statement_rules import RULES, is_occupation
from signalbox.memory.words import words_in
from signalbox.retrieval.skills import SkillVocabulary

MAX_NOTE: Final = 500
MAX_CHARS: Final = 8_000
MAX_FACTS: Final = 40


@dataclass(frozen=True, slots=True)
class Statements:
    """``unknown``: what the writer wants forgotten and the profile does not hold, in their words.

    ``unread``: characters at the end of a long message that were not looked at. ``left_out``: facts beyond the most
    that one message may add.
    """

    add: tuple[NewFact, ...] = ()
    remove: tuple[NewFact, ...] = ()
    unknown: tuple[str, ...] = ()
    forget_all: bool = False
    unread: int = 0
    left_out: int = 0


_OF_ANOTHER = re.compile(
    r"\W*(?:my (?:brother|sister|wife|husband|friend|boss|manager|son|daughter|partner|mum|mom|mother|dad|father|"
    r"colleague|flatmate|ex|cousin|uncle|aunt|girlfriend|boyfriend|neighbour|team)|he|she)\b",
    re.IGNORECASE,
)
_OF_ONESELF = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|we)\b", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_QUESTION = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|also|then|well)[, ]+)*(?:how|what(?! you have)|whats|what's|when|where|which|"
    r"who|whom|why|am i|have you|"
    # "Can't do nights", "do not show me", "should be remote", "would prefer" state something.
    r"(?:can|could|should|do|does|did|is|are|would|will|shall|has)(?!'?t\b| not\b| (?:be|prefer|like|love|rather|"
    r"relocate|to|a|consider)\b))\b",
    re.IGNORECASE,
)
_LATE_QUESTION = re.compile(
    r"[,;–-]\s*(?:(?:and|but|so|then)\s+)*(?=(?:how|what|which|where|who|when|why|can|could|should|do|does|is|"
    r"are)\b)",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?:^|[,;:]\s*|\s+)(?:and\s+|then\s+|but\s+|with that in mind\W+){0,3}\b(?:then\s+)?"
    r"(?<!never )(?<!don't )(?<!dont )"
    r"(?<!not )(?<!stop )(?<!never ever )(?<!only )(?<!you can )(?<!you may )(?:tell me|show me(?!\s+jobs)|"
    r"find me|"
    r"let's|redo|rewrite|draft|write (?:to|me|a|the)|help me|give me|search for|look for|check|quiz me|what is|"
    r"what's)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_SMALL_TALK = re.compile(
    r"^\W*(?:(?:hi|hello|hey|thanks?|thank you|thx|cheers|morning|good (?:morning|evening|afternoon)|ok|okay|yes|"
    r"yep|no|"
    r"sure|great|cool|please|a few things have changed|some background|so you know who you're dealing with|all|again|"
    r"search|with|that|it|this|save|keep|add|note|stick|put|on|my|profile|in mind|for|everything|we|do|here|so|"
    r"about me|me|now|"
    r"remember|before|go on|change|some|things|a lot|very much|there|since we last talked|last|we|talked|"
    r"small change|for the record)\b\W*)+$",
    re.IGNORECASE,
)
_DEBRIS = re.compile(r"(?:(?:[^\w\s]|_) ?){12,}")
_WORD = re.compile(r"[^\W_][\w'’+#.-]*")
_EMPTY_WORDS: Final = words_in(
    """i i'm i've i'd im ive a an the my me mine we our and or but so then to of in on at for with from by as is
    are was be been am have has had do did does that this these those it its it's now please pls also just btw
    fyi note add put save set remember profile skills skill list can you your yes no not any only up down out
    about here there hi hello work working job jobs role roles thanks again new currently still know make them
    he she they some change since last one me, too experience learned learnt time told years year yrs want
    minimum salary live moved based speak fluent bit little name title location target"""
)
_REST_FOR_A_NOTE: Final = 3
_LEAST_NOTE: Final = 3
# What is over by tomorrow is not worth a note.
_PASSING = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening|week|weekend)|right now|weather|lol|"
    r"haha)\b|^\W*i(?:'m| am|m) (?:(?:so|very|really|just|not|a bit) )?(?:tired|hungry|bored|happy|sad|sorry|fine|good|"
    r"great|busy|back|ready|done|confused|lost|sure|curious|ok|okay|stuck|stressed)\W*$",
    re.IGNORECASE,
)


def read(message: str, profile: Sequence[ProfileFact], vocabulary: SkillVocabulary) -> Statements:
    """What ``message`` adds to the profile and takes from it. Questions and requests in it say nothing.

    Takes any text and never raises; of a pasted document only the first thousands of characters are read.
    """
    text, unread = _readable(message)
    if wants_all_forgotten(text):
        return Statements(remove=tuple(as_new(fact) for fact in profile), forget_all=True, unread=unread)
    add: list[NewFact] = []
    remove: list[NewFact] = []
    unknown: list[str] = []
    for sentence, whole in _statements(text):
        gone, missing, wholly = removals(sentence, profile)
        remove += gone
        unknown += missing
        if not wholly:
            add += _additions(sentence, vocabulary, whole=whole)
    add = _last_of_each(add)
    kept = add[:MAX_FACTS]
    return Statements(
        tuple(kept),
        tuple(dict.fromkeys(fact for fact in remove if not _said(fact, kept))),
        tuple(dict.fromkeys(unknown)),
        unread=unread,
        left_out=len(add) - len(kept),
    )


def own_words(message: str, vocabulary: SkillVocabulary) -> tuple[NewFact, ...]:
    """Only what rules understand of ``message``: for agents that use it in passing and store nothing."""
    facts = [fact for s in sentences(_readable(message)[0]) for fact in _additions(s, vocabulary, whole=False)]
    return tuple(_last_of_each([fact for fact in facts if fact.key != "note"]))


def _readable(message: str) -> tuple[str, int]:
    """The part of ``message`` that is read, ended where a sentence ends, and how many characters stay unread."""
    head = message
    if len(message) > MAX_CHARS:
        head = message[:MAX_CHARS]
        ends = [match.start() for match in _SENTENCE.finditer(head, MAX_CHARS // 2)]
        blank = head.rfind(" ")
        head = head[: ends[-1] if ends else blank if blank > 0 else MAX_CHARS]
    text = _BLANKS.sub(" ", head.replace("’", "'"))
    # Rulers and other debris of pasted documents say nothing, and patterns that skip signs would try each start.
    return _DEBRIS.sub(" ", text), len(message) - len(head)


def sentences(text: str) -> Iterator[str]:
    """The statements in ``text``: sentences without questions, requests and small talk."""
    return (sentence for sentence, _ in _statements(text))


def _statements(text: str) -> Iterator[tuple[str, bool]]:
    """Each with whether it is all that its sentence said of the writer, and no piece left of a request."""
    for part in _SENTENCE.split(text):
        sentence = part.strip()
        if sentence.endswith("?") or _QUESTION.match(sentence):
            if not sentence.endswith("?") or not (split := list(_LATE_QUESTION.finditer(sentence))):
                continue
            sentence = sentence[: split[0].start()].strip()
            if _QUESTION.match(sentence):
                continue
        stated = _REQUEST.sub("", sentence).strip(" ,")
        if stated and not _SMALL_TALK.match(stated):
            yield stated, stated == sentence.strip(" ,")


def _additions(sentence: str, vocabulary: SkillVocabulary, *, whole: bool) -> list[NewFact]:
    if _OF_ANOTHER.match(sentence) and not _OF_ONESELF.search(sentence):
        return [NewFact("fact", "note", _cut(sentence))] if _is_lasting(sentence, whole=whole) else []
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
    rest = _rest(sentence, spans)
    if (len(rest) >= _REST_FOR_A_NOTE or (rest and not facts)) and _is_lasting(sentence, whole=whole):
        facts.append(NewFact("fact", "note", _cut(sentence)))
    return facts


def _is_implied(found: Found, sentence: str, spans: Iterable[Span]) -> bool:
    """A skill that is only read into a title: "pharmacist" says "Pharmacy", but the writer did not."""
    start, end = found.span
    if found.fact.key != "skill" or found.fact.value.casefold() in sentence[start:end].casefold():
        return False
    in_title = any(first <= start and end <= last for first, last in spans)
    return in_title or is_occupation(sentence[start:end].split())


def _is_lasting(sentence: str, *, whole: bool) -> bool:
    """Whether a sentence no rule has read is worth its place: no scrap, and true longer than this week."""
    least = _LEAST_NOTE if whole else 2 * _LEAST_NOTE
    return len(re.findall(r"[^\W_]+", sentence)) >= least and _PASSING.search(sentence) is None


def _cut(sentence: str) -> str:
    """At most ``MAX_NOTE`` characters, and a sign of it where words are missing."""
    return sentence if len(sentence) <= MAX_NOTE else sentence[: MAX_NOTE - 2].rsplit(" ", 1)[0] + " …"


def _rest(sentence: str, spans: Iterable[Span]) -> list[str]:
    """The words of the sentence that no rule has accounted for and that say something."""
    bare = list(sentence)
    for start, end in spans:
        bare[start:end] = " " * (min(end, len(bare)) - start)
    return [word for word in _WORD.findall("".join(bare)) if word.casefold() not in _EMPTY_WORDS]


def _last_of_each(facts: Sequence[NewFact]) -> list[NewFact]:
    """Without repetitions; of a key that holds one value, the one said last."""
    kept: dict[tuple[str, str], NewFact] = {}
    for fact in facts:
        kept[(fact.key, "" if fact.key in SINGLE else fact.value.casefold())] = fact
    return list(kept.values())


def _said(fact: NewFact, add: Iterable[NewFact]) -> bool:
    return any(fact.key == new.key and fact.value.casefold() == new.value.casefold() for new in add)
