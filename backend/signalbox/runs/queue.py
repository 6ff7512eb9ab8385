"""How many runs wait for a worker, and whether there is none at all. Reads only."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from signalbox.db import STORE_TROUBLE, Database
from signalbox.telemetry import told_of

logger = structlog.get_logger(__name__)

# Often: how long a run has been waiting is only known from when it was first seen to.
LOOK_EVERY_S: Final = 1.0
SAY_EVERY_S: Final = 15.0
# Looking must not become the database's work where the queue is long.
REST: Final = 20
# An idle worker takes a run within seconds, told or not.
PATIENCE_S: Final = 10.0
NO_WORKER: Final = "no worker takes runs: start one with 'signalbox worker'"

# What could be taken now has nothing of its own conversation before it. Sorted, not joined: a long queue must not
# make this slow, whatever the planner believes about its length.
_LOOK: Final = """
    WITH open AS MATERIALIZED (
        SELECT run_id, position, conversation_id, status, lease_until, created_at FROM run
        WHERE status IN ('pending', 'running')
    ), first AS (
        SELECT DISTINCT ON (conversation_id) run_id, position, status, created_at FROM open
        ORDER BY conversation_id, position
    ), next AS MATERIALIZED (
        SELECT run_id, created_at FROM first WHERE status = 'pending' ORDER BY position LIMIT 1
    )
    SELECT count(*) FILTER (WHERE status = 'pending') AS pending,
           count(*) FILTER (WHERE status = 'running' AND lease_until >= now()) AS running,
           (SELECT run_id FROM next) AS next,
           coalesce((SELECT extract(epoch FROM clock_timestamp() - created_at) FROM next), 0)::float8 AS oldest_s
    FROM open"""


@dataclass(frozen=True, slots=True)
class Queue:
    """``pending`` runs wait for a worker, ``running`` ones have one that is alive. ``oldest_s`` is the age of the run
    that is to be taken next. ``stalled``: nobody takes it.
    """

    pending: int
    running: int
    oldest_s: float
    stalled: bool


class QueueWatch:
    """Looks at the queue, and remembers what it saw last: a run that was given back a moment ago may be old."""

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._db = db
        self._clock = clock
        self._next: tuple[str, float] | None = None  # the run that nobody has taken, and since when it is known

    async def look(self) -> Queue:
        """Raises ``StoreUnavailable``."""
        row = await self._db.fetch_one(_LOOK)
        assert row is not None
        now = self._clock()
        if row["next"] is None or row["running"]:  # where some run goes on, workers are merely busy
            self._next = None
        elif self._next is None or self._next[0] != row["next"]:
            self._next = (row["next"], now)
        stalled = self._next is not None and now - self._next[1] >= PATIENCE_S
        return Queue(row["pending"], row["running"], row["oldest_s"], stalled)

    async def keep_looking(self, *, every_s: float = LOOK_EVERY_S) -> None:
        """For a process that leaves runs to workers: say in the log when there are none, at once and then now and
        then, and make the next ``look`` know since when. Until cancelled.
        """
        quiet_until = self._clock()
        while True:
            rest = every_s
            began = time.monotonic()
            try:
                queue = await self.look()
                rest = max(every_s, min(REST * (time.monotonic() - began), SAY_EVERY_S))
                quiet_until = self._told(queue, quiet_until)
            except STORE_TROUBLE as exc:
                if self._clock() >= quiet_until:
                    quiet_until = self._clock() + SAY_EVERY_S
                    logger.warning("the queue of runs cannot be seen", error=told_of(exc.__cause__ or exc))
            await asyncio.sleep(rest)

    def _told(self, queue: Queue, quiet_until: float) -> float:
        """Warn if that is due; when the next warning is."""
        now = self._clock()
        if not queue.stalled:
            return now
        if now < quiet_until:
            return quiet_until
        logger.warning(NO_WORKER, pending=queue.pending, oldest_s=round(queue.oldest_s))
        return now + SAY_EVERY_S
