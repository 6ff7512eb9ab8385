"""Fetches what is on record of one company, found by its name."""

from typing import ClassVar, Self

from signalbox.retrieval.facts.companies import CompanyRecord, CompanyStore, told_apart
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Ok, Result


class CompanyName(Arguments):
    name: str


class FindCompany:
    """``Ok`` holds one ``CompanyRecord`` only if the name means exactly one company: legal forms, case and accents
    do not count ("google" finds "Google LLC"). A name that fits several is ``Empty``, and the note names them: nothing
    of a namesake may be told. ``match_companies`` gives all that fit.
    """

    name: ClassVar[str] = "find_company"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 5.0
    empty_note: ClassVar[str] = "no company of that name is on record"

    def __init__(self, companies: CompanyStore, tenant: str = PUBLIC_TENANT) -> None:
        self._companies = companies
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(CompanyStore(kit.db), kit.owner.tenant)

    async def run(self, arguments: CompanyName) -> Result[CompanyRecord]:
        found = told_apart(await self._companies.named(arguments.name, tenant=self._tenant))
        if len(found) == 1:
            return Ok(found[0][0])
        if found:
            return Empty(f"several companies have such a name: {', '.join(each[0].name for each in found)}")
        return Empty(self.empty_note)
