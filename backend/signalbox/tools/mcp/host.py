"""The MCP servers of this process: one connection each, tools for a run, resources and prompts for whoever asks."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

import mcp_types as types
import structlog

from signalbox.db import STORE_TROUBLE, Database
from signalbox.envelope import Event
from signalbox.llm.base import ToolSpec
from signalbox.memory.profile import Owner
from signalbox.tools.base import Tool
from signalbox.tools.mcp.config import ServerConfig
from signalbox.tools.mcp.definitions import Definition
from signalbox.tools.mcp.link import Link
from signalbox.tools.mcp.pins import PinStore
from signalbox.tools.mcp.remote_tool import CONNECT_PATIENCE_S, Emit, RemoteArguments, RemoteTool
from signalbox.tools.mcp.results import Told, prompt_text, texts_of
from signalbox.tools.result import Empty, Err, Ok, Result

logger = structlog.get_logger(__name__)

APPROVALS_S: Final = 2.0  # how long a decision of an operator takes to be heard of
IDLE_S: Final = 600.0
SWEEP_S: Final = 30.0
MOST_USER_LINKS: Final = 64
MOST_LISTED: Final = 1_000

ReadArguments = Callable[[Mapping[str, Any]], RemoteArguments]


class McpHost:
    """``run`` holds all connections; without it every call says that its server is not connected."""

    def __init__(self, servers: Mapping[str, ServerConfig], db: Database) -> None:
        self.servers = {name: config for name, config in servers.items() if config.enabled}
        self.pins = PinStore(db)
        self._links: dict[tuple[str, str], Link] = {}
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None
        self._approved: Sequence[Definition] = ()
        self._asked = float("-inf")
        self._asking = asyncio.Lock()
        self._unkept: dict[tuple[str, str], Mapping[str, Definition]] = {}

    async def run(self) -> None:
        """Until it is cancelled. Servers that everybody may use are connected at once, a user's own when needed."""
        if not self.servers:
            return
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                for name, config in self.servers.items():
                    if not config.users_only:
                        self._open(name, "")
                while True:
                    await asyncio.sleep(SWEEP_S)
                    self._sweep()
        finally:
            self._group = None
            self._links.clear()
            self._tasks.clear()
            self._unkept.clear()

    # -- connections

    def link(self, server: str, owner: Owner) -> Link | Err:
        """The user's own connection if they have credentials of their own, else everybody's."""
        config = self.servers.get(server)
        if config is None:
            return Err("not_found", f"there is no MCP server '{server}'", retryable=False)
        own = owner.user_id in config.users
        if config.users_only and not own:
            return Err(
                "auth", f"the MCP server '{server}' needs credentials that this user does not have", retryable=False
            )
        if self._group is None:
            return Err("unavailable", f"the MCP server '{server}' is not connected: this process is stopping")
        return self._open(server, owner.user_id if own else "")

    def _open(self, server: str, user: str) -> Link:
        key = (server, user)
        if key not in self._links:
            assert self._group is not None
            if user:
                self._make_room()
            config = self.servers[server]
            link = Link(server, config, config.users.get(user), lambda found: self._seen(server, user, found))
            self._links[key] = link
            self._tasks[key] = self._group.create_task(link.run())
        return self._links[key]

    def _make_room(self) -> None:
        users = [key for key in self._links if key[1]]
        for _, key in self._idle()[: max(0, len(users) - MOST_USER_LINKS + 1)]:
            self._close(key)

    def _sweep(self) -> None:
        for used, key in self._idle():
            if time.monotonic() - used > IDLE_S:
                self._close(key)

    def _idle(self) -> list[tuple[float, tuple[str, str]]]:
        """Users' connections that nobody waits for just now, the one longest unused first."""
        return sorted((link.used, key) for key, link in self._links.items() if key[1] and not link.busy)

    def _close(self, key: tuple[str, str]) -> None:
        self._links.pop(key)
        self._tasks.pop(key).cancel()
        self._unkept.pop(key, None)

    # -- tools

    async def _seen(self, server: str, user: str, found: Mapping[str, Definition]) -> None:
        trust = self.servers[server].trust_first_use
        try:
            await self.pins.see(server, list(found.values()), trust_first_use=trust, whose=user)
        except STORE_TROUBLE as exc:
            # Nothing unapproved is called meanwhile: it is tried again when somebody asks what is approved.
            logger.warning("tools of an MCP server could not be kept", server=server, error=type(exc).__name__)
            if (server, user) in self._links:
                self._unkept[server, user] = found
        else:
            self._unkept.pop((server, user), None)
        self._asked = float("-inf")

    async def approved(self) -> Sequence[Definition]:
        """Raises ``StoreUnavailable``."""
        async with self._asking:
            if self.servers and time.monotonic() - self._asked > APPROVALS_S:
                await self._keep_the_rest()
                # Noted before the answer is there: what a server shows meanwhile may not be in it.
                self._asked = time.monotonic()
                try:
                    self._approved = await self.pins.approved(list(self.servers))
                except BaseException:
                    self._asked = float("-inf")
                    raise
            return self._approved

    async def _keep_the_rest(self) -> None:
        """What could not be kept when it was seen; if that is so still, the others wait as well."""
        for key, found in tuple(self._unkept.items()):
            if self._unkept.get(key) is found:  # or the server has shown a newer list meanwhile
                await self._seen(*key, found)
            if key in self._unkept:
                return

    async def is_approved(self, definition: Definition) -> bool:
        return any(
            (each.server, each.tool, each.digest) == (definition.server, definition.tool, definition.digest)
            and each.whose in {"", definition.whose}
            for each in await self.approved()
        )

    async def tools(self, owner: Owner, emit: Emit) -> dict[str, Tool[Any, Any]]:
        """By name, in a fixed order: those approved, allowed, and of servers that this user may use. A server that is
        away is no reason to leave its tools out: they then say so. Raises ``StoreUnavailable``.
        """
        mine: dict[tuple[str, str], Definition] = {}
        for definition in await self.approved():
            own = owner.user_id in self.servers[definition.server].users
            if not definition.whose or (own and definition.whose == owner.user_id):
                mine[definition.server, definition.tool] = definition  # one's own comes behind everybody's
        found: dict[str, Tool[Any, Any]] = {}
        for definition in mine.values():
            config = self.servers[definition.server]
            if config.allows(definition.tool) and (not config.users_only or owner.user_id in config.users):
                # A remote tool's name is its own, where the port speaks of a class's.
                tool = cast("Tool[Any, Any]", RemoteTool(definition, config, owner, self, emit))
                found.setdefault(tool.name, tool)
        return found

    async def readers(self, owner: Owner) -> Mapping[str, ReadArguments]:
        """By a tool's name, what turns arguments that somebody wrote into those that would be sent, as for a model's
        call; it raises ``Misfit``, and works for up to half a second. Raises ``StoreUnavailable``.
        """
        return {name: cast("RemoteTool", tool).parse for name, tool in (await self.tools(owner, _unheard)).items()}

    # -- resources and prompts

    async def resources(self, server: str, owner: Owner) -> Result[Sequence[types.Resource]]:
        client = await self._client(server, owner)
        if isinstance(client, Err):
            return client
        link, session = client
        if session.server_capabilities.resources is None:
            return Empty(f"the MCP server '{server}' has no resources")
        told = await link.ask(session.list_resources, link.patience_s)
        return (
            told if isinstance(told, Err) else _some(told.resources, told.next_cursor, f"'{server}' lists no resources")
        )

    async def read_resource(self, server: str, uri: str, owner: Owner) -> Result[Told]:
        """Its texts, bounded and cleaned; what is no text as a reference."""
        client = await self._client(server, owner)
        if isinstance(client, Err):
            return client
        link, session = client
        told = await link.ask(lambda: session.read_resource(uri), link.patience_s)
        if isinstance(told, Err):
            return _no_such(told, "resource", uri, server)
        if not told.contents:
            return Empty(f"the resource {uri[:500]} of '{server}' has no content")
        value, cut = texts_of(list(told.contents))
        return Ok(value, truncated=cut)

    async def prompts(self, server: str, owner: Owner) -> Result[Sequence[types.Prompt]]:
        client = await self._client(server, owner)
        if isinstance(client, Err):
            return client
        link, session = client
        if session.server_capabilities.prompts is None:
            return Empty(f"the MCP server '{server}' has no prompts")
        told = await link.ask(session.list_prompts, link.patience_s)
        return told if isinstance(told, Err) else _some(told.prompts, told.next_cursor, f"'{server}' lists no prompts")

    async def prompt(self, server: str, name: str, arguments: Mapping[str, str], owner: Owner) -> Result[str]:
        """Its messages as one text: somebody else's words, to be looked at before they are sent to any model."""
        client = await self._client(server, owner)
        if isinstance(client, Err):
            return client
        link, session = client
        told = await link.ask(lambda: session.get_prompt(name, dict(arguments)), link.patience_s)
        if isinstance(told, Err):
            return told if arguments else _no_such(told, "prompt", name, server)
        return Ok(prompt_text(told)) if told.messages else Empty(f"the prompt '{name}' of '{server}' has no messages")

    async def _client(self, server: str, owner: Owner) -> "tuple[Link, Any] | Err":
        link = self.link(server, owner)
        if isinstance(link, Err):
            return link
        client = await link.ready(max(CONNECT_PATIENCE_S, self.servers[server].connect_s))
        return client if isinstance(client, Err) else (link, client)


async def _unheard(event: Event) -> None:
    """For tools that are not called here."""


def specs(tools: Iterable[Tool[Any, Any]]) -> tuple[ToolSpec, ...]:
    """What a model is told of those among ``tools`` that come from MCP servers."""
    return tuple(tool.spec for tool in tools if hasattr(tool, "spec"))


def _no_such(err: Err, what: str, name: str, server: str) -> Err:
    """To the protocol, a name that the server does not know is a wrong argument; nobody has given one."""
    if err.kind not in {"invalid_arguments", "not_found"}:
        return err
    listed = f"`signalbox mcp inspect {server}` lists what it has"
    return replace(err, kind="not_found", note=f"the MCP server '{server}' has no {what} '{name[:500]}'; {listed}")


def _some(items: Sequence[Any], more: str | None, nothing: str) -> Result[Sequence[Any]]:
    if not items:
        return Empty(nothing)
    return Ok(items[:MOST_LISTED], truncated=more is not None or len(items) > MOST_LISTED)
