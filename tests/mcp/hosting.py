"""A host of MCP servers for one test, and how to call a tool by its name."""

import asyncio
import sys
import weakref
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from signalbox.db import Database
from signalbox.memory.profile import Owner
from signalbox.tools.calling import bounded
from signalbox.tools.mcp.config import ServerConfig
from signalbox.tools.mcp.host import McpHost
from signalbox.tools.mcp.remote_tool import RemoteArguments

PLAIN = Path(__file__).parent / "plain_server.py"
ANN = Owner("default", "ann")
_host: ContextVar[McpHost | None] = ContextVar("_host", default=None)  # whose tasks these are


def plain(env: Mapping[str, str] | None = None, **more: Any) -> ServerConfig:
    """The server that misbehaves, trusted as it stands."""
    fields = {"trust_first_use": True, "effects": {"*": "read"}, "timeout_s": 5} | more
    return ServerConfig(command=sys.executable, args=(str(PLAIN),), env=dict(env or {}), **fields)


@asynccontextmanager
async def hosting(database: Database, *, leaks: bool = True, **servers: ServerConfig) -> AsyncIterator[McpHost]:
    """With all servers connected that can be; fails if a task is left."""
    host = McpHost(servers, database)
    with _tasks_of(host) as tasks:
        task = asyncio.create_task(host.run())
        await asyncio.sleep(0)
        try:
            yield host
        finally:
            task.cancel()
            await asyncio.wait({task}, timeout=15)
    await asyncio.sleep(0)
    left = {each for each in tasks if not each.done() and _of_the_host(each)}
    assert not leaks or not left, left


@contextmanager
def _tasks_of(host: McpHost) -> Iterator["weakref.WeakSet[asyncio.Task[Any]]"]:
    """The tasks begun from here on, and from those: another test's host connects anew whenever it likes."""
    loop = asyncio.get_running_loop()
    before, found = loop.get_task_factory(), weakref.WeakSet[asyncio.Task[Any]]()

    def made(loop: asyncio.AbstractEventLoop, coro: Any, **more: Any) -> "asyncio.Task[Any]":
        task = before(loop, coro, **more) if before is not None else asyncio.Task(coro, loop=loop, **more)
        if _host.get() is host:
            found.add(task)
        return task

    _host.set(host)
    loop.set_task_factory(made)
    try:
        yield found
    finally:
        loop.set_task_factory(before)
        _host.set(None)


def _of_the_host(task: "asyncio.Task[Any]") -> bool:
    """The database's pool has tasks of its own."""
    code = getattr(task.get_coro(), "cr_code", None)
    return code is not None and any(part in code.co_filename for part in ("/signalbox/tools/mcp/", "/mcp/", "/anyio/"))


class Said(list):
    async def emit(self, event) -> None:
        self.append(event)


async def call(host: McpHost, name: str, arguments: Mapping[str, Any] | None = None, *, owner: Owner = ANN, said=None):
    """As ``ctx.call`` does it. The server is waited for: its tools are known once it was seen."""
    server = name.partition("__")[0]
    link = host.link(server, owner)
    if hasattr(link, "ready"):
        await link.ready(10)
    tools = await host.tools(owner, (said if said is not None else Said()).emit)
    assert name in tools, (sorted(tools), getattr(link, "state", link), getattr(link, "problem", ""))
    return await bounded(tools[name], RemoteArguments.model_validate(dict(arguments or {})))
