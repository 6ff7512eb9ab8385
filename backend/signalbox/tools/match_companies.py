"""Looks a company up by name: what is on record of it, its namesakes, and names that may have been meant."""

from dataclasses import dataclass
from typing import ClassVar, Self

from signalbox.retrieval.facts.companies import CompanyRecord, CompanyStore, told_apart
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Ok, Result


class CompanyLookup(Arguments):
    name: str


@dataclass(frozen=True, slots=True)
class CompanyMatches:
    """``companies``: each one's records, of one or more sources, newest first; several are namesakes. Empty: no
    company has the name, but ``near`` names such as were perhaps meant.
    """

    companies: tuple[tuple[CompanyRecord, ...], ...]
    near: tuple[str, ...]


class MatchCompanies:
    name: ClassVar[str] = "match_companies"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 5.0
    empty_note: ClassVar[str] = "no company of that name is on record"

    def __init__(self, companies: CompanyStore, tenant: str = PUBLIC_TENANT) -> None:
        self._companies = companies
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(CompanyStore(kit.db), kit.owner.tenant)

    async def run(self, arguments: CompanyLookup) -> Result[CompanyMatches]:
        found = told_apart(await self._companies.named(arguments.name, tenant=self._tenant))
        if found:
            return Ok(CompanyMatches(tuple(map(tuple, found)), ()), total=len(found))
        near = await self._companies.near(arguments.name, tenant=self._tenant)
        if near:
            return Ok(CompanyMatches((), tuple(near)), total=0)
        return Empty(self.empty_note)
