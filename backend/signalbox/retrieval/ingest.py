"""Filling the job index from feeds and from the packaged sample catalogue.

Idempotent: a row whose digest is stored already is neither embedded nor written again. A bad row is reported
with its line and never stops the others.
"""

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from pydantic import ValidationError

from signalbox.db import Connection, Database
from signalbox.errors import ConfigurationError, said_by_check
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.filters import PUBLIC_TENANT
from signalbox.retrieval.index import to_vector
from signalbox.retrieval.posting import Posting, RawPosting, digest_of, embedded_text, normalise
from signalbox.retrieval.readers import FieldMapping, Row, Unreadable, encoding_of, read_rows
from signalbox.retrieval.skills import SkillVocabulary

Progress = Callable[[int, int | None], None]

SAMPLE_SOURCE = "sample"
BATCH_ROWS = 256
# A feed of the wrong shape rejects every row; the first thousand reasons tell as much as all.
MAX_REASONS = 1_000
# Any fixed number: processes that start together load the samples one after the other.
_SAMPLES_LOCK = 7_160_311

_FIELDS = tuple(Posting.model_fields)
_UPSERT = (
    f"INSERT INTO job ({', '.join(_FIELDS)}, embedding) "  # noqa: S608
    f"VALUES ({', '.join(f'%({name})s' for name in _FIELDS)}, %(embedding)s::vector) "
    "ON CONFLICT (tenant, source, external_id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in (*_FIELDS, "embedding"))
    + ", ingested_at = now()"
)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A row that was not taken, and why. ``line`` counts from 1; in a JSON array it is the element's position."""

    file: str
    line: int
    reason: str


@dataclass(slots=True)
class IngestReport:
    """What became of the rows: ``new + updated + unchanged + rejected == read``."""

    read: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    removed: int = 0
    reasons: list[Rejection] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def reject(self, rejection: Rejection) -> None:
        self.rejected += 1
        if len(self.reasons) < MAX_REASONS:
            self.reasons.append(rejection)


@dataclass(frozen=True, slots=True)
class _Checked:
    line: int
    raw: RawPosting
    digest: str


@dataclass(frozen=True, slots=True)
class _Target:
    """Where rows go and how they are read; the same for a whole import."""

    db: Database
    embedder: Embedder
    vocabulary: SkillVocabulary
    tenant: str
    sample: bool
    today: date


async def ingest_jobs(  # noqa: PLR0917
    db: Database,
    embedder: Embedder,
    vocabulary: SkillVocabulary,
    paths: Sequence[Path],
    mapping: FieldMapping | None = None,
    sample: bool = False,  # noqa: FBT001, FBT002
    progress: Progress | None = None,
    *,
    tenant: str = PUBLIC_TENANT,
    today: date | None = None,
) -> IngestReport:
    """Reads feeds into the index, file by file and batch by batch; each batch is one transaction.

    ``progress(read, total)`` is called after every batch; ``total`` is None, since feeds are streamed.
    Cancelled or failed half-way, what was stored stays and the next import goes on from there.
    Raises ``ConfigurationError`` before anything is stored if one of the files cannot be read, and
    ``StoreUnavailable``.
    """
    await asyncio.to_thread(check_readable, paths)
    target = _Target(db, embedder, vocabulary, tenant, sample, today or date.today())  # noqa: DTZ011
    report = IngestReport()
    started = time.perf_counter()
    for path in paths:
        await _ingest_file(target, path, mapping, report, progress)
    report.seconds = time.perf_counter() - started
    return report


def check_readable(paths: Sequence[Path]) -> None:
    """Raises ``ConfigurationError`` naming every one of ``paths`` that is no file which can be opened."""
    faults = [f"{path} cannot be read: {fault}." for path in paths if (fault := _fault_of(path))]
    if faults:
        raise ConfigurationError(" ".join([*faults, "Nothing was stored."]))


def _fault_of(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():
            # A pipe can be read once only, and may have nobody at its other end.
            return "it is a folder" if path.is_dir() else "it is no regular file"
        with path.open("rb"):
            return ""
    except (OSError, ValueError) as exc:
        return exc.strerror or "no such file" if isinstance(exc, OSError) else "no such file"


async def load_samples(
    db: Database, embedder: Embedder, vocabulary: SkillVocabulary, *, today: date | None = None
) -> IngestReport:
    """Brings the packaged fictional postings into the index and moves their dates along with the calendar.

    Samples that are no longer packaged are removed. A second call on the same day writes nothing.
    """
    with resources.as_file(resources.files("signalbox.data") / "sample_jobs.jsonl") as path:
        # Held for the whole load; the rows are written over other connections of the pool.
        async with db.transaction() as lock:
            await lock.execute("SELECT pg_advisory_xact_lock(%s)", [_SAMPLES_LOCK])
            report = await ingest_jobs(db, embedder, vocabulary, [path], sample=True, today=today)
            kept = await asyncio.to_thread(_sample_ids, path)
            report.removed = await db.execute(
                "DELETE FROM job WHERE tenant = %s AND source = %s AND sample AND NOT external_id = ANY(%s)",
                [PUBLIC_TENANT, SAMPLE_SOURCE, kept],
            )
    return report


async def _ingest_file(
    target: _Target, path: Path, mapping: FieldMapping | None, report: IngestReport, progress: Progress | None
) -> None:
    try:
        encoding, note = await asyncio.to_thread(encoding_of, path)
    except OSError as exc:
        raise ConfigurationError(f"{path} cannot be read: {exc.strerror}.") from exc
    if note:
        report.notes.append(note)
    checked = _checked_rows(path, encoding, mapping)
    while batch := await asyncio.to_thread(lambda: list(islice(checked, BATCH_ROWS))):
        report.read += len(batch)
        for each in batch:
            if isinstance(each, Rejection):
                report.reject(each)
        good = [each for each in batch if isinstance(each, _Checked)]
        await _store(target, path, good, report)
        if progress:
            progress(report.read, None)


def _checked_rows(path: Path, encoding: str, mapping: FieldMapping | None) -> Iterator[_Checked | Rejection]:
    first_lines: dict[tuple[str, str], int] = {}
    for row in read_rows(path, encoding, mapping):
        if isinstance(row, Unreadable):
            yield Rejection(path.name, row.line, row.reason)
            continue
        try:
            raw = RawPosting.model_validate(_with_id(row))
        except ValidationError as exc:
            yield Rejection(path.name, row.line, _reason(exc))
            continue
        first = first_lines.setdefault((raw.source, raw.id), row.line)
        if first == row.line:
            yield _Checked(row.line, raw, digest_of(raw))
        else:
            yield Rejection(path.name, row.line, f"the id {raw.id} was used on line {first} already")


def _with_id(row: Row) -> dict[str, Any]:
    """A feed without ids gets them from what tells postings apart, so that it can be imported again."""
    if row.values.get("id") not in (None, ""):
        return row.values
    named = [str(row.values.get(name) or "") for name in ("title", "company", "location", "url")]
    marker = hashlib.blake2b("\x1f".join(named).encode("utf-8", "replace"), digest_size=8).hexdigest()
    return {**row.values, "id": f"h-{marker}"}


def _reason(exc: ValidationError) -> str:
    first = exc.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    message = said_by_check(first["msg"])
    return f"{where}: {message}" if where else message


async def _store(target: _Target, path: Path, rows: list[_Checked], report: IngestReport) -> None:
    stored = await _stored(target, rows)
    fresh = []
    for row in rows:
        known = stored.get((row.raw.source, row.raw.id))
        if known is None:
            report.new += 1
        elif known["digest"] != row.digest or known["sample"] != target.sample:
            report.updated += 1
        else:
            report.unchanged += 1
            continue
        fresh.append(row)
    await _move_dates(target, rows, stored)
    if not fresh:
        return
    values = await _values(target, [row.raw for row in fresh])
    try:
        async with target.db.transaction() as conn:
            await conn.cursor().executemany(_UPSERT, values)
    except psycopg.DataError:
        await _store_singly(target, path, list(zip(fresh, values, strict=True)), stored, report)


async def _store_singly(
    target: _Target,
    path: Path,
    rows: Iterable[tuple[_Checked, dict[str, Any]]],
    stored: dict[tuple[str, str], dict[str, Any]],
    report: IngestReport,
) -> None:
    """The batch holds a row that PostgreSQL refuses: store the others and report that one."""
    for row, values in rows:
        try:
            await target.db.execute(_UPSERT, values)
        except psycopg.DataError as exc:
            if (row.raw.source, row.raw.id) in stored:
                report.updated -= 1
            else:
                report.new -= 1
            report.reject(Rejection(path.name, row.line, f"refused by the database: {exc}"[:200]))


async def _stored(target: _Target, rows: list[_Checked]) -> dict[tuple[str, str], dict[str, Any]]:
    found = await target.db.fetch(
        "SELECT job.source, job.external_id, digest, sample, posted_at FROM job "
        "JOIN unnest(%s::text[], %s::text[]) AS asked (source, external_id) "
        "ON job.source = asked.source AND job.external_id = asked.external_id WHERE job.tenant = %s",
        [[row.raw.source for row in rows], [row.raw.id for row in rows], target.tenant],
    )
    return {(row["source"], row["external_id"]): row for row in found}


async def _move_dates(target: _Target, rows: list[_Checked], stored: dict[tuple[str, str], dict[str, Any]]) -> None:
    """A date written as "so many days ago" moves with the calendar, though the row itself is unchanged."""
    moved = []
    for row in rows:
        known = stored.get((row.raw.source, row.raw.id))
        if known and row.raw.days_ago is not None:
            posted = target.today - timedelta(days=row.raw.days_ago)
            if known["posted_at"] != posted:
                moved.append((posted, target.tenant, row.raw.source, row.raw.id))
    if moved:
        async with target.db.transaction() as conn:
            await _update_dates(conn, moved)


async def _update_dates(conn: Connection, moved: list[tuple[date, str, str, str]]) -> None:
    await conn.cursor().executemany(
        "UPDATE job SET posted_at = %s WHERE tenant = %s AND source = %s AND external_id = %s", moved
    )


async def _values(target: _Target, rows: list[RawPosting]) -> list[dict[str, Any]]:
    """Normalised and embedded, off the loop."""
    postings = await asyncio.to_thread(
        lambda: [
            normalise(raw, target.vocabulary, today=target.today, tenant=target.tenant, sample=target.sample)
            for raw in rows
        ]
    )
    vectors = await _embed(target.embedder, [embedded_text(posting) for posting in postings])
    return [
        {**posting.model_dump(), "embedding": to_vector(vector)}
        for posting, vector in zip(postings, vectors, strict=True)
    ]


async def _embed(embedder: Embedder, texts: list[str]) -> NDArray[np.float32]:
    """One thread for each of two cores: the model runs on one, and chat keeps its own queue in ``embed``."""
    workers = min(2, os.cpu_count() or 1, len(texts))
    parts = [texts[start::workers] for start in range(workers)]
    done = await asyncio.gather(*(asyncio.to_thread(embedder.embed_sync, part) for part in parts))
    vectors = np.empty((len(texts), embedder.dim), np.float32)
    for start, part in enumerate(done):
        vectors[start::workers] = part
    return vectors


def _sample_ids(path: Path) -> list[str]:
    return [str(row.values["id"]) for row in read_rows(path, "utf-8") if isinstance(row, Row)]
