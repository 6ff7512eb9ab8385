"""What the id of a citation leads to: a passage of a guide, a posting, a company's record or a row of a wage table."""

from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final, Literal

from signalbox.db import Database
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.facts.companies import CompanyRecord, CompanyStore
from signalbox.retrieval.facts.wages import WageRow, WageStore
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.index import JobHit, JobIndex
from signalbox.retrieval.library import Library, Passage

Kind = Literal["passage", "posting", "company", "wage"]

# How a search ranked it is no property of a posting.
_RANKING: Final = frozenset({"score", "text_rank", "meaning_rank", "cosine"})


@dataclass(frozen=True, slots=True)
class Source:
    """``record`` is the whole of what is stored, by the names of its own type."""

    id: str
    kind: Kind
    title: str
    source: str
    url: str | None
    as_of: date | None
    record: dict[str, Any]


class Sources:
    """Raises ``StoreUnavailable`` when PostgreSQL cannot be reached."""

    def __init__(self, db: Database, embedder: Embedder, index: JobIndex) -> None:
        self._library = Library(db, embedder)
        self._companies = CompanyStore(db)
        self._wages = WageStore(db, embedder)
        self._index = index

    async def find(self, source_id: str, *, tenant: str = PUBLIC_TENANT) -> Source | None:
        """None: there is nothing under that id, or it is another tenant's."""
        prefix = source_id[:2]
        if prefix == "p_":
            return next(map(_passage, await self._library.get([source_id], tenant=tenant)), None)
        if prefix == "c_":
            return next(map(_company, await self._companies.get([source_id], tenant=tenant)), None)
        if prefix == "w_":
            return next(map(_wage, await self._wages.get([source_id], tenant=tenant)), None)
        return next(map(_posting, await self._index.get([source_id], tenant=tenant)), None)


def _passage(one: Passage) -> Source:
    return Source(one.passage_id, "passage", one.title, one.source, one.url, one.published_on, _record(one))


def _company(one: CompanyRecord) -> Source:
    return Source(one.company_id, "company", one.name, one.source, one.url, one.as_of, _record(one))


def _wage(one: WageRow) -> Source:
    return Source(one.wage_id, "wage", f"{one.occupation}, {one.area}", one.source, one.url, one.as_of, _record(one))


def _posting(one: JobHit) -> Source:
    return Source(one.job_id, "posting", one.title, one.source, one.url, one.posted_at, _record(one))


def _record(one: Passage | CompanyRecord | WageRow | JobHit) -> dict[str, Any]:
    return {name: value for name, value in asdict(one).items() if name not in _RANKING}
