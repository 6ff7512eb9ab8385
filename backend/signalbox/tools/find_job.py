"""Fetches one posting by its id, whole."""

from typing import ClassVar, Self

from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.index import JobHit, JobIndex
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Ok, Result


class JobReference(Arguments):
    job_id: str


class FindJob:
    """``Empty``: the posting is no longer in the index, or is another tenant's."""

    name: ClassVar[str] = "find_job"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 5.0
    empty_note: ClassVar[str] = "the posting is no longer in the catalogue"

    def __init__(self, index: JobIndex, tenant: str = PUBLIC_TENANT) -> None:
        self._index = index
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(kit.index, kit.owner.tenant)

    async def run(self, arguments: JobReference) -> Result[JobHit]:
        found = await self._index.get([arguments.job_id], tenant=self._tenant)
        return Ok(found[0]) if found else Empty(self.empty_note)
