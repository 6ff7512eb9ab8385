"""The post a letter is for: what is known of it and of the employer, and what of it the writer can answer. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from signalbox.agents.letters.background import Background
from signalbox.agents.turn import Facts
from signalbox.blocks import Job
from signalbox.events import Citation
from signalbox.retrieval.facts.companies import CompanyRecord
from signalbox.retrieval.fit.skills import weight_of
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.posting import UNNAMED_COMPANY
from signalbox.retrieval.skills import SkillVocabulary

MOST_HELD: Final = 5
MOST_LEFT_OUT: Final = 5
_OLD_DAYS: Final = 60
# Fields of work that every large employer's own description names: of an applicant they say little.
_GENERIC: Final = frozenset(
    {
        "Compensation and Benefits", "Higher Education", "Human Resources", "Public Administration", "Recruitment",
        "Local Government", "Employee Relations", "Onboarding", "Training Delivery", "Public Health", "Insurance",
        "Dangerous Goods", "Water Treatment",
    }
)  # fmt: skip
_LONGEST_NAME: Final = 70
_LEAST_QUOTE, _MOST_QUOTE = 7, 30
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|\s*[•*]\s+")
# What an employer says of itself, and what of an advertisement is not worth answering in a letter.
_OF_ITSELF = re.compile(r"\b(?:we|our|us)\b", re.IGNORECASE)
_NOT_WORTH = re.compile(
    r"\b(?:salary|pension|benefits?|holiday|vacation|leave|insurance|equal opportunit\w*|applicants?|apply|cv|"
    r"resume|cover(?:ing)? letter|"
    r"hybrid|on[- ]site|remote\w*|discount|bonus|perks?|interview\w*|visa|background check|e-?mail|disabilit\w*|"
    r"veteran|religion|gender|"
    r"candidates?|http\S*|click|must|require[ds]?|pay|paid|free|reply|questions)\b|\$|£|€|@",
    re.IGNORECASE,
)


class Post(Facts):
    """``seen``: where it was advertised, in words, ``posted`` its day in words, ``old`` the same where that is too long
    ago to be named. ``held``: what it asks for and the
    writer has. ``quote``: a sentence of its text; ``about``: one of the company's own. ``shared``: technologies of the
    company that the writer knows. ``sample``: it is fictional. ``more_left_out``: how much more it asks for that the
    writer is not known to have than is told beside it.
    """

    role: str = ""
    company: str = ""
    person: str = ""
    job_id: str = ""
    seen: str = ""
    posted: str = ""
    held: tuple[str, ...] = ()
    old: str = ""
    languages_asked: tuple[str, ...] = ()
    quote: str = ""
    about: str = ""
    company_source: str = ""
    shared: tuple[str, ...] = ()
    sample: bool = False
    more_left_out: int = 0


@dataclass(frozen=True, slots=True)
class Posting:
    """A posting as far as it is known: whole out of the index, as it was shown, or pasted."""

    title: str = ""
    company: str = ""
    job_id: str = ""
    seen: str = ""
    posted_at: date | None = None
    asks: tuple[str, ...] = ()
    text: str = ""
    sample: bool = False
    citation: Citation | None = None

    def is_old(self, today: date) -> bool:
        """Whether it was advertised so long ago that it is most likely filled."""
        return self.posted_at is not None and (today - self.posted_at).days > _OLD_DAYS

    @classmethod
    def of_hit(cls, hit: JobHit, seen: str) -> "Posting":
        citation = Citation(id=hit.job_id, title=hit.title, source=hit.source, url=hit.url, as_of=hit.posted_at)
        company = "" if hit.company == UNNAMED_COMPANY else hit.company
        text = f"{hit.description}\n{hit.requirements}"
        return cls(hit.title, company, hit.job_id, seen, hit.posted_at, hit.skills, text, hit.sample, citation)

    @classmethod
    def of_job(cls, job: Job, seen: str) -> "Posting":
        citation = Citation(id=job.job_id, title=job.title, source=job.source, url=job.url, as_of=job.posted_at)
        asks = (*job.matched_skills, *job.missing_skills)
        company = "" if job.company == UNNAMED_COMPANY else job.company
        return cls(job.title, company, job.job_id, seen, job.posted_at, asks, "", job.sample, citation)

    @classmethod
    def of_text(cls, text: str, role: str, company: str, vocabulary: SkillVocabulary) -> "Posting":
        return cls(role, company, asks=tuple(vocabulary.extract(text)), text=text)


def post_of(
    posting: Posting,
    record: CompanyRecord | None,
    background: Background,
    vocabulary: SkillVocabulary,
    *,
    person: str,
    today: date | None = None,
) -> tuple[Post, tuple[str, ...]]:
    """The post with all that may be said of it, and what it asks for that the writer is not known to have."""
    own = known_names(background.skills, vocabulary)
    implied = known_names(background.implied, vocabulary)
    # "Nursing" is what a nurse is, not what one lacks; "Python" of a Python developer is a skill all the same.
    of_role = {s for s in vocabulary.extract(posting.title, loose=True) if s.casefold() not in posting.title.casefold()}
    asked = [skill for skill in _telling(posting) if vocabulary.field(skill) != "languages"]
    old = today is not None and posting.is_old(today)
    spoken = {each.split(" (")[0].casefold(): each for each in background.languages}
    languages = [skill for skill in dict.fromkeys(posting.asks) if vocabulary.field(skill) == "languages"]
    certified = {name.casefold() for name in background.certificates}
    missing = [
        skill
        for skill in asked
        if skill.casefold() not in own | implied and skill.casefold() not in certified and skill not in of_role
    ]
    missing += [language for language in languages if language.casefold() not in spoken and language != "English"]
    post = Post(
        role=_line(posting.title),
        company=_line(posting.company),
        person=_line(person),
        job_id=posting.job_id,
        seen="" if old else _line(posting.seen),
        posted=day_words(posting.posted_at) if posting.posted_at and not old else "",
        old=day_words(posting.posted_at) if posting.posted_at and old else "",
        held=tuple(skill for skill in asked if skill.casefold() in own)[:MOST_HELD],
        languages_asked=tuple(spoken[name.casefold()] for name in languages if name.casefold() in spoken),
        quote=_quote(posting.text, background, vocabulary, posting.company),
        sample=posting.sample,
    )
    if record is not None:
        shared = tuple(t for t in record.technologies if t.casefold() in own)[:MOST_HELD]
        about = _quote(record.description, background, vocabulary, record.name)
        post = post.model_copy(update={"about": about, "company_source": record.source, "shared": shared})
    most_telling = sorted(missing, key=weight_of, reverse=True)[:MOST_LEFT_OUT]
    post = post.model_copy(update={"more_left_out": len(missing) - len(most_telling)})
    return post, tuple(skill for skill in missing if skill in most_telling)


def _telling(posting: Posting) -> list[str]:
    """What it asks for, without what an employer says of itself; of a post in that very field it is no boilerplate."""
    words = {word[:5] for word in re.findall(r"[a-z]{4,}", posting.title.casefold())}
    return [
        skill
        for skill in dict.fromkeys(posting.asks)
        if skill not in _GENERIC or not words.isdisjoint(w[:5] for w in re.findall(r"[a-z]{4,}", skill.casefold()))
    ]


def known_names(skills: Sequence[str], vocabulary: SkillVocabulary) -> frozenset[str]:
    """As they were said and as the vocabulary spells them, in lower case."""
    spelled = (vocabulary.canonical(skill) or skill for skill in skills)
    return frozenset(skill.casefold() for skill in (*skills, *spelled))


def renamed(posting: Posting, role: str | None, company: str | None) -> Posting:
    """With what the posting does not say taken from the request."""
    return replace(posting, title=posting.title or role or "", company=posting.company or company or "")


def record_citation(record: CompanyRecord) -> Citation:
    return Citation(id=record.company_id, title=record.name, source=record.source, url=record.url, as_of=record.as_of)


def day_words(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _quote(text: str, background: Background, vocabulary: SkillVocabulary, company: str) -> str:
    """A sentence in which the employer speaks of itself or its work, and of no skill the writer lacks."""
    own = known_names(background.skills, vocabulary)
    best, points = "", 0
    for raw in _SENTENCE.split(text):
        sentence = _line(raw, 400).strip(' -–"“”')
        if (
            not _LEAST_QUOTE <= len(sentence.split()) <= _MOST_QUOTE
            or not sentence[:1].isupper()
            or not sentence.endswith(".")
        ):
            continue
        if _NOT_WORTH.search(sentence) or any(s.casefold() not in own for s in vocabulary.extract(sentence)):
            continue
        speaks = 2 * bool(_OF_ITSELF.search(sentence)) + 2 * (
            bool(company) and company.casefold() in sentence.casefold()
        )
        if speaks > points:
            best, points = sentence, speaks
    return best


def _line(text: str, limit: int = _LONGEST_NAME) -> str:
    """On one line and with no brackets of its own."""
    line = " ".join(re.sub(r"[\[\]<>]", " ", text).split())
    return line if len(line) <= limit else line[:limit].rsplit(" ", 1)[0]


def seen_words(source: str, labels: Sequence[tuple[str, str]]) -> str:
    """How the source of a posting is called in a letter; empty where its name would mean nothing to an employer."""
    return next((label for key, label in labels if key == source), "")
