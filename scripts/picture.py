"""Draws docs/terminal.svg: a real chat with a running server (`scripts/picture.py [URL]`), recorded by rich."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from rich.console import Console

from signalbox.client import Client
from signalbox.console.screen import Screen
from signalbox.terminal import Chat

ASKED = ("remote rust jobs on Mars", "I know Python and SQL, remote work only", "write a short e-mail to Quillmark")


class Script:
    """Lines typed in advance."""

    interactive = False

    def __init__(self, lines: tuple[str, ...]) -> None:
        self._lines = list(lines)

    async def line(self, _prompt: str) -> str | None:
        if not self._lines:
            return None
        return self._lines.pop(0)

    def listening(self, _on_line: Callable[[str], object]) -> AbstractContextManager[None]:
        return nullcontext()


async def main() -> None:
    out = Console(record=True, width=104, force_terminal=True, color_system="truecolor")
    screen = Screen(out, out)
    async with Client(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000") as client:
        await Chat(client, screen, Script(ASKED)).run()
    Path("docs/terminal.svg").write_text(out.export_svg(title="signalbox chat"), encoding="utf-8")  # noqa: ASYNC240


asyncio.run(main())
