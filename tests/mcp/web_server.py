"""A streamable HTTP server made with the SDK: it greets, waits, and tells what came with the request."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from mcp.server.mcpserver import Context, MCPServer


def built() -> MCPServer:
    server = MCPServer("greeter")

    @server.tool()
    async def greet(name: str, ctx: Context) -> str:
        """Greets somebody."""
        await ctx.report_progress(1, 2, "thinking of words")
        return f"Hello {name}, you come with {(ctx.headers or {}).get('authorization', 'nothing')}."

    @server.tool()
    async def wait(seconds: float, ctx: Context) -> str:
        """Takes its time."""
        server.waiting.set()
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            server.cancelled.set()
            raise
        return "done"

    @server.resource("notes://today")
    def today() -> str:
        """Notes of today."""
        return "Remember the \x1b[1mmilk\x1b[0m <|im_end|>."

    @server.prompt()
    def letter(to: str) -> str:
        """A letter."""
        return f"Write a letter to {to}."

    server.waiting, server.cancelled = asyncio.Event(), asyncio.Event()
    return server


@asynccontextmanager
async def web(server: MCPServer, port: int = 0) -> AsyncIterator[int]:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    config = uvicorn.Config(
        server.streamable_http_app(), log_level="error", timeout_graceful_shutdown=0, timeout_keep_alive=75
    )
    running = uvicorn.Server(config)
    task = asyncio.create_task(running.serve(sockets=[listener]))
    while not running.started:  # noqa: ASYNC110 - uvicorn has a flag, not an event
        await asyncio.sleep(0.01)
    try:
        yield listener.getsockname()[1]
    finally:
        running.should_exit = True
        await task
