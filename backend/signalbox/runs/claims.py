"""Who works on which run: leases with a fencing token, claimed, renewed and given back in PostgreSQL.

The work queue is the ``run`` table itself. A pending run, or one whose lease ran out, belongs to whoever claims it
first; each claim raises the token, and everything written under an older one is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg.types.json import Jsonb

from signalbox.db import Connection, Database
from signalbox.errors import RunDead
from signalbox.runs import statements
from signalbox.runs.records import (
    Ending,
    Orphan,
    StartedRun,
    answer_rows,
    facts_of_rows,
    owner_of,
    past_of_rows,
    summary_of_row,
)
from signalbox.stream.log import Cursor

# Claims are taken one after the other, so that a user's limit holds over all processes. Any constant will do.
_CLAIMING: Final = "SELECT pg_advisory_xact_lock(7_305_811)"


@dataclass(frozen=True, slots=True)
class Limits:
    """``runs`` at once in this process (0: none, others work), ``per_user`` at once of one user in all processes,
    ``waiting`` messages of one user that are taken beyond that, ``attempts`` before a run that kills its workers is
    given up, ``approval_s`` that a human has to decide.
    """

    runs: int
    per_user: int
    waiting: int
    attempts: int
    approval_s: float


@dataclass(frozen=True, slots=True)
class Claim:
    """What a worker may take: ``room`` runs at most, ``per_user`` of one user over all workers, not those ``declined``
    before.
    """

    room: int
    per_user: int
    attempts: int
    model: str
    pins: str
    declined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Renewal:
    token: int
    cancel_requested: bool


class ClaimStore:
    """Raises ``StoreUnavailable`` from every method."""

    def __init__(self, db: Database, *, lease_owner: str, lease_s: float) -> None:
        self._db = db
        self._owner = lease_owner
        self._lease_s = lease_s

    async def claim(self, claim: Claim) -> tuple[list[StartedRun], bool]:
        """Lease what may run now: users take turns, conversations keep their order. Also whether runs are left
        that wait for a worker.
        """
        if not await self._pending(lost=True):
            return [], False
        parameters = {
            "room": claim.room,
            "per_user": claim.per_user,
            "attempts": claim.attempts,
            "lease_owner": self._owner,
            "lease_s": self._lease_s,
            "model": claim.model,
            "pins": claim.pins,
            "declined": list(claim.declined),
        }
        async with self._db.transaction() as conn:
            await conn.execute(_CLAIMING)
            rows = await conn.fetch(statements.CLAIM, parameters)
            # Before the commit: a run is never leased to somebody who does not know what it is about.
            runs = [run for row in rows if (run := await self._loaded(conn, row)) is not None]
        return runs, await self._pending(lost=True)

    async def _pending(self, *, lost: bool) -> bool:
        row = await self._db.fetch_one(
            "SELECT EXISTS (SELECT FROM run WHERE status = 'pending' "
            "OR (%s AND status = 'running' AND lease_until < now())) AS any",
            (lost,),
        )
        return row is not None and row["any"]

    async def _loaded(self, conn: Connection, row: Mapping[str, Any]) -> StartedRun | None:
        parameters = {**statements.CONTEXT_LIMITS, **row, "started": row["started_at"]}
        found = await conn.fetch_one(statements.LOAD, parameters)
        if found is None:
            return None  # deleted a moment ago
        return StartedRun(
            run_id=row["run_id"],
            conversation_id=row["conversation_id"],
            owner=owner_of(row),
            message_id=row["user_message_id"],
            message=found["message"],
            lease_token=row["lease_token"],
            attempt=row["attempt"],
            started_at=row["started_at"],
            floor=Cursor.parse(found["floor"]) if found["floor"] else None,
            temporary=found["temporary"],
            history=past_of_rows(found["history"]),
            profile=facts_of_rows(row["profile"]) if not found["temporary"] else (),
            summary=summary_of_row(found),
            suggestion_id=found["suggestion_id"],
            chosen_intent=found["chosen_intent"],
            model=row["model"],
            pins=row["pins"],
            fresh=row["fresh"],
            given_up=row["given_up"],
            cancelled=row["cancel_requested"],
        )

    async def renew(self, run_ids: Sequence[str]) -> dict[str, Renewal]:
        """Extend this process's leases; the runs it still holds, their tokens, and whether a cancel was asked for."""
        rows = await self._db.fetch(
            "UPDATE run SET lease_until = now() + make_interval(secs => %s) "
            "WHERE run_id = ANY(%s) AND lease_owner = %s AND status = 'running' "
            "RETURNING run_id, lease_token, cancel_requested",
            (self._lease_s, list(run_ids), self._owner),
        )
        return {row["run_id"]: Renewal(row["lease_token"], row["cancel_requested"]) for row in rows}

    async def cancelled(self, run_ids: Sequence[str]) -> list[str]:
        """Those of the runs whose cancel was asked for, on whatever process."""
        rows = await self._db.fetch(
            "SELECT run_id FROM run WHERE run_id = ANY(%s) AND cancel_requested", (list(run_ids),)
        )
        return [row["run_id"] for row in rows]

    async def release(self, run: StartedRun) -> bool:
        """Give the run back to whoever claims it next; False if it is not ours any more."""
        return bool(
            await self._db.execute(
                "UPDATE run SET status = 'pending', lease_owner = NULL, lease_until = NULL "
                "WHERE run_id = %s AND lease_token = %s AND status = 'running'",
                (run.run_id, run.lease_token),
            )
        )

    async def park(self, run: StartedRun, ending: Ending) -> bool:
        """Let the run wait for a human, holding nothing. False: the answer came meanwhile, and it goes on at once.

        What was said so far is stored, so that a reload shows it.
        """
        async with self._db.transaction() as conn:
            # The lock first: an answer that is being stored now is then seen, or sees that the run waits.
            held = await conn.fetch_one(
                "SELECT 1 FROM run WHERE run_id = %s AND lease_token = %s AND status = 'running' FOR UPDATE",
                (run.run_id, run.lease_token),
            )
            if held is None:
                return True
            row = await conn.fetch_one(
                statements.PARK,
                {
                    "run_id": run.run_id,
                    "answers": Jsonb(answer_rows(ending)),
                    "agent": ending.agent,
                    "activity": Jsonb(ending.activity) if ending.activity else None,
                    "epoch": ending.epoch or None,
                    "first_offset": ending.first_offset or None,
                    "last_offset": ending.last_offset or None,
                },
            )
        return row is not None and row["status"] == "waiting"

    async def wake_decided(self) -> int:
        """End what nobody answered in time as expired; runs whose question is answered go on. How many do."""
        await self._db.execute(
            "UPDATE approval SET decision = 'expired', decided_at = now() "
            "WHERE decision IS NULL AND expires_at <= now()"
        )
        return await self._db.execute(
            "UPDATE run SET status = 'pending' WHERE status = 'waiting' AND NOT EXISTS "
            "(SELECT FROM approval a WHERE a.run_id = run.run_id AND a.decision IS NULL)"
        )

    async def bury(self) -> int:
        """End runs that killed even the workers that came to end them, in the store alone. How many there were."""
        row = await self._db.fetch_one(statements.BURY, {"error_text": RunDead.public})
        return row["n"] if row else 0

    async def untold(self, grace_s: float, limit: int = 100) -> list[Orphan]:
        """Runs that are over for ``grace_s``, whose readers may not know."""
        rows = await self._db.fetch(
            statements.ORPHAN + "WHERE NOT told AND finished_at < now() - make_interval(secs => %s) "
            "ORDER BY finished_at LIMIT %s",
            (grace_s, limit),
        )
        return [Orphan(**row) for row in rows]

    async def note_told(self, told: Sequence[tuple[str, int]]) -> None:
        """The readers of these runs have their end, as it was under that lease token: what came later is still news."""
        if told:
            await self._db.execute(
                "UPDATE run SET told = true FROM unnest(%s::text[], %s::bigint[]) AS t (run_id, token) "
                "WHERE run.run_id = t.run_id AND run.lease_token = t.token",
                ([run_id for run_id, _ in told], [token for _, token in told]),
            )

    async def requeue(self, run_id: str) -> bool:
        """A dead run gets all its attempts again; False if there is none under that id, or it was taken back."""
        return bool(
            await self._db.execute(
                "UPDATE run SET status = 'pending', attempt = 1, burials = 0, finished_at = NULL, error_code = NULL, "
                "error_text = NULL, error_retry = NULL, lease_owner = NULL "
                "WHERE run_id = %s AND status = 'dead' AND NOT rolled_back "
                "AND pins IS NOT NULL",  # pruned: its steps are gone
                (run_id,),
            )
        )
