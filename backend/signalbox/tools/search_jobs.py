"""Searches the job index for one tenant."""

from typing import ClassVar, Self

from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.index import JobHits, JobIndex
from signalbox.retrieval.query import JobQuery
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.legs import missed_of
from signalbox.tools.result import Empty, Ok, Result, conclusive


class JobSearch(Arguments):
    query: JobQuery


class SearchJobs:
    """Every hit meets every condition of the query. A search that could only half look and found nothing is an
    ``Err``: nothing may be concluded from it.
    """

    name: ClassVar[str] = "search_jobs"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 15.0
    empty_note: ClassVar[str] = "no posting meets all of it"

    def __init__(self, index: JobIndex, tenant: str = PUBLIC_TENANT) -> None:
        self._index = index
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(kit.index, kit.owner.tenant)

    async def run(self, arguments: JobSearch) -> Result[JobHits]:
        found = await self._index.search(arguments.query, tenant=self._tenant)
        missed = missed_of(found.legs)
        if found.hits:
            return Ok(found, truncated=found.truncated, total=found.total, missed=missed)
        return conclusive(Empty(self.empty_note, missed))
