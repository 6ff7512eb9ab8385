"""A host of MCP servers for one test, and how to call a tool by its name."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from own_tasks import own_tasks, undone
from signalbox.db import Database
from signalbox.memory.profile import Owner
from signalbox.tools.calling import bounded
from signalbox.tools.mcp.config import ServerConfig
from signalbox.tools.mcp.host import McpHost
from signalbox.tools.mcp.remote_tool import RemoteArguments

PLAIN = Path(__file__).parent / "plain_server.py"
ANN = Owner("default", "ann")


def plain(env: Mapping[str, str] | None = None, **more: Any) -> ServerConfig:
    """The server that misbehaves, trusted as it stands."""
    fields = {"trust_first_use": True, "effects": {"*": "read"}, "timeout_s": 30} | more
    return ServerConfig(command=sys.executable, args=(str(PLAIN),), env=dict(env or {}), **fields)


@asynccontextmanager
async def hosting(database: Database, *, leaks: bool = True, **servers: ServerConfig) -> AsyncIterator[McpHost]:
    """With all servers connected that can be; fails if a task is left."""
    host = McpHost(servers, database)
    with own_tasks() as tasks:
        task = asyncio.create_task(host.run())
        await asyncio.sleep(0)
        try:
            yield host
        finally:
            task.cancel()
            await asyncio.wait({task}, timeout=60)
    await asyncio.sleep(0)
    left = {each for each in undone(tasks) if _of_the_host(each)}
    if ending := {each for each in left if each.cancelling()}:  # told to, and has something to tidy up
        left -= (await asyncio.wait(ending, timeout=30))[0]
    assert not leaks or not left, left


def _of_the_host(task: "asyncio.Task[Any]") -> bool:
    """The database's pool has tasks of its own."""
    code = getattr(task.get_coro(), "cr_code", None)
    return code is not None and any(part in code.co_filename for part in ("/signalbox/tools/mcp/", "/mcp/", "/anyio/"))


class Said(list):
    async def emit(self, event) -> None:
        self.append(event)


async def unready(host: McpHost, server: str) -> Any:
    """What whoever waits for a server is told, once it is known why it is not there."""
    link = host.link(server, ANN)
    async with asyncio.timeout(30):
        while not link.problem:  # noqa: ASYNC110 - told by a text
            await asyncio.sleep(0.01)
    return await link.ready(0.01)


async def call(host: McpHost, name: str, arguments: Mapping[str, Any] | None = None, *, owner: Owner = ANN, said=None):
    """As ``ctx.call`` does it. The server is waited for: its tools are known once it was seen."""
    server = name.partition("__")[0]
    link = host.link(server, owner)
    if hasattr(link, "ready"):
        await link.ready(30)
    tools = await host.tools(owner, (said if said is not None else Said()).emit)
    assert name in tools, (sorted(tools), getattr(link, "state", link), getattr(link, "problem", ""))
    return await bounded(tools[name], RemoteArguments.model_validate(dict(arguments or {})))
