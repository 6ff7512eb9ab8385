"""``/mcp``: this server for MCP clients over streamable HTTP, behind the same guard as every other route.

It decides who is asking and from where; the tools are ``mcp_tools``, the protocol is the SDK's.
"""

import asyncio
import hashlib
import hmac
import ipaddress
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import metadata
from typing import Any, Final
from urllib.parse import urlsplit

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from signalbox.api.guard import TENANT, Guard
from signalbox.api.mcp_tools import AssistantTools, tools
from signalbox.memory.profile import Owner
from signalbox.services import Services
from signalbox.settings import Settings

PATH: Final = "/mcp"
OWNER: Final = "signalbox.owner"
# Whether nobody could know this caller again: nothing that an earlier call of theirs made can be theirs.
UNKNOWN: Final = "signalbox.unknown"
# What browser clients send beside the usual ones.
HEADERS: Final = ("Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name")
INSTRUCTIONS: Final = (
    "A careers assistant. ask_assistant answers questions about jobs, pay, skills, letters and applications; it keeps "
    "a conversation if its conversation_id is sent again. search_jobs looks into the catalogue alone."
)
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SESSION: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)


class McpEndpoint:
    """One for each opened application. ``run`` holds its sessions; a request outside of it is a bug."""

    def __init__(self, services: Services, guard: Guard) -> None:
        self._guard = guard
        self._settings = services.settings
        self._secret = services.cookie_secret.encode()
        self._tools = AssistantTools(services)
        server: Server[Any] = Server(
            "signalbox",
            version=metadata.version("signalbox"),
            title="Signalbox",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        self._sessions = StreamableHTTPSessionManager(server, max_request_body_size=services.settings.max_body_bytes)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        # In a task of its own: the SDK's scope must be left by the task that entered it, and whoever opens an
        # application need not be the one that closes it.
        ready, over = asyncio.Event(), asyncio.Event()

        async def hold() -> None:
            async with self._sessions.run():
                ready.set()
                await over.wait()

        held = asyncio.create_task(hold())
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait((held, waiting), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        try:
            if held.done():
                held.result()  # it could not begin
            yield
        finally:
            over.set()
            await held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method not in {"POST", "DELETE"}:
            # No stream is open without a call: nothing is said that was not asked for.
            raise HTTPException(405, "Send MCP messages with POST.", {"Allow": "POST, DELETE"})
        _check_host(request, self._settings)
        _check_origin(request, self._settings, keyed=self._guard.asks_for_key)
        who = self._guard.principal(request)
        owner = who.owner
        if self._guard.asks_for_key:
            # The SDK lets a session be used by whom it was opened by only.
            token = AccessToken(token="", client_id=owner.user_id, scopes=[])
            scope["user"] = AuthenticatedUser(token)
        elif who.new_cookie is not None and (session := request.headers.get("mcp-session-id", "")):
            owner = self._of_session(session) or owner
        scope[OWNER] = owner
        scope[UNKNOWN] = not self._guard.asks_for_key and owner is who.owner and who.new_cookie is not None
        response = Response()
        self._guard.leave(who, response)
        await self._sessions.handle_request(scope, receive, _with_cookie(send, response))

    def _of_session(self, session: str) -> Owner | None:
        """The anonymous user of a client that keeps no cookies: its session's id is a secret just as well."""
        if not _SESSION.fullmatch(session):
            return None
        digest = hmac.new(self._secret, f"mcp {session}".encode(), hashlib.sha256).hexdigest()
        return Owner(TENANT, f"anon_{digest[:24]}")

    async def _list(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools())

    async def _call(self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        assert ctx.request is not None
        owner: Owner = ctx.request.scope[OWNER]
        given: Mapping[str, Any] = params.arguments or {}

        async def report(progress: float, words: str) -> None:
            await ctx.session.report_progress(progress, None, words)

        return await self._tools.call(owner, params.name, given, report, known=not ctx.request.scope[UNKNOWN])


def route() -> Route:
    """Finds the endpoint of whichever services the application was opened with."""
    return Route(PATH, endpoint=_Opened(), include_in_schema=False)


class _Opened:
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint: ASGIApp = scope["app"].state.mcp
        await endpoint(scope, receive, send)


def _check_host(request: Request, settings: Settings) -> None:
    """A page of elsewhere can have its own name point at this machine (DNS rebinding): then the name is not ours."""
    allowed = frozenset(settings.mcp_hosts) or (_LOCAL if settings.host in _LOCAL else None)
    host = _host(f"//{request.headers.get('host', '')}", "Host")
    if allowed is not None and host not in allowed:
        raise HTTPException(421, "This server does not answer MCP under that name. Its operator can add it to "
                            "SIGNALBOX_MCP_HOSTS.")  # fmt: skip


def _check_origin(request: Request, settings: Settings, *, keyed: bool) -> None:
    """Without keys and without known names a page that had its own name point here would look like one of ours."""
    origin, allowed = request.headers.get("origin"), settings.cors_origins
    if origin is None or "*" in allowed or origin in allowed:
        return
    host = _host(origin, "Origin")
    ours = urlsplit(origin).netloc == request.headers.get("host")
    if not ours or not (keyed or settings.mcp_hosts or host in _LOCAL or _is_address(host)):
        raise HTTPException(403, "Pages of that origin may not call this server. Its operator can add it to "
                            "SIGNALBOX_CORS_ORIGINS.")  # fmt: skip


def _host(url: str, header: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError as exc:
        raise HTTPException(400, f"The header '{header}' cannot be read. Send a valid one.") from exc


def _is_address(host: str) -> bool:
    """No name at all, so nobody's to point somewhere."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _with_cookie(send: Send, response: Response) -> Send:
    cookies = [(name, value) for name, value in response.raw_headers if name == b"set-cookie"]
    if not cookies:
        return send

    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *cookies]
        await send(message)

    return told
