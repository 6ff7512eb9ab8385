"""Postings judged: verdicts with what speaks for and against each, and their order by one criterion. Pure."""

from collections.abc import Sequence
from datetime import date
from typing import Final, Literal

from pydantic import Field

from signalbox.agents.matching.details import AskedSkill, Detail, PostingText
from signalbox.agents.matching.wish import Criterion, Form, Length, MatchWish
from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import listed
from signalbox.agents.words.postings import job_event
from signalbox.blocks import Job, JobVerdict
from signalbox.retrieval.fit.person import Candidate
from signalbox.retrieval.fit.places import within
from signalbox.retrieval.fit.skills import weight_of
from signalbox.retrieval.rerank import RankedJob
from signalbox.retrieval.rerank import ScorePart as RankedPart
from signalbox.retrieval.terms import LEVELS

VerdictName = Literal["strong", "good", "partial", "weak", "ruled_out", "unknown"]
Outcome = Literal["judged", "which_one", "nothing_shown", "no_such_place", "not_found", "gone", "unavailable"]

_STRONG: Final = 70
_GOOD: Final = 55
_PARTIAL: Final = 35
# A part that gives this share of its points speaks for a posting, below the other against it.
_FOR: Final = 0.7
_AGAINST: Final = 0.4
# Skills are told by name; what a search found says nothing for or against a posting; age is told when it is great.
_TOLD_OTHERWISE: Final = frozenset({"skills", "relevance", "freshness"})
_TOLD_SKILLS: Final = 4
_OLD_DAYS: Final = 60


class YearPay(Facts):
    """Pay as a year's, for one posting; ``converted`` from another period, as full-time work. ``part_time``: it is no
    full-time work, so the figures are more than it pays.
    """

    place: int
    low: float | None
    high: float | None
    currency: str | None
    converted: bool
    part_time: bool = False


class Points(Facts):
    """What a score is made of: ``points`` of ``out_of``, scaled to a hundred."""

    place: int
    points: float
    out_of: float


class Asks(Facts):
    """The first skills a posting names."""

    place: int
    skills: tuple[str, ...]


class Sifted(Facts):
    """Which of the postings meet a condition, by their places: ``met``, and ``unsaid`` where that cannot be told;
    ``of`` how many were looked at. ``rates``: those of ``unsaid`` whose part-time rate reaches it at full-time hours.
    """

    words: str
    met: tuple[int, ...] = ()
    unsaid: tuple[int, ...] = ()
    of: int = 0
    rates: tuple[int, ...] = ()


class MatchFacts(Facts):
    """``verdicts`` are in the order of ``criterion``. ``compared`` of them state what it goes by, ``silent`` are the
    places of those that do not. ``gone`` were shown and are no longer there, ``absent`` are numbers the list of
    ``list_length`` does not have. ``firsts``: who shares the first place, for pay one in each currency. ``formal``:
    degrees, licences and the like that a single posting names and the profile does not. ``unchecked``: how many of
    those not ruled out say too little to be held against a rule, by what is not known. ``guessed``: "this
    one" may have meant another of the list. ``after_empty``: the newest search found nothing, so the list is an earlier
    one's. ``texts``: what single postings say, where they are told or listed. ``judges``: a verdict is asked for, not
    only a detail. ``company_asked``: the message asks about the company too.
    ``pasted_now``: in this very message. ``off_list``: the one judged is not
    on the newest list. ``choices``: numbers and titles of those that may have been meant.
    """

    outcome: Outcome
    criterion: Criterion = "fit"
    form: Form = "rank"
    length: Length = "some"
    turned: bool = False
    verdicts: tuple[JobVerdict, ...] = ()
    best: str | None = None
    compared: int = 0
    silent: tuple[int, ...] = ()
    pay: tuple[YearPay, ...] = ()
    firsts: tuple[int, ...] = ()
    points: tuple[Points, ...] = ()
    asks: tuple[Asks, ...] = ()
    asked: tuple[AskedSkill, ...] = ()
    details: tuple[Detail, ...] = ()
    texts: tuple[PostingText, ...] = ()
    sifted: Sifted | None = None
    judges: bool = True
    after_empty: bool = False
    company_asked: bool = False
    choices: tuple[tuple[int, str], ...] = ()
    formal: tuple[str, ...] = ()
    gone: tuple[Job, ...] = ()
    absent: tuple[int, ...] = ()
    list_length: int = 0
    profile_known: bool = True
    home: str | None = None
    sizes_failed: bool = False
    unchecked: dict[str, int] = Field(default_factory=dict)
    pasted: bool = False
    pasted_now: bool = False
    off_list: bool = False
    guessed: bool = False
    looked_up: bool = False
    named: str = ""
    titles: tuple[str, ...] = ()
    today: date

    @property
    def has_number(self) -> bool:
        """Whether a single posting can be called by its number in the list."""
        return not (self.pasted or self.off_list)


def verdict_of(ranked: RankedJob, place: int, person: Candidate, today: date) -> JobVerdict:
    """One posting's verdict, with at most a handful of reasons on each side."""
    name: VerdictName
    if ranked.broken:
        name = "ruled_out"
    elif not person.has_trade:
        name = "unknown"
    else:
        score = ranked.order
        name = (
            "strong" if score >= _STRONG else "good" if score >= _GOOD else "partial" if score >= _PARTIAL else "weak"
        )
    job = job_event(ranked)
    if name == "unknown":
        # What is left of the score is the posting's age.
        job = job.model_copy(update={"match_score": None, "score_parts": (), "match_reasons": ()})
    return JobVerdict(
        place=place,
        job=job,
        verdict=name,
        strengths=tuple(_strengths(ranked)),
        concerns=tuple(_concerns(ranked, today)),
    )


def _strengths(ranked: RankedJob) -> list[str]:
    said = []
    if ranked.matched_skills:
        told = sorted(ranked.matched_skills, key=weight_of, reverse=True)[:_TOLD_SKILLS]
        said.append(f"you have {listed(told)}: {_share(len(ranked.matched_skills), len(ranked.hit.skills))}")
    said += [f"your {own} is close to its {asked}" for asked, own in ranked.half_skills[:2]]
    parts = [part for part in ranked.parts if part.name not in _TOLD_OTHERWISE]
    said += [part.reason for part in parts if part.points >= _least_for(part)]
    return said


def _share(matched: int, named: int) -> str:
    if matched < named:
        return f"{matched} of the {named} skills it names"
    return f"all {named} skills it names" if named > 1 else "the one skill it names"


def _least_for(part: RankedPart) -> float:
    """A year short speaks against, however near it is."""
    return part.out_of * (1.0 if part.name == "years" else _FOR)


def _speaks_against(part: RankedPart) -> bool:
    if part.name == "years":
        return part.points < part.out_of and part.reason.startswith("asks")
    return part.points < _AGAINST * part.out_of


def _concerns(ranked: RankedJob, today: date) -> list[str]:
    hit = ranked.hit
    said = [f"it breaks a rule of yours: {limit.reason}" for limit in ranked.broken]
    half = {asked for asked, _ in ranked.half_skills}
    missing = sorted((s for s in ranked.missing_skills if s not in half), key=weight_of, reverse=True)
    if missing:
        more = f" and {len(missing) - _TOLD_SKILLS} more" if len(missing) > _TOLD_SKILLS else ""
        names = listed(missing[:_TOLD_SKILLS]) if not more else ", ".join(missing[:_TOLD_SKILLS])
        said.append(f"you have not told me of {names}{more}")
    broken = {limit.name for limit in ranked.broken}
    for part in ranked.parts:
        told = part.name in _TOLD_OTHERWISE or (part.name == "location" and "place" in broken)
        if not told and _speaks_against(part):
            said.append(part.reason)
    stated = {part.reason for part in ranked.parts}
    said += [limit.reason for limit in ranked.unknown if limit.reason.removeprefix("its ") not in " ".join(stated)]
    if hit.closes_at and hit.closes_at < today:
        said.append("applications have closed")
    elif hit.posted_at and (age := (today - hit.posted_at).days) > _OLD_DAYS:
        said.append(f"posted {age} days ago")
    return list(dict.fromkeys(said))


class Order:
    """Ranked postings by one criterion, those that do not state it last."""

    def __init__(self, jobs: Sequence[tuple[int, RankedJob]], wish: MatchWish, person: Candidate) -> None:
        self._wish = wish
        self._person = person
        self._keys = {place: self._key(ranked) for place, ranked in jobs}
        known = [each for each in jobs if self._keys[each[0]] is not None]
        rest = [each for each in jobs if self._keys[each[0]] is None]
        # Stable: between equals the order of the list decides.
        known.sort(key=lambda each: self._keys[each[0]] or 0.0, reverse=not wish.turned)
        self.jobs = [*known, *rest]
        self.silent = tuple(place for place, _ in rest)
        self.compared = len(known)

    def _key(self, ranked: RankedJob) -> float | None:
        hit = ranked.hit
        match self._wish.criterion:
            case "fit":
                return ranked.order - (1_000 if ranked.broken else 0)
            case "pay":
                return hit.salary_year_max or hit.salary_year_min
            case "newest":
                return float(hit.posted_at.toordinal()) if hit.posted_at else None
            case "level":
                return float(LEVELS.index(hit.seniority)) if hit.seniority in LEVELS else None
            case "nearest":
                return self._nearness(ranked)

    def _nearness(self, ranked: RankedJob) -> float | None:
        """By names of places alone: no way to work, the same town, the same country, another one."""
        hit, homes = ranked.hit, self._person.locations
        if hit.remote:
            return 3.0
        if not homes or (not hit.location and not hit.country):
            return None
        if within(hit, homes[:1]):
            return 2.0
        countries = within(hit, homes)
        return 1.0 if countries is not False else 0.0

    def firsts(self) -> list[tuple[int, RankedJob]]:
        """All that share the first place; for pay, of each currency."""
        known = self.jobs[: self.compared]
        if self._wish.criterion != "pay":
            return [each for each in known if self._keys[each[0]] == self._keys[known[0][0]]] if known else []
        leaders: dict[str | None, list[tuple[int, RankedJob]]] = {}
        for place, ranked in known:
            group = leaders.setdefault(ranked.hit.currency, [])
            if not group or self._keys[group[0][0]] == self._keys[place]:
                group.append((place, ranked))
        return [each for group in leaders.values() for each in group]

    @property
    def currencies(self) -> int:
        return len({ranked.hit.currency for _, ranked in self.jobs[: self.compared]})
