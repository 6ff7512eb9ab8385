"""``signalbox ingest``: a progress bar while files are read, and a report of what became of their rows."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from signalbox.errors import BadRequest
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.ingest import IngestReport, check_readable, ingest_jobs
from signalbox.retrieval.readers import load_mapping
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.services import open_stores
from signalbox.settings import Settings

SHOWN_REASONS: Final = 20


async def ingest_job_files(settings: Settings, files: Sequence[Path], mapping: Path | None, screen: Console) -> None:
    """Load ``files`` and print the report. Raises ``ConfigurationError`` and ``StoreUnavailable``.

    Of several files all are stored, or none if one cannot be read.
    """
    await asyncio.to_thread(check_readable, files)
    fields = load_mapping(mapping) if mapping else None
    total = await asyncio.to_thread(_count_rows, files)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    async with open_stores(settings, lambda line: screen.print(f"  {line}", style="dim", markup=False)) as stores:
        embedder = Embedder()
        try:
            vocabulary = await asyncio.to_thread(SkillVocabulary.load)
            with Progress(*columns, console=screen) as bar:
                task = bar.add_task("reading postings", total=total)
                report = await ingest_jobs(
                    stores.db,
                    embedder,
                    vocabulary,
                    files,
                    fields,
                    progress=lambda read, _: bar.update(task, completed=read),
                )
                bar.update(task, completed=report.read, total=report.read)
        finally:
            await embedder.close()
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
