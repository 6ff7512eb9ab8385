"""``signalbox ingest companies`` and ``ingest wages``: a progress bar while files are read, and then a report."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
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
from signalbox.retrieval.ingest import IngestReport, check_readable
from signalbox.retrieval.ingest import Progress as Tell
from signalbox.retrieval.readers import FieldMapping, load_mapping
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.services import open_stores
from signalbox.settings import Settings

SHOWN_REASONS: Final = 20

Load = Callable[[Database, FieldMapping | None, Tell], Awaitable[IngestReport]]


async def ingest_company_files(
    settings: Settings,
    files: Sequence[Path],
    mapping: Path | None,
    screen: Console,
    *,
    as_of: date | None = None,
    source: str | None = None,
) -> None:
    """Load ``files`` and print the report. Raises ``ConfigurationError``, ``StoreUnavailable`` and ``BadRequest``."""

    async def load(db: Database, fields: FieldMapping | None, tell: Tell) -> IngestReport:
        vocabulary = SkillVocabulary.load()
        return await ingest_companies(db, vocabulary, files, fields, as_of=as_of, source=source, progress=tell)

    await _ingest(settings, "reading companies", files, mapping, screen, load)


async def ingest_wage_files(
    settings: Settings,
    files: Sequence[Path],
    mapping: Path | None,
    screen: Console,
    *,
    as_of: date | None = None,
    source: str | None = None,
) -> None:
    """Load ``files`` and print the report. Raises ``ConfigurationError``, ``StoreUnavailable`` and ``BadRequest``."""

    async def load(db: Database, fields: FieldMapping | None, tell: Tell) -> IngestReport:
        embedder = Embedder()
        try:
            return await ingest_wages(db, embedder, files, fields, as_of=as_of, source=source, progress=tell)
        finally:
            await embedder.close()

    await _ingest(settings, "reading wages", files, mapping, screen, load)


async def _ingest(
    settings: Settings, what: str, files: Sequence[Path], mapping: Path | None, screen: Console, load: Load
) -> None:
    await asyncio.to_thread(check_readable, files)
    fields = load_mapping(mapping) if mapping else None
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    async with open_stores(settings, lambda line: screen.print(f"  {line}", style="dim", markup=False)) as stores:
        with Progress(*columns, console=screen) as bar:
            task = bar.add_task(what, total=None)
            report = await load(stores.db, fields, lambda read, _: bar.update(task, completed=read))
            bar.update(task, completed=report.read, total=report.read)
    _print_report(report, screen)
    if report.read and report.rejected == report.read:
        raise BadRequest("No row could be read. Check the reasons above, or give a --mapping.")


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
