"""Counts what the job index holds for one tenant."""

from typing import ClassVar, Self

from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.index import IndexStats, JobIndex
from signalbox.tools.base import Arguments, Effect, Kit


class WholeCatalogue(Arguments):
    """There is nothing to choose: all postings are counted."""


class CountJobs:
    name: ClassVar[str] = "count_jobs"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 5.0
    empty_note: ClassVar[str] = "the catalogue holds no postings"

    def __init__(self, index: JobIndex, tenant: str = PUBLIC_TENANT) -> None:
        self._index = index
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(kit.index, kit.owner.tenant)

    @staticmethod
    def empty_when(value: IndexStats) -> bool:
        return value.total == 0

    async def run(self, arguments: WholeCatalogue) -> IndexStats:  # noqa: ARG002 - the port's shape
        return await self._index.stats(tenant=self._tenant)
