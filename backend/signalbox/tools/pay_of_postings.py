"""What the postings for a role pay, near a place and at a level, widened step by step where they are too few."""

from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal, Self

from signalbox.retrieval.facts.posting_pay import FEW, PayOfPostings, pay_of
from signalbox.retrieval.facts.wages import country_name
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.index import JobIndex, Leg
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.query import JobQuery, role_query
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import Seniority
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.legs import missed_of
from signalbox.tools.result import Empty, Ok, Result, conclusive

Scope = Literal["place", "country", "everywhere"]

# Both ways of searching return at most 200 each.
_MOST_READ: Final = 400


class PayQuestion(Arguments):
    role: str
    location: str | None = None
    level: Seniority | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One search of the widening: where, whether at the level asked for, and how many postings stated pay."""

    scope: Scope
    where: str
    level: bool
    matched: int
    stated: int


@dataclass(frozen=True, slots=True)
class RolePay:
    """``pay`` is the outcome of the last of ``steps``; more than one step means that the search was widened."""

    pay: PayOfPostings
    steps: tuple[Step, ...]


class PayForRole:
    """Looks where and at the level asked; with fewer than five figures in the whole country, then there at any level,
    and with none in it everywhere. ``Empty``: not one posting anywhere is for the role.
    """

    name: ClassVar[str] = "pay_of_postings"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 20.0
    empty_note: ClassVar[str] = "no posting is for that role"

    def __init__(self, index: JobIndex, vocabulary: SkillVocabulary, tenant: str = PUBLIC_TENANT) -> None:
        self._index = index
        self._vocabulary = vocabulary
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(kit.index, kit.vocabulary, kit.owner.tenant)

    async def run(self, arguments: PayQuestion) -> Result[RolePay]:
        query = role_query(arguments.role, self._vocabulary, limit=_MOST_READ)
        if query.browses:
            return Empty("the role names nothing that could be looked for")
        steps: list[Step] = []
        legs: list[Leg] = []
        best: PayOfPostings | None = None
        for scope, where, step in _widening(query, arguments):
            if scope == "everywhere" and any(earlier.stated and earlier.scope != scope for earlier in steps):
                break
            found = await self._index.search(step, tenant=self._tenant)
            legs += found.legs
            pay = pay_of(arguments.role, found.hits, self._vocabulary)
            steps.append(
                Step(scope, where, step.seniority is not None, pay.matched, sum(each.n for each in pay.groups))
            )
            best = pay if best is None or steps[-1].stated or not best.groups else best
            if max((group.n for group in pay.groups), default=0) >= FEW:
                break
        missed = missed_of(legs)
        if best is None or not any(step.matched for step in steps):
            return conclusive(Empty(self.empty_note, missed))
        return Ok(RolePay(best, tuple(steps)), total=best.matched, missed=missed)


def _widening(query: JobQuery, asked: PayQuestion) -> list[tuple[Scope, str, JobQuery]]:
    """Searches from the one asked for to the widest; none twice."""
    steps: list[tuple[Scope, str, JobQuery]] = []
    place = gazetteer().find(asked.location) if asked.location else None
    if asked.location:
        scope: Scope = "country" if place and place.kind in {"country", "region"} else "place"
        local = replace(query, locations=(asked.location,), seniority=asked.level)
        steps.append((scope, asked.location, local))
        if place and scope == "place" and len(place.countries) == 1:
            country = country_name(place.countries[0])
            steps.append(("country", country, replace(local, locations=(country,))))
        if asked.level:
            scope, where, widest = steps[-1]
            steps.append((scope, where, replace(widest, seniority=None)))
    steps.append(("everywhere", "", replace(query, seniority=asked.level)))
    if asked.level:
        steps.append(("everywhere", "", query))
    return steps
