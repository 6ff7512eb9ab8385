"""How well each hit suits a person: a score from 0 to 100 whose parts can be shown, and hard limits that hold. Where
no skill and no title is known of the person there is an order and no score.

Pure and deterministic: the same hits, person, query, sizes and day give the same ranking.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal

from signalbox.retrieval.fit.limits import Limit, Sizes, asked_pay_unknown, held_against
from signalbox.retrieval.fit.pay import top_pay
from signalbox.retrieval.fit.person import Candidate
from signalbox.retrieval.fit.score import WEIGHTS, PartName, ScorePart, parts_of, skills_of
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.query import JobQuery

__all__ = ["WEIGHTS", "Candidate", "PartName", "RankedJob", "Ranking", "ScorePart", "Sizes", "judged", "rerank"]

_NO_SIZES: Final[Mapping[str, tuple[int | None, int | None]]] = {}


@dataclass(frozen=True, slots=True)
class RankedJob:
    """``order`` is the share of all points, from 0 to 100. ``match_score`` is that where the person's trade is known,
    and None where it rests on the search, on wishes and the posting's age alone. ``half_skills``: asked skills that are
    not had, each with the one had that comes near it. ``broken`` is empty for all that ``rerank`` returns; ``unknown``
    are the limits that the posting says too little to be held against.
    """

    hit: JobHit
    order: int
    match_score: int | None
    parts: tuple[ScorePart, ...]
    matched_skills: tuple[str, ...]
    missing_skills: tuple[str, ...]
    half_skills: tuple[tuple[str, str], ...] = ()
    broken: tuple[Limit, ...] = ()
    unknown: tuple[Limit, ...] = ()

    @property
    def explanation(self) -> str:
        return "; ".join(part.reason for part in self.parts)


@dataclass(frozen=True, slots=True)
class Ranking:
    """``removed`` counts the hits a hard limit ruled out, by limit. ``basis`` says what the scores rest on.

    ``unknown`` counts those of ``jobs`` that say too little to be held against a limit, by limit: they are shown, and
    that is to be said. ``uncompared`` is the part of it whose pay is in a currency that the least pay cannot be held
    against.
    """

    jobs: tuple[RankedJob, ...]
    removed: dict[str, int]
    basis: Literal["profile", "query"]
    note: str
    uncompared: int = 0
    unknown: dict[str, int] = field(default_factory=dict)

    @property
    def removed_total(self) -> int:
        return sum(self.removed.values())


def rerank(
    hits: Sequence[JobHit],
    candidate: Candidate | None,
    query: JobQuery | None = None,
    *,
    today: date,
    sizes: Sizes = _NO_SIZES,
) -> Ranking:
    """Hits by fit, best first. Without a profile their order is the query's relevance alone, none has a score, and
    ``note`` says so.

    ``sizes`` are wanted where ``candidate.wants_size``: a company that is not among them is of unknown size.
    """
    person = candidate or Candidate()
    every = [judged(hit, person, query, today=today, sizes=sizes) for hit in hits]
    removed = Counter[str](job.broken[0].name for job in every if job.broken)
    # The incoming order decides between equals, so the search's ranking shows through.
    jobs = sorted((job for job in every if not job.broken), key=lambda job: -job.order)
    unknown = dict(Counter[str](limit.name for job in jobs for limit in job.unknown))
    if person.is_blank:
        note = "Ordered by the search alone: no profile is known yet."
        return Ranking(tuple(jobs), dict(removed), "query", note, unknown=unknown)
    return Ranking(
        tuple(jobs),
        dict(removed),
        "profile",
        "Scored against the profile.",
        sum(_is_foreign(job) for job in jobs),
        unknown,
    )


def judged(
    hit: JobHit, person: Candidate, query: JobQuery | None = None, *, today: date, sizes: Sizes = _NO_SIZES
) -> RankedJob:
    """One posting scored, whatever limits it breaks: ``broken`` names them."""
    held = held_against(hit, person, sizes)
    asked = asked_pay_unknown(hit, query.salary_min) if query and not person.salary_min else ()
    skills = skills_of(hit, person)
    parts = tuple(parts_of(hit, person, skills, query, today))
    out_of = sum(part.out_of for part in parts)
    share = round(100 * sum(part.points for part in parts) / out_of) if out_of else 0
    order = max(0, min(share, 100))
    return RankedJob(
        hit,
        order,
        order if person.has_trade else None,
        parts,
        skills.matched,
        skills.missing if person.skills else (),
        skills.kin,
        held.broken,
        (*held.unknown, *asked),
    )


def _is_foreign(job: RankedJob) -> bool:
    """Its pay is stated, and in a currency that the least pay is not held against."""
    return any(limit.name == "salary_min" for limit in job.unknown) and top_pay(job.hit) is not None
