"""Runs, conversations and messages in PostgreSQL; every statement is bound to its owner or to a lease.

One statement starts a run and brings back what it needs; one statement ends it. Leases and attempts are kept
here, so that another process can tell a run that lost its worker.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from psycopg.errors import UniqueViolation
from psycopg.types.json import Jsonb

from signalbox.blocks import ProfileFact
from signalbox.db import Database
from signalbox.encoding import clean_json, clean_text
from signalbox.envelope import Intent
from signalbox.errors import Conflict, IdempotencyConflict, NotFound, StoreUnavailable
from signalbox.events import FinalStatus, RunStatus
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.runs import statements
from signalbox.stream.log import Cursor

_PLACE: Final = re.compile(r"\s*(?:#|no\.?\s*|number\s*|option\s*)?([1-3])\s*[.)]?\s*", re.IGNORECASE | re.ASCII)


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
class StoredAnswer:
    """One agent's message with its typed results and sources; ``partial``: it broke off."""

    message_id: str
    text: str
    partial: bool
    agent: str | None
    blocks: Sequence[Mapping[str, Any]]
    citations: Sequence[Mapping[str, Any]]

    def row(self) -> dict[str, Any]:
        """As the statement takes it; no text or value in it can be refused by the database."""
        return {
            "message_id": self.message_id,
            "content": clean_text(self.text),
            "status": "partial" if self.partial else "complete",
            "agent": self.agent,
            "blocks": [clean_json(block) for block in self.blocks],
            "citations": [clean_json(citation) for citation in self.citations],
        }


@dataclass(frozen=True, slots=True)
class Ending:
    """What a run leaves behind: its status, the assistant's messages in order, and how it was routed."""

    status: RunStatus
    answers: Sequence["StoredAnswer"] = ()
    agent: str | None = None
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
    status: RunStatus


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
        asked, new = new, await self._chosen_by_number(new)
        suggestion = await self._suggestion(new) if new.suggestion_id is not None else None
        conversation_id = new.conversation_id or (suggestion["conversation_id"] if suggestion else None)
        message = new.message if new.message is not None else (suggestion["message"] if suggestion else "")
        run_id, message_id = new_id("r"), new_id("m")
        parameters: dict[str, Any] = {
            "tenant": new.owner.tenant,
            "user_id": new.owner.user_id,
            "key": new.idempotency_key,
            "digest": asked.digest,
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
            **statements.CONTEXT_LIMITS,
        }
        if conversation_id is not None:
            statement = statements.START_OLD
        else:
            statement = statements.START_NEW if new.idempotency_key else statements.START_FRESH
        try:
            row = await self._db.fetch_one(statement, parameters)
        except UniqueViolation as exc:
            raise Conflict("One of these quick replies was already chosen. Write what you want instead.") from exc
        assert row is not None
        if row["run_id"] is None:
            return await self._not_started(asked, row, parameters)
        if suggestion is not None and not row["chosen"]:
            await self._db.execute(
                "WITH said AS (DELETE FROM message WHERE run_id = %(run)s) DELETE FROM run WHERE run_id = %(run)s",
                {"run": run_id},
            )
            raise Conflict("This quick reply was already chosen.")
        return StartedRun(
            run_id=run_id,
            conversation_id=parameters["conversation_id"],
            owner=new.owner,
            message_id=message_id,
            message=message,
            lease_token=1,
            attempt=1,
            # Positions are handed out under the conversation's row lock, so what is ahead is committed by now.
            waits=conversation_id is not None and await self._may_have_to_wait(run_id),
            floor=Cursor.parse(row["floor"]) if row["floor"] else None,
            temporary=row["temporary"],
            history=_past(row["history"]),
            profile=_facts(row["profile"]) if not row["temporary"] else (),
            suggestion_id=new.suggestion_id,
            chosen_intent=suggestion["intent"] if suggestion else None,
        )

    async def _chosen_by_number(self, new: NewRun) -> NewRun:
        """Who answers quick replies with "2" has chosen the second, as far as no other numbered list was shown."""
        match = _PLACE.fullmatch(new.message or "")
        if match is None or new.conversation_id is None or new.suggestion_id is not None:
            return new
        rows = await self._db.fetch(
            statements.OPEN_SUGGESTIONS, (new.conversation_id, new.owner.tenant, new.owner.user_id)
        )
        place = int(match[1])
        return replace(new, suggestion_id=rows[place - 1]["suggestion_id"], message=None) if place <= len(rows) else new

    async def _may_have_to_wait(self, run_id: str) -> bool:
        try:
            return await self.ahead(run_id) > 0
        except StoreUnavailable:
            return True  # the run is stored and ours: it starts, and asks again before its turn

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
        key = (new.idempotency_key, new.owner.tenant, new.owner.user_id)
        prior = await self._db.fetch_one(statements.RUN_OF_KEY, key)
        if prior is None:
            raise NotFound("There is no conversation under that id.")
        if prior["request_digest"] != new.digest:
            raise IdempotencyConflict
        return _run_row(prior)

    async def _suggestion(self, new: NewRun) -> Mapping[str, Any]:
        row = await self._db.fetch_one(
            "SELECT s.conversation_id, s.message, s.intent, r.idempotency_key AS chosen_with, "
            "EXISTS (SELECT FROM suggestion o WHERE o.run_id = s.run_id AND o.chosen_by_run IS NOT NULL) AS locked "
            "FROM suggestion s LEFT JOIN run r ON r.run_id = s.chosen_by_run "
            "WHERE s.suggestion_id = %s AND s.tenant = %s AND s.user_id = %s",
            (new.suggestion_id, new.owner.tenant, new.owner.user_id),
        )
        if row is None or new.conversation_id not in {None, row["conversation_id"]}:
            raise NotFound("There is no quick reply under that id in this conversation.")
        retried = new.idempotency_key is not None and row["chosen_with"] == new.idempotency_key
        if row["locked"] and not retried:
            raise Conflict("One of these quick replies was already chosen. Write what you want instead.")
        return row

    async def context(self, run: StartedRun) -> tuple[tuple[PastMessage, ...], Cursor | None]:
        """History up to this run's message, read again after waiting for the runs before it."""
        row = await self._db.fetch_one(
            statements.CONTEXT,
            {
                "conversation_id": run.conversation_id,
                "before": await self._position(run),
                **statements.CONTEXT_LIMITS,
            },
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

    async def finish(self, run: StartedRun, ending: Ending) -> RunStatus:
        """Commit the ending under the lease; returns the status that stands, which may be another's.

        Safe to call again after ``StoreUnavailable``: an ending is committed once.
        """
        code, text, retry = ending.error or (None, None, None)
        classification = ending.classification
        won = await self._db.fetch_one(
            statements.finish(routed=classification is not None, offered=bool(ending.suggestions)),
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
                "answers": Jsonb([answer.row() for answer in ending.answers]),
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
            "RETURNING run_id, conversation_id, lease_token, status",
            (limit,),
        )
        return [Orphan(**row) for row in rows]

    # -- reading

    async def run(self, owner: Owner, run_id: str) -> RunRow:
        row = await self._db.fetch_one(statements.RUN_OF_OWNER, (run_id, owner.tenant, owner.user_id))
        if row is None:
            raise NotFound("There is no run under that id.")
        return _run_row(row)

    async def status(self, run_id: str) -> tuple[RunStatus, int] | None:
        """Status and lease token of any run; for the process's own checks, not for a user's request."""
        row = await self._db.fetch_one("SELECT status, lease_token FROM run WHERE run_id = %s", (run_id,))
        return (row["status"], row["lease_token"]) if row else None

    async def ping(self) -> None:
        if await self._db.fetch_one("SELECT 1 AS one") is None:
            raise StoreUnavailable


def final_status(status: str) -> FinalStatus:
    """How a run that is over is told to its readers."""
    match status:
        case "succeeded" | "failed" | "cancelled" | "waiting":
            return status
        case _:
            return "failed"


def _run_row(row: Mapping[str, Any]) -> RunRow:
    return RunRow(**{name: value for name, value in row.items() if name != "request_digest"})


def _title(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= 80 else line[:79] + "…"


def _past(rows: Sequence[Mapping[str, Any]]) -> tuple[PastMessage, ...]:
    return tuple(PastMessage(**row) for row in rows)


def _facts(rows: Sequence[Mapping[str, Any]]) -> tuple[ProfileFact, ...]:
    return tuple(ProfileFact(**row) for row in rows)
