"""Looks up what wage tables say of a role in a place."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from signalbox.retrieval.facts.role_words import wider_role
from signalbox.retrieval.facts.wages import Closeness, OccupationMatch, WageRow, WageStore, country_name, place_named
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Ok, Result


class WageQuestion(Arguments):
    role: str
    location: str | None = None


@dataclass(frozen=True, slots=True)
class Wages:
    """``rows`` of ``occupation``, those of the place asked for first. Without an occupation there are only ``others``
    to choose from; ``near``: the occupation is not quite the role.
    """

    occupation: str | None
    closeness: Closeness
    rows: tuple[WageRow, ...]
    others: tuple[str, ...]


class FindWages:
    """``Empty`` says which of three it is: no table, none for the place, no such occupation."""

    name: ClassVar[str] = "find_wages"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 10.0
    empty_note: ClassVar[str] = "they have no such occupation"

    def __init__(self, wages: WageStore, vocabulary: SkillVocabulary, tenant: str = PUBLIC_TENANT) -> None:
        self._wages = wages
        self._vocabulary = vocabulary
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(WageStore(kit.db, kit.embedder), kit.vocabulary, kit.owner.tenant)

    async def run(self, arguments: WageQuestion) -> Result[Wages]:
        covered = await self._wages.countries(tenant=self._tenant)
        if not covered:
            return Empty("no wage table is loaded")
        place = place_named(arguments.location)
        country = place.countries[0] if place and len(place.countries) == 1 else None
        if place and not set(covered) & {*place.countries, ""}:
            return Empty(f"they cover {_countries(covered)} only")
        match = await self._match(arguments.role, country)
        if match.best is None:
            if match.others:
                return Ok(Wages(None, "near", (), match.others), total=0)
            return Empty(self.empty_note)
        rows = await self._wages.rows(match.best, match.code, place, arguments.location, tenant=self._tenant)
        shown = tuple(row for row in rows if row.published)
        if shown:
            return Ok(Wages(match.best, match.closeness, shown, match.others), total=len(shown))
        where = "but no figures are published for them there" if rows else "but not for this place"
        return Empty(f"they have {match.best}, {where}")

    async def _match(self, role: str, country: str | None) -> OccupationMatch:
        match = await self._wages.match(role, country=country, tenant=self._tenant)
        wider = wider_role(role, self._vocabulary)
        if match.best is not None or wider is None:
            return match
        return replace(await self._wages.match(wider, country=country, tenant=self._tenant), closeness="near")


def _countries(codes: tuple[str, ...]) -> str:
    return ", ".join(_with_article(country_name(code)) for code in codes if code)


def _with_article(country: str) -> str:
    return f"the {country}" if country.startswith(("United ", "Netherlands", "Philippines")) else country
