"""What a conversation about pay is about where the message does not say: the role and place spoken of last. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal

from signalbox.agents.pay.places import mistyped_place, town_of
from signalbox.agents.pay.role import STATUTORY, is_known_role, role_of
from signalbox.agents.words.profile_words import value_of
from signalbox.agents.words.shown import shown_jobs
from signalbox.blocks import Job, ProfileFact
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.facts.role_words import names_all, stems
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.query import JobQuery, parse_query
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.titles import plain_title

Basis = Literal["message", "posting", "pay", "search", "skills", "interview", "letter", "profile", "none"]

_MOST_PAST: Final = 40
_MOST_CHARS: Final = 1_000
_MOST_ROLE_WORDS: Final = 4
# Blocks that name a role, the field that does, and what they are of.
_NAMING: Final[dict[str, tuple[str, Basis]]] = {
    "skill_gap": ("target", "skills"),
    "interview_questions": ("role", "interview"),
    "interview_practice": ("role", "interview"),
    "cover_letter": ("role", "letter"),
}
# "Nurse salary uk": names that are no words, whatever their case.
_SHORT_NAME = re.compile(r"\b(?:uk|usa|nyc|uae)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_][^\s,;/()]*")


@dataclass(frozen=True, slots=True)
class Topic:
    """A role that was spoken of, where, and in which currency its pay was told, if in one only."""

    role: str
    basis: Basis
    place: str | None = None
    currency: str | None = None


def topic_of(
    history: Sequence[PastMessage], profile: Sequence[ProfileFact], vocabulary: SkillVocabulary
) -> Topic | None:
    """The newest topic of the conversation, else the profile's title and place."""
    for topic in _topics(history[-_MOST_PAST:], profile, vocabulary):
        return topic
    wished = [fact for fact in profile if fact.kind == "preference"]
    title = value_of(wished, "title") or value_of(profile, "title")
    return Topic(title, "profile", value_of(profile, "location")) if title else None


def _topics(
    history: Sequence[PastMessage], profile: Sequence[ProfileFact], vocabulary: SkillVocabulary
) -> Iterator[Topic]:
    for at in range(len(history) - 1, -1, -1):
        past = history[at]
        if past.role == "user":
            if topic := _asked(past, vocabulary):
                yield topic
            continue
        if topic := _pay_told(past.blocks):
            yield topic
        for block in reversed(past.blocks):
            if block.get("type") == "jobs_data" and (jobs := shown_jobs(history[at : at + 1])):
                yield searched_for(jobs, _question(history[:at]), vocabulary)
            elif (named := _NAMING.get(str(block.get("type")))) and (role := block.get(named[0])):
                yield Topic(str(role), named[1], value_of(profile, "location"))


def _pay_told(blocks: Sequence[dict[str, Any]]) -> Topic | None:
    ranges = [block for block in blocks if block.get("type") == "salary_range"]
    if not ranges:
        return None
    currencies = {str(block.get("currency")) for block in ranges}
    place = ranges[0].get("asked_location")
    return Topic(str(ranges[0]["role"]), "pay", place, currencies.pop() if len(currencies) == 1 else None)


def roles_told(history: Sequence[PastMessage]) -> tuple[str, ...]:
    """The roles whose pay the newest answer about pay told."""
    for past in reversed(history[-_MOST_PAST:]):
        if told := [str(block["role"]) for block in past.blocks if block.get("type") == "salary_range"]:
            return tuple(dict.fromkeys(told))
    return ()


def _asked(past: PastMessage, vocabulary: SkillVocabulary) -> Topic | None:
    """A question about pay that was answered without figures, or a search that found nothing. What is no role that
    anybody knows is not remembered as one.
    """
    if past.intent not in {"salary", "job_search"}:
        return None
    text = mended_place(past.content[:_MOST_CHARS])
    query = parse_query(text, date.max, vocabulary)
    if past.intent == "salary":
        role = role_of(STATUTORY.sub(" pay ", text), vocabulary)
        known = role is not None and is_known_role(role, vocabulary)
        return Topic(role, "pay", place_in(query, text)) if role and known else None
    few = 0 < len(query.text.split()) <= _MOST_ROLE_WORDS
    return Topic(query.text, "search", place_in(query, text)) if few else None


def _question(history: Sequence[PastMessage]) -> str:
    return next((past.content[:_MOST_CHARS] for past in reversed(history) if past.role == "user"), "")


def searched_for(jobs: Sequence[Job], message: str, vocabulary: SkillVocabulary) -> Topic:
    """What a search was for: its own words if they name the postings found, else what their titles share."""
    text = mended_place(message)
    query = parse_query(text, date.max, vocabulary)
    towns = {town_of(job.location) for job in jobs}
    place = place_in(query, text) or (towns.pop() if len(towns) == 1 else None)
    return Topic(_common_role(query.text, [job.title for job in jobs]), "search", place)


def _common_role(wanted: str, titles: Sequence[str]) -> str:
    if wanted and any(names_all(wanted, title) for title in titles):
        return wanted
    plain = Counter(plain_title(title) for title in titles)
    title, times = plain.most_common(1)[0]
    shared = frozenset.intersection(*(stems(each) for each in titles))
    words = [word for word in _WORD.findall(titles[0]) if stems(word) & shared]
    if len(titles) > 1 and times == 1 and words and shared:
        return " ".join(words).casefold()
    return title


def mended_place(message: str) -> str:
    """The message with a mistyped place put right."""
    slip = mistyped_place(message)
    return message.replace(slip[0], slip[1], 1) if slip else message


def place_in(query: JobQuery, message: str) -> str | None:
    named = next((place for place in query.locations if is_place(place, message)), None)
    if named is None and (short := _SHORT_NAME.search(message)) and (place := gazetteer().find(short.group())):
        return place.name
    return named


def is_place(name: str, message: str) -> bool:
    """Known, or written as a name: "in adverts" is no place, nor is who an offer is from."""
    if gazetteer().find(name) is not None:
        return True
    whose = re.search(rf"\b(?:from|at|with)\s+{re.escape(name)}", message, re.IGNORECASE)
    return name[:1].isupper() and name in message and whose is None
