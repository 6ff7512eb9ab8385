"""What the postings for a role ask for, and how many of them do.

Postings whose title names the role count alone where there are enough of them: what is merely near in meaning asks for
other skills. What one employer repeats in all its adverts counts for nothing.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self

from pydantic import Field

from signalbox.retrieval.facts.role_words import fits
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.index import JobHit, JobIndex
from signalbox.retrieval.query import role_query
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.legs import missed_of
from signalbox.tools.result import Empty, Ok, Result, conclusive

SKILLS: Final = 30
MOST_SKILLS: Final = 1_000
# How many postings are looked at one by one.
_MOST_LOOKED_AT: Final = 200
# With so many postings that carry the role in their title, others need not be asked.
_ENOUGH_TITLED: Final = 5
# Fewer employers than this cannot tell whether a skill is only one's own.
_FEWEST_EMPLOYERS: Final = 3
_ROOT: Final = 4
_WORD: Final = re.compile(r"\w+")


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
    empty_note: ClassVar[str] = "no posting matches the role"

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
        found = await self._index.search(query, tenant=self._tenant)
        titled = [hit for hit in found.hits if fits(arguments.role, hit.title, hit.skills, self._vocabulary)]
        if len(titled) < _ENOUGH_TITLED:
            titled = [hit for hit in found.hits if _near_title(arguments.role, hit.title)]
        if len(titled) >= _ENOUGH_TITLED:
            return replace(_counted(titled, arguments.skills), missed=missed_of(found.legs))
        demand = await self._index.skill_counts(query, arguments.skills, tenant=self._tenant)
        missed = missed_of((*found.legs, *demand.legs))
        if not demand.postings:
            return conclusive(Empty(self.empty_note, missed))
        stats = await self._index.stats(tenant=self._tenant)
        samples = {0: 0, stats.total: demand.postings}.get(stats.samples)
        if samples is None:
            samples = sum(hit.sample for hit in found.hits)
        counts = _of_several_employers(demand.counts, found.hits)
        market = MarketSkills(demand.postings, min(samples, demand.postings), counts)
        return Ok(market, total=demand.postings, missed=missed)


def _counted(postings: Sequence[JobHit], most: int) -> Ok[MarketSkills]:
    ordered = sorted(Counter(skill for hit in postings for skill in dict.fromkeys(hit.skills)).items(), key=_by_demand)
    counts = _of_several_employers(ordered, postings)[:most]
    samples = sum(hit.sample for hit in postings)
    return Ok(MarketSkills(len(postings), samples, counts), total=len(postings))


def _by_demand(pair: tuple[str, int]) -> tuple[int, str]:
    return -pair[1], pair[0]


def _of_several_employers(counts: Sequence[tuple[str, int]], postings: Sequence[JobHit]) -> tuple[tuple[str, int], ...]:
    """Without the skills that stand in several postings, all of one employer."""
    employers: defaultdict[str, set[str]] = defaultdict(set)
    for hit in postings:
        for skill in hit.skills:
            employers[skill].add(hit.company.casefold())
    if len({hit.company.casefold() for hit in postings}) < _FEWEST_EMPLOYERS:
        return tuple(counts)
    return tuple((skill, number) for skill, number in counts if number < 2 or len(employers.get(skill, "??")) > 1)


def _near_title(role: str, title: str) -> bool:
    """Every word of the role stands in the title in some form: "UX design" in "Senior UX Designer"."""
    roots = {word[:_ROOT] for word in _WORD.findall(role.casefold())}
    return bool(roots) and roots <= {word[:_ROOT] for word in _WORD.findall(title.casefold())}
