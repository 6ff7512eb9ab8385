"""What the operator's commands share: tables and JSON on standard output, ages, and stores to work on."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.box import SIMPLE
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from signalbox.errors import ConfigurationError
from signalbox.settings import load_settings

if TYPE_CHECKING:
    from signalbox.db import Database
    from signalbox.stores import Stores

# A server whose URL is given is not started, and nobody asks this one.
_NO_REDIS: Final = "redis://none.invalid"
_AGE = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*([dhms])", re.IGNORECASE)
OLDEST: Final = timedelta(days=36_500)  # nothing is older, and a calendar ends somewhere
_UNITS: Final = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}

err = Console(stderr=True)
out = Console()

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def age_of(text: str) -> timedelta:
    match = _AGE.fullmatch(text.strip())
    if match is None:
        raise ConfigurationError(f"'{text}' is not an age. Write it like 30d, 12h, 90m or 30s.")
    return min(timedelta(**{_UNITS[match[2].lower()]: float(match[1])}), OLDEST)


def with_stores(work: "Callable[[Stores], Awaitable[None]]") -> None:
    from signalbox.stores import open_stores

    async def run() -> None:
        async with open_stores(load_settings(), _progress) as stores:
            await work(stores)

    _until_stopped(run())


def with_database(work: "Callable[[Database], Awaitable[None]]") -> None:
    """As ``with_stores``, for commands that need nothing of Redis: no embedded one is started for them. The database
    is migrated.
    """
    from signalbox.db import Database, migrate
    from signalbox.embedded import embedded_servers

    async def run() -> None:
        settings = load_settings()
        url = settings.database_url.get_secret_value() if settings.database_url else None
        async with embedded_servers(settings.data_dir, _progress, database_url=url, redis_url=_NO_REDIS) as servers:
            await migrate(servers.database_url)
            db = Database(servers.database_url)
            await db.open()
            try:
                await work(db)
            finally:
                await db.close()

    _until_stopped(run())


def _until_stopped(work: Coroutine[Any, Any, None]) -> None:
    try:
        asyncio.run(work)
    except KeyboardInterrupt:
        err.print("Stopped.")
        raise typer.Exit(130) from None


def _progress(line: str) -> None:
    err.print(f"  {line}", style="dim", markup=False)


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False, default=_plain))  # noqa: T201 - for other programs


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], whole: Collection[str] = ()) -> None:
    """A table; ``whole`` columns are never cut or wrapped. Where nobody looks on (a pipe), no column is."""
    if not out.is_terminal:
        widths = [max(map(cell_len, column)) for column in zip(columns, *rows, strict=True)]
        for row in (columns, *rows):
            print("  ".join(map(set_cell_size, row, widths)).rstrip())  # noqa: T201 - as it is, whatever the width
        return
    table = Table(box=SIMPLE, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, no_wrap=name in whole, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    out.print(table, highlight=False)
