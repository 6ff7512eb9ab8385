"""What the postings for a role ask for, and how many of them do."""

from dataclasses import dataclass
from typing import ClassVar, Final, Self

from pydantic import Field

from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.query import role_query
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Ok, Result

SKILLS: Final = 30
MOST_SKILLS: Final = 1_000
# How many postings are looked at one by one where samples and real ones are mixed.
_MOST_LOOKED_AT: Final = 200


class Role(Arguments):
    """``skills``: how many of the most asked for; all there are, to look for one that few ask for."""

    role: str
    skills: int = Field(default=SKILLS, ge=1, le=MOST_SKILLS)


@dataclass(frozen=True, slots=True)
class MarketSkills:
    """``counts``: skill and number of postings that ask for it, most asked first; ``sample_postings`` are fictional."""

    postings: int
    sample_postings: int
    counts: tuple[tuple[str, int], ...]


class CountMarketSkills:
    name: ClassVar[str] = "market_skills"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 15.0

    def __init__(self, index: JobIndex, vocabulary: SkillVocabulary, tenant: str = PUBLIC_TENANT) -> None:
        self._index = index
        self._vocabulary = vocabulary
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(kit.index, kit.vocabulary, kit.owner.tenant)

    async def run(self, arguments: Role) -> Result[MarketSkills]:
        query = role_query(arguments.role, self._vocabulary, limit=_MOST_LOOKED_AT)
        if query.browses:
            return Empty("the role names nothing that could be looked for")
        demand = await self._index.skill_counts(query, arguments.skills, tenant=self._tenant)
        if not demand.postings:
            return Empty("no posting matches the role")
        stats = await self._index.stats(tenant=self._tenant)
        samples = {0: 0, stats.total: demand.postings}.get(stats.samples)
        if samples is None:
            found = await self._index.search(query, tenant=self._tenant)
            samples = sum(hit.sample for hit in found.hits)
        value = MarketSkills(demand.postings, min(samples, demand.postings), demand.counts)
        return Ok(value, total=demand.postings)
