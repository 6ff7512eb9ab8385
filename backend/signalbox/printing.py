"""What the operator's commands share: tables and JSON on standard output, ages, and stores to work on."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
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
    from signalbox.stores import Stores

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
        async with open_stores(
            load_settings(), lambda line: err.print(f"  {line}", style="dim", markup=False)
        ) as stores:
            await work(stores)

    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        err.print("Stopped.")
        raise typer.Exit(130) from None


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
