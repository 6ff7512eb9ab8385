"""``signalbox ingest docs``: a progress bar while documents are read, and a report of what became of each file."""

from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from signalbox.errors import BadRequest
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.documents.ingest import DocumentReport, ingest_documents
from signalbox.settings import Settings
from signalbox.stores import open_stores

SHOWN_REASONS: Final = 50


async def ingest_document_folder(
    settings: Settings, folder: Path, source: str | None, version: str, screen: Console, *, replace: bool = False
) -> None:
    """Mirror ``folder`` into the knowledge base and print the report.

    Raises ``ConfigurationError``, ``StoreUnavailable``, and ``BadRequest`` if there was nothing to read in any file.
    """
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
            with Progress(*columns, console=screen) as bar:
                task = bar.add_task("reading documents", total=None)
                report = await ingest_documents(
                    stores.db,
                    embedder,
                    folder,
                    source=source,
                    version=version,
                    replace=replace,
                    progress=lambda done, total: bar.update(task, completed=done, total=total),
                )
                bar.update(task, completed=report.read, total=report.read)
        finally:
            await embedder.close()
    _print_report(report, screen)
    if report.read and report.rejected == report.read:
        raise BadRequest("No document could be read. The reasons are above.")


def _print_report(report: DocumentReport, screen: Console) -> None:
    table = Table("source", "files read", "new", "updated", "unchanged", "removed", "rejected", "passages", "seconds")
    numbers = (report.read, report.new, report.updated, report.unchanged, report.removed, report.rejected)
    table.add_row(report.source, *map(str, numbers), str(report.passages), f"{report.seconds:.1f}")
    screen.print(table)
    if report.duplicates:
        screen.print(f"{report.duplicates} passages stand in several files; each is shown once", markup=False)
    for note in report.notes:
        screen.print(note, markup=False)
    for rejection in report.reasons[:SHOWN_REASONS]:
        screen.print(f"rejected {rejection.path}: {rejection.reason}", style="yellow", markup=False)
    if report.rejected > SHOWN_REASONS:
        screen.print(f"... and {report.rejected - SHOWN_REASONS} more rejected files", style="yellow")
