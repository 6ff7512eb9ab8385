"""How well each hit suits a person: a score from 0 to 100 whose parts can be shown, and hard limits that hold.

Pure and deterministic: the same hits, person, query and day give the same ranking.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from signalbox.retrieval.fusion import K
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.pay import LARGE_UNIT
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.query import JobQuery
from signalbox.retrieval.terms import LEVELS

PartName = Literal["skills", "relevance", "seniority", "location", "pay", "freshness"]

# What a part weighs when everything is known; parts nothing is known of are left out and the rest scaled up.
WEIGHTS: dict[PartName, int] = {
    "skills": 40,
    "relevance": 25,
    "seniority": 10,
    "location": 10,
    "pay": 10,
    "freshness": 5,
}
# A posting that does not say is neither a match nor a mismatch.
_UNSTATED = 0.5
_FRESH_DAYS = 14
_STALE_DAYS = 120
_BEST_FUSED = 2 / (K + 1)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is known of a person. Skills are canonical names; ``salary_min`` is per year in ``currency``.

    ``remote_only``, ``salary_min`` and the exclusions are hard: no posting known to break one is ever shown.
    """

    skills: tuple[str, ...] = ()
    seniority: str | None = None
    locations: tuple[str, ...] = ()
    remote_only: bool = False
    salary_min: float | None = None
    currency: str | None = None
    excluded_companies: tuple[str, ...] = ()
    excluded_terms: tuple[str, ...] = ()

    @property
    def is_blank(self) -> bool:
        return self == Candidate()


@dataclass(frozen=True, slots=True)
class ScorePart:
    """``points`` of ``out_of``, and why in words fit to show."""

    name: PartName
    points: float
    out_of: int
    reason: str


@dataclass(frozen=True, slots=True)
class RankedJob:
    hit: JobHit
    match_score: int
    parts: tuple[ScorePart, ...]
    matched_skills: tuple[str, ...]
    missing_skills: tuple[str, ...]

    @property
    def explanation(self) -> str:
        return "; ".join(part.reason for part in self.parts)


@dataclass(frozen=True, slots=True)
class Ranking:
    """``removed`` counts the hits a hard limit ruled out, by limit. ``basis`` says what the scores rest on.

    ``uncompared`` counts those of ``jobs`` whose pay is in a currency that the least pay cannot be held against.
    """

    jobs: tuple[RankedJob, ...]
    removed: dict[str, int]
    basis: Literal["profile", "query"]
    note: str
    uncompared: int = 0

    @property
    def removed_total(self) -> int:
        return sum(self.removed.values())


def rerank(
    hits: Sequence[JobHit], candidate: Candidate | None, query: JobQuery | None = None, *, today: date
) -> Ranking:
    """Hits by fit, best first. Without a profile the score is the query's relevance alone, and ``note`` says so."""
    person = candidate or Candidate()
    kept, removed = [], Counter[str]()
    for hit in hits:
        broken = _broken_limit(hit, person)
        if broken:
            removed[broken] += 1
        else:
            kept.append(hit)
    jobs = [_ranked(hit, person, query, today) for hit in kept]
    # The incoming order decides between equals, so the search's ranking shows through.
    jobs.sort(key=lambda job: -job.match_score)
    if person.is_blank:
        return Ranking(tuple(jobs), dict(removed), "query", "Scored by the search alone: no profile is known yet.")
    uncompared = sum(_top_pay(hit) is not None and not _same_currency(hit, person) for hit in kept)
    return Ranking(
        tuple(jobs),
        dict(removed),
        "profile",
        "Scored against the profile.",
        uncompared if person.salary_min else 0,
    )


def _top_pay(hit: JobHit) -> float | None:
    return hit.salary_year_max or hit.salary_year_min or None


def _broken_limit(hit: JobHit, person: Candidate) -> str | None:
    if person.remote_only and hit.remote is not True:
        return "remote_only"
    top = _top_pay(hit)
    if person.salary_min and top and top < person.salary_min and _same_currency(hit, person):
        return "salary_min"
    company = hit.company.casefold()
    if any(name and name.casefold() in company for name in person.excluded_companies):
        return "excluded_company"
    text = f"{hit.title}\n{hit.company}\n{hit.requirements}\n{hit.description}".casefold()
    if any(_mentions(text, term.casefold()) for term in person.excluded_terms if term.strip()):
        return "excluded_term"
    return None


def _mentions(text: str, term: str) -> bool:
    """Whole words only: who excludes "sales" still sees "Salesforce"."""
    start = text.find(term)
    while start >= 0:
        end = start + len(term)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        start = text.find(term, end)
    return False


def _same_currency(hit: JobHit, person: Candidate) -> bool:
    """Where one side names none, the figures are taken to be in the same: a limit errs on the side of holding.
    Not so for a posting in a small unit, whose figures are far larger for the same pay.
    """
    if hit.currency and not person.currency:
        return hit.currency in LARGE_UNIT
    return not hit.currency or hit.currency == person.currency


def _ranked(hit: JobHit, person: Candidate, query: JobQuery | None, today: date) -> RankedJob:
    own = {skill.casefold() for skill in person.skills}
    matched = tuple(skill for skill in hit.skills if skill.casefold() in own)
    missing = tuple(skill for skill in hit.skills if skill.casefold() not in own) if own else ()
    parts = tuple(_parts(hit, person, query, today, len(matched)))
    out_of = sum(part.out_of for part in parts)
    score = round(100 * sum(part.points for part in parts) / out_of) if out_of else 0
    return RankedJob(hit, max(0, min(score, 100)), parts, matched, missing)


def _parts(hit: JobHit, person: Candidate, query: JobQuery | None, today: date, matched: int) -> Iterable[ScorePart]:
    """The parts something is known about on the person's side."""
    if person.skills:
        yield _part("skills", *_skill_fit(hit, matched))
    if query and not query.browses and hit.score > 0:
        yield _part("relevance", *_relevance(hit, query))
    if person.is_blank:
        if not (query and not query.browses and hit.score > 0):
            yield _part("freshness", *_freshness(hit, today))
        return
    fits: tuple[tuple[PartName, bool, Callable[[], tuple[float, str]]], ...] = (
        ("seniority", bool(person.seniority), lambda: _level_fit(hit, person)),
        ("location", bool(person.locations) or person.remote_only, lambda: _place_fit(hit, person)),
        ("pay", bool(person.salary_min), lambda: _pay_fit(hit, person)),
        ("freshness", True, lambda: _freshness(hit, today)),
    )
    for name, known, fit in fits:
        if known:
            yield _part(name, *fit())


def _part(name: PartName, share: float, reason: str) -> ScorePart:
    return ScorePart(name, round(share * WEIGHTS[name], 1), WEIGHTS[name], reason)


def _skill_fit(hit: JobHit, matched: int) -> tuple[float, str]:
    asked = len(hit.skills)
    if not asked:
        return _UNSTATED, "it names no skills"
    # Few people have all of a long list: six matches are as good as all.
    return min(1.0, matched / min(asked, 6)), f"{matched} of {asked} skills match"


def _relevance(hit: JobHit, query: JobQuery) -> tuple[float, str]:
    """Half for the place in the search, half for how many of the words stand in title and skills."""
    wanted = [*query.words, *query.skills]
    skills = {skill.casefold() for skill in hit.skills}
    title = hit.title.casefold()
    found = [word for word in wanted if word.casefold() in title or word.casefold() in skills]
    covered = len(found) / len(wanted) if wanted else _UNSTATED
    place = min(1.0, hit.score / _BEST_FUSED)
    return (covered + place) / 2, f"{len(found)} of {len(wanted)} search terms in title or skills"


def _level_fit(hit: JobHit, person: Candidate) -> tuple[float, str]:
    if hit.seniority not in LEVELS or person.seniority not in LEVELS:
        return _UNSTATED, "its level is not stated"
    apart = abs(LEVELS.index(hit.seniority) - LEVELS.index(person.seniority))
    return max(0.0, 1 - apart / 2), "the same level" if not apart else f"{hit.seniority} level"


def _place_fit(hit: JobHit, person: Candidate) -> tuple[float, str]:
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


def _pay_fit(hit: JobHit, person: Candidate) -> tuple[float, str]:
    low, top = hit.salary_year_min, _top_pay(hit)
    if not top or not person.salary_min:
        return 0.0, "pay is not stated"
    if not _same_currency(hit, person):
        return _UNSTATED, f"paid in {hit.currency}, not compared"
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
    return max(0.0, min(share, 1.0)), f"posted {age} days ago" if age != 1 else "posted yesterday"
