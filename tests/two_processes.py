"""Two processes' worth of services on one database, one of which may crash while its user looks on at the other."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import httpx

from live import serving
from signalbox.db import Database
from signalbox.embedded import EmbeddedServers
from signalbox.llm.base import Model
from signalbox.services import Services, open_services
from signalbox.settings import load_settings

# The first process and the second, and one user as a client of each.
Two: TypeAlias = tuple[Services, Services, httpx.AsyncClient, httpx.AsyncClient]
Opens: TypeAlias = Callable[..., AbstractAsyncContextManager[Two]]


def two_processes(servers: EmbeddedServers, apart: Database, data_dir: Path, **of_both: Any) -> Opens:
    """What opens two processes, each with a model and settings of its own beside those ``of_both``.

    No lease runs out by itself, however slow the machine is: ``crash`` ends them.
    """
    common = {
        "data_dir": data_dir,
        "database_url": apart.dsn,
        "redis_url": servers.redis_url,
        "model": "scripted",
        "secret_key": "only-for-tests-only-for-tests",
        "heartbeat_s": 0.3,
        "lease_s": 60,
        "grace_s": 0,
        **of_both,
    }

    @asynccontextmanager
    async def opened(
        first: Model | None = None,
        second: Model | None = None,
        *,
        of_first: Mapping[str, Any] | None = None,
        of_second: Mapping[str, Any] | None = None,
    ) -> AsyncIterator[Two]:
        one, other = load_settings(**common | (of_first or {})), load_settings(**common | (of_second or {}))
        async with (
            open_services(one, model=first) as a,
            open_services(other, model=second) as b,
            serving(one, a) as here,
            serving(other, b) as there,
            here.user() as user,
        ):
            await user.get("/v1/conversations")
            async with httpx.AsyncClient(base_url=there.url, cookies=user.cookies, timeout=30) as same_user:
                yield a, b, user, same_user

    return opened


async def crash(services: Services) -> None:
    """The process is gone: it takes no more runs, no ending of its own is written, and its leases have run out."""
    runner = services.runner
    await shut(services)
    lost = dict(runner._tasks)
    for run_id, task in lost.items():
        runner._runs.pop(run_id, None)
        task.cancel()
    if lost:
        await asyncio.wait(lost.values())
    await services.db.execute(
        "UPDATE run SET lease_until = now() - interval '1 s' WHERE run_id = ANY(%s) AND status = 'running'",
        (list(lost),),
    )
    await runner.announce_work()


async def shut(services: Services) -> None:
    """The process takes no runs any more; what it is just claiming is begun first."""
    runner = services.runner
    async with runner._claiming:
        runner._limits = replace(runner._limits, runs=0)


async def opened_again(services: Services, runs: int = 64) -> None:
    """The process takes runs."""
    services.runner._limits = replace(services.runner._limits, runs=runs)
    await services.runner.announce_work()
