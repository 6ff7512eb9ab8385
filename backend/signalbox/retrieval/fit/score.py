"""How far one posting suits a person, part by part: each a share from 0 to 1 and the reason in words fit to show.

Pure. A part the person's side says nothing of is left out; a posting that does not say is neither match nor mismatch.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from signalbox.retrieval.fit.pay import is_part_time_rate, same_currency, top_pay
from signalbox.retrieval.fit.person import Candidate
from signalbox.retrieval.fit.skills import SkillFit, skill_fit
from signalbox.retrieval.fit.titles import nearest_title
from signalbox.retrieval.fit.years import asked_years
from signalbox.retrieval.fusion import K
from signalbox.retrieval.index import COSINE_FLOOR, JobHit
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.query import JobQuery
from signalbox.retrieval.terms import LEVELS

PartName = Literal["skills", "title", "relevance", "seniority", "years", "location", "pay", "freshness"]

# What a part weighs when everything is known; parts nothing is known of are left out and the rest scaled up.
WEIGHTS: Final[dict[PartName, int]] = {
    "skills": 40,
    "title": 25,
    "relevance": 25,
    "seniority": 10,
    "years": 5,
    "location": 10,
    "pay": 10,
    "freshness": 5,
}
_UNSTATED: Final = 0.5
_FRESH_DAYS: Final = 14
_STALE_DAYS: Final = 120
_BEST_FUSED: Final = 2 / (K + 1)
# From here on a posting means what was asked.
_COSINE_SURE: Final = 0.75
# Who has three times the years asked for and more is not who is looked for.
_FAR_ABOVE: Final = 3
_NEAR_TITLE: Final = 0.75
_RELATED_TITLE: Final = 0.4


@dataclass(frozen=True, slots=True)
class ScorePart:
    """``points`` of ``out_of``, and why in words fit to show."""

    name: PartName
    points: float
    out_of: int
    reason: str


def skills_of(hit: JobHit, person: Candidate) -> SkillFit:
    return skill_fit(hit.skills, hit.title, person.skills)


def parts_of(
    hit: JobHit, person: Candidate, skills: SkillFit, query: JobQuery | None, today: date
) -> Iterator[ScorePart]:
    """The parts something is known about on the person's side."""
    searched = query is not None and not query.browses and hit.score > 0
    if person.skills:
        yield _part("skills", *_skills(hit, skills))
    if person.titles:
        yield _part("title", *_title(hit, person, skills.missing))
    if query is not None and searched:
        yield _part("relevance", *_relevance(hit, query))
    if person.seniority:
        yield _part("seniority", *_level(hit, person))
    if person.years is not None:
        yield _part("years", *_years(hit, person.years))
    if person.locations or person.remote_only:
        yield _part("location", *_place(hit, person))
    if person.salary_min:
        yield _part("pay", *_pay(hit, person))
    if not (person.is_blank and searched):
        yield _part("freshness", *_freshness(hit, today))


def _part(name: PartName, share: float, reason: str) -> ScorePart:
    return ScorePart(name, round(share * WEIGHTS[name], 1), WEIGHTS[name], reason)


def _skills(hit: JobHit, fit: SkillFit) -> tuple[float, str]:
    if not hit.skills:
        return _UNSTATED, "it names no skills"
    close = f", {len(fit.kin)} more close to yours" if fit.kin else ""
    return fit.share, f"{len(fit.matched)} of {len(hit.skills)} skills match{close}"


def _title(hit: JobHit, person: Candidate, lacked: tuple[str, ...]) -> tuple[float, str]:
    share, nearest = nearest_title(hit.title, person.titles, person.skills, lacked)
    if share >= _NEAR_TITLE:
        return share, f"the same kind of work as {nearest}"
    if share >= _RELATED_TITLE:
        return share, f"related to {nearest}"
    return share, f"other work than {nearest}" if nearest else f"other work than {person.titles[0]}"


def _relevance(hit: JobHit, query: JobQuery) -> tuple[float, str]:
    """By thirds: the place in the search, how many of its words stand in title and skills, and how near in meaning."""
    wanted = [*query.words, *query.skills]
    skills = {skill.casefold() for skill in hit.skills}
    title = hit.title.casefold()
    found = [word for word in wanted if word.casefold() in title or word.casefold() in skills]
    shares = [len(found) / len(wanted) if wanted else _UNSTATED, min(1.0, hit.score / _BEST_FUSED)]
    if hit.cosine is not None:
        shares.append(min(1.0, max(0.0, (hit.cosine - COSINE_FLOOR) / (_COSINE_SURE - COSINE_FLOOR))))
    return sum(shares) / len(shares), f"{len(found)} of {len(wanted)} search terms in title or skills"


def _level(hit: JobHit, person: Candidate) -> tuple[float, str]:
    if hit.seniority not in LEVELS or person.seniority not in LEVELS:
        return _UNSTATED, "its level is not stated"
    apart = abs(LEVELS.index(hit.seniority) - LEVELS.index(person.seniority))
    return max(0.0, 1 - apart / 3), "the same level" if not apart else f"{hit.seniority} level"


def _years(hit: JobHit, years: int) -> tuple[float, str]:
    asked = asked_years(hit.requirements) or asked_years(hit.description)
    if asked is None:
        return _UNSTATED, "it states no years of experience"
    share = max(0.0, 1 - (asked - years) / max(3, asked)) if years < asked else 1.0
    if years > _FAR_ABOVE * asked + _FAR_ABOVE:
        share = _UNSTATED
    return share, f"asks for {_counted(asked)}, you have {years}"


def _place(hit: JobHit, person: Candidate) -> tuple[float, str]:
    if hit.remote:
        return 1.0, "remote"
    where = (hit.location or "").casefold()
    if not where and not hit.country:
        return _UNSTATED, "its place is not stated"
    if any(name.casefold() in where for name in person.locations):
        return 1.0, f"in {hit.location}"
    places = [place for name in person.locations if (place := gazetteer().find(name))]
    if any(hit.country in place.countries for place in places):
        wide = any(place.kind in {"country", "region"} and hit.country in place.countries for place in places)
        return (1.0 if wide else _UNSTATED), f"in {hit.location or hit.country}"
    return 0.0, f"in {hit.location or hit.country}, not where you look"


def _pay(hit: JobHit, person: Candidate) -> tuple[float, str]:
    low, top = hit.salary_year_min, top_pay(hit)
    if not top or not person.salary_min:
        return 0.0, "pay is not stated"
    if not same_currency(hit, person):
        return _UNSTATED, f"paid in {hit.currency}, not compared"
    if is_part_time_rate(hit):
        return _UNSTATED, f"part-time and paid by the {hit.salary_period}, not compared with a year's pay"
    if low and low >= person.salary_min:
        return 1.0, "pays all of what you ask"
    return 0.7, "its pay range reaches what you ask"


def _freshness(hit: JobHit, today: date) -> tuple[float, str]:
    if hit.closes_at and hit.closes_at < today:
        return 0.0, "applications have closed"
    if hit.posted_at is None:
        return _UNSTATED, "its date is not stated"
    age = max(0, (today - hit.posted_at).days)
    share = 1 - (age - _FRESH_DAYS) / (_STALE_DAYS - _FRESH_DAYS)
    told = {0: "posted today", 1: "posted yesterday"}.get(age, f"posted {age} days ago")
    return max(0.0, min(share, 1.0)), told


def _counted(years: int) -> str:
    return f"{years} years" if years != 1 else "1 year"
