"""What a server lists as its tools, read as it came: the SDK keeps less of it, and would run the server's patterns."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import mcp_types as types
from mcp import Client
from mcp.shared.dispatcher import ProgressFnT

from signalbox.tools.mcp.cleaning import one_line
from signalbox.tools.mcp.definitions import MOST_TOOLS, Definition, checked
from signalbox.tools.mcp.schemas import Unfit

MOST_PAGES: Final = 20


class _RawTools(types.PaginatedResult):
    tools: list[dict[str, Any]]


async def all_tools(client: Client) -> tuple[list[dict[str, Any]], bool]:
    """The tools, and whether these are all."""
    tools: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        request = types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor))
        page = await client.session.send_request(request, _RawTools)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            return tools, True
        if len(tools) > 2 * MOST_TOOLS:
            break
    return tools, False


def sorted_out(
    server: str, tools: Sequence[Mapping[str, Any]], endpoint: str
) -> tuple[dict[str, Definition], dict[str, str]]:
    """What can be used, and why the rest cannot, both by the tool's name."""
    found: dict[str, Definition] = {}
    unfit: dict[str, str] = {}
    names: set[str] = set()
    for tool in tools[:MOST_TOOLS]:
        said = one_line(str(tool.get("name")), 128)
        try:
            definition = checked(server, tool, endpoint)
        except Unfit as exc:
            unfit[said] = str(exc)
            continue
        if definition.name in names:
            unfit[said] = f"another tool of this server has the name '{definition.name}'"
            continue
        names.add(definition.name)
        found[definition.tool] = definition
    for tool in tools[MOST_TOOLS:]:
        unfit[one_line(str(tool.get("name")), 128)] = f"a server may have {MOST_TOOLS} tools"
    return found, unfit


def keep_headers(client: Client, tools: Sequence[Definition]) -> frozenset[str]:
    """Tell the SDK which arguments go into HTTP headers as well, as the protocol of 2026 wants it. Returns the names
    of those that can be called so.
    """
    known = [types.Tool(name=each.tool, input_schema=each.raw["inputSchema"]) for each in tools]
    # Nothing public does it but a listing of the SDK's own, which takes the schemas of answers along.
    kept = client.session._absorb_tool_listing(types.ListToolsResult(tools=known), complete=True)  # noqa: SLF001
    return frozenset(each.name for each in kept.tools)


async def called(client: Client, tool: str, given: Mapping[str, Any], on_progress: ProgressFnT) -> types.CallToolResult:
    """The SDK's own way to call validates the answer with the server's schema, which can take for ever."""
    params = types.CallToolRequestParams(name=tool, arguments=dict(given))
    request = types.CallToolRequest(params=params)
    return await client.session.send_request(request, types.CallToolResult, progress_callback=on_progress)
