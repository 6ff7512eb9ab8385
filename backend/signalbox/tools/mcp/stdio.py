"""A server as a child process: JSON-RPC by the line over its stdin and stdout, nothing of ours in its environment.

It survives junk on stdout, drains stderr, and leaves no process of the child's group behind.
"""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anyio
import mcp_types as types
import structlog
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from signalbox.tools.mcp.cleaning import one_line

logger = structlog.get_logger(__name__)

Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]

MAX_LINE_BYTES: Final = 8 * 1024 * 1024
CHUNK: Final = 65_536
LEAVE_S: Final = 1.0  # to go by itself once its stdin is closed
TERM_S: Final = 1.0
STDERR_LINES: Final = 200
WATCH_S: Final = 0.2
INHERITED: Final = ("PATH", "HOME", "LANG")


@dataclass(frozen=True, slots=True)
class Child:
    """What to start. ``env`` comes on top of PATH, HOME and LANG; nothing else is inherited."""

    server: str
    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path | None = None
    hush: Callable[[str], str] = str  # takes secrets out of what is logged

    def environment(self) -> dict[str, str]:
        return {name: os.environ[name] for name in INHERITED if name in os.environ} | dict(self.env)


@asynccontextmanager
async def talking_to(child: Child, gone: Callable[[str], None]) -> AsyncIterator[Streams]:
    """The child's two streams. ``gone`` is told why, once, when it can no longer be talked to.

    Raises ``OSError`` and ``ValueError`` if it cannot be started. Leaving takes up to two seconds with a child that
    does not go by itself.
    """
    process = await asyncio.create_subprocess_exec(
        child.command,
        *child.args,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=child.environment(),
        cwd=child.cwd,
        start_new_session=True,
    )
    inward, from_child = anyio.create_memory_object_stream[SessionMessage | Exception](16)
    to_child, outward = anyio.create_memory_object_stream[SessionMessage](16)
    reading = asyncio.create_task(_read(process, inward, child, gone))
    tasks = [
        reading,
        asyncio.create_task(_watch(process, reading, gone)),
        asyncio.create_task(_write(process, outward)),
        asyncio.create_task(_drain(process, child)),
    ]
    try:
        yield from_child, to_child
    finally:
        for stream in (from_child, to_child):
            stream.close()
        await _whole(_end(process, tasks))
        for stream in (inward, outward):
            stream.close()


async def _read(
    process: Process,
    inward: MemoryObjectSendStream[SessionMessage | Exception],
    child: Child,
    gone: Callable[[str], None],
) -> None:
    assert process.stdout is not None
    buffer, junk, why = bytearray(), 0, "its process ended"
    async with inward:
        try:
            while chunk := await process.stdout.read(CHUNK):
                searched = len(buffer)
                buffer += chunk
                if b"\n" not in chunk:
                    if len(buffer) > MAX_LINE_BYTES:
                        why = f"it sent a message larger than {MAX_LINE_BYTES:,} bytes"
                        break
                    continue
                end = buffer.rindex(b"\n", searched)
                lines, buffer = bytes(buffer[:end]), buffer[end + 1 :]
                for line in lines.split(b"\n"):
                    message = _message(line)
                    if message is not None:
                        await inward.send(message)
                    elif line.strip():
                        junk += 1
                        if junk <= STDERR_LINES:
                            words = child.hush(_shown(line))
                            logger.debug("junk on an MCP server's stdout", server=child.server, line=words)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            why = "the connection was closed"
        gone(why)


def _message(line: bytes) -> SessionMessage | None:
    if not line.lstrip().startswith(b"{"):
        return None  # batches are no part of the protocol any more
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return None  # truth: no message of the protocol; the caller counts it as junk


async def _watch(process: Process, reading: asyncio.Task[None], gone: Callable[[str], None]) -> None:
    """The end of the process ends the connection, though a process that it started may hold its stdout open."""
    while process.returncode is None:  # noqa: ASYNC110 - waiting for it would wait for the pipes, too
        await asyncio.sleep(WATCH_S)
    await asyncio.wait({reading}, timeout=WATCH_S)
    if not reading.done():
        gone("its process ended")
        reading.cancel()


async def _write(process: Process, outward: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    with suppress(OSError, RuntimeError):
        async with outward:
            async for message in outward:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(text.encode("utf-8", "replace") + b"\n")
                await process.stdin.drain()


async def _drain(process: Process, child: Child) -> None:
    assert process.stderr is not None
    told = 0
    with suppress(OSError):
        while chunk := await process.stderr.read(CHUNK):
            for line in chunk.splitlines()[: max(0, STDERR_LINES - told)]:
                told += 1
                logger.debug("an MCP server's stderr", server=child.server, line=child.hush(_shown(line)))


def _shown(line: bytes) -> str:
    return one_line(line[:400].decode("utf-8", "replace"), 200)


async def _end(process: Process, tasks: list[asyncio.Task[None]]) -> None:
    """Close its stdin, wait, then end its whole group: what it started goes with it."""
    assert process.stdin is not None
    with suppress(OSError, RuntimeError):
        process.stdin.close()
    waiting = asyncio.ensure_future(process.wait())
    await asyncio.wait([waiting], timeout=LEAVE_S)
    for number, patience in ((signal.SIGTERM, TERM_S), (signal.SIGKILL, TERM_S)):
        # Those that it started may live on without it, so the group is asked, not the process.
        if not _signalled(process.pid, number):
            break
        await _until_gone(process.pid, patience)
    for task in tasks:
        task.cancel()
    await asyncio.wait([waiting, *tasks], timeout=TERM_S)
    waiting.cancel()
    # Pipes with something left in them stay open otherwise; the library offers no other way to close them.
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()


def _signalled(group: int, number: int) -> bool:
    """Whether there was somebody to hear it."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


async def _until_gone(group: int, patience_s: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            while _signalled(group, 0):  # noqa: ASYNC110 - nobody tells the end of a group
                await asyncio.sleep(0.01)


async def _whole(work: Coroutine[Any, Any, None]) -> None:
    """``work`` to its end, also when this is cancelled: a child left alone would live for ever."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
