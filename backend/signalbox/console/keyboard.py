"""Where a user's lines come from. Reading never blocks the event loop and never delays an exit."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Thread
from typing import Protocol, TypeVar

if sys.platform != "win32":
    import termios

T = TypeVar("T")


class Lines(Protocol):
    """Where a user's lines come from. ``interactive``: a person at a terminal, not a pipe."""

    interactive: bool

    async def line(self, prompt: str) -> str | None:
        """The next line without its end; None at the end of input."""
        ...

    def listening(self, on_line: Callable[[str], object]) -> AbstractContextManager[None]:
        """Meanwhile, hand over lines as they are typed (nothing happens where input is a pipe)."""
        ...

    def aside(self) -> AbstractContextManager[None]:
        """What is printed meanwhile stands above the open prompt and what was typed after it."""
        ...


async def in_thread(call: Callable[[], T]) -> T:
    """``call()`` in a thread that a blocking read may keep for ever: unlike the executor's, it delays no exit."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def work() -> None:
        try:
            result = call()
        except (OSError, ValueError) as exc:
            deliver(future.set_exception, exc)
        else:
            deliver(future.set_result, result)

    def deliver(put: Callable[..., None], value: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(lambda: None if future.done() else put(value))

    Thread(target=work, daemon=True).start()
    return await future


class Keyboard:
    """Standard input: with line editing at a terminal, line by line from a pipe or a file."""

    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self._fd = sys.stdin.fileno()
        self._rest = b""
        self._ended = False
        self._prompt = ""
        if self.interactive:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401, PLC0415 - gives input() history and arrow keys where it exists

    async def line(self, prompt: str) -> str | None:
        if self.interactive:
            self._prompt = prompt
            try:
                return await in_thread(lambda: _ask(prompt))
            finally:
                self._prompt = ""
        while b"\n" not in self._rest and not self._ended:
            piece = await in_thread(lambda: os.read(self._fd, 65_536))
            self._rest += piece
            self._ended = not piece
        if not self._rest:
            return None
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").removesuffix("\r")

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Leave the terminal as it was, even if a thread is still inside ``input``."""
        if not self.interactive or sys.platform == "win32":
            yield
            return
        before = termios.tcgetattr(self._fd)
        try:
            yield
        finally:
            termios.tcsetattr(self._fd, termios.TCSADRAIN, before)

    @contextmanager
    def listening(self, on_line: Callable[[str], object]) -> Iterator[None]:
        if not self.interactive or sys.platform == "win32":
            yield
            return
        loop = asyncio.get_running_loop()

        def typed() -> None:
            # The terminal is in line mode between prompts: a read gives whole lines.
            data = os.read(self._fd, 65_536)
            if not data:
                loop.remove_reader(self._fd)
            for line in data.decode("utf-8", "replace").splitlines():
                on_line(line)

        loop.add_reader(self._fd, typed)
        try:
            yield
        finally:
            loop.remove_reader(self._fd)

    @contextmanager
    def aside(self) -> Iterator[None]:
        if not self._prompt:
            yield
            return
        print(flush=True)  # noqa: T201 - the prompt is on the same terminal, beside all consoles
        try:
            yield
        finally:
            print(f"{self._prompt}{_typed()}", end="", flush=True)  # noqa: T201


def _typed() -> str:
    """What the open prompt's line holds so far. Where no ``readline`` keeps it, Ctrl+C has emptied it."""
    readline = sys.modules.get("readline")
    return readline.get_line_buffer() if readline is not None else ""


def _ask(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        return None  # truth: the end of what is typed, as documented
