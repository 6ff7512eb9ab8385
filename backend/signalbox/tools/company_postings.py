"""Counts what the postings in the index say of one employer."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar, Self

from signalbox.retrieval.facts.company_jobs import EmployerIndex, EmployerPostings
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Ok, Result


class Employer(Arguments):
    company: str


@dataclass(frozen=True, slots=True)
class PostingsOfEmployer:
    """``kinds``: real postings and samples apart. Empty: no employer has the name, but ``near`` have it in theirs."""

    kinds: tuple[EmployerPostings, ...]
    near: tuple[str, ...]


class CountCompanyPostings:
    name: ClassVar[str] = "company_postings"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 10.0
    empty_note: ClassVar[str] = "no posting is from that company"

    def __init__(self, employers: EmployerIndex, tenant: str = PUBLIC_TENANT) -> None:
        self._employers = employers
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(EmployerIndex(kit.db), kit.owner.tenant)

    async def run(self, arguments: Employer) -> Result[PostingsOfEmployer]:
        today = datetime.now(UTC).date()
        kinds, near = await self._employers.postings_of(arguments.company, today=today, tenant=self._tenant)
        if kinds or near:
            return Ok(PostingsOfEmployer(tuple(kinds), tuple(near)), total=sum(kind.postings for kind in kinds))
        return Empty(self.empty_note)
