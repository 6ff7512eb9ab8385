"""One connection to one MCP server: opened in the background, opened again after a crash, asked by many runs at once.

It knows the protocol and no tool of ours; what is asked of it comes back as a value or as an ``Err``.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Final, Literal, TypeVar

import anyio
import httpx2
import mcp_types as types
import structlog
from mcp import Client
from mcp.client.session import IncomingMessage
from mcp.shared.exceptions import MCPError

from signalbox.tools.mcp.cleaning import one_line
from signalbox.tools.mcp.config import Credentials, ServerConfig
from signalbox.tools.mcp.definitions import Definition
from signalbox.tools.mcp.listing import all_tools, keep_headers, sorted_out
from signalbox.tools.mcp.stdio import Child, Streams, talking_to
from signalbox.tools.mcp.web import asking
from signalbox.tools.result import Err, ErrKind

logger = structlog.get_logger(__name__)

T = TypeVar("T")
State = Literal["connecting", "ready", "down"]
# What the server says of its progress: how far, of how much, and a text, all of them as it likes.
OnProgress = Callable[[float, float | None, str | None], Awaitable[None]]
OnTools = Callable[[Mapping[str, Definition]], Awaitable[None]]

FIRST_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 30.0
SETTLED_S: Final = 10.0
RELIST_S: Final = 60.0
SHORTEST_SECRET: Final = 8
# What the SDK, the wire and a server's answers may raise; a bug of theirs must not end more than this connection.
FAULTS: Final = (
    OSError,
    RuntimeError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    MCPError,
    httpx2.HTTPError,
    httpx2.StreamError,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    ExceptionGroup,
)
_LOST_SESSION: Final = "it ended the session"
# The SDK's word for the whole connection: its code alone says nothing, servers use it for whatever they like.
_CLOSED: Final = "Connection closed"
_BY_CODE: Final[Mapping[int, tuple[ErrKind, str, bool]]] = {
    types.INVALID_PARAMS: ("invalid_arguments", "refused the arguments", False),
    types.METHOD_NOT_FOUND: ("not_found", "does not know that", False),
}


@dataclass(frozen=True, slots=True)
class Greeting:
    """What the server said of itself."""

    name: str
    version: str
    protocol: str
    tools: bool
    resources: bool
    prompts: bool


class Link:
    """``run`` holds the connection and is cancelled to end it; the rest may be called by any task meanwhile."""

    def __init__(self, name: str, config: ServerConfig, own: Credentials | None, on_tools: OnTools) -> None:
        self.name = name
        self.state: State = "connecting"
        self.problem = ""
        self.greeting: Greeting | None = None
        self.definitions: Mapping[str, Definition] = {}
        self.unfit: Mapping[str, str] = {}
        self.used = time.monotonic()
        self._config = config
        self._own = own or Credentials()
        self._secrets = _secrets(config, self._own)
        self._on_tools = on_tools
        self._client: Client | None = None
        self._listed = 0.0
        self._listing = asyncio.Lock()
        self._changed = asyncio.Event()
        self._over = asyncio.Event()
        self._wanted = asyncio.Event()
        self._up = asyncio.Event()
        self._asks: set[asyncio.Task[Any]] = set()

    # -- the connection

    async def run(self) -> None:
        """Connect, and again whenever the connection is lost. Ends only by cancellation; raises nothing of its own."""
        pause = FIRST_PAUSE_S
        while True:
            began = time.monotonic()
            try:
                await self._live()
            except TimeoutError:
                self.problem = f"it did not answer within {self._config.connect_s:g} seconds of its start"
            except FAULTS as exc:
                self.problem = self.hush(_reason(exc))
            finally:
                self._client = None
                self._up.clear()
                self.state = "down"
                await self._drop_asks()
            pause = FIRST_PAUSE_S if time.monotonic() - began > SETTLED_S else min(pause * 2, LONGEST_PAUSE_S)
            logger.warning("an MCP server is not connected", server=self.name, reason=self.problem, again_in_s=pause)
            await self._rest(pause)

    async def _rest(self, pause: float) -> None:
        """Before the next try: as long as ``pause``, or shorter if somebody comes to wait for the server."""
        self._wanted.clear()
        await asyncio.sleep(FIRST_PAUSE_S)
        try:
            async with asyncio.timeout(pause * random.uniform(0.5, 1)):  # noqa: S311 - jitter
                await self._wanted.wait()
        except TimeoutError:
            return

    async def _live(self) -> None:
        self._over, self._changed = asyncio.Event(), asyncio.Event()
        client = Client(
            _transport(self._streams()),
            client_info=types.Implementation(name="signalbox", version=metadata.version("signalbox")),
            message_handler=self._heard,
            cache=None,
        )
        limit = asyncio.timeout(self._config.connect_s)
        try:
            async with limit, client:
                await self._greet(client)
                limit.reschedule(None)
                self._client, self.state, self.problem = client, "ready", ""
                self._up.set()
                logger.info("an MCP server is connected", server=self.name, tools=len(self.definitions))
                await self._over.wait()
                self.problem = self.problem or "the connection was closed"
        except FAULTS as exc:
            if limit.expired():  # what its end broke says less
                raise TimeoutError from exc
            raise

    async def _greet(self, client: Client) -> None:
        told, can = client.server_info, client.server_capabilities
        self.greeting = Greeting(
            name=one_line(told.name if told else "", 100),
            version=one_line(told.version if told else "", 50),
            protocol=client.protocol_version,
            tools=can.tools is not None,
            resources=can.resources is not None,
            prompts=can.prompts is not None,
        )
        await self._list(client)

    def _streams(self) -> AbstractAsyncContextManager[Streams]:
        config, own = self._config, self._own
        if config.url is not None:
            return asking(config.url, config.headers_for(own), lambda: self._gone(_LOST_SESSION))
        assert config.command is not None
        child = Child(self.name, config.command, config.args, config.env_for(own), config.cwd, self.hush)
        return talking_to(child, self._gone)

    def _gone(self, why: str) -> None:
        """Said before those who wait for an answer hear of it: whoever asks again waits for the next connection."""
        self.problem = why
        self._client = None
        self._up.clear()
        self._over.set()

    async def _heard(self, message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._changed.set()

    async def _drop_asks(self) -> None:
        asks = tuple(self._asks)
        for task in asks:
            task.cancel()
        if asks:
            await asyncio.wait(asks, timeout=1)

    async def ready(self, patience_s: float) -> Client | Err:
        """The connected client, waiting for it for at most that long."""
        self.used = time.monotonic()
        self._wanted.set()
        try:
            async with asyncio.timeout(patience_s):
                while (client := self._client) is None:
                    await self._up.wait()
                return client
        except TimeoutError:
            why = self.problem or "it is still starting"
            return Err("connection", f"the MCP server '{self.name}' is not connected: {why}")

    @property
    def patience_s(self) -> float:
        return self._config.timeout_s

    @property
    def busy(self) -> bool:
        """Whether somebody waits for an answer; closing it would lose that."""
        return bool(self._asks)

    def hush(self, text: str) -> str:
        """A server's words without the secrets that it was given: they go to logs, users and models."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    # -- its tools

    async def fresh(self, client: Client, *, now: bool = False) -> Err | None:
        """The list of tools as it stands, read again if the server says it changed, a minute has passed, or ``now``."""
        if not now and not self._changed.is_set() and time.monotonic() - self._listed < RELIST_S:
            return None
        told = await self.ask(lambda: self._list(client), self._config.connect_s)
        return told if isinstance(told, Err) else None

    async def _list(self, client: Client) -> None:
        async with self._listing:
            self._changed.clear()
            tools, whole = await all_tools(client) if client.server_capabilities.tools is not None else ([], True)
            # Megabytes of schemas take a while to look through.
            found, unfit = await asyncio.to_thread(sorted_out, self.name, tools, self._config.endpoint)
            if not whole:
                unfit["..."] = "it lists more than is read; what comes behind these is not known here"
            callable_ = keep_headers(client, list(found.values()))
            for name in [name for name in found if name not in callable_]:
                del found[name]
                unfit[name] = "it wants arguments sent as headers in a way that the protocol does not allow"
            self.definitions, self.unfit, self._listed = found, unfit, time.monotonic()
        await self._on_tools(found)

    # -- asking

    async def ask(self, work: Callable[[], Awaitable[T]], timeout_s: float) -> T | Err:
        """What ``work`` (of the SDK's client) returns, or why it did not. Cancelling this returns at once: the server
        is told meanwhile, by a task that this link owns.
        """
        task: asyncio.Task[T] = asyncio.ensure_future(_awaited(work))
        self._asks.add(task)
        task.add_done_callback(self._done)
        try:
            done, _ = await asyncio.wait({task}, timeout=timeout_s)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if not done:
            task.cancel()
            return Err("timeout", f"the MCP server '{self.name}' did not answer within {timeout_s:g} seconds")
        if task.cancelled():
            return Err("connection", f"the MCP server '{self.name}' went away: {self.problem or 'no reason is known'}")
        fault = task.exception()
        return task.result() if fault is None else self._fault(fault)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._asks.discard(task)
        self.used = time.monotonic()
        if not task.cancelled():
            task.exception()  # looked at, even if whoever asked is gone

    def _fault(self, fault: BaseException) -> Err:
        if not isinstance(fault, FAULTS):
            raise fault
        if not isinstance(fault, MCPError):
            logger.warning("an MCP server's answer cannot be used", server=self.name, error=type(fault).__name__)
            return Err(
                "server_error",
                f"the MCP server '{self.name}' answered against the protocol: {self.hush(_reason(fault))}",
            )
        if self._client is None and self.problem == _LOST_SESSION:
            return Err("connection", f"the MCP server '{self.name}' ended the session; it is opened anew")
        if fault.code == types.CONNECTION_CLOSED and fault.message == _CLOSED:
            self._gone(self.problem or "the connection was closed")
            return Err("connection", f"the MCP server '{self.name}' went away before it answered: {self.problem}")
        kind, said, retryable = _BY_CODE.get(fault.code, ("server_error", "failed", True))
        return Err(kind, f"the MCP server '{self.name}' {said}: {self.hush(_reason(fault))}", retryable)


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()


def _secrets(config: ServerConfig, own: Credentials) -> tuple[str, ...]:
    """The longest first: of "Bearer abc" the second word on its own as well. Short ones hide nothing and are words."""
    values = [*config.headers_for(own).values(), *config.env_for(own).values()]
    parts = {part for value in values for part in (value, *value.split()) if len(part) >= SHORTEST_SECRET}
    return tuple(sorted(parts, key=len, reverse=True))


def _transport(streams: AbstractAsyncContextManager[Streams]) -> Any:
    """The SDK's port of a transport; its two streams are ours but for their names."""
    return streams


def _reason(fault: BaseException) -> str:
    """The first fault within, in words that hold no header and no environment."""
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    text = str(fault)
    if isinstance(fault, OSError):
        text = "its command is not there" if isinstance(fault, FileNotFoundError) else fault.strerror or ""
    elif isinstance(fault, httpx2.HTTPError | httpx2.StreamError):
        text = "nobody listens at its URL" if isinstance(fault, httpx2.ConnectError) else ""
    elif isinstance(fault, MCPError):
        text = fault.message
    elif not isinstance(fault, RuntimeError):
        text = ""  # of others it may quote anything
    return one_line(text, 300) or type(fault).__name__
