"""Erases all that is kept of one user: conversations with all that hangs on them, profile, CVs, applications, settings,
and what Redis holds. What their answers cost stays in the books, without their name.

It may be stopped at any moment and done again: what is gone is gone, and the next time goes on with the rest.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from signalbox.db import Connection, Database
from signalbox.errors import LogUnavailable
from signalbox.memory.profile import LOCK, Owner, parameters_of
from signalbox.runs.retention import erase
from signalbox.stream.log import EventLog
from signalbox.stream.owned import owned_keys

logger = structlog.get_logger(__name__)

# How long runs get to hear that they are cancelled; after that they go on without a row, and nothing they say is kept.
STOPPING_S: Final = 10.0
_POLL_S: Final = 0.05
CONVERSATIONS_AT_ONCE: Final = 20

_MINE: Final = "tenant = %(tenant)s AND user_id = %(user_id)s"
# Tables whose rows name their user and hang on no conversation. ``application`` takes its events along.
BELONGINGS: Final = ("profile_fact", "profile_undo", "resume", "application", "user_setting")
# Those that go with a conversation.
HANGING: Final = (
    *("run", "message", "classification", "suggestion", "approval", "conversation_summary", "run_step", "effect"),
)
# Kept, without the name.
ANONYMOUS: Final = ("model_call",)

_ANYTHING: Final = "SELECT {} AS yes".format(
    " OR ".join(f"EXISTS (SELECT FROM {table} WHERE {_MINE})" for table in ("conversation", *BELONGINGS, *ANONYMOUS))
)
_NOTE: Final = """
INSERT INTO erasure (owner_digest) VALUES (owner_digest(%(tenant)s, %(user_id)s))
ON CONFLICT (owner_digest) DO UPDATE SET erased_at = now()
"""
_CANCEL: Final = f"""
UPDATE run SET cancel_requested = true WHERE {_MINE} AND status IN ('pending', 'running', 'waiting') RETURNING run_id
"""  # noqa: S608 - constants only
_GOING: Final = f"SELECT 1 FROM run WHERE {_MINE} AND status = 'running' AND lease_until >= now() LIMIT 1"  # noqa: S608
_SOME: Final = f"SELECT conversation_id FROM conversation WHERE {_MINE} ORDER BY conversation_id LIMIT %(most)s"  # noqa: S608
_COUNTS: Final = """
SELECT (SELECT count(*) FROM message WHERE conversation_id = ANY(%(ids)s)) AS messages,
       (SELECT count(*) FROM run WHERE conversation_id = ANY(%(ids)s)) AS runs,
       (SELECT count(*) FROM run_step JOIN run USING (run_id) WHERE conversation_id = ANY(%(ids)s)) AS steps,
       (SELECT count(*) FROM conversation_summary WHERE conversation_id = ANY(%(ids)s)) AS summaries
"""
_HOLD: Final = (
    "SELECT 1 FROM conversation WHERE conversation_id = ANY(%(ids)s) ORDER BY conversation_id FOR NO KEY UPDATE"
)
_HOLD_RUNS: Final = """
SELECT run_id, status FROM run WHERE conversation_id = ANY(%(ids)s) ORDER BY run_id FOR UPDATE
"""
_DELETE: Final = f"DELETE FROM conversation WHERE conversation_id = ANY(%(ids)s) AND {_MINE}"  # noqa: S608
# Erasing gives nobody a new budget for the day.
_SPEND: Final = f"""
SELECT spend_without_a_name(%(tenant)s, %(user_id)s, (SELECT sum(cost_usd) FROM model_call WHERE {_MINE}
    AND called_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'))
"""  # noqa: S608 - constants only
_UNNAME: Final = f"UPDATE model_call SET user_id = '' WHERE {_MINE}"  # noqa: S608


@dataclass(slots=True)
class Erased:
    """What is gone. ``facts`` include those that were replaced or forgotten; ``calls`` are entries of the books that
    lost their name; ``keys`` are those of Redis beside the events of conversations.
    """

    conversations: int = 0
    messages: int = 0
    runs: int = 0
    steps: int = 0
    summaries: int = 0
    facts: int = 0
    resumes: int = 0
    applications: int = 0
    calls: int = 0
    keys: int = 0


Told = Callable[[Erased], None]


class Erasure:
    """``stop`` ends a run wherever it goes on, ``gone`` tells the readers of a conversation that it is no more.

    Raises ``StoreUnavailable`` and ``LogUnavailable``, with what was erased until then gone: do it again.
    """

    def __init__(
        self,
        db: Database,
        log: EventLog,
        redis: Redis,
        *,
        stop: Callable[[str], Awaitable[None]],
        gone: Callable[[str], Awaitable[None]],
    ) -> None:
        self._db = db
        self._log = log
        self._redis = redis
        self._stop = stop
        self._gone = gone

    async def erase(self, owner: Owner, told: Told = lambda _: None) -> Erased:
        """All of it; ``told`` hears how far it is. What the user does meanwhile may be erased or stay."""
        erased = Erased()
        mine = parameters_of(owner)
        known = await self._db.fetch_one(_ANYTHING, mine)
        if known is None or not known["yes"]:
            erased.keys = await self._erase_keys(owner)
            return erased
        await self._db.execute(_NOTE, mine)
        await self._end_runs(mine)
        while ids := await self._some(mine):
            await self._erase_conversations(mine, ids, erased)
            told(erased)
        async with self._db.transaction() as conn:
            await conn.execute(LOCK, mine)
            counts = {table: await _emptied(conn, table, mine) for table in BELONGINGS}
            await conn.execute(_SPEND, mine)
            erased.calls = (await conn.execute(_UNNAME, mine)).rowcount
        erased.facts, erased.resumes = counts["profile_fact"], counts["resume"]
        erased.applications = counts["application"]
        erased.keys = await self._erase_keys(owner)
        told(erased)
        logger.info("erased a user", conversations=erased.conversations, facts=erased.facts)
        return erased

    async def _end_runs(self, mine: dict[str, Any]) -> None:
        """Cancel what goes on and wait until it is over, so that nothing is written behind us."""
        going = await self._db.fetch(_CANCEL, mine)
        for row in going:
            await self._stop(row["run_id"])
        give_up = time.monotonic() + STOPPING_S
        while going and await self._db.fetch_one(_GOING, mine) is not None:
            if time.monotonic() > give_up:
                logger.warning("erasing a user whose runs did not end in time")
                return
            await asyncio.sleep(_POLL_S)

    async def _some(self, mine: dict[str, Any]) -> list[str]:
        rows = await self._db.fetch(_SOME, {**mine, "most": CONVERSATIONS_AT_ONCE})
        return [row["conversation_id"] for row in rows]

    async def _erase_conversations(self, mine: dict[str, Any], ids: Sequence[str], erased: Erased) -> None:
        # The events first: once the rows are gone nobody knows any more which there were.
        for conversation_id in ids:
            await self._log.delete(conversation_id)
        where = {**mine, "ids": list(ids)}
        async with self._db.transaction() as conn:
            # As whoever starts or replaces a run: conversations, weakly enough for endings to pass, then their runs.
            await conn.execute(_HOLD, where)
            runs = await conn.fetch(_HOLD_RUNS, where)
            counts = await conn.fetch_one(_COUNTS, where)
            await erase(conn)
            erased.conversations += (await conn.execute(_DELETE, where)).rowcount
        for name, count in (counts or {}).items():
            setattr(erased, name, getattr(erased, name) + count)
        for row in runs:
            if row["status"] in {"pending", "running"}:
                await self._stop(row["run_id"])
        for conversation_id in ids:
            await self._gone(conversation_id)

    async def _erase_keys(self, owner: Owner) -> int:
        """Caches and the like, by their names: looking through all of Redis is for nobody to ask for."""
        try:
            return int(await self._redis.unlink(*owned_keys(owner.tenant, owner.user_id)))
        except (RedisError, OSError) as exc:
            raise LogUnavailable from exc


async def _emptied(conn: Connection, table: str, mine: dict[str, Any]) -> int:
    return (await conn.execute(f"DELETE FROM {table} WHERE {_MINE}", mine)).rowcount  # noqa: S608 - of BELONGINGS
