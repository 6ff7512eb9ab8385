"""Reads what a message says of its writer: facts to keep and facts to forget. Pure, by rules, nothing stored here.

What is durable and no rule understands is kept word for word as a note: dropping it would be a lie to the writer.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from signalbox.blocks import ProfileFact
from signalbox.memory.corrections import as_firm, former_title, points_back, without_taken_back
from signalbox.memory.forgetting import (
    as_new,
    beyond_removal,
    forgotten,
    kept_of_all,
    removals,
    wants_all_erased,
    wants_all_forgotten,
    wants_resume_erased,
    without_resume,
)
from signalbox.memory.more_places import more_places, widened
from signalbox.memory.noteworthy import CLAUSE, THING_MEANT
from signalbox.memory.profile import SINGLE, NewFact
from signalbox.memory.said_facts import facts_in
from signalbox.memory.taken_back import (
    beside_taken_back,
    corrected_rules,
    overtaken_times,
    speaks_of_else,
    taken_back,
)
from signalbox.memory.unkept import keepable
from signalbox.retrieval.skills import SkillVocabulary

MAX_CHARS: Final = 8_000
MAX_FACTS: Final = 40
_MOST_RULES: Final = 20


@dataclass(frozen=True, slots=True)
class Statements:
    """``unknown``: what the writer wants forgotten and the profile does not hold, in their words. ``erase_resume``:
    that the stored CV is to be deleted. ``forget_all`` includes it.

    ``unread``: characters at the end of a long message that were not looked at. ``left_out``: facts beyond the most
    that one message may add. ``refused``: in words, the contact data and secrets that are not kept.
    """

    add: tuple[NewFact, ...] = ()
    remove: tuple[NewFact, ...] = ()
    unknown: tuple[str, ...] = ()
    forget_all: bool = False
    erase_resume: bool = False
    unread: int = 0
    left_out: int = 0
    refused: tuple[str, ...] = ()


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
    r"(?<!not )(?<!stop )(?<!never ever )(?<!don't ever )(?<!dont ever )(?<!not ever )(?<!only )(?<!you can )(?<!you "
    r"may )(?:tell me|"
    r"show me(?!\s+jobs)(?! [^.;!?,]{1,60} (?:again|now|any ?more)\W*$)|"
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

_ASKED_TO_NOTE = re.compile(
    r"^\W*(?:(?:hi|hey|ok|so|and|also)\W+)*(?:can|could|would|will)\s+(?:you|u)\s+(?:please\s+|pls\s+|also\s+)*"
    r"(?:(?:remember|note|store|save|keep in mind|make a note|take note)(?:\s+down)?(?:\s+that)?\s+"
    r"(?=(?:i|i'm|i've|im|my [\w ]{2,20} (?:is|are))\b)|(?=(?:add|put)\b.*\b(?:to|on|in|into) my\b)|"
    r"(?=(?:forget|remove|delete|erase|drop|clear|take|scrap|stop)\b))",
    re.IGNORECASE,
)
_TO_REMEMBER = re.compile(
    r"^\W*(?:(?:please|pls|and|also)\s+)*(?:remember|note)(?:\s*:|\s+that)?\s+(?=(?:i|i'm|i've|im|my|no|never|we)\b)"
    rf"|^\W*(?:(?:please|pls|and|also)\s+)*(?:remember|note) that\s+(?!{THING_MEANT}\b)",
    re.IGNORECASE,
)
_REMEMBER = re.compile(
    r"^\W*(?:(?:hi|hey|ok|so|and|also|please|pls|can|could|would|will|you|u|i want you to|i'd like you to)\W+)*"
    r"(?:remember|note|keep in mind|bear in mind|make a note|take note|(?:don't|dont|do not|never) forget)\b"
    r"(?! (?:me|when|what|how|to)\b)",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:(?:please\s+)?(?P<told>(?:remember|note|bear in mind|keep in mind)\b(?!\s+(?:me|when|what|how|"
    r"to)\b)(?:\s+that\b|\s*:)?)"
    r"|(?:i\s+)?never\s+(?:ever\s+)?(?:want(?:\s+to see)?|show|send|suggest|recommend|offer|give|include|list|bring)\b"
    r"|(?:don'?t|do not)\s+ever\s+(?:show|send|suggest|recommend|offer|include|list)\b"
    r"|(?:don'?t|do not)\s+(?:show|send|suggest|recommend|offer|include|list)\b(?=[^.;!?]{1,80}\b(?:ever|again|"
    r"any ?more)\b)"
    r"|no\s+[\w-]+(?:[ ,/-]+[\w-]+){0,6}?\s+(?:either|ever|again)\b"
    r"|(?P<limit>(?:i|we)(?:'m| am| are)?\s+(?:(?:really|strictly|honestly)\s+)?(?:only\s+(?:ever\s+)?(?:want|"
    r"take|accept|consider|apply|do|work|interested|looking)|(?:can|will|could)\s+only\s+(?:work|take|do|accept|consider))\b"
    r"(?! (?:to see )?(?:the|these|those|that|this|one|ones)\b))"
    r"|(?P<ever>from (?:now|here) on(?:wards)?|going forward|(?:always|at all times)\b|in (?:the )?future|"
    r"as a (?:general )?rule))",
    re.IGNORECASE,
)
_How = Literal["told", "limit", "rule"]
_PREFERRED = re.compile(r"\b(?:prefer\w*|rather|would like|'d like)\b", re.IGNORECASE)
_OPENS = re.compile(
    r"\W*(?:(?:hi|hello|hey|ok|okay|so|and|but|also|well|now|actually|sorry|please|no)\b\W*)*", re.IGNORECASE
)
_TRIFLES = re.compile(r"(?:\s+(?:either|ever|too|as well|any ?more|again|please|pls))+(?=\W*$|[,;])", re.IGNORECASE)


def read(message: str, profile: Sequence[ProfileFact], vocabulary: SkillVocabulary) -> Statements:
    """What ``message`` adds to the profile and takes from it. Questions and requests in it say nothing.

    Takes any text and never raises; of a pasted document only the first thousands of characters are read.
    """
    text, unread = _readable(message)
    if (of_all := _of_all(text, profile)) is not None:
        return replace(of_all, unread=unread)
    add: list[NewFact] = []
    remove: list[NewFact] = []
    unknown: list[str] = []
    erase_resume = wants_resume_erased(text)
    for sentence, whole, told in _statements(text):
        said = without_resume(sentence) if erase_resume else sentence
        change = _read_one(said, profile, add, vocabulary, whole=whole, told=told)
        add += change.add
        remove += change.remove
        unknown += change.unknown
    asks_more = _REQUEST.search(text) is not None
    notes = " ".join(fact.value for fact in add if fact.key == "note")
    for fact in lasting_rules(text, vocabulary):
        if fact.key != "note" or (asks_more and fact.value not in notes):
            add.append(fact)
    add = _last_of_each(add)
    titled = {fact.key for fact in add} | {fact.key for fact in profile}
    if "title" not in titled and (former := former_title(text)):
        add.append(former)
    fit, refused = keepable(add, text)
    kept = fit[:MAX_FACTS]
    return Statements(
        tuple(kept),
        tuple(dict.fromkeys(fact for fact in remove if not _said(fact, kept))),
        tuple(dict.fromkeys(unknown)),
        erase_resume=erase_resume,
        unread=unread,
        left_out=len(fit) - len(kept),
        refused=refused,
    )


def _read_one(
    sentence: str,
    profile: Sequence[ProfileFact],
    before: Sequence[NewFact],
    vocabulary: SkillVocabulary,
    *,
    whole: bool,
    told: bool,
) -> Statements:
    """What one statement adds, takes out and wants taken out that is not there. ``before``: what others have added."""
    said = without_taken_back(sentence)
    gone, missing, wholly = removals(said, profile)
    lifts = taken_back(said, profile)
    if speaks_of_else(said):
        gone = [fact for fact in gone if fact.kind != "constraint" or fact in lifts]
    add = _places_left(gone, said)
    if lifts:
        add += _beside(said, lifts, profile, vocabulary)
    elif wholly:
        add += facts_in(beyond_removal(said), vocabulary, whole=False)
    elif corrected := corrected_rules(sentence, profile):
        add += _corrected(said, corrected, vocabulary)
    else:
        add += _stated(said, profile, before, vocabulary, whole=whole, told=told)
    if points_back(said):
        add = [as_firm(fact, profile) for fact in add]
    if told:
        add = [_pinned(fact) for fact in add]
    remove = (*gone, *lifts, *overtaken_times(said, add, profile))
    return Statements(tuple(add), remove, () if lifts else tuple(missing))


def _of_all(text: str, profile: Sequence[ProfileFact]) -> Statements | None:
    """What a message does that speaks of all there is, and then of nothing else."""
    if wants_all_erased(text):
        return Statements()  # that takes more than words in a chat
    if wants_all_forgotten(text):
        return Statements(remove=tuple(as_new(fact) for fact in profile), forget_all=True)
    if (stays := kept_of_all(text)) is None:
        return None
    kept = forgotten(stays, profile)
    return Statements(remove=tuple(fact for fact in map(as_new, profile) if fact not in kept))


def own_words(message: str, vocabulary: SkillVocabulary) -> tuple[NewFact, ...]:
    """Only what rules understand of ``message``: for agents that use it in passing and store nothing."""
    facts = [fact for s in sentences(_readable(message)[0]) for fact in facts_in(s, vocabulary, whole=False)]
    return tuple(_last_of_each([fact for fact in facts if fact.key != "note"]))


def lasting_rules(message: str, vocabulary: SkillVocabulary) -> tuple[NewFact, ...]:
    """What a message that asks for something else wants kept beyond it: "find me analyst jobs, never show me agencies".

    Only what is said to last counts ("never show me", "no ... either", "from now on", "remember that ..."); what limits
    this one request does not. In the order in which it was said; questions say nothing.
    """
    found: list[NewFact] = []
    for sentence in _SENTENCE.split(_readable(message)[0]):
        if not sentence.rstrip().endswith("?"):
            for how, said in _lasting(sentence):
                told = how == "told"
                facts = facts_in(said, vocabulary, whole=told, told=told)
                found += [_pinned(fact) if told else fact for fact in facts if _lasts(fact, how)]
    return tuple(_last_of_each(found))


def _lasts(fact: NewFact, how: _How) -> bool:
    """Of what its writer "only wants", only hard rules last, with the currency of one."""
    if how == "limit":
        return fact.kind == "constraint" or fact.key == "currency"
    return how == "told" or fact.key != "note"


def _lasting(sentence: str) -> Iterator[tuple[_How, str]]:
    """What is said to last, up to the next that is; and how: to be remembered in so many words, or as all that its
    writer wants at all, with which the sentence begins ("find me jobs, I only want remote ones" limits one search).
    """
    found = itertools.islice(_LASTING.finditer(sentence), _MOST_RULES)
    matches = [match for match in found if not match["limit"] or _OPENS.fullmatch(sentence, 0, match.start())]
    starts = [_clause_start(sentence, match.start()) if match["ever"] else match.start() for match in matches]
    for match, start, end in zip(matches, starts, [*starts[1:], len(sentence)], strict=False):
        how: _How = "told" if match["told"] else "limit" if match["limit"] else "rule"
        said = _REQUEST.sub("", sentence[match.end() if how == "told" else start : max(start, end)])
        said = _LATE_QUESTION.split(said)[0].strip(" ,.!")
        said = re.sub(r"\s+(?:and|but|also|please)$", "", said, flags=re.IGNORECASE)
        yield how, _TRIFLES.sub("", said)


def _clause_start(sentence: str, at: int) -> int:
    return max((match.end() for match in CLAUSE.finditer(sentence, 0, at) if match.end() < at), default=0)


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
    return (sentence for sentence, *_ in _statements(text))


def _statements(text: str) -> Iterator[tuple[str, bool, bool]]:
    """Each with whether it is all that its sentence said of the writer, and no piece left of a request; and whether it
    is to be remembered in so many words.
    """
    for part in _SENTENCE.split(text):
        sentence = part.strip()
        told = _REMEMBER.match(sentence) is not None
        if asked := _ASKED_TO_NOTE.match(sentence):
            sentence = sentence[asked.end() :].rstrip("? ")
        sentence = _TO_REMEMBER.sub("", sentence)
        if sentence.endswith("?") or (not told and _QUESTION.match(sentence)):
            if not sentence.endswith("?") or not (split := list(_LATE_QUESTION.finditer(sentence))):
                continue
            sentence = sentence[: split[0].start()].strip()
            if _QUESTION.match(sentence):
                continue
        stated = _REQUEST.sub("", sentence).strip(" ,")
        if stated and not _SMALL_TALK.match(stated):
            yield stated, stated == sentence.strip(" ,"), told


def _stated(
    sentence: str,
    profile: Sequence[ProfileFact],
    before: Sequence[NewFact],
    vocabulary: SkillVocabulary,
    *,
    whole: bool,
    told: bool,
) -> list[NewFact]:
    places, rest = more_places(sentence)
    add = facts_in(rest, vocabulary, whole=whole and not places, told=told)
    return [*add, widened(_location([*before, *add], profile), places)] if places else add


def _beside(
    sentence: str, lifts: Sequence[NewFact], profile: Sequence[ProfileFact], vocabulary: SkillVocabulary
) -> list[NewFact]:
    """What a sentence says besides that it takes rules back, and what it would rather have in their place."""
    gone = {(fact.key, fact.value) for fact in lifts}
    rest = beside_taken_back(sentence, profile)
    left = [fact for fact in profile if (fact.key, fact.value) not in gone]
    add = _stated(rest, left, (), vocabulary, whole=False, told=False) if rest else []
    if _PREFERRED.search(sentence):
        add += [one for one in facts_in(sentence, vocabulary, whole=False) if one.kind == "preference"]
    return [fact for fact in add if (fact.key, fact.value) not in gone]


def _corrected(sentence: str, rules: Sequence[NewFact], vocabulary: SkillVocabulary) -> list[NewFact]:
    """Rules with another value, and the currency that it comes in."""
    said = facts_in(sentence, vocabulary, whole=False)
    return [*(fact for fact in said if fact.key == "currency"), *rules]


def _places_left(gone: Sequence[NewFact], sentence: str) -> list[NewFact]:
    """Of a location with several places, those that the sentence does not name: "forget York" leaves the others."""
    left: list[NewFact] = []
    for fact in gone:
        places = [part.strip() for part in fact.value.split(",")] if fact.key == "location" else []
        kept = [place for place in places if place.casefold() not in sentence.casefold()]
        if 0 < len(kept) < len(places):
            left.append(NewFact(fact.kind, "location", ", ".join(kept)))
    return left


def _location(add: Sequence[NewFact], profile: Sequence[ProfileFact]) -> NewFact | None:
    """Where the writer is or wants to be, as said last."""
    facts = [*map(as_new, profile), *add]
    return next((fact for fact in reversed(facts) if fact.key == "location"), None)


def _last_of_each(facts: Sequence[NewFact]) -> list[NewFact]:
    """Without repetitions; of a key that holds one value, the one said last. What is to be remembered stays so."""
    kept: dict[tuple[str, str], NewFact] = {}
    for fact in facts:
        place = (fact.key, "" if fact.key in SINGLE else fact.value.casefold())
        before = kept.get(place)
        kept[place] = _pinned(fact) if before is not None and before == fact and before.pinned else fact
    return list(kept.values())


def _pinned(fact: NewFact) -> NewFact:
    return replace(fact, pinned=True)


def _said(fact: NewFact, add: Iterable[NewFact]) -> bool:
    return any(fact.key == new.key and fact.value.casefold() == new.value.casefold() for new in add)
