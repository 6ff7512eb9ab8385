"""Runs the app under uvicorn: a port that is free, first steps on the screen, and a shutdown that drains before it
closes.
"""

import asyncio
import errno
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, ExitStack
from types import FrameType

import structlog
import uvicorn
from rich.console import Console
from rich.text import Text
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from signalbox.app import create_app
from signalbox.errors import ConfigurationError
from signalbox.process import run_on_fast_loop, settle_memory
from signalbox.services import Services, open_services
from signalbox.settings import SECRET_MIN_CHARS, Settings

logger = structlog.get_logger(__name__)

Address = tuple[socket.AddressFamily, tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]]


class Protocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol, except that a peer that takes no bytes loses its socket in the kernel, too: closing
    alone would keep what is unsent for as long as the peer holds still.
    """

    unsent_limit_ms = 30_000

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        sock = transport.get_extra_info("socket")
        if sock is not None and hasattr(socket, "TCP_USER_TIMEOUT") and sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, self.unsent_limit_ms)
        super().connection_made(transport)


def http_protocol(send_timeout_s: float) -> type[Protocol]:
    """The protocol class for a send timeout; the kernel gets a little longer than the stream's own."""
    return type("TimedProtocol", (Protocol,), {"unsent_limit_ms": round(send_timeout_s * 1_200)})


class DrainingServer(uvicorn.Server):
    """uvicorn, except that on SIGTERM readers and runs are let go before connections are waited for; a second signal
    ends the grace that runs get.
    """

    def __init__(
        self, config: uvicorn.Config, services: Services, *, on_started: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(config)
        self._services = services
        self._on_started = on_started
        self._hurry = asyncio.Event()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        again = self.should_exit
        super().handle_exit(sig, frame)
        if again:  # called by the interpreter, between any two instructions of the loop
            self._services.hub.loop.call_soon_threadsafe(self._hurry.set)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        await self._services.drain(self._hurry)
        await super().shutdown(sockets)
        # uvicorn would raise the signal again now, and the process would die before its stores are closed.
        self._captured_signals.clear()


def serve(settings: Settings, progress: Callable[[str], None], screen: Console | None) -> None:
    """Serve until SIGTERM or SIGINT. Raises ``ConfigurationError`` and ``StoreUnavailable`` from the start-up."""
    config = uvicorn.Config(
        app="",
        log_level="warning",
        access_log=False,
        http=http_protocol(settings.send_timeout_s),
        loop="auto",
        timeout_graceful_shutdown=5,
        timeout_keep_alive=75,
        backlog=4_096,
    )
    warn_of_short_keys(settings)
    with ExitStack() as stack:
        # First: stores, catalogue and classifier take a minute, and all that for a port that somebody else has.
        sockets = bound(settings.host, settings.port)
        for each in sockets:
            stack.enter_context(each)
        run_on_fast_loop(_serve(settings, config, sockets, progress, screen))


async def _serve(
    settings: Settings,
    config: uvicorn.Config,
    sockets: list[socket.socket],
    progress: Callable[[str], None],
    screen: Console | None,
) -> None:
    port = sockets[0].getsockname()[1]
    refused: int | None = None
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(open_services(settings, progress=progress))
        config.app = create_app(settings, services)
        settle_memory()

        def ready() -> None:
            if screen is not None:
                first_steps(settings, port, screen)

        refused = listen(sockets, config.backlog)
        if refused is None:
            await DrainingServer(config, services, on_started=ready).serve(sockets)
    if refused is not None:  # told once all is closed again
        raise _refused(settings.host, port, refused)


def bound(host: str, port: int) -> list[socket.socket]:
    """Sockets at every address of ``host``, of one port (0: a free one); nobody is answered before they listen.

    Raises ``ConfigurationError``, which says what to do.
    """
    with ExitStack() as undo:
        sockets: list[socket.socket] = []
        missing = 0
        for family, address in _addresses(host, port):
            try:
                sock = undo.enter_context(socket.socket(family, socket.SOCK_STREAM))
                _bind(sock, address, sockets[0].getsockname()[1] if sockets else port)
            except OSError as exc:
                # A name may stand for an address of a family that this machine does not speak.
                if exc.errno not in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}:
                    raise _refused(host, port, exc.errno) from exc
                missing = exc.errno
            else:
                sockets.append(sock)
        if not sockets:
            raise _refused(host, port, missing)
        undo.pop_all()
    return sockets


def listen(sockets: Sequence[socket.socket], backlog: int) -> int | None:
    """Let them listen; the error's number if one may not. Two servers that start together may both bind, but only one
    of them listens, and uvloop says nothing where it is the other.
    """
    try:
        for each in sockets:
            each.listen(backlog)
    except OSError as exc:
        return exc.errno or errno.EADDRINUSE
    return None


def _addresses(host: str, port: int) -> Sequence[Address]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as exc:
        raise _refused(host, port, errno.EADDRNOTAVAIL) from exc
    return list(dict.fromkeys((family, address) for family, _, _, _, address in found))


def _bind(sock: socket.socket, address: tuple[object, ...], port: int) -> None:
    if os.name == "posix":
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of a server that has just ended
    if sock.family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)  # its twin of IPv4 has a socket of its own
    sock.bind((address[0], port, *address[2:]))


def _refused(host: str, port: int, why: int | None) -> ConfigurationError:
    other = "Choose another one with --port or SIGNALBOX_PORT (0 takes a free one)"
    match why:
        case errno.EADDRINUSE:
            told = (
                f"Port {port} of {host} is in use, maybe by another Signalbox. {other}, or end the program that has it."
            )
        case errno.EACCES | errno.EPERM:
            told = f"This user may not listen on port {port}: those below 1024 are the system's. {other}."
        case errno.EADDRNOTAVAIL | errno.EAFNOSUPPORT | 0:
            told = (
                f"'{host}' is no address of this machine. Set --host or SIGNALBOX_HOST to one that is: 127.0.0.1 for "
                "this machine alone, 0.0.0.0 for all its networks."
            )
        case _:
            reason = os.strerror(why) if why else "for no reason that the system tells"
            told = f"Port {port} of {host} cannot be listened on: {reason}. {other}."
    return ConfigurationError(told)


def warn_of_short_keys(settings: Settings) -> None:
    """By their place alone: in an entry that is the wrong way round even the user's name is the key."""
    short = settings.short_keys()
    if short:
        logger.warning(
            "SIGNALBOX_API_KEYS HAS KEYS THAT CAN BE GUESSED: make longer ones, at random, as "
            "`python3 -c 'import secrets; print(secrets.token_urlsafe(24))'` does",
            entries=short,
            least_characters=SECRET_MIN_CHARS,
        )


def first_steps(settings: Settings, port: int, screen: Console) -> None:
    """What to do first, in commands that work as they are, but for a key."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    url = f"http://{host}:{port}"
    keyed = bool(settings.users())
    model = settings.provider() if settings.model == "auto" else settings.model
    ready = Text.assemble(("\nSignalbox is ready", "bold green"), " at ", (url, f"link {url}"), f"   model: {model}")
    screen.print(ready, soft_wrap=True)
    if settings.max_runs == 0:
        screen.print("It answers nothing itself: start workers with [bold]signalbox worker[/].")
    screen.print("\nSend it a message and watch typed events stream in:\n", style="bold")
    key = "-H 'Authorization: Bearer YOUR_KEY' " if keyed else ""
    command = (
        f"curl -N {url}/v1/chat {key}-H 'Accept: text/event-stream' \\\n"
        '     -d \'{"message": "find me remote Python jobs"}\''
    )
    screen.print(f"  {command}\n", markup=False, highlight=False, soft_wrap=True)
    screen.print("or chat in another terminal:\n", style="bold")
    chat = f".venv/bin/signalbox chat --url {url}" + (" --key YOUR_KEY" if keyed else "")
    screen.print(f"  {chat}\n", markup=False, highlight=False, soft_wrap=True)
    if keyed:
        screen.print("where YOUR_KEY is one of those in SIGNALBOX_API_KEYS.\n", markup=False, highlight=False)
    screen.print(f"API reference: {url}/docs   data: {settings.data_dir}   stop: Ctrl+C\n", style="dim", markup=False)
