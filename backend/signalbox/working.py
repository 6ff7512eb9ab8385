"""A worker: everything a server has but HTTP. It claims runs, works on them, and gives back what it cannot finish."""

import asyncio
import contextlib
from collections.abc import Callable

import structlog
from rich.console import Console

from signalbox.errors import ConfigurationError
from signalbox.process import on_signals, place_of, run_on_fast_loop, settle_memory
from signalbox.services import open_services
from signalbox.settings import Settings

logger = structlog.get_logger(__name__)

Progress = Callable[[str], None]


def work(settings: Settings, progress: Progress, screen: Console | None) -> None:
    """Work until SIGTERM or SIGINT; runs then have ``grace_s`` to end, after a second signal none.

    Raises ``ConfigurationError`` and ``StoreUnavailable`` from the start-up.
    """
    if settings.max_runs == 0:
        raise ConfigurationError(
            "A worker that may work on 0 answers at once has nothing to do: SIGNALBOX_MAX_RUNS is 0, which is for "
            "servers that leave answering to workers. Start it with --runs 64, or unset the variable."
        )
    run_on_fast_loop(_until_told(settings, progress, screen))


async def _until_told(settings: Settings, progress: Progress, screen: Console | None) -> None:
    stop, hurry, ready = asyncio.Event(), asyncio.Event(), asyncio.Event()
    starting = asyncio.current_task()
    assert starting is not None

    def heard(times: int) -> None:
        (stop if times == 1 else hurry).set()
        if not ready.is_set():
            starting.cancel()  # a start that was given up undoes itself

    with on_signals(heard), contextlib.suppress(asyncio.CancelledError):
        async with open_services(settings, progress=progress) as services:
            ready.set()
            settle_memory()
            _tell(settings, screen)
            await stop.wait()
            logger.info("stopping", runs=services.runner.active, grace_s=settings.grace_s)
            await services.drain(hurry)
            logger.info("stopped")


def _tell(settings: Settings, screen: Console | None) -> None:
    model = settings.provider() if settings.model == "auto" else settings.model
    logger.info("ready", runs=settings.max_runs, model=model)
    if screen is None:
        return
    embedded = f"embedded, under {settings.data_dir}"
    database = place_of(settings.database_url.get_secret_value()) if settings.database_url else embedded
    redis = place_of(settings.redis_url.get_secret_value()) if settings.redis_url else embedded
    screen.print(
        f"\n[bold green]Worker is ready[/]: up to {settings.max_runs} answers at once   model: {model}", soft_wrap=True
    )
    screen.print(f"PostgreSQL: {database}\nRedis:      {redis}", markup=False, highlight=False, soft_wrap=True)
    screen.print("stop: Ctrl+C (a second time: at once)\n", style="dim", markup=False)
