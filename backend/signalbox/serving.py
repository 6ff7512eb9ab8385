"""Runs the app under uvicorn: first steps on the screen, and a shutdown that drains before it closes."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack
from types import FrameType

import uvicorn
from rich.console import Console
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from signalbox.app import create_app
from signalbox.process import run_on_fast_loop, settle_memory
from signalbox.services import Services, open_services
from signalbox.settings import Settings


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
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        http=http_protocol(settings.send_timeout_s),
        loop="auto",
        timeout_graceful_shutdown=5,
        timeout_keep_alive=75,
        backlog=4_096,
    )
    run_on_fast_loop(_serve(settings, config, progress, screen))


async def _serve(
    settings: Settings, config: uvicorn.Config, progress: Callable[[str], None], screen: Console | None
) -> None:
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(open_services(settings, progress=progress))
        config.app = create_app(settings, services)
        settle_memory()

        def ready() -> None:
            if screen is not None:
                _first_steps(settings, screen)

        await DrainingServer(config, services, on_started=ready).serve()


def _first_steps(settings: Settings, screen: Console) -> None:
    url = f"http://{settings.host}:{settings.port}"
    model = settings.provider() if settings.model == "auto" else settings.model
    screen.print(f"\n[bold green]Signalbox is ready[/] at [link={url}]{url}[/]   model: {model}")
    if settings.max_runs == 0:
        screen.print("It answers nothing itself: start workers with [bold]signalbox worker[/].")
    screen.print("\nSend it a message and watch typed events stream in:\n", style="bold")
    command = (
        f"curl -N {url}/v1/chat -H 'Accept: text/event-stream' \\\n"
        '     -d \'{"message": "find me remote Python jobs"}\''
    )
    screen.print(f"  {command}\n", markup=False, highlight=False)
    screen.print("or chat in another terminal:\n", style="bold")
    screen.print(f"  .venv/bin/signalbox chat --url {url}\n", markup=False, highlight=False)
    screen.print(f"API reference: {url}/docs   data: {settings.data_dir}   stop: Ctrl+C\n", style="dim", markup=False)
