"""How long runs wait for a worker, and whether there is none at all. Reads only."""

import asyncio
from dataclasses import dataclass
from typing import Final

import structlog

from signalbox.db import Database
from signalbox.errors import StoreUnavailable

logger = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 15.0
# An idle worker takes a run within seconds, told or not.
PATIENCE_S: Final = 10.0
NO_WORKER: Final = "no worker takes runs: start one with 'signalbox worker'"

# Ready: nothing of its own conversation stands before it. Time counts from when the run could first have been taken.
_LOOK: Final = """
    SELECT count(*) FILTER (WHERE r.status = 'pending') AS pending,
           count(*) FILTER (WHERE r.status = 'running' AND r.lease_until >= now()) AS running,
           coalesce(extract(epoch FROM clock_timestamp() - min(r.created_at) FILTER (
               WHERE r.status = 'pending' AND NOT EXISTS (
                   SELECT FROM run o WHERE o.conversation_id = r.conversation_id AND o.position < r.position
                     AND o.status IN ('pending', 'running')))), 0)::float8 AS oldest_s
    FROM run r WHERE r.status IN ('pending', 'running')"""


@dataclass(frozen=True, slots=True)
class Queue:
    """``pending`` runs wait for a worker, the oldest that could be taken since ``oldest_s``; ``running`` ones have
    one that is alive.
    """

    pending: int
    running: int
    oldest_s: float

    @property
    def stalled(self) -> bool:
        """Nobody takes runs: where workers are merely busy, some run is going on."""
        return self.running == 0 and self.oldest_s > PATIENCE_S


async def look(db: Database) -> Queue:
    """Raises ``StoreUnavailable``."""
    row = await db.fetch_one(_LOOK)
    assert row is not None
    return Queue(**row)


async def watch_queue(db: Database, *, every_s: float = LOOK_EVERY_S) -> None:
    """For a process that leaves runs to workers: say in the log when there are none. Runs until it is cancelled."""
    while True:
        await asyncio.sleep(every_s)
        try:
            queue = await look(db)
        except StoreUnavailable as exc:
            logger.warning("the queue of runs cannot be seen", code=exc.code)
            continue
        if queue.stalled:
            logger.warning(NO_WORKER, pending=queue.pending, oldest_s=round(queue.oldest_s))
