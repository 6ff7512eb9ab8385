"""Work that a run leaves behind, such as a summary: done when it has ended, off the path of its reply, few at a time.

It may be lost with its process, so each kind of it has to be such that the end of the next run makes it good.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

import structlog

from signalbox.db import STORE_TROUBLE
from signalbox.errors import SignalboxError
from signalbox.runs.records import StartedRun
from signalbox.telemetry import told_of

logger = structlog.get_logger(__name__)

AT_ONCE: Final = 2
MOST_WAITING: Final = 1_000
LIMIT_S: Final = 120.0

Work: TypeAlias = Callable[[StartedRun], Awaitable[None]]


class Afterwards:
    """``serve`` is the task that works; ``add`` may be called at any time, never waits and never fails."""

    def __init__(self, *works: Work, at_once: int = AT_ONCE, most_waiting: int = MOST_WAITING) -> None:
        self._works = works
        self._at_once = at_once
        self._queue: asyncio.Queue[StartedRun] = asyncio.Queue(most_waiting)

    def add(self, run: StartedRun) -> None:
        """A run that has ended in the store. Where too much waits, it is left to the end of its conversation's next."""
        if not self._works:
            return
        try:
            self._queue.put_nowait(run)
        except asyncio.QueueFull:
            logger.warning("work after a run was left out: too much of it waits", run_id=run.run_id)

    async def serve(self) -> None:
        """Work until cancelled; what waits then is lost."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._at_once):
                group.create_task(self._keep_working())

    async def drain(self, grace_s: float) -> None:
        """Wait until all that was added is done, for ``grace_s`` at most."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._queue.join(), grace_s)

    async def _keep_working(self) -> None:
        while True:
            run = await self._queue.get()
            try:
                for work in self._works:
                    await self._do(work, run)
            finally:
                self._queue.task_done()

    async def _do(self, work: Work, run: StartedRun) -> None:
        with structlog.contextvars.bound_contextvars(run_id=run.run_id):
            try:
                async with asyncio.timeout(LIMIT_S):
                    await work(run)
            except (TimeoutError, SignalboxError, *STORE_TROUBLE) as exc:
                logger.warning("work after a run was not done; the next run makes it good", error=told_of(exc))
