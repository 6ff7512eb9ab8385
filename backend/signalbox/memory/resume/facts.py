"""What a CV says of its writer, as facts for the profile: only what stands there, nothing concluded. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.memory.profile import SINGLE, NewFact
from signalbox.memory.resume.dates import months_between
from signalbox.memory.resume.model import PASTED, Resume
from signalbox.memory.resume.text import ResumeReading
from signalbox.memory.statement_rules import years
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import title_level

MAX_SKILLS: Final = 40
MAX_CERTIFICATES: Final = 15
# The fact that tells others that there is a CV to read.
RESUME_KEY: Final = "resume"
_LONGEST: Final = 120
_LONGEST_TITLE: Final = 80
_BRACKETS: Final = re.compile(r"\s*\([^)]*\)")
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+")


def facts_of(read: ResumeReading, vocabulary: SkillVocabulary, *, today: date) -> tuple[NewFact, ...]:
    """The facts of a CV, always in the same order: what the store numbers them by."""
    resume = read.resume
    held = [("resume", resume_value(resume, today)), *_person(read, vocabulary, today), *_many(resume, vocabulary)]
    kept: dict[tuple[str, str], NewFact] = {}
    for key, value in held:
        text = " ".join(value.split())
        if 0 < len(text) <= _LONGEST:
            kept.setdefault((key, "" if key in SINGLE else text.casefold()), NewFact("fact", key, text))
    return tuple(kept.values())


def resume_value(resume: Resume, today: date) -> str:
    """How the CV is called in the profile: its file's name, or that it was pasted, and the day."""
    name = "pasted text" if resume.source == PASTED else resume.source
    return f"{name[:80]} ({today.isoformat()})"


def _person(read: ResumeReading, vocabulary: SkillVocabulary, today: date) -> Iterator[tuple[str, str]]:
    resume = read.resume
    yield "name", read.name
    title = held_title(resume)
    yield "title", title
    if level := title_level(title):
        yield "seniority", level[0]
    if (worked := years_of_work(resume, vocabulary, today)) is not None:
        yield "years", str(worked)
    yield "location", resume.location


def held_title(resume: Resume) -> str:
    """The title of the present or newest job, else the headline."""
    dated = sorted((job for job in resume.work if job.title), key=lambda job: (job.current, job.end or job.start or ""))
    title = dated[-1].title if dated else re.split(r"\s+[|·•–—]\s+|,\s", resume.headline)[0]
    bare = _BRACKETS.sub("", title).strip(" ,;-–")
    return bare if len(bare) <= _LONGEST_TITLE else ""


def years_of_work(resume: Resume, vocabulary: SkillVocabulary, today: date) -> int | None:
    """Years of experience as the CV states them, else those its dated jobs cover; None where there are none."""
    for sentence in (*_SENTENCE.split(resume.summary), resume.headline):
        for found in years(sentence, vocabulary):
            return int(found.fact.value)
    months = months_between(((job.start, job.end, job.current) for job in resume.work), today)
    return months // 12 or None


def _many(resume: Resume, vocabulary: SkillVocabulary) -> Iterator[tuple[str, str]]:
    spoken = {each.language for each in resume.languages}
    names = [skill for skill in skills_of(resume, vocabulary) if skill not in spoken]
    yield from (("skill", skill) for skill in names[:MAX_SKILLS])
    for each in resume.languages:
        yield "language", f"{each.language} ({each.level})" if each.level else each.language
    yield from (("certificate", each.name) for each in resume.certificates[:MAX_CERTIFICATES])


def skills_of(resume: Resume, vocabulary: SkillVocabulary) -> tuple[str, ...]:
    """The skills the CV names, as the vocabulary spells them: those listed first, then those in jobs and projects."""
    listed = vocabulary.extract(", ".join(resume.skills), loose=True)
    return tuple(dict.fromkeys((*listed, *vocabulary.extract(resume.evidence))))


@dataclass(frozen=True, slots=True)
class Merge:
    """What of a CV's facts goes into a profile. ``kept``: what the user said themselves and the CV says otherwise."""

    add: tuple[NewFact, ...]
    remove: tuple[ProfileFact, ...]
    kept: tuple[tuple[ProfileFact, NewFact], ...]


def merge(facts: Sequence[NewFact], profile: Sequence[ProfileFact], older: frozenset[str]) -> Merge:
    """``facts`` of a new CV against the profile. What only an ``older`` CV (by its id) said goes; of keys that hold
    one value the user's own word stands.
    """
    said = {fact.key: fact for fact in profile if fact.key in SINGLE and fact.source_message_id not in older}
    kept = tuple((said[new.key], new) for new in facts if _differs(said.get(new.key), new))
    add = tuple(new for new in facts if new.key not in said)
    told = {(new.key, new.value.casefold()) for new in facts}
    remove = tuple(
        fact for fact in profile if fact.source_message_id in older and (fact.key, fact.value.casefold()) not in told
    )
    return Merge(add, remove, kept)


def _differs(said: ProfileFact | None, new: NewFact) -> bool:
    return said is not None and said.value.casefold() != new.value.casefold()
