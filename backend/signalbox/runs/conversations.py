"""A user's conversations as stored: list, find, read whole, rename, delete. Every statement is bound to the owner."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from signalbox.db import Database
from signalbox.errors import NotFound, TooManyWaiting
from signalbox.events import RunError, Snapshot, SnapshotMessage, SnapshotRun, SnapshotUsage
from signalbox.memory.profile import Owner
from signalbox.runs.retention import erase
from signalbox.runs.searching import SEARCH_S, Search, found

SNAPSHOT_MESSAGES: Final = 500
# At once in this process: who types fast must not take all the connections.
SEARCHES: Final = 2


class ConversationStore:
    """Raises ``StoreUnavailable`` from every method, ``NotFound`` for what is unknown or another user's."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._searching = asyncio.Semaphore(SEARCHES)

    async def get(self, owner: Owner, conversation_id: str) -> dict[str, Any]:
        row = await self._db.fetch_one(
            "SELECT conversation_id, title, temporary, created_at, updated_at FROM conversation "
            "WHERE conversation_id = %s AND tenant = %s AND user_id = %s",
            (conversation_id, owner.tenant, owner.user_id),
        )
        if row is None:
            raise NotFound("There is no conversation under that id.")
        return row

    async def page(self, owner: Owner, *, limit: int, before: datetime | None) -> list[dict[str, Any]]:
        """Newest first; temporary conversations are not listed."""
        return await self._db.fetch(
            "SELECT conversation_id, title, created_at, updated_at, NULL AS match FROM conversation "
            "WHERE tenant = %s AND user_id = %s AND NOT temporary AND (%s::timestamptz IS NULL OR updated_at < %s) "
            "ORDER BY updated_at DESC LIMIT %s",
            (owner.tenant, owner.user_id, before, before, limit),
        )

    async def search(self, owner: Owner, search: Search) -> list[dict[str, Any]]:
        """As ``page``, those in which all words stand; each with ``match``, a piece of what was said, or None.

        Raises ``BadRequest`` (too much to search) and ``TooManyWaiting``.
        """
        try:
            await asyncio.wait_for(self._searching.acquire(), SEARCH_S)
        except TimeoutError as exc:
            raise TooManyWaiting("Too many searches are going on. Please try again in a moment.") from exc
        try:
            return await found(self._db, owner, search)
        finally:
            self._searching.release()

    async def rename(self, owner: Owner, conversation_id: str, title: str) -> dict[str, Any]:
        """Its row with the new title. The order of the list stays as it is."""
        await self._db.execute(
            "UPDATE conversation SET title = %s WHERE conversation_id = %s AND tenant = %s AND user_id = %s",
            (title, conversation_id, owner.tenant, owner.user_id),
        )
        return await self.get(owner, conversation_id)

    async def delete(self, owner: Owner, conversation_id: str) -> list[str]:
        """Delete the conversation and all that hangs on it; returns the runs that were still going."""
        await self.get(owner, conversation_id)
        mine = {"conversation": conversation_id, "tenant": owner.tenant, "user": owner.user_id}
        async with self._db.transaction() as conn:
            # As whoever starts or replaces a run: the conversation, weakly enough for endings to pass, then its runs.
            await conn.execute(
                "SELECT 1 FROM conversation WHERE conversation_id = %(conversation)s FOR NO KEY UPDATE", mine
            )
            runs = await conn.fetch(
                "SELECT run_id, status FROM run WHERE conversation_id = %(conversation)s "
                "AND tenant = %(tenant)s AND user_id = %(user)s FOR UPDATE",
                mine,
            )
            await erase(conn)
            await conn.execute(
                "DELETE FROM conversation WHERE conversation_id = %(conversation)s "
                "AND tenant = %(tenant)s AND user_id = %(user)s",
                mine,
            )
        return [row["run_id"] for row in runs if row["status"] in {"pending", "running"}]

    async def snapshot(self, owner: Owner, conversation_id: str) -> Snapshot:
        """The conversation as stored: its newest messages with their blocks, and how their runs stand.

        Without what was taken back, though its worker may not be done with it: whoever follows hears ``retracted``.
        """
        await self.get(owner, conversation_id)
        rows = await self._db.fetch(
            "SELECT message_id, run_id, role, content, status, agent, blocks, citations, "
            "count(*) OVER () AS stored FROM message WHERE conversation_id = %s AND tenant = %s AND user_id = %s "
            "AND run_id <> ALL (ARRAY(SELECT r.run_id FROM run r WHERE r.conversation_id = %s AND r.rolled_back)) "
            "ORDER BY position DESC LIMIT %s",
            (conversation_id, owner.tenant, owner.user_id, conversation_id, SNAPSHOT_MESSAGES),
        )
        messages = tuple(SnapshotMessage(**{k: v for k, v in row.items() if k != "stored"}) for row in reversed(rows))
        runs = await self._db.fetch(
            "SELECT run_id, status, error_code, error_text, error_retry, intent, agent, usage, activity FROM run "
            "WHERE conversation_id = %s AND tenant = %s AND user_id = %s AND NOT rolled_back "
            "AND (run_id = ANY(%s) OR status IN ('pending', 'running', 'waiting')) ORDER BY position",
            (conversation_id, owner.tenant, owner.user_id, list({message.run_id for message in messages})),
        )
        omitted = rows[0]["stored"] - len(rows) if rows else 0
        return Snapshot(messages=messages, runs=tuple(map(_run, runs)), omitted=omitted)


def _run(row: Mapping[str, Any]) -> SnapshotRun:
    code = row["error_code"]
    error = RunError(code=code, content=row["error_text"] or "", retry=bool(row["error_retry"])) if code else None
    return SnapshotRun(run_id=row["run_id"], status=row["status"], error=error, **_activity(row))


def _activity(row: Mapping[str, Any]) -> Mapping[str, Any]:
    if row["status"] in {"pending", "running"}:
        return {}  # the events of a run that goes on are read from its beginning
    if row["activity"] is not None:
        activity: Mapping[str, Any] = row["activity"]
        return activity
    # It ended before this was kept, or before anybody began it.
    usage = row["usage"]
    return {
        "intent": row["intent"],
        "agent": row["agent"],
        "usage": (SnapshotUsage(**usage),) if usage else (),
    }
