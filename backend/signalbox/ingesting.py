"""``signalbox ingest`` jobs, companies and wages: a progress bar while files are read, and a report of their rows."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from signalbox.db import Database
from signalbox.errors import BadRequest
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.facts.company_rows import ingest_companies
from signalbox.retrieval.facts.wage_rows import ingest_wages
from signalbox.retrieval.ingest import IngestReport, check_readable, ingest_jobs
from signalbox.retrieval.ingest import Progress as Tell
from signalbox.retrieval.readers import FieldMapping, load_mapping
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.settings import Settings
from signalbox.stores import open_stores

SHOWN_REASONS: Final = 20

Load = Callable[[Database, FieldMapping | None, Tell], Awaitable[IngestReport]]


@dataclass(frozen=True, slots=True)
class Files:
    """What is read, and how its columns are named. ``as_of`` and ``source`` stand for rows that state none."""

    paths: Sequence[Path]
    mapping: Path | None = None
    as_of: date | None = None
    source: str | None = None


async def ingest_job_files(settings: Settings, files: Files, screen: Console) -> None:
    """Each of these loads ``files`` and prints the report: all of them, or none if one cannot be read.

    Raises ``ConfigurationError``, ``StoreUnavailable``, and ``BadRequest`` when no row at all could be read.
    """

    async def load(db: Database, fields: FieldMapping | None, tell: Tell) -> IngestReport:
        vocabulary = await asyncio.to_thread(SkillVocabulary.load)
        async with _embedder() as embedder:
            return await ingest_jobs(db, embedder, vocabulary, files.paths, fields, progress=tell)

    await _ingest(settings, "reading postings", files, screen, load)


async def ingest_company_files(settings: Settings, files: Files, screen: Console) -> None:
    async def load(db: Database, fields: FieldMapping | None, tell: Tell) -> IngestReport:
        vocabulary = await asyncio.to_thread(SkillVocabulary.load)
        return await ingest_companies(
            db, vocabulary, files.paths, fields, as_of=files.as_of, source=files.source, progress=tell
        )

    await _ingest(settings, "reading companies", files, screen, load)


async def ingest_wage_files(settings: Settings, files: Files, screen: Console) -> None:
    async def load(db: Database, fields: FieldMapping | None, tell: Tell) -> IngestReport:
        async with _embedder() as embedder:
            return await ingest_wages(
                db, embedder, files.paths, fields, as_of=files.as_of, source=files.source, progress=tell
            )

    await _ingest(settings, "reading wages", files, screen, load)


def _progress_bar(screen: Console) -> Progress:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeElapsedColumn(), console=screen)


@asynccontextmanager
async def _embedder() -> AsyncIterator[Embedder]:
    embedder = Embedder()
    try:
        yield embedder
    finally:
        await embedder.close()


async def _ingest(settings: Settings, what: str, files: Files, screen: Console, load: Load) -> None:
    await asyncio.to_thread(check_readable, files.paths)
    fields = load_mapping(files.mapping) if files.mapping else None
    total = await asyncio.to_thread(_count_rows, files.paths)
    async with open_stores(settings, lambda line: screen.print(f"  {line}", style="dim", markup=False)) as stores:
        with _progress_bar(screen) as bar:
            task = bar.add_task(what, total=total)
            report = await load(stores.db, fields, lambda read, _: bar.update(task, completed=read))
            bar.update(task, completed=report.read, total=report.read)
    _print_report(report, screen)
    if report.read and report.rejected == report.read:
        raise BadRequest("No row could be read. Check the reasons above, or give a --mapping.")


def _count_rows(files: Sequence[Path]) -> int | None:
    """Rows of line-based files, for the bar only; unknown as soon as one is not line-based or not readable."""
    rows = 0
    for path in files:
        if path.suffix.lower() not in {".jsonl", ".ndjson"} or not path.is_file():
            return None
        with path.open("rb") as file:
            rows += sum(1 for line in file if line.strip())
    return rows


def _print_report(report: IngestReport, screen: Console) -> None:
    table = Table("read", "new", "updated", "unchanged", "rejected", "seconds")
    numbers = (report.read, report.new, report.updated, report.unchanged, report.rejected)
    table.add_row(*map(str, numbers), f"{report.seconds:.1f}")
    screen.print(table)
    for note in report.notes:
        screen.print(note, markup=False)
    for rejection in report.reasons[:SHOWN_REASONS]:
        screen.print(f"rejected {rejection.file}:{rejection.line}: {rejection.reason}", style="yellow", markup=False)
    if report.rejected > SHOWN_REASONS:
        screen.print(f"... and {report.rejected - SHOWN_REASONS} more rejected rows", style="yellow")
