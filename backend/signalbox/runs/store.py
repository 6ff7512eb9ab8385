"""Runs, conversations and messages in PostgreSQL; every statement is bound to its owner or to a lease.

One statement starts a run and brings back what it needs; one statement ends it. Who works on it in between is the
business of ``claims``.
"""

import contextlib
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from psycopg.errors import UniqueViolation
from psycopg.types.json import Jsonb

from signalbox.db import Connection, Database
from signalbox.errors import Busy, Conflict, Fenced, IdempotencyConflict, NotFound, StoreUnavailable
from signalbox.events import RunStatus
from signalbox.memory.profile import Owner
from signalbox.runs import statements
from signalbox.runs.records import (
    Begin,
    Ending,
    NewRun,
    Orphan,
    RunRow,
    StartedRun,
    answer_rows,
    facts_of_rows,
    new_id,
    past_of_rows,
    summary_of_row,
    title_of,
)
from signalbox.runs.replacing import REOPEN, Replaced, take_back
from signalbox.stream.log import Cursor

_PLACE: Final = re.compile(r"\s*(?:#|no\.?\s*|number\s*|option\s*)?([1-3])\s*[.)]?\s*", re.IGNORECASE | re.ASCII)


class RunStore:
    """Raises ``StoreUnavailable`` from every method, ``NotFound`` for what is unknown or another user's."""

    def __init__(self, db: Database, *, lease_owner: str, lease_s: float) -> None:
        self._db = db
        self._lease_owner = lease_owner
        self._lease_s = lease_s

    # -- starting

    async def start_or_replace(self, new: NewRun, begin: Begin) -> tuple[StartedRun | RunRow, Replaced]:
        """As ``start``, with what ``new`` replaces taken back first, both or neither.

        Raises what ``start`` does, ``NotFound`` (the run to replace) and ``TakenBack`` (it is gone already).
        """
        if new.replaces is None:
            return await self.start(new, begin), Replaced()
        async with self._db.transaction() as conn:
            new, replaced = await take_back(conn, new)
            return await self._start(conn, new, begin, going=replaced.going), replaced

    async def start(self, new: NewRun, begin: Begin) -> StartedRun | RunRow:
        """Store the message and a run; the result is a ``StartedRun`` if it may begin here and now, else its row:
        it waits for a worker, or it is the run that this idempotency key started before.

        Raises ``NotFound`` (conversation, suggestion), ``IdempotencyConflict``, ``Conflict`` (a quick reply
        of another conversation), ``Busy`` (``if_busy`` is ``reject`` and the conversation is being answered).
        """
        return await self._start(self._db, new, begin)

    async def _start(
        self, db: Database | Connection, new: NewRun, begin: Begin, *, going: Collection[str] = ()
    ) -> StartedRun | RunRow:
        """``going``: runs on their way out."""
        new = await self._chosen_by_number(db, new)
        suggestion = await self._suggestion(db, new) if new.suggestion_id is not None else None
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
            "title": title_of(message),
            "temporary": new.temporary,
            "suggestion_id": new.suggestion_id,
            "lease_owner": self._lease_owner,
            "lease_s": self._lease_s,
            # What may have to be taken back is not for others to claim before that is known.
            "held": new.if_busy == "reject" or suggestion is not None,
            "here": begin.here,
            "per_user": begin.per_user,
            "model": begin.model,
            "pins": begin.pins,
            "before": 2**62,
            "started": "infinity",
            **statements.CONTEXT_LIMITS,
        }
        if conversation_id is not None:
            statement = statements.START_OLD
        else:
            statement = statements.START_NEW if new.idempotency_key else statements.START_FRESH
        try:
            row = await db.fetch_one(statement, parameters)
        except UniqueViolation as exc:
            raise Conflict("One of these quick replies was already chosen. Write what you want instead.") from exc
        assert row is not None
        if row["run_id"] is None:
            return await self._not_started(db, new, row, parameters)
        if suggestion is not None and not row["chosen"]:
            await self._unsay(db, run_id)
            raise Conflict("This quick reply was already chosen.")
        run = StartedRun(
            run_id=run_id,
            conversation_id=parameters["conversation_id"],
            owner=new.owner,
            message_id=message_id,
            message=message,
            lease_token=1,
            attempt=1,
            started_at=row["started_at"] or datetime.now(UTC),
            floor=Cursor.parse(row["floor"]) if row["floor"] else None,
            temporary=row["temporary"],
            history=past_of_rows(row["history"]),
            profile=facts_of_rows(row["profile"]) if not row["temporary"] else (),
            summary=summary_of_row(row),
            suggestion_id=new.suggestion_id,
            chosen_intent=suggestion["intent"] if suggestion else None,
            model=begin.model,
            pins=begin.pins,
        )
        # Positions are handed out under the conversation's row lock, so what is ahead is committed by now.
        behind = await self._ahead(db, run_id) if conversation_id is not None else ()
        if new.if_busy == "reject" and not set(behind) <= set(going):
            await self._unsay(db, run_id)
            raise Busy
        # What went on when the history was read may have ended since, and is then missing from it.
        if row["room"] and not behind and not row.get("busy"):
            return run
        waiting = replace(RunRow.of(run), status="pending", ahead=behind)
        if row["room"] or parameters["held"]:
            await self._wait(db, run)
        return waiting

    async def _unsay(self, db: Database | Connection, run_id: str) -> None:
        await db.execute(
            "WITH gone AS (DELETE FROM run WHERE run_id = %(run)s AND lease_token = 1 RETURNING run_id), "
            "said AS (DELETE FROM message m USING gone WHERE m.run_id = gone.run_id) "
            "UPDATE suggestion SET chosen_by_run = NULL FROM gone WHERE chosen_by_run = gone.run_id",
            {"run": run_id},
        )

    async def _wait(self, db: Database | Connection, run: StartedRun) -> None:
        """Back to the queue, as if nobody had leased it. If that fails, the lease runs out, with the same effect."""
        with contextlib.suppress(StoreUnavailable):
            await db.execute(
                "UPDATE run SET status = 'pending', lease_owner = NULL, lease_until = NULL, started_at = NULL, "
                "profile = NULL WHERE run_id = %s AND lease_token = 1",
                (run.run_id,),
            )

    async def waiting(self, new: NewRun) -> int:
        """How many other messages of the user wait for a worker; none if this one was taken before."""
        owner = new.owner
        row = await self._db.fetch_one(
            "SELECT count(*) AS n FROM run WHERE tenant = %s AND user_id = %s AND status = 'pending' "
            "AND NOT EXISTS (SELECT FROM run WHERE idempotency_key = %s AND tenant = %s AND user_id = %s)",
            (owner.tenant, owner.user_id, new.idempotency_key, owner.tenant, owner.user_id),
        )
        return row["n"] if row else 0

    async def _chosen_by_number(self, db: Database | Connection, new: NewRun) -> NewRun:
        """Who answers quick replies with "2" has chosen the second, as far as no other numbered list was shown."""
        match = _PLACE.fullmatch(new.message or "")
        if match is None or new.conversation_id is None or new.suggestion_id is not None:
            return new
        rows = await db.fetch(statements.OPEN_SUGGESTIONS, (new.conversation_id, new.owner.tenant, new.owner.user_id))
        place = int(match[1])
        return replace(new, suggestion_id=rows[place - 1]["suggestion_id"], message=None) if place <= len(rows) else new

    async def _not_started(
        self, db: Database | Connection, new: NewRun, row: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> RunRow:
        if new.idempotency_key is None:
            raise NotFound("There is no conversation under that id.")
        if row["prior"] is None and new.conversation_id is None:
            # Lost a race for the key: the conversation made for this run is not needed.
            await db.execute(
                "DELETE FROM conversation c WHERE conversation_id = %s "
                "AND NOT EXISTS (SELECT FROM run r WHERE r.conversation_id = c.conversation_id)",
                (parameters["conversation_id"],),
            )
        key = (new.idempotency_key, new.owner.tenant, new.owner.user_id)
        prior = await db.fetch_one(statements.RUN_OF_KEY, key)
        if prior is None:
            raise NotFound("There is no conversation under that id.")
        if prior["request_digest"] != new.digest:
            raise IdempotencyConflict
        return _run_row(prior)

    async def _suggestion(self, db: Database | Connection, new: NewRun) -> Mapping[str, Any]:
        row = await db.fetch_one(
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

    async def _ahead(self, db: Database | Connection, run_id: str) -> tuple[str, ...]:
        """Earlier runs of the conversation that are not done yet; one that waits for a human holds nobody up."""
        rows = await db.fetch(
            "SELECT other.run_id FROM run mine JOIN run other USING (conversation_id) "
            "WHERE mine.run_id = %s AND other.position < mine.position AND other.status IN ('pending', 'running') "
            "ORDER BY other.position",
            (run_id,),
        )
        return tuple(row["run_id"] for row in rows)

    # -- ending

    async def finish(self, run: StartedRun, ending: Ending) -> tuple[RunStatus, bool]:
        """Commit the ending under the lease; returns the status that stands, which may be another's, and whether the
        run was taken back. Raises ``Fenced`` when the run is going on without us.

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
                "activity": Jsonb(ending.activity) if ending.activity else None,
                "answers": Jsonb(answer_rows(ending)),
                "classification": Jsonb([classification] if classification else []),
                "suggestions": Jsonb(list(ending.suggestions)),
            },
        )
        if won is not None and won["won"]:
            return ending.status, won["rolled_back"]
        row = await self._db.fetch_one("SELECT status, rolled_back FROM run WHERE run_id = %s", (run.run_id,))
        if row is None:
            return "cancelled", False  # a conversation deleted in mid-run takes its runs with it
        if row["status"] in {"pending", "running", "waiting"}:
            raise Fenced
        return row["status"], row["rolled_back"]

    async def request_cancel(self, owner: Owner, run_id: str) -> Orphan | None:
        """Ask for the run's end. One that no worker has is ended here and now: the result's stream needs an end.

        Raises ``NotFound``.
        """
        row = await self._db.fetch_one(
            statements.CANCEL, {"run_id": run_id, "tenant": owner.tenant, "user_id": owner.user_id}
        )
        if row is None:
            await self.run(owner, run_id)  # it may not be there at all
            return None
        if row["status"] != "cancelled":
            return None
        return Orphan(**{**row, "unanswered": tuple(row["unanswered"] or ())})

    async def roll_back(self, owner: Owner, run_id: str) -> None:
        """What the run said and answered is to vanish when it ends."""
        async with self._db.transaction() as conn:
            going = await conn.fetch_one(
                "UPDATE run SET rolled_back = true WHERE run_id = %s AND tenant = %s AND user_id = %s "
                "AND status IN ('pending', 'running') RETURNING run_id",
                (run_id, owner.tenant, owner.user_id),
            )
            if going is not None:
                await conn.execute(REOPEN, {"runs": [run_id]})

    # -- reading

    async def run(self, owner: Owner, run_id: str) -> RunRow:
        row = await self._db.fetch_one(statements.RUN_OF_OWNER, (run_id, owner.tenant, owner.user_id))
        if row is None:
            raise NotFound("There is no run under that id.")
        return _run_row(row)

    async def orphan(self, run_id: str) -> Orphan | None:
        """How any run stands, for whoever gives its stream an end; for the process's own checks, as ``status`` is."""
        row = await self._db.fetch_one(statements.ORPHAN + "WHERE run_id = %s", (run_id,))
        return Orphan(**row) if row else None

    async def status(self, run_id: str) -> tuple[RunStatus, int] | None:
        """Status and lease token of any run; for the process's own checks, not for a user's request."""
        row = await self._db.fetch_one("SELECT status, lease_token FROM run WHERE run_id = %s", (run_id,))
        return (row["status"], row["lease_token"]) if row else None

    async def ping(self) -> None:
        if await self._db.fetch_one("SELECT 1 AS one") is None:
            raise StoreUnavailable


def _run_row(row: Mapping[str, Any]) -> RunRow:
    return RunRow(**{name: value for name, value in row.items() if name != "request_digest"})
