"""Lists companies on record by technology, region, remote policy and size."""

from typing import ClassVar, Final, Self

from signalbox.retrieval.facts.companies import CompanyList, CompanyStore, CompanyWish
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Ok, Result

LISTED: Final = 8


class CompanySearch(Arguments):
    wish: CompanyWish


class ListCompanies:
    name: ClassVar[str] = "list_companies"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 5.0
    empty_note: ClassVar[str] = "no company on record meets all of it"

    def __init__(self, companies: CompanyStore, tenant: str = PUBLIC_TENANT) -> None:
        self._companies = companies
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(CompanyStore(kit.db), kit.owner.tenant)

    async def run(self, arguments: CompanySearch) -> Result[CompanyList]:
        found = await self._companies.find(arguments.wish, LISTED, tenant=self._tenant)
        if found.companies:
            return Ok(found, truncated=found.total > len(found.companies), total=found.total)
        if await self._companies.count(tenant=self._tenant):
            return Empty(self.empty_note)
        return Empty("no companies are on record at all")
