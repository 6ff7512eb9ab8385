"""Runs, conversations and messages in PostgreSQL; every statement is bound to its owner or to a lease.

One statement starts a run and brings back what it needs; one statement ends it. Leases and attempts are kept
here, so that another process can tell a run that lost its worker.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from psycopg.types.json import Jsonb

from signalbox.db import Database
from signalbox.errors import Conflict, IdempotencyConflict, NotFound, StoreUnavailable
from signalbox.events import (
    Intent,
    ProfileFact,
    RunStatus,
    Snapshot,
    SnapshotMessage,
    SnapshotRun,
    clean_json,
    clean_text,
)
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.stream.log import Cursor

HISTORY: Final = 20
HISTORY_WITH_BLOCKS: Final = 6


def new_id(kind: str) -> str:
    return f"{kind}_{secrets.token_hex(10)}"


@dataclass(frozen=True, slots=True)
class NewRun:
    """A message to answer. ``conversation_id`` None starts a conversation."""

    owner: Owner
    message: str | None
    conversation_id: str | None
    suggestion_id: str | None = None
    temporary: bool = False
    idempotency_key: str | None = None

    @property
    def digest(self) -> str:
        parts = (self.message, self.conversation_id, self.suggestion_id, self.temporary)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that this process has leased, and the context it starts from. ``waits``: earlier runs of the
    conversation are not done yet, so ``history`` has to be read again when they are.
    """

    run_id: str
    conversation_id: str
    owner: Owner
    message_id: str
    message: str
    lease_token: int
    attempt: int
    waits: bool
    floor: Cursor | None
    temporary: bool
    history: tuple[PastMessage, ...]
    profile: tuple[ProfileFact, ...]
    suggestion_id: str | None = None
    chosen_intent: Intent | None = None


@dataclass(frozen=True, slots=True)
class RunRow:
    run_id: str
    conversation_id: str
    status: RunStatus
    attempt: int
    intent: str | None
    agent: str | None
    error_code: str | None
    error_text: str | None
    error_retry: bool | None
    usage: Mapping[str, Any] | None
    created_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, run: StartedRun) -> "RunRow":
        """A run that was started a moment ago."""
        nothing = (None, None, None, None, None, None)
        return cls(run.run_id, run.conversation_id, "running", run.attempt, *nothing, datetime.now(UTC), None)

    @property
    def over(self) -> bool:
        return self.status not in {"pending", "running", "waiting"}


@dataclass(frozen=True, slots=True)
class Ending:
    """What a run leaves behind: its status, the assistant's message, and how it was routed."""

    status: RunStatus
    text: str = ""
    partial: bool = False
    agent: str | None = None
    blocks: Sequence[Mapping[str, Any]] = ()
    citations: Sequence[Mapping[str, Any]] = ()
    usage: Mapping[str, Any] | None = None
    error: tuple[str, str, bool] | None = None
    classification: Mapping[str, Any] | None = None
    suggestions: Sequence[Mapping[str, Any]] = ()
    epoch: str = ""
    first_offset: int = 0
    last_offset: int = 0


@dataclass(frozen=True, slots=True)
class Orphan:
    """A run that was ended because its worker vanished; its stream still needs an end."""

    run_id: str
    conversation_id: str
    lease_token: int


_RUN: Final = (
    "run_id, conversation_id, status, attempt, intent, agent, error_code, error_text, error_retry, usage, "
    "created_at, finished_at"
)

_HISTORY: Final = f"""
    (SELECT coalesce(jsonb_agg(to_jsonb(past) - 'position' ORDER BY past.position), '[]') FROM (
        SELECT m.position, m.role, m.content, m.agent, m.intent,
               CASE WHEN row_number() OVER (ORDER BY m.position DESC) <= {HISTORY_WITH_BLOCKS}
                    THEN m.blocks ELSE '[]'::jsonb END AS blocks
        FROM message m WHERE m.conversation_id = %(conversation_id)s AND m.position < %(before)s
        ORDER BY m.position DESC LIMIT {HISTORY}) past)"""

_PROFILE: Final = """
    (SELECT coalesce(jsonb_agg(jsonb_build_object('fact_id', fact_id, 'kind', kind, 'key', key, 'value', value,
        'source_message_id', source_message_id) ORDER BY created_at, fact_id), '[]') FROM profile_fact
     WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND retired_at IS NULL AND NOT %(temporary)s)"""

_START: Final = f"""
WITH prior AS (
    SELECT run_id FROM run WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND idempotency_key = %(key)s
), conv AS ({{conversation}}
), new_run AS (
    INSERT INTO run (run_id, conversation_id, tenant, user_id, user_message_id, status, idempotency_key,
                     request_digest, lease_owner, lease_until)
    SELECT %(run_id)s, conversation_id, %(tenant)s, %(user_id)s, %(message_id)s, 'running', %(key)s, %(digest)s,
           %(lease_owner)s, now() + make_interval(secs => %(lease_s)s)
    FROM conv WHERE NOT EXISTS (SELECT FROM prior)
    ON CONFLICT (tenant, user_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
    RETURNING run_id
), new_message AS (
    INSERT INTO message (message_id, conversation_id, run_id, tenant, user_id, role, content)
    SELECT %(message_id)s, %(conversation_id)s, run_id, %(tenant)s, %(user_id)s, 'user', %(message)s FROM new_run
), chosen AS (
    UPDATE suggestion SET chosen_by_run = %(run_id)s
    WHERE suggestion_id = %(suggestion_id)s AND conversation_id = %(conversation_id)s AND chosen_by_run IS NULL
      AND EXISTS (SELECT FROM new_run)
    RETURNING run_id, intent
), outcome AS (
    UPDATE classification c SET chosen_intent = chosen.intent,
           outcome = CASE WHEN c.intent = chosen.intent THEN 'chosen' ELSE 'chose_other' END
    FROM chosen WHERE c.run_id = chosen.run_id
)
SELECT (SELECT run_id FROM new_run) AS run_id, (SELECT run_id FROM prior) AS prior,
       (SELECT temporary FROM conv) AS temporary, (SELECT count(*) FROM conv) AS conversations,
       {_HISTORY} AS history, {_PROFILE} AS profile,
       (SELECT epoch || '-' || last_offset FROM run WHERE conversation_id = %(conversation_id)s
            AND last_offset IS NOT NULL ORDER BY position DESC LIMIT 1) AS floor
"""

_NEW_CONVERSATION: Final = """
    INSERT INTO conversation (conversation_id, tenant, user_id, title, temporary)
    SELECT %(conversation_id)s, %(tenant)s, %(user_id)s, %(title)s, %(temporary)s
    WHERE NOT EXISTS (SELECT FROM prior) RETURNING conversation_id, temporary"""

_OLD_CONVERSATION: Final = """
    UPDATE conversation SET updated_at = now()
    WHERE conversation_id = %(conversation_id)s AND tenant = %(tenant)s AND user_id = %(user_id)s
    RETURNING conversation_id, temporary"""

_FINISH: Final = """
WITH done AS (
    UPDATE run SET status = %(status)s, finished_at = now(), lease_until = NULL, intent = %(intent)s,
        agent = %(agent)s, usage = %(usage)s, error_code = %(error_code)s, error_text = %(error_text)s,
        error_retry = %(error_retry)s, epoch = %(epoch)s, first_offset = %(first_offset)s,
        last_offset = %(last_offset)s
    WHERE run_id = %(run_id)s AND lease_token = %(lease_token)s AND status IN ('pending', 'running')
    RETURNING run_id, conversation_id, tenant, user_id, user_message_id
), answer AS (
    INSERT INTO message (message_id, conversation_id, run_id, tenant, user_id, role, content, status, agent,
                         blocks, citations)
    SELECT %(answer_id)s, conversation_id, run_id, tenant, user_id, 'assistant', %(text)s, %(message_status)s,
           %(agent)s, %(blocks)s, %(citations)s FROM done WHERE %(text)s <> '' OR %(blocks)s <> '[]'::jsonb
), asked AS (
    UPDATE message SET intent = %(intent)s FROM done WHERE message_id = done.user_message_id
), routed AS (
    INSERT INTO classification (run_id, tenant, user_id, text, intent, confidence, source, alternatives, outcome)
    SELECT done.run_id, done.tenant, done.user_id, c.text, c.intent, c.confidence, c.source, c.alternatives,
           c.outcome
    FROM done, jsonb_to_recordset(%(classification)s) AS c (text text, intent text, confidence float8,
        source text, alternatives jsonb, outcome text)
), offered AS (
    INSERT INTO suggestion (suggestion_id, run_id, conversation_id, tenant, user_id, label, message, intent)
    SELECT s.id, done.run_id, done.conversation_id, done.tenant, done.user_id, s.label, s.message, s.intent
    FROM done, jsonb_to_recordset(%(suggestions)s) AS s (id text, label text, message text, intent text)
    ON CONFLICT DO NOTHING
)
SELECT count(*) AS won FROM done
"""


class RunStore:
    """Raises ``StoreUnavailable`` from every method, ``NotFound`` for what is unknown or another user's."""

    def __init__(self, db: Database, *, lease_owner: str, lease_s: float) -> None:
        self._db = db
        self._lease_owner = lease_owner
        self._lease_s = lease_s

    # -- starting

    async def start(self, new: NewRun) -> StartedRun | RunRow:
        """Store the message and a run leased to this process; or the run that this idempotency key started.

        Raises ``NotFound`` (conversation, suggestion), ``IdempotencyConflict``, ``Conflict`` (a quick reply
        of another conversation).
        """
        suggestion = await self._suggestion(new) if new.suggestion_id is not None else None
        conversation_id = new.conversation_id or (suggestion["conversation_id"] if suggestion else None)
        message = new.message if new.message is not None else (suggestion["message"] if suggestion else "")
        run_id, message_id = new_id("r"), new_id("m")
        parameters: dict[str, Any] = {
            "tenant": new.owner.tenant,
            "user_id": new.owner.user_id,
            "key": new.idempotency_key,
            "digest": new.digest,
            "conversation_id": conversation_id or new_id("c"),
            "run_id": run_id,
            "message_id": message_id,
            "message": message,
            "title": _title(message),
            "temporary": new.temporary,
            "suggestion_id": new.suggestion_id,
            "lease_owner": self._lease_owner,
            "lease_s": self._lease_s,
            "before": 2**62,
        }
        statement = _START.replace("{conversation}", _OLD_CONVERSATION if conversation_id else _NEW_CONVERSATION)
        row = await self._db.fetch_one(statement, parameters)
        assert row is not None
        if row["run_id"] is None:
            return await self._not_started(new, row, parameters)
        return StartedRun(
            run_id=run_id,
            conversation_id=parameters["conversation_id"],
            owner=new.owner,
            message_id=message_id,
            message=message,
            lease_token=1,
            attempt=1,
            # Positions are handed out under the conversation's row lock, so what is ahead is committed by now.
            waits=conversation_id is not None and await self.ahead(run_id) > 0,
            floor=Cursor.parse(row["floor"]) if row["floor"] else None,
            temporary=row["temporary"],
            history=_past(row["history"]),
            profile=_facts(row["profile"]) if not row["temporary"] else (),
            suggestion_id=new.suggestion_id,
            chosen_intent=suggestion["intent"] if suggestion else None,
        )

    async def _not_started(self, new: NewRun, row: Mapping[str, Any], parameters: Mapping[str, Any]) -> RunRow:
        if new.idempotency_key is None:
            raise NotFound("There is no conversation under that id.")
        if row["prior"] is None and new.conversation_id is None:
            # Lost a race for the key: the conversation made for this run is not needed.
            await self._db.execute(
                "DELETE FROM conversation c WHERE conversation_id = %s "
                "AND NOT EXISTS (SELECT FROM run r WHERE r.conversation_id = c.conversation_id)",
                (parameters["conversation_id"],),
            )
        prior = await self._db.fetch_one(
            f"SELECT request_digest, {_RUN} FROM run "  # noqa: S608
            "WHERE tenant = %s AND user_id = %s AND idempotency_key = %s",
            (new.owner.tenant, new.owner.user_id, new.idempotency_key),
        )
        if prior is None:
            raise NotFound("There is no conversation under that id.")
        if prior.pop("request_digest") != new.digest:
            raise IdempotencyConflict
        return RunRow(**prior)

    async def _suggestion(self, new: NewRun) -> Mapping[str, Any]:
        row = await self._db.fetch_one(
            "SELECT s.conversation_id, s.message, s.intent, r.idempotency_key AS chosen_with, s.chosen_by_run "
            "FROM suggestion s LEFT JOIN run r ON r.run_id = s.chosen_by_run "
            "WHERE s.suggestion_id = %s AND s.tenant = %s AND s.user_id = %s",
            (new.suggestion_id, new.owner.tenant, new.owner.user_id),
        )
        if row is None or new.conversation_id not in {None, row["conversation_id"]}:
            raise NotFound("There is no quick reply under that id in this conversation.")
        retried = new.idempotency_key is not None and row["chosen_with"] == new.idempotency_key
        if row["chosen_by_run"] is not None and not retried:
            raise Conflict("This quick reply was already chosen.")
        return row

    async def context(self, run: StartedRun) -> tuple[tuple[PastMessage, ...], Cursor | None]:
        """History up to this run's message, read again after waiting for the runs before it."""
        row = await self._db.fetch_one(
            f"SELECT {_HISTORY} AS history, "  # noqa: S608
            "(SELECT epoch || '-' || last_offset FROM run WHERE conversation_id = %(conversation_id)s "
            "AND last_offset IS NOT NULL ORDER BY position DESC LIMIT 1) AS floor",
            {"conversation_id": run.conversation_id, "before": await self._position(run)},
        )
        assert row is not None
        return _past(row["history"]), Cursor.parse(row["floor"]) if row["floor"] else None

    async def _position(self, run: StartedRun) -> int:
        row = await self._db.fetch_one("SELECT position FROM message WHERE message_id = %s", (run.message_id,))
        return row["position"] if row else 0

    async def ahead(self, run_id: str) -> int:
        """How many earlier runs of the conversation are not done yet."""
        row = await self._db.fetch_one(
            "SELECT count(*) AS n FROM run mine JOIN run other USING (conversation_id) "
            "WHERE mine.run_id = %s AND other.position < mine.position AND other.status IN ('pending', 'running')",
            (run_id,),
        )
        return row["n"] if row else 0

    # -- ending

    async def finish(self, run: StartedRun, ending: Ending, answer_id: str) -> RunStatus:
        """Commit the ending under the lease; returns the status that stands, which may be another's.

        Safe to call again after ``StoreUnavailable``: an ending is committed once.
        """
        code, text, retry = ending.error or (None, None, None)
        classification = ending.classification
        won = await self._db.fetch_one(
            _FINISH,
            {
                "run_id": run.run_id,
                "lease_token": run.lease_token,
                "status": ending.status,
                "intent": classification["intent"] if classification else None,
                "agent": ending.agent,
                "usage": Jsonb(ending.usage) if ending.usage else None,
                "error_code": code,
                "error_text": text,
                "error_retry": retry,
                "epoch": ending.epoch or None,
                "first_offset": ending.first_offset or None,
                "last_offset": ending.last_offset or None,
                "answer_id": answer_id,
                "text": clean_text(ending.text),
                "message_status": "partial" if ending.partial else "complete",
                "blocks": Jsonb([clean_json(block) for block in ending.blocks]),
                "citations": Jsonb(list(ending.citations)),
                "classification": Jsonb([classification] if classification else []),
                "suggestions": Jsonb(list(ending.suggestions)),
            },
        )
        if won is not None and won["won"]:
            return ending.status
        row = await self._db.fetch_one("SELECT status FROM run WHERE run_id = %s", (run.run_id,))
        # A conversation deleted in mid-run takes its runs with it.
        return row["status"] if row else "cancelled"

    async def request_cancel(self, owner: Owner, run_id: str) -> RunRow:
        """Mark the run as to be cancelled; a finished run is returned as it is."""
        await self._db.execute(
            "UPDATE run SET cancel_requested = true WHERE run_id = %s AND tenant = %s AND user_id = %s "
            "AND status IN ('pending', 'running')",
            (run_id, owner.tenant, owner.user_id),
        )
        return await self.run(owner, run_id)

    # -- leases

    async def renew(self, run_ids: Sequence[str]) -> dict[str, bool]:
        """Extend this process's leases; the runs it still holds, and whether their cancel was asked for."""
        rows = await self._db.fetch(
            "UPDATE run SET lease_until = now() + make_interval(secs => %s) "
            "WHERE run_id = ANY(%s) AND lease_owner = %s AND status IN ('pending', 'running') "
            "RETURNING run_id, cancel_requested",
            (self._lease_s, list(run_ids), self._lease_owner),
        )
        return {row["run_id"]: row["cancel_requested"] for row in rows}

    async def end_orphans(self, limit: int = 50) -> list[Orphan]:
        """Fail runs whose lease ran out, taking over their fence so that a stalled worker cannot go on."""
        rows = await self._db.fetch(
            "UPDATE run SET status = CASE WHEN cancel_requested THEN 'cancelled' ELSE 'failed' END, "
            "finished_at = now(), lease_token = lease_token + 1, lease_until = NULL, "
            "error_code = 'run_interrupted', error_retry = true, "
            "error_text = 'The server stopped before the answer was done. Please send the message again.' "
            "WHERE run_id IN (SELECT run_id FROM run WHERE status IN ('pending', 'running') "
            "AND lease_until < now() ORDER BY lease_until LIMIT %s FOR UPDATE SKIP LOCKED) "
            "RETURNING run_id, conversation_id, lease_token",
            (limit,),
        )
        return [Orphan(**row) for row in rows]

    # -- reading

    async def run(self, owner: Owner, run_id: str) -> RunRow:
        row = await self._db.fetch_one(
            f"SELECT {_RUN} FROM run WHERE run_id = %s AND tenant = %s AND user_id = %s",  # noqa: S608
            (run_id, owner.tenant, owner.user_id),
        )
        if row is None:
            raise NotFound("There is no run under that id.")
        return RunRow(**row)

    async def status(self, run_id: str) -> tuple[RunStatus, int] | None:
        """Status and lease token of any run; for the process's own checks, not for a user's request."""
        row = await self._db.fetch_one("SELECT status, lease_token FROM run WHERE run_id = %s", (run_id,))
        return (row["status"], row["lease_token"]) if row else None

    async def conversation(self, owner: Owner, conversation_id: str) -> dict[str, Any]:
        row = await self._db.fetch_one(
            "SELECT conversation_id, title, temporary, created_at, updated_at FROM conversation "
            "WHERE conversation_id = %s AND tenant = %s AND user_id = %s",
            (conversation_id, owner.tenant, owner.user_id),
        )
        if row is None:
            raise NotFound("There is no conversation under that id.")
        return row

    async def conversations(self, owner: Owner, *, limit: int, before: datetime | None) -> list[dict[str, Any]]:
        """Newest first; temporary conversations are not listed."""
        return await self._db.fetch(
            "SELECT conversation_id, title, created_at, updated_at FROM conversation "
            "WHERE tenant = %s AND user_id = %s AND NOT temporary AND (%s::timestamptz IS NULL OR updated_at < %s) "
            "ORDER BY updated_at DESC LIMIT %s",
            (owner.tenant, owner.user_id, before, before, limit),
        )

    async def delete_conversation(self, owner: Owner, conversation_id: str) -> list[str]:
        """Delete the conversation and all that hangs on it; returns the runs that were still going."""
        await self.conversation(owner, conversation_id)
        rows = await self._db.fetch(
            "WITH going AS (SELECT run_id FROM run WHERE conversation_id = %(c)s "
            "AND status IN ('pending', 'running')), "
            "gone AS (DELETE FROM conversation WHERE conversation_id = %(c)s) SELECT run_id FROM going",
            {"c": conversation_id},
        )
        return [row["run_id"] for row in rows]

    async def snapshot(self, owner: Owner, conversation_id: str) -> Snapshot:
        """The whole conversation as stored: its messages with their blocks, and its unfinished runs."""
        await self.conversation(owner, conversation_id)
        messages = await self._db.fetch(
            "SELECT message_id, run_id, role, content, status, agent, blocks, citations FROM message "
            "WHERE conversation_id = %s ORDER BY position",
            (conversation_id,),
        )
        runs = await self._db.fetch(
            "SELECT run_id, status FROM run WHERE conversation_id = %s "
            "AND status IN ('pending', 'running', 'waiting') ORDER BY position",
            (conversation_id,),
        )
        return Snapshot(
            messages=tuple(SnapshotMessage(**row) for row in messages),
            runs=tuple(SnapshotRun(**row) for row in runs),
        )

    async def ping(self) -> None:
        if await self._db.fetch_one("SELECT 1 AS one") is None:
            raise StoreUnavailable


def _title(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= 80 else line[:79] + "…"


def _past(rows: Sequence[Mapping[str, Any]]) -> tuple[PastMessage, ...]:
    return tuple(PastMessage(**row) for row in rows)


def _facts(rows: Sequence[Mapping[str, Any]]) -> tuple[ProfileFact, ...]:
    return tuple(ProfileFact(**row) for row in rows)
