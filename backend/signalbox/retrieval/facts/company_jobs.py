"""What the postings in the index say of one employer: how many, for what, where, for how much, and how fresh."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from signalbox.db import Database
from signalbox.retrieval.facts.companies import general_tail, name_key
from signalbox.retrieval.filters import PUBLIC_TENANT

# Far more than any employer has in an index this size; a bound all the same.
_MOST_READ: Final = 2_000
_MOST_TOLD: Final = 5


@dataclass(frozen=True, slots=True)
class PaySpan:
    """The lowest and the highest yearly pay that ``postings`` state in one currency."""

    currency: str
    low: float
    high: float
    postings: int
    hourly: int


@dataclass(frozen=True, slots=True)
class EmployerPostings:
    """Counts over the employer's postings of one kind, real or samples. ``closed``: their closing date has passed.

    ``remote`` counts those that say remote, ``on_site`` those that say not; the rest say nothing.
    """

    company: str
    sample: bool
    postings: int
    closed: int
    titles: tuple[tuple[str, int], ...]
    places: tuple[tuple[str, int], ...]
    remote: int
    on_site: int
    pay: tuple[PaySpan, ...]
    skills: tuple[tuple[str, int], ...]
    oldest: date | None
    newest: date | None
    sources: tuple[str, ...]
    newest_id: str
    newest_url: str | None


class EmployerIndex:
    """The table ``job``, read by employer. Every method raises ``StoreUnavailable``."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def postings_of(
        self, company: str, *, today: date, tenant: str = PUBLIC_TENANT
    ) -> tuple[list[EmployerPostings], list[str]]:
        """Postings of the employer of this name, real and samples apart; and, where there is none, employers whose
        names hold it ("City of New York": its departments).
        """
        names = await self._employers(company, tenant)
        key = name_key(company)
        same = [name for name in names if _same(name_key(name), key)]
        if not same:
            return [], sorted(names, key=len)[:_MOST_TOLD]
        rows = await self._db.fetch(
            "SELECT job_id, company, source, title, location, remote, salary_year_min, salary_year_max, salary_period, "
            "currency, skills, posted_at, closes_at, url, sample FROM job "
            "WHERE tenant = ANY(%s) AND company = ANY(%s) ORDER BY posted_at DESC NULLS LAST, job_id LIMIT %s",
            [list({PUBLIC_TENANT, tenant}), same, _MOST_READ],
        )
        kinds = [[row for row in rows if row["sample"] is sample] for sample in (False, True)]
        return [_counted(kind, today) for kind in kinds if kind], []

    async def _employers(self, company: str, tenant: str) -> list[str]:
        words = name_key(company).split()
        if not words:
            return []
        # Only a sieve: accents and signs are settled by ``name_key``. Letters and digits hold no wildcard.
        pattern = "%" + "%".join("".join(c if c.isascii() else "_" for c in word) for word in words) + "%"
        rows = await self._db.fetch(
            "SELECT DISTINCT company FROM job WHERE tenant = ANY(%s) AND "
            "(company ILIKE %s OR lower(company) = lower(%s)) ORDER BY company LIMIT 200",
            [list({PUBLIC_TENANT, tenant}), pattern, company.replace("\x00", "")],
        )
        key = name_key(company)
        return [row["company"] for row in rows if f" {key} " in f" {name_key(row['company'])} "]


def _same(name: str, key: str) -> bool:
    return name == key or general_tail(name, key)


def _counted(rows: Sequence[dict[str, object]], today: date) -> EmployerPostings:
    """``rows`` are the newest first and at least one."""
    first = rows[0]
    dates = [row["posted_at"] for row in rows if isinstance(row["posted_at"], date)]
    return EmployerPostings(
        company=str(first["company"]),
        sample=bool(first["sample"]),
        postings=len(rows),
        closed=sum(isinstance(row["closes_at"], date) and row["closes_at"] < today for row in rows),
        titles=_most(str(row["title"]) for row in rows),
        places=_most(str(row["location"]) for row in rows if row["location"]),
        remote=sum(row["remote"] is True for row in rows),
        on_site=sum(row["remote"] is False for row in rows),
        pay=_spans(rows),
        skills=_most(str(skill) for row in rows if isinstance(row["skills"], list) for skill in row["skills"]),
        oldest=min(dates, default=None),
        newest=max(dates, default=None),
        sources=tuple(sorted({str(row["source"]) for row in rows})),
        newest_id=str(first["job_id"]),
        newest_url=str(first["url"]) if first["url"] else None,
    )


def _most(values: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(values).most_common(_MOST_TOLD))


def _spans(rows: Sequence[dict[str, object]]) -> tuple[PaySpan, ...]:
    found: dict[str, list[tuple[float, float, bool]]] = {}
    for row in rows:
        bounds = [each for name in ("salary_year_min", "salary_year_max") if isinstance(each := row[name], float)]
        if bounds and row["currency"]:
            hourly = row["salary_period"] == "hour"
            found.setdefault(str(row["currency"]), []).append((min(bounds), max(bounds), hourly))
    return tuple(
        PaySpan(currency, min(p[0] for p in pays), max(p[1] for p in pays), len(pays), sum(p[2] for p in pays))
        for currency, pays in sorted(found.items(), key=lambda item: -len(item[1]))
    )
