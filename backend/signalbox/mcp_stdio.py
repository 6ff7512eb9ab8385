"""An MCP server over stdin and stdout that hands every call on to a Signalbox server's ``/mcp``; it decides nothing."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import metadata
from typing import Any

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from signalbox.errors import ConfigurationError

# An answer may take as long as a run may.
ANSWER_S = 3_600.0


async def relay(url: str, key: str | None) -> None:
    """Until stdin ends. Raises ``ConfigurationError`` when the server cannot be reached."""
    try:
        async with _connected(url, key) as client:
            await _serve(client)
    except MCPError as exc:
        raise ConfigurationError(f"The server at {url} does not answer: {exc.message}. Does it want a --key?") from exc
    except (httpx2.HTTPError, OSError, ExceptionGroup) as exc:
        raise ConfigurationError(f"There is no Signalbox server to be reached at {url}.") from exc


@asynccontextmanager
async def _connected(url: str, key: str | None) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(10, read=ANSWER_S)) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), cache=None) as client,
    ):
        yield client


async def _serve(client: Client) -> None:
    async def listing(_: ServerRequestContext[Any], __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return await client.list_tools()

    async def call(ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        return await client.call_tool(params.name, params.arguments, progress_callback=ctx.session.report_progress)

    server: Server[Any] = Server(
        "signalbox",
        version=metadata.version("signalbox"),
        instructions=client.instructions,
        on_list_tools=listing,
        on_call_tool=call,
    )
    sys.stderr.write(
        "This is an MCP server for a client to start; it listens on stdin.\n" if sys.stdin.isatty() else ""
    )
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
