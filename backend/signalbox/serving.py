"""Runs the app under uvicorn: first steps on the screen, and a shutdown that drains before it closes."""

import asyncio
import gc
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack

import uvicorn
from rich.console import Console

from signalbox.app import create_app
from signalbox.services import Services, open_services
from signalbox.settings import Settings


class DrainingServer(uvicorn.Server):
    """uvicorn, except that on SIGTERM readers and runs are let go before connections are waited for."""

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self._services = services

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        await self._services.drain()
        await super().shutdown(sockets)


def serve(settings: Settings, progress: Callable[[str], None], screen: Console | None) -> None:
    """Serve until SIGTERM or SIGINT. Raises ``ConfigurationError`` and ``StoreUnavailable`` from the start-up."""
    config = uvicorn.Config(
        app="",
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        http="httptools",
        loop="auto",
        timeout_graceful_shutdown=5,
        timeout_keep_alive=75,
        backlog=4_096,
    )
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(_serve(settings, config, progress, screen))


async def _serve(
    settings: Settings, config: uvicorn.Config, progress: Callable[[str], None], screen: Console | None
) -> None:
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(open_services(settings, progress=progress))
        config.app = create_app(settings, services)
        # A full collection over the imports' 100,000 objects takes 50 ms, in the middle of somebody's stream.
        gc.collect()
        gc.freeze()
        if screen is not None:
            _first_steps(settings, screen)
        await DrainingServer(config, services).serve()


def _first_steps(settings: Settings, screen: Console) -> None:
    url = f"http://{settings.host}:{settings.port}"
    model = settings.provider() if settings.model == "auto" else settings.model
    screen.print(f"\n[bold green]Signalbox is ready[/] at [link={url}]{url}[/]   model: {model}")
    screen.print("\nSend it a message and watch typed events stream in:\n", style="bold")
    command = (
        f"curl -N {url}/v1/chat -H 'Accept: text/event-stream' \\\n"
        '     -d \'{"message": "find me remote Python jobs"}\''
    )
    screen.print(f"  {command}\n", markup=False, highlight=False)
    screen.print("or chat in another terminal:\n", style="bold")
    screen.print(f"  .venv/bin/signalbox chat --url {url}\n", markup=False, highlight=False)
    screen.print(f"API reference: {url}/docs   data: {settings.data_dir}   stop: Ctrl+C\n", style="dim", markup=False)
