"""Wage tables: which occupation a role is, and what the table says it pays in a place.

Never guesses in silence: a match is one occupation by name, said to be the same or only near, or several to choose
from. Reads only; ``wage_rows`` fills the table.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

from signalbox.db import Database
from signalbox.errors import StoreUnavailable
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.facts.companies import whole_word
from signalbox.retrieval.facts.role_words import is_generic, names_all, stems
from signalbox.retrieval.facts.wage_rows import NATIONAL
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.index import EMBED_TIMEOUT_S, to_vector
from signalbox.retrieval.places import Place, gazetteer
from signalbox.retrieval.titles import plain_title

Closeness = Literal["same", "near"]

# An occupation that shares not all words is near at this cosine. Measured with 44 role titles on 1,104 occupations of
# the US survey: at 0.80 seven matches, all right or a wider group (vet tech, hotel manager, security analyst); from
# 0.70 to 0.80 half of them were wrong (data engineer: data scientists), so those are only offered.
NEAR_COSINE: Final = 0.80
OFFERED_COSINE: Final = 0.55
# Of several occupations that name the role, one is meant if it employs this many times as many as the next.
_DOMINANT: Final = 2.0
_CANDIDATES: Final = 40
_MOST_OFFERED: Final = 3
_MOST_AREAS: Final = 2
# Codes of groups end in zeros (17-2000, 15-1250); a group is taken only where no occupation of it fits.
_GROUP_CODE: Final = re.compile(r"\d\d-\d+0")
_RESIDUAL: Final = re.compile(r"^(?:other|miscellaneous)\b|\ball other$", re.IGNORECASE)

_COLUMNS: Final = (
    "wage_id, source, occupation, occupation_code, area, country, currency, period, employed, mean, "
    "p10, p25, p50, p75, p90, as_of, url"
)


@dataclass(frozen=True, slots=True)
class WageRow:
    """What one table says: percentiles of pay per ``period`` in ``currency``; None is not published."""

    wage_id: str
    source: str
    occupation: str
    occupation_code: str
    area: str
    country: str | None
    currency: str
    period: str
    employed: int | None
    mean: float | None
    p10: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p90: float | None
    as_of: date | None
    url: str | None

    @classmethod
    def of(cls, row: dict[str, Any]) -> Self:
        return cls(**row)

    @property
    def published(self) -> bool:
        return any(value is not None for value in (self.p10, self.p25, self.p50, self.p75, self.p90))

    @property
    def national(self) -> bool:
        return self.area == NATIONAL


@dataclass(frozen=True, slots=True)
class Occupation:
    """An occupation of a table, with how much its name has in common with the role asked for."""

    name: str
    code: str
    employed: int
    cosine: float
    covers: bool


@dataclass(frozen=True, slots=True)
class OccupationMatch:
    """``best`` is None where nothing may be assumed; ``others`` may have been meant, the likeliest first."""

    best: str | None
    code: str
    closeness: Closeness
    others: tuple[str, ...]


class WageStore:
    """The table ``wage``. Every method raises ``StoreUnavailable``."""

    def __init__(self, db: Database, embedder: Embedder) -> None:
        self._db = db
        self._embedder = embedder

    async def match(self, role: str, *, country: str | None = None, tenant: str = PUBLIC_TENANT) -> OccupationMatch:
        """The occupation that ``role`` is, among those the tables of ``country`` (all, if None) hold."""
        vector = await self._vector(plain_title(role))
        return chosen(role, await self._candidates(role, vector, country, tenant))

    async def rows(
        self, occupation: str, code: str, place: Place | None, text: str | None, *, tenant: str = PUBLIC_TENANT
    ) -> list[WageRow]:
        """What the tables say of an occupation: in the areas that ``place`` (or its name, ``text``) is or lies in,
        the largest first, then in the whole country. Without a place, the countries alone. ``text`` that is no known
        place and no area yields nothing.
        """
        found = await self._db.fetch(
            f"SELECT {_COLUMNS} FROM wage WHERE tenant = ANY(%s) AND occupation = %s AND occupation_code = %s "  # noqa: S608
            "ORDER BY employed DESC NULLS LAST, wage_id",
            [list({PUBLIC_TENANT, tenant}), occupation, code],
        )
        every = [WageRow.of(row) for row in found]
        if place is None and text is None:
            return [row for row in every if row.national]
        if place and place.kind in {"country", "region"}:
            return [row for row in every if row.national and row.country in place.countries]
        inside = re.compile(area_pattern(place, text or ""), re.IGNORECASE)
        local = [row for row in every if not row.national and inside.search(row.area)]
        if place:
            local = [row for row in local if row.country is None or row.country in place.countries]
        countries = set(place.countries) if place else {row.country for row in local}
        return [*local[:_MOST_AREAS], *(row for row in every if row.national and row.country in countries)]

    async def countries(self, *, tenant: str = PUBLIC_TENANT) -> tuple[str, ...]:
        """ISO codes of the countries the tables cover; a table that names none counts as ``""``."""
        rows = await self._db.fetch(
            "SELECT DISTINCT coalesce(country, '') AS country FROM wage WHERE tenant = ANY(%s) ORDER BY country",
            [list({PUBLIC_TENANT, tenant})],
        )
        return tuple(row["country"] for row in rows)

    async def get(self, wage_ids: Sequence[str], *, tenant: str = PUBLIC_TENANT) -> list[WageRow]:
        """These rows in the order asked; unknown ids and other tenants' are left out."""
        rows = await self._db.fetch(
            f"SELECT {_COLUMNS} FROM wage WHERE tenant = ANY(%s) AND wage_id = ANY(%s)",  # noqa: S608
            [list({PUBLIC_TENANT, tenant}), list(wage_ids)],
        )
        found = {row["wage_id"]: WageRow.of(row) for row in rows}
        return [found[each] for each in dict.fromkeys(wage_ids) if each in found]

    async def _vector(self, role: str) -> NDArray[np.float32]:
        try:
            async with asyncio.timeout(EMBED_TIMEOUT_S):
                vectors = await self._embedder.embed([role])
        except TimeoutError as exc:
            raise StoreUnavailable from exc
        first: NDArray[np.float32] = vectors[0]
        return first

    async def _candidates(
        self, role: str, vector: NDArray[np.float32], country: str | None, tenant: str
    ) -> list[Occupation]:
        words = [word for word in re.findall(r"[^\W_]+", role)[:12] if len(word) > 1]
        rows = await self._db.fetch(
            "WITH known AS MATERIALIZED (SELECT DISTINCT ON (occupation, occupation_code) occupation, occupation_code, "
            "aliases, search, coalesce(employed, 0) AS employed, 1 - (embedding <=> %(vector)s::vector) AS cosine "
            "FROM wage WHERE tenant = ANY(%(tenants)s) AND (%(country)s::text IS NULL OR country = %(country)s) "
            "ORDER BY occupation, occupation_code, employed DESC NULLS LAST) "
            "(SELECT occupation, occupation_code, aliases, employed, cosine FROM known "
            "WHERE search @@ to_tsquery('english', %(words)s) ORDER BY cosine DESC NULLS LAST LIMIT %(most)s) UNION "
            "(SELECT occupation, occupation_code, aliases, employed, cosine FROM known "
            "ORDER BY cosine DESC NULLS LAST LIMIT %(most)s)",
            {
                "vector": to_vector(vector),
                "tenants": list({PUBLIC_TENANT, tenant}),
                "country": country,
                "words": " | ".join(f"'{word}'" for word in words),
                "most": _CANDIDATES,
            },
        )
        return [
            Occupation(
                row["occupation"],
                row["occupation_code"],
                row["employed"],
                row["cosine"] or 0.0,
                any(names_all(role, name) for name in (row["occupation"], *row["aliases"])),
            )
            for row in rows
        ]


def chosen(role: str, candidates: Sequence[Occupation]) -> OccupationMatch:
    """Pure: the one occupation that is meant, or those to choose from."""
    ranked = sorted(candidates, key=lambda each: -each.cosine)
    offered = tuple(dict.fromkeys(each.name for each in ranked if each.covers or each.cosine >= OFFERED_COSINE))
    covering = [each for each in ranked if each.covers and not _RESIDUAL.search(each.name)]
    detailed = [each for each in covering if not _GROUP_CODE.fullmatch(each.code)]
    named = [each for each in ranked if each.name.casefold() == role.strip().casefold()]
    exact = named or [each for each in covering if stems(each.name) == stems(role)]
    generic = is_generic(role)
    best, closeness = _dominant(exact or detailed or covering, exact=bool(exact), generic=generic), "same"
    if best is None and not covering and ranked and ranked[0].cosine >= NEAR_COSINE and not generic:
        best, closeness = ranked[0], "near"
    others = tuple(name for name in offered if best is None or name != best.name)[:_MOST_OFFERED]
    if best is None:
        return OccupationMatch(None, "", "near", others)
    return OccupationMatch(best.name, best.code, "near" if closeness == "near" else "same", others)


def _dominant(covering: Sequence[Occupation], *, exact: bool, generic: bool) -> Occupation | None:
    if not covering or (generic and not exact):
        return None
    first, *rest = sorted(covering, key=lambda each: (-each.employed, -each.cosine))
    if exact or not rest or first.employed >= _DOMINANT * max(1, rest[0].employed):
        return first
    return None


def area_pattern(place: Place | None, text: str) -> str:
    """What the name of an area holds that is, or holds, a place: its name, or the abbreviation of its state."""
    names = [name for name in place.names if len(name) > 2] if place else [text]
    pattern = "|".join(map(whole_word, names))
    return rf"{pattern}|(?<=[ ,-]){place.abbreviation}(?![a-z])" if place and place.abbreviation else pattern


def place_named(text: str | None) -> Place | None:
    return gazetteer().find(text) if text else None


def country_name(code: str) -> str:
    """The name of a country by its code, or the code where the gazetteer does not have it."""
    holding = gazetteer().holding(Place(code, "country", (code,)))
    return next((place.name for place in holding if place.kind == "country"), code)


def percentile_of(amount: float, row: WageRow) -> tuple[str, str] | None:
    """Between which two published percentiles of ``row`` an amount per its period lies: ``("p25", "p50")``; the name
    is empty beyond the last one. None where nothing is published.
    """
    points = [
        (name, value) for name in ("p10", "p25", "p50", "p75", "p90") if (value := getattr(row, name)) is not None
    ]
    if not points:
        return None
    below = [name for name, value in points if value <= amount]
    above = [name for name, value in points if value > amount]
    return (below[-1] if below else "", above[0] if above else "")
