"""Companies on record: found by name, by what they do and where they hire. Reads only; ``company_rows`` fills it."""

import asyncio
import difflib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Self

from signalbox.db import Database
from signalbox.retrieval.filters import PUBLIC_TENANT, Sql
from signalbox.retrieval.places import gazetteer

# More companies of one name than this are not told apart by a question.
MOST_NAMED: Final = 8

_COLUMNS: Final = (
    "company_id, name, site, careers_url, region, technologies, size_min, size_max, founded, remote_policy, "
    "description, facts, as_of, source, url"
)
# How companies end their names by law, in the countries whose registers we meet.
_LEGAL_FORMS: Final = (
    "inc incorporated corp corporation co company llc llp lp ltd limited plc pty gmbh mbh ag kg kgaa ug se ev sa sas "
    "sarl sasu spa srl sl bv nv oy oyj ab as asa aps sro doo spzoo kk ltda"
)
_LEGAL: Final = frozenset(_LEGAL_FORMS.split())
# Words at the end of a name that people leave out; "com" is what remains of a domain.
_GENERAL_WORDS: Final = (
    "technologies technology group holding holdings labs software solutions systems international global com io ai app "
    "org net hq digital worldwide studio studios media interactive consulting"
)
_GENERAL: Final = _LEGAL | frozenset(_GENERAL_WORDS.split())
_WORLDWIDE: Final = ("worldwide", "anywhere", "global", "globally")
# Regions as companies name them, and the places of the gazetteer that lie in them.
_CONTINENTS: Final = {
    "Americas": frozenset({"North America", "Latin America"}),
    "Asia-Pacific": frozenset({"APAC", "Asia", "Oceania"}),
}
# Names that were meant: how alike, how many, and from which length on a likeness says anything.
_ALIKE: Final = 0.8
_MOST_NEAR: Final = 3
_SHORTEST_NEAR: Final = 3


@dataclass(frozen=True, slots=True)
class StatedFact:
    """What the source says under ``label`` ("Remote work", "Offices"), in its own words."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class CompanyRecord:
    """What one source says of one company, as of ``as_of``. Sizes are numbers of people; None is unknown.

    ``url`` is where the source says it, ``site`` and ``careers_url`` are the company's own pages.
    """

    company_id: str
    name: str
    site: str | None
    careers_url: str | None
    region: str | None
    technologies: tuple[str, ...]
    size_min: int | None
    size_max: int | None
    founded: int | None
    remote_policy: str | None
    description: str
    facts: tuple[StatedFact, ...]
    as_of: date | None
    source: str
    url: str | None

    @classmethod
    def of(cls, row: dict[str, Any]) -> Self:
        facts = tuple(StatedFact(**fact) for fact in row["facts"])
        return cls(**{**row, "technologies": tuple(row["technologies"]), "facts": facts})


def name_key(name: str) -> str:
    """What a name is compared by: no case, accents, punctuation or legal form ("Müller & Co. GmbH": "muller").

    A name made of nothing else is kept whole; one without a letter or digit is the empty text.
    """
    flat = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    # "S.A." and "A/S" are one word.
    flat = re.sub(r"\b(\w)[./](?=\w\b)", r"\1", flat.casefold().replace("ß", "ss"))
    words = re.findall(r"[^\W_]+", flat.replace("'", "").replace("’", ""))
    kept = list(words)
    while len(kept) > 1 and kept[-1] in _LEGAL:
        kept.pop()
    return " ".join(kept)


@dataclass(frozen=True, slots=True)
class CompanyWish:
    """What companies are wanted, every condition to be met; an unknown size, policy or region meets none on it.

    ``technologies`` are canonical names. ``place`` is where a person would work: a company fits that hires there, in
    a region that holds it, or worldwide. ``remote``: the record says that people work remotely, at least in part.
    ``words`` stand in what the company says of itself.
    """

    technologies: tuple[str, ...] = ()
    place: str | None = None
    remote: bool = False
    fully_remote: bool = False
    size_min: int | None = None
    size_max: int | None = None
    words: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return self == CompanyWish()


@dataclass(frozen=True, slots=True)
class CompanyList:
    """The companies that fit, newest record first; ``total`` counts all that do."""

    companies: tuple[CompanyRecord, ...]
    total: int


def general_tail(name: str, key: str) -> bool:
    """``name`` (a key) is ``key`` and nothing more than general words: "akamai technologies", not "siemens energy"."""
    return name.startswith(f"{key} ") and set(name[len(key) :].split()) <= _GENERAL


class CompanyStore:
    """The table ``company``. Every method raises ``StoreUnavailable``."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def named(self, name: str, *, tenant: str = PUBLIC_TENANT) -> list[CompanyRecord]:
        """Records of companies of this name, newest first. Blanks do not count, nor do general words at the end
        ("Akamai" is "Akamai Technologies Inc."); where a source has the name exactly so, its namesakes are left out.
        """
        key = name_key(name)
        if not key:
            return []
        found = await self._where("replace(name_key, ' ', '') = %s", [key.replace(" ", "")], tenant)
        if not found:
            longer = await self._where("name_key LIKE %s", [f"{key} %"], tenant)
            found = [each for each in longer if general_tail(name_key(each.name), key)]
        exact = {each.company_id for each in found if each.name.casefold() == name.strip().casefold()}
        settled = {each.source for each in found if each.company_id in exact}
        return [each for each in found if each.company_id in exact or each.source not in settled][:MOST_NAMED]

    async def near(self, name: str, *, tenant: str = PUBLIC_TENANT) -> list[str]:
        """Names that may have been meant where there is none of this name: longer ones and likely slips of the pen."""
        key = name_key(name)
        if len(key) < _SHORTEST_NEAR:
            return []
        rows = await self._db.fetch(
            "SELECT DISTINCT name, name_key FROM company WHERE tenant = ANY(%s) AND (name_key LIKE ANY(%s) "
            "OR left(name_key, 1) = left(%s, 1) AND abs(length(name_key) - length(%s)) <= 2) ORDER BY name LIMIT 5000",
            [list({PUBLIC_TENANT, tenant}), [f"{key} %", f"% {key}", f"% {key} %"], key, key],
        )
        return await asyncio.to_thread(_nearest, key, [(row["name_key"], row["name"]) for row in rows])

    async def find(self, wish: CompanyWish, limit: int = 10, *, tenant: str = PUBLIC_TENANT) -> CompanyList:
        """Companies that meet every condition of ``wish``."""
        where = _conditions(wish)
        rows = await self._db.fetch(
            f"SELECT {_COLUMNS}, count(*) OVER () AS total FROM company "  # noqa: S608
            f"WHERE tenant = ANY(%s) AND {where.text} ORDER BY as_of DESC NULLS LAST, name, company_id LIMIT %s",
            [list({PUBLIC_TENANT, tenant}), *where.params, limit],
        )
        total = rows[0]["total"] if rows else 0
        return CompanyList(tuple(CompanyRecord.of(_without(row, "total")) for row in rows), total)

    async def get(self, company_ids: Sequence[str], *, tenant: str = PUBLIC_TENANT) -> list[CompanyRecord]:
        """These records in the order asked; unknown ids and other tenants' are left out."""
        rows = await self._where("company_id = ANY(%s)", [list(company_ids)], tenant)
        found = {record.company_id: record for record in rows}
        return [found[each] for each in dict.fromkeys(company_ids) if each in found]

    async def count(self, *, tenant: str = PUBLIC_TENANT) -> int:
        row = await self._db.fetch_one(
            "SELECT count(*) AS total FROM company WHERE tenant = ANY(%s)", [list({PUBLIC_TENANT, tenant})]
        )
        return int(row["total"]) if row else 0

    async def _where(self, condition: str, params: list[Any], tenant: str) -> list[CompanyRecord]:
        rows = await self._db.fetch(
            f"SELECT {_COLUMNS} FROM company WHERE tenant = ANY(%s) AND {condition} "  # noqa: S608
            "ORDER BY as_of DESC NULLS LAST, company_id LIMIT 200",
            [list({PUBLIC_TENANT, tenant}), *params],
        )
        return [CompanyRecord.of(row) for row in rows]


def told_apart(records: Sequence[CompanyRecord]) -> list[list[CompanyRecord]]:
    """Records of one name by company: those of different sources are about the same one, two of one source are not."""
    sources = [record.source for record in records]
    if len(set(sources)) == len(sources):
        return [list(records)] if records else []
    return [[record] for record in records]


def _nearest(key: str, names: Sequence[tuple[str, str]]) -> list[str]:
    longer = [name for other, name in names if f" {key} " in f" {other} "]
    keys = {other: name for other, name in names if name not in longer}
    alike = difflib.get_close_matches(key, list(keys), n=_MOST_NEAR, cutoff=_ALIKE)
    return [*sorted(longer, key=len), *(keys[other] for other in alike)][:_MOST_NEAR]


def _conditions(wish: CompanyWish) -> Sql:
    sql = Sql()
    if wish.technologies:
        sql.add("technologies @> %s", list(wish.technologies))
    if wish.place:
        sql.add("coalesce(region, '') ~* %s", "|".join(map(whole_word, regions_for(wish.place))))
    if wish.fully_remote:
        sql.add("coalesce(remote_policy, '') ~* %s", "fully|100 ?%|remote-only|all-remote")
    elif wish.remote:
        sql.add("coalesce(remote_policy, '') ~* %s", "remote|hybrid|distributed")
    if wish.size_min is not None:
        sql.add("size_min >= %s", wish.size_min)
    if wish.size_max is not None:
        sql.add("size_max <= %s", wish.size_max)
    for word in wish.words:
        sql.add("concat_ws(' ', name, description) ~* %s", whole_word(word))
    return sql


def regions_for(place: str) -> list[str]:
    """What a company may name that hires people in ``place``: it, whatever holds it, or the whole world."""
    known = gazetteer().find(place)
    if known is None:
        return [place, *_WORLDWIDE]
    wider = [name for each in (known, *gazetteer().holding(known)) for name in each.names if len(name) > 1]
    shared = [name for name, parts in _CONTINENTS.items() if not parts.isdisjoint(wider)]
    return list(dict.fromkeys([*wider, *shared, *_WORLDWIDE]))


def whole_word(text: str) -> str:
    r"""A PostgreSQL pattern for ``text`` as it is: ``\`` before anything but a letter or digit takes it literally."""
    storable = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    escaped = "".join(char if char.isalnum() or char in " _" else f"\\{char}" for char in storable)
    return rf"(?<!\w){escaped}(?!\w)"


def _without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}
