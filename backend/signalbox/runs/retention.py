"""Forgets how old runs were worked on: their steps, effects, approvals and events. What was said stays.

A run keeps its ``pins`` for as long as its steps are kept, so a finished run without them was pruned (or never began).
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, LiteralString

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from signalbox.db import STORE_TROUBLE, Connection, Database
from signalbox.errors import LogUnavailable
from signalbox.stream.log import EventLog
from signalbox.telemetry import told_of

logger = structlog.get_logger(__name__)

BATCH: Final = 500
EVERY_S: Final = 3_600.0
# A running process vouches for its own bundle once an hour; nobody has for one this old.
BUNDLE_DAYS: Final = 1

# Steps are append-only unless the transaction says that it erases what they belong to.
ERASING: Final = "SELECT set_config('signalbox.erasing', 'on', true)"

_OLD: Final = (
    "r.finished_at < %(before)s AND r.pins IS NOT NULL AND r.status IN ('succeeded', 'failed', 'cancelled', 'dead')"
)
_SILENT: Final = """
    ARRAY(SELECT DISTINCT old.conversation_id FROM old WHERE NOT EXISTS (
        SELECT FROM run o WHERE o.conversation_id = old.conversation_id
          AND (o.finished_at IS NULL OR o.finished_at >= %(before)s))) AS silent"""

_PRUNE: Final = (
    """
WITH old AS MATERIALIZED (
    SELECT run_id, conversation_id FROM run r WHERE """
    + _OLD
    + """
    ORDER BY r.finished_at LIMIT %(batch)s FOR UPDATE SKIP LOCKED
), steps AS (
    DELETE FROM run_step s USING old WHERE s.run_id = old.run_id RETURNING 1
), effects AS (
    DELETE FROM effect e USING old WHERE e.run_id = old.run_id RETURNING 1
), approvals AS (
    DELETE FROM approval a USING old WHERE a.run_id = old.run_id RETURNING 1
), runs AS (
    UPDATE run SET pins = NULL, profile = NULL FROM old WHERE run.run_id = old.run_id RETURNING 1
)
SELECT (SELECT count(*) FROM runs) AS runs, (SELECT count(*) FROM steps) AS steps,
       (SELECT count(*) FROM effects) AS effects, (SELECT count(*) FROM approvals) AS approvals,"""
    + _SILENT
)

_COUNT: Final = (
    "WITH old AS MATERIALIZED (SELECT run_id, conversation_id FROM run r WHERE "
    + _OLD
    + """)
SELECT (SELECT count(*) FROM old) AS runs,
       (SELECT count(*) FROM run_step JOIN old USING (run_id)) AS steps,
       (SELECT count(*) FROM effect JOIN old USING (run_id)) AS effects,
       (SELECT count(*) FROM approval JOIN old USING (run_id)) AS approvals,"""
    + _SILENT
)

# A bundle goes with the last run that refers to it.
_UNUSED: Final = """
    FROM pinned p WHERE p.created_at < least(%(before)s, now() - make_interval(days => %(days)s))
      AND NOT EXISTS (SELECT FROM run r WHERE r.pins = p.digest"""
# For a day it is known that somebody was erased, so that what was under way for them leaves nothing behind.
_FORGET_ERASURES: Final = "DELETE FROM erasure WHERE erased_at < now() - interval '1 day'"
_DROP_UNUSED: Final = "DELETE" + _UNUSED + ")"
_COUNT_UNUSED: Final = "SELECT count(*) AS bundles" + _UNUSED + " AND NOT (" + _OLD + "))"


@dataclass(slots=True)
class Pruned:
    """What was removed, or would be. ``logs``: conversations whose events were forgotten with their last run's."""

    runs: int = 0
    steps: int = 0
    effects: int = 0
    approvals: int = 0
    logs: int = 0
    bundles: int = 0

    def add(self, row: dict[str, Any]) -> None:
        self.runs += row["runs"]
        self.steps += row["steps"]
        self.effects += row["effects"]
        self.approvals += row["approvals"]


class Retention:
    """Safe to use from several processes at once, and to stop at any moment: each batch is one transaction."""

    def __init__(self, db: Database, redis: Redis) -> None:
        self._db = db
        self._redis = redis

    async def count(self, before: datetime) -> Pruned:
        """What ``prune`` would remove. Raises ``StoreUnavailable``."""
        found = Pruned()
        row = await self._db.fetch_one(_COUNT, {"before": before})
        assert row is not None
        found.add(row)
        found.logs = len(row["silent"])
        unused = await self._db.fetch_one(_COUNT_UNUSED, {"before": before, "days": BUNDLE_DAYS})
        assert unused is not None
        found.bundles = unused["bundles"]
        return found

    async def prune(self, before: datetime, told: Callable[[Pruned], None] = lambda _: None) -> Pruned:
        """Forget the work of all runs that were over ``before``; ``told`` hears how far it is after each batch.

        Runs that wait or go on are never touched. Raises ``StoreUnavailable``, with what was pruned until then gone.
        """
        pruned = Pruned()
        while True:
            async with self._db.transaction() as conn:
                row = await _one(conn, _PRUNE, {"before": before, "batch": BATCH})
            if not row["runs"]:
                break
            pruned.add(row)
            try:
                await self._forget(row["silent"])
                pruned.logs += len(row["silent"])
            except LogUnavailable as exc:
                logger.warning("events were left to expire", code=exc.code)  # truth: nothing is looked up
            told(pruned)
        await self._db.execute(_FORGET_ERASURES)
        pruned.bundles = await self._db.execute(_DROP_UNUSED, {"before": before, "days": BUNDLE_DAYS})
        return pruned

    async def _forget(self, conversation_ids: list[str]) -> None:
        # No marker is left: whoever writes in such a conversation again begins a new epoch.
        pipe = self._redis.pipeline(transaction=False)
        for conversation_id in conversation_ids:
            for key in EventLog.keys(conversation_id):
                pipe.unlink(key)
        try:
            await pipe.execute()
        except (RedisError, OSError) as exc:
            raise LogUnavailable from exc

    async def keep_pruning(self, keep: timedelta, vouch: Callable[[], Any], *, every_s: float = EVERY_S) -> None:
        """A process's own housekeeping; ``vouch`` renews its claim on the bundle it works with. Until cancelled."""
        while True:
            await asyncio.sleep(every_s)
            try:
                await vouch()
                pruned = await self.prune(datetime.now(UTC) - keep)
            except STORE_TROUBLE as exc:  # housekeeping takes no process down, whatever it is
                logger.warning("old runs were not pruned", error=told_of(exc.__cause__ or exc))
                continue
            if pruned.runs or pruned.bundles:
                logger.info("pruned the work of old runs", runs=pruned.runs, steps=pruned.steps)


async def erase(conn: Connection) -> None:
    """Let this transaction delete steps, with what they belong to."""
    await conn.execute(ERASING)


async def _one(conn: Connection, sql: LiteralString, parameters: dict[str, Any]) -> dict[str, Any]:
    await erase(conn)
    row = await conn.fetch_one(sql, parameters)
    assert row is not None
    return row
