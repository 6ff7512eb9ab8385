"""Fetches several postings by their ids in one look-up, whole and as they stand now."""

from typing import Annotated, ClassVar, Self

from pydantic import Field

from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.index import JobHit, JobIndex
from signalbox.tools.base import Arguments, Effect, Kit


class JobReferences(Arguments):
    job_ids: Annotated[tuple[str, ...], Field(min_length=1, max_length=50)]


class FindJobs:
    """The postings still there, in the order asked; others are gone or another tenant's. ``Empty``: all are."""

    name: ClassVar[str] = "find_jobs"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 5.0
    empty_note: ClassVar[str] = "none of these postings is in the catalogue any more"

    def __init__(self, index: JobIndex, tenant: str = PUBLIC_TENANT) -> None:
        self._index = index
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(kit.index, kit.owner.tenant)

    @staticmethod
    def empty_when(value: tuple[JobHit, ...]) -> bool:
        return not value

    async def run(self, arguments: JobReferences) -> tuple[JobHit, ...]:
        return tuple(await self._index.get(arguments.job_ids, tenant=self._tenant))
