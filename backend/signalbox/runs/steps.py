"""Steps, effects and approvals in PostgreSQL: only ever added, and only by the worker that holds the run.

Every write checks the lease token under the run's row lock: a worker that was replaced gets ``Fenced``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from psycopg.types.json import Json, Jsonb

from signalbox.db import Database
from signalbox.encoding import clean_json
from signalbox.errors import Fenced
from signalbox.stream.log import Cursor
from signalbox.tools.journal import StepKind

MOST: Final = 100_000_000

# FOR UPDATE: whoever takes the run over waits for us, or we for them, and then find the token changed.
_HELD: Final = """
    SELECT run_id FROM run WHERE run_id = %(run_id)s AND lease_token = %(token)s AND status = 'running' FOR UPDATE"""

_ADD: Final = (
    "WITH held AS ("
    + _HELD.replace("SELECT run_id", "SELECT run_id, tenant, user_id")
    + """), added AS (
    INSERT INTO run_step (run_id, seq, kind, position, payload, request_id, attempt, began_at, log_epoch, log_offset,
                          events)
    SELECT held.run_id, s.seq, s.kind, s.position, s.payload, s.request_id, %(attempt)s, s.began_at, %(epoch)s,
           %(offset)s, s.events
    FROM held, json_to_recordset(%(steps)s) AS s (seq int, kind text, position text, payload json,
        request_id text, began_at timestamptz, events jsonb)
    ON CONFLICT (run_id, position) DO NOTHING)"""
)
_HOW_MANY: Final = " SELECT count(*) AS held FROM held"
# The books outlive the run that was paid for.
_SPEND: Final = """, spent AS (
    INSERT INTO model_call (run_id, position, number, tenant, user_id, provider, model, tier, task, agent, outcome,
                            escalated, control, first_token_s, duration_s, input_tokens, cached_tokens, output_tokens,
                            estimated, cost_usd)
    SELECT held.run_id, c.position, c.number, held.tenant, held.user_id, c.provider, c.model, c.tier, c.task, c.agent,
           c.outcome, c.escalated, c.control, c.first_token_s, c.duration_s, c.input_tokens, c.cached_tokens,
           c.output_tokens, c.estimated, c.cost_usd
    FROM held, json_to_recordset(%(spent)s) AS c (position text, number int, provider text, model text, tier text,
        task text, agent text, outcome text, escalated boolean, control boolean, first_token_s float8,
        duration_s float8, input_tokens int, cached_tokens int, output_tokens int, estimated boolean, cost_usd numeric)
    ON CONFLICT (run_id, position, number) DO NOTHING)"""

_HOLD: Final = _HELD.replace("SELECT run_id", "SELECT cancel_requested")

_INTEND: Final = """
    INSERT INTO effect (effect_key, run_id, position, tool, class, arguments, status)
    VALUES (%(key)s, %(run_id)s, %(position)s, %(tool)s, %(class)s, %(arguments)s, %(status)s)
    ON CONFLICT (effect_key) DO UPDATE
    SET tries = effect.tries + 1, intended_at = clock_timestamp() WHERE effect.status = 'intended'"""

_DONE: Final = """
    INSERT INTO effect (effect_key, run_id, position, tool, class, arguments, status, done_at)
    VALUES (%(key)s, %(run_id)s, %(position)s, %(tool)s, %(class)s, %(arguments)s, 'done', clock_timestamp())
    ON CONFLICT (effect_key) DO UPDATE SET status = 'done', done_at = clock_timestamp()"""

_ASK: Final = """
    INSERT INTO approval (approval_id, run_id, tenant, user_id, position, tool, arguments, digest, risk, expires_at)
    SELECT %(approval_id)s, run_id, tenant, user_id, %(position)s, %(tool)s, %(arguments)s, %(digest)s, %(risk)s,
           %(expires_at)s FROM run WHERE run_id = %(run_id)s
    ON CONFLICT (run_id, position) DO NOTHING"""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened, in its place. ``events``: what was said since the step before, without envelopes.
    ``spent``: the model calls it took, as rows of ``model_call``.
    """

    position: str
    kind: StepKind
    payload: Mapping[str, Any]
    began_at: datetime
    seq: int = 0
    request_id: str | None = None
    events: Sequence[Mapping[str, Any]] = ()
    spent: Sequence[Mapping[str, Any]] = ()

    def row(self, seq: int, events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        return {
            "seq": seq,
            "kind": self.kind,
            "position": self.position,
            "payload": clean_json(self.payload, longest=MOST, most=MOST),
            "request_id": self.request_id,
            "began_at": self.began_at.isoformat(),
            "events": events,
            "spent": [{**call, "position": self.position} for call in self.spent],
        }


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect under its idempotency key."""

    key: str
    position: str
    tool: str
    kind: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Approval:
    """A question to the user whether an effect may happen; ``digest`` is that of the arguments they were shown."""

    approval_id: str
    position: str
    tool: str
    arguments: Mapping[str, Any]
    digest: str
    risk: str
    expires_at: datetime
    decision: str | None = None
    edited: Mapping[str, Any] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """What earlier attempts of a run left: steps in order, the log's place at the last one, open questions, and how
    often an effect at a position was begun without an end that is known.
    """

    steps: tuple[Step, ...] = ()
    cursor: Cursor | None = None
    approvals: Mapping[str, Approval] = field(default_factory=dict)
    tries: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hold:
    """By what right a worker writes: the run, its lease token, and the attempt it is."""

    run_id: str
    token: int
    attempt: int


class StepStore:
    """Raises ``StoreUnavailable`` from every method; those that write also ``Fenced``."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(
        self, hold: Hold, rows: Sequence[Mapping[str, Any]], at: Cursor | None, *, done: Effect | None = None
    ) -> None:
        """Add steps (``Step.row``), with the effect that the last one is the result of. Safe to repeat."""
        parameters = _of_steps(hold, rows, at)
        if done is None:
            row = await self._db.fetch_one(_adding(parameters), parameters)
            if row is None or not row["held"]:
                raise Fenced
            return
        async with self._db.transaction() as conn:
            row = await conn.fetch_one(_adding(parameters), parameters)
            if row is None or not row["held"]:
                raise Fenced
            await conn.execute(_DONE, _of_effect(hold, done))

    async def intend(self, hold: Hold, effect: Effect) -> bool:
        """Note that the effect is about to happen, before it does. False: it must not, the run is to be cancelled."""
        async with self._db.transaction() as conn:
            row = await conn.fetch_one(_HOLD, {"run_id": hold.run_id, "token": hold.token})
            if row is None:
                raise Fenced
            if row["cancel_requested"]:
                return False
            await conn.execute(_INTEND, {**_of_effect(hold, effect), "status": "intended"})
        return True

    async def ask(self, hold: Hold, rows: Sequence[Mapping[str, Any]], at: Cursor | None, question: Approval) -> None:
        """Add the steps and the question that the last one is."""
        parameters = _of_steps(hold, rows, at)
        async with self._db.transaction() as conn:
            row = await conn.fetch_one(_adding(parameters), parameters)
            if row is None or not row["held"]:
                raise Fenced
            await conn.execute(
                _ASK,
                {
                    "approval_id": question.approval_id,
                    "run_id": hold.run_id,
                    "position": question.position,
                    "tool": question.tool,
                    "arguments": Json(question.arguments),
                    "digest": question.digest,
                    "risk": question.risk,
                    "expires_at": question.expires_at,
                },
            )

    async def history(self, run_id: str) -> History:
        """All that is known of a run's earlier attempts."""
        async with self._db.transaction() as conn:
            steps = await conn.fetch(
                "SELECT seq, position, kind, payload, began_at, request_id, events, log_epoch, log_offset "
                "FROM run_step WHERE run_id = %s ORDER BY seq",
                (run_id,),
            )
            approvals = await conn.fetch(
                "SELECT approval_id, position, tool, arguments, digest, risk, expires_at, decision, edited, note "
                "FROM approval WHERE run_id = %s",
                (run_id,),
            )
            tries = await conn.fetch(
                "SELECT position, sum(tries) AS tries FROM effect WHERE run_id = %s AND status = 'intended' "
                "GROUP BY position",
                (run_id,),
            )
        # Even a run without any step may have begun an effect.
        last = steps[-1] if steps else None
        cursor = Cursor(last["log_epoch"], last["log_offset"]) if last and last["log_epoch"] else None
        return History(
            steps=tuple(
                Step(**{name: value for name, value in row.items() if not name.startswith("log_")}) for row in steps
            ),
            cursor=cursor,
            approvals={row["position"]: Approval(**row) for row in approvals},
            tries={row["position"]: int(row["tries"]) for row in tries},
        )


def _adding(parameters: Mapping[str, Any]) -> str:
    return _ADD + (_SPEND if parameters["spent"] else "") + _HOW_MANY


def _of_steps(hold: Hold, rows: Sequence[Mapping[str, Any]], at: Cursor | None) -> dict[str, Any]:
    spent = [call for row in rows for call in row["spent"]]
    return {
        "run_id": hold.run_id,
        "token": hold.token,
        "attempt": hold.attempt,
        "epoch": at.epoch if at else None,
        "offset": at.offset if at else None,
        "steps": Json(list(rows)),
        "spent": Json(spent) if spent else None,
    }


def _of_effect(hold: Hold, effect: Effect) -> dict[str, Any]:
    return {
        "key": effect.key,
        "run_id": hold.run_id,
        "position": effect.position,
        "tool": effect.tool,
        "class": effect.kind,
        "arguments": Jsonb(effect.arguments),
    }
