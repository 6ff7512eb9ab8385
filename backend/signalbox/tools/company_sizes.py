"""How many people work at companies: one look-up for all the companies of a list of postings."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from signalbox.db import Database
from signalbox.retrieval.facts.companies import name_key
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.tools.base import Arguments, Effect, Kit

Size = tuple[int | None, int | None]

_SIZES = """
SELECT replace(name_key, ' ', '') AS letters, source, size_min, size_max FROM company
WHERE tenant = ANY(%s) AND replace(name_key, ' ', '') = ANY(%s) AND (size_min IS NOT NULL OR size_max IS NOT NULL)
ORDER BY as_of DESC NULLS LAST, company_id
"""


class CompanyNames(Arguments):
    names: Annotated[tuple[str, ...], Field(min_length=1, max_length=1_000)]


class CompanySizes:
    """Least and most people by ``name_key`` of the names asked, for those whose size is on record; the newest record
    counts. A name that two companies of one source share is left out: it may be either. ``Empty``: no size is known.
    """

    name: ClassVar[str] = "company_sizes"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 5.0
    empty_note: ClassVar[str] = "the size of none of these companies is on record"

    def __init__(self, db: Database, tenant: str = PUBLIC_TENANT) -> None:
        self._db = db
        self._tenant = tenant

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(kit.db, kit.owner.tenant)

    @staticmethod
    def empty_when(value: Mapping[str, Size]) -> bool:
        return not value

    async def run(self, arguments: CompanyNames) -> Mapping[str, Size]:
        keys = {key: key.replace(" ", "") for name in arguments.names if (key := name_key(name))}
        tenants = list({PUBLIC_TENANT, self._tenant})
        known = _newest(await self._db.fetch(_SIZES, [tenants, sorted(set(keys.values()))]))
        return {key: known[letters] for key, letters in keys.items() if letters in known}


def _newest(rows: Sequence[Mapping[str, Any]]) -> dict[str, Size]:
    """The first size of each name; none where one source has two companies of it."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_name.setdefault(row["letters"], []).append(row)
    return {
        letters: (records[0]["size_min"], records[0]["size_max"])
        for letters, records in by_name.items()
        if len({record["source"] for record in records}) == len(records)
    }
