"""Filling a table of facts from files: companies, wage tables. Idempotent, row by row, like the import of postings.

Knows nothing of what a record means: that is the business of ``company_rows`` and ``wage_rows``.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

import orjson
import psycopg
from pydantic import ValidationError

from signalbox.db import Database
from signalbox.errors import ConfigurationError, said_by_check
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.index import to_vector
from signalbox.retrieval.ingest import BATCH_ROWS, IngestReport, Progress, Rejection
from signalbox.retrieval.readers import FieldMapping, Unreadable, encoding_of, read_rows

# Part of every digest: raise it when rows come to be read differently, and the next import reads them all anew.
READING: Final = 1


class Record(Protocol):
    """A checked row."""

    @property
    def source(self) -> str: ...

    @property
    def external_id(self) -> str:
        """Tells the record from all others of its source."""

    def columns(self) -> dict[str, Any]:
        """Everything the table holds of it but id, tenant, digest and vector; JSON as text."""


R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class RecordTable(Generic[R]):
    """Where records of a kind go. ``name`` and ``columns`` are our own constants: they are joined into SQL.

    ``record`` checks a row and raises ``ValidationError``, ``understood`` brings a row of a known source under our
    field names, ``embedded`` is the text to make a vector of, and ``beside`` reads what a file does not say of itself
    from what lies beside it.
    """

    name: str
    prefix: str
    columns: tuple[str, ...]
    record: Callable[[Any], R]
    understood: Callable[[Mapping[str, Any]], dict[str, Any]]
    embedded: Callable[[R], str] | None = None
    beside: Callable[[Path], dict[str, Any]] = lambda _: {}

    @property
    def id_column(self) -> str:
        return f"{self.name}_id"

    def id_of(self, record: R, tenant: str) -> str:
        """Stable over re-imports, and the same on every machine."""
        marker = f"{tenant}\x1f{record.source}\x1f{record.external_id}".encode("utf-8", "replace")
        return self.prefix + hashlib.blake2b(marker, digest_size=10).hexdigest()

    @property
    def upsert(self) -> str:
        columns = (self.id_column, "tenant", "digest", *self.columns, *(("embedding",) if self.embedded else ()))
        values = ", ".join(f"%({name})s" + ("::vector" if name == "embedding" else "") for name in columns)
        changes = ", ".join(f"{name} = excluded.{name}" for name in columns[2:])
        return (
            f"INSERT INTO {self.name} ({', '.join(columns)}) VALUES ({values}) "  # noqa: S608
            f"ON CONFLICT ({self.id_column}) DO UPDATE SET {changes}, ingested_at = now()"
        )


@dataclass(frozen=True, slots=True)
class _Row(Generic[R]):
    line: int
    id: str
    digest: str
    record: R


@dataclass(slots=True)
class _Import(Generic[R]):
    table: RecordTable[R]
    db: Database
    embedder: Embedder | None
    tenant: str
    vectors: dict[str, str]

    async def take(
        self,
        path: Path,
        mapping: FieldMapping | None,
        defaults: Mapping[str, Any],
        report: IngestReport,
        progress: Progress | None,
    ) -> None:
        try:
            encoding, note = await asyncio.to_thread(encoding_of, path)
        except OSError as exc:
            raise ConfigurationError(f"{path} cannot be read: {exc.strerror}.") from exc
        if note:
            report.notes.append(note)
        rows = self._checked(path, encoding, mapping, defaults)
        while batch := await asyncio.to_thread(lambda: list(islice(rows, BATCH_ROWS))):
            report.read += len(batch)
            for each in batch:
                if isinstance(each, Rejection):
                    report.reject(each)
            await self._store(path, [each for each in batch if isinstance(each, _Row)], report)
            if progress:
                progress(report.read, None)

    def _checked(
        self, path: Path, encoding: str, mapping: FieldMapping | None, defaults: Mapping[str, Any]
    ) -> Iterator[_Row[R] | Rejection]:
        first_lines: dict[str, int] = {}
        for row in read_rows(path, encoding, mapping):
            if isinstance(row, Unreadable):
                yield Rejection(path.name, row.line, row.reason)
                continue
            values = self.table.understood(row.values)
            missing = {name: value for name, value in defaults.items() if values.get(name) in (None, "")}
            try:
                record = self.table.record({**values, **missing})
            except ValidationError as exc:
                yield Rejection(path.name, row.line, reason_of(exc))
                continue
            own_id = self.table.id_of(record, self.tenant)
            first = first_lines.setdefault(own_id, row.line)
            if first == row.line:
                yield _Row(row.line, own_id, _digest(record), record)
            else:
                yield Rejection(path.name, row.line, f"says what line {first} said already")

    async def _store(self, path: Path, rows: list[_Row[R]], report: IngestReport) -> None:
        name, id_column = self.table.name, self.table.id_column
        found = await self.db.fetch(
            f"SELECT {id_column} AS id, digest FROM {name} WHERE {id_column} = ANY(%s)",  # noqa: S608
            [[row.id for row in rows]],
        )
        stored = {each["id"]: each["digest"] for each in found}
        fresh = [row for row in rows if stored.get(row.id) != row.digest]
        report.unchanged += len(rows) - len(fresh)
        await self._embed([row.record for row in fresh])
        values = [self._values(row) for row in fresh]
        try:
            async with self.db.transaction() as conn:
                await conn.cursor().executemany(self.table.upsert, values)
        except psycopg.DataError:
            # One row is refused by PostgreSQL: the others are stored, and that one is reported.
            fresh = [
                row for row, each in zip(fresh, values, strict=True) if await self._stored(path, row, each, report)
            ]
        report.updated += sum(row.id in stored for row in fresh)
        report.new += sum(row.id not in stored for row in fresh)

    async def _stored(self, path: Path, row: _Row[R], values: dict[str, Any], report: IngestReport) -> bool:
        try:
            await self.db.execute(self.table.upsert, values)
        except psycopg.DataError as exc:
            report.reject(Rejection(path.name, row.line, f"refused by the database: {exc}"[:200]))
            return False
        return True

    def _values(self, row: _Row[R]) -> dict[str, Any]:
        own = {self.table.id_column: row.id, "tenant": self.tenant, "digest": row.digest, **row.record.columns()}
        return own | ({"embedding": self.vectors[self.table.embedded(row.record)]} if self.table.embedded else {})

    async def _embed(self, records: list[R]) -> None:
        """The same occupation comes once for every area: its vector is computed once an import."""
        if self.table.embedded is None or self.embedder is None:
            return
        texts = [text for text in dict.fromkeys(map(self.table.embedded, records)) if text not in self.vectors]
        vectors = await self.embedder.embed(texts)
        self.vectors |= {text: to_vector(vector) for text, vector in zip(texts, vectors, strict=True)}


async def ingest_records(
    table: RecordTable[R],
    db: Database,
    embedder: Embedder | None,
    paths: Sequence[Path],
    mapping: FieldMapping | None = None,
    *,
    defaults: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    tenant: str = PUBLIC_TENANT,
) -> IngestReport:
    """Reads files into ``table``, batch by batch; each batch is one transaction. ``defaults`` fill what a row leaves
    open. Running it again writes nothing; a changed row is updated.

    Raises ``ConfigurationError`` for a file that cannot be opened and ``StoreUnavailable``.
    """
    report = IngestReport()
    started = time.perf_counter()
    work: _Import[R] = _Import(table, db, embedder, tenant, {})
    for path in paths:
        stated = {**await asyncio.to_thread(table.beside, path), **(defaults or {})}
        if "as_of" in stated and "as_of" not in (defaults or {}):
            report.notes.append(f"{path.name}: rows without a date are taken as of {stated['as_of']}, from its NOTICE")
        await work.take(path, mapping, stated, report, progress)
    report.seconds = time.perf_counter() - started
    return report


def reason_of(exc: ValidationError) -> str:
    """The first thing that is wrong, in words: ``name: Field required``."""
    first = exc.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    message = said_by_check(first["msg"])
    return f"{where}: {message}" if where else message


def first_named(row: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """``row`` with our names filled from the first of the other names that holds something."""
    filled = dict(row)
    for ours, others in names.items():
        if filled.get(ours) in (None, ""):
            found = next((row[name] for name in others if row.get(name) not in (None, "")), None)
            if found is not None:
                filled[ours] = found
    return filled


def _digest(record: Record) -> str:
    return hashlib.blake2b(orjson.dumps([READING, record.columns()]), digest_size=16).hexdigest()
