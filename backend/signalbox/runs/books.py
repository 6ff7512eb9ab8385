"""What model calls cost: rows of ``model_call``, which outlive the runs and conversations they were paid for.

A step's calls are written with the step (``runs.steps``); here are those of turns that were given up, and of work in
the background, which belong to no step.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import psycopg
import structlog
from psycopg.types.json import Json

from signalbox.db import STORE_TROUBLE, Database
from signalbox.llm.base import (
    Attempt,
    Finish,
    Model,
    ModelRequest,
    Restart,
    StreamItem,
    TextDelta,
    ToolRequest,
    Usage,
)
from signalbox.memory.profile import Owner
from signalbox.metrics import Metrics

logger = structlog.get_logger(__name__)

EVERY_S: Final = 2.0
MOST_WAITING: Final = 10_000

_ADD: Final = """
    INSERT INTO model_call (run_id, position, number, tenant, user_id, provider, model, tier, task, agent, outcome,
                            escalated, control, first_token_s, duration_s, input_tokens, cached_tokens, output_tokens,
                            estimated, cost_usd)
    SELECT %(run_id)s, %(position)s, c.number, %(tenant)s, %(user)s, c.provider, c.model, c.tier, c.task, c.agent,
           c.outcome, c.escalated, c.control, c.first_token_s, c.duration_s, c.input_tokens, c.cached_tokens,
           c.output_tokens, c.estimated, c.cost_usd
    FROM json_to_recordset(%(rows)s) AS c (number int, provider text, model text, tier text, task text, agent text,
        outcome text, escalated boolean, control boolean, first_token_s float8, duration_s float8, input_tokens int,
        cached_tokens int, output_tokens int, estimated boolean, cost_usd numeric)
    ON CONFLICT (run_id, position, number) DO NOTHING"""

_JUDGE: Final = "UPDATE model_call SET kept = %(kept)s WHERE run_id = %(run_id)s AND position = %(position)s"

# A call without a known price counts as nothing: nobody can say how much of a budget it was. What was spent on a day on
# which its user was erased counts on.
_BY_USER: Final = """
    SELECT (SELECT coalesce(sum(cost_usd), 0) FROM model_call
            WHERE tenant = %(tenant)s AND user_id = %(user)s AND called_at >= %(since)s)
         + (SELECT coalesce(sum(spent), 0) FROM erasure
            WHERE owner_digest = owner_digest(%(tenant)s, %(user)s)
              AND spent_on >= (%(since)s AT TIME ZONE 'UTC')::date) AS spent"""
_BY_ALL: Final = "SELECT coalesce(sum(cost_usd), 0) AS spent FROM model_call WHERE called_at >= %(since)s"
_BY_RUN: Final = "SELECT coalesce(sum(cost_usd), 0) AS spent FROM model_call WHERE run_id = %(run_id)s"


def spent_on(request: ModelRequest, attempts: Sequence[Attempt]) -> tuple[dict[str, Any], ...]:
    """The attempts as rows of the books; those that were never made cost nothing and are left out."""
    return tuple(
        {
            "number": attempt.number,
            "provider": attempt.provider,
            "model": attempt.model,
            "tier": attempt.tier,
            "task": request.task,
            "agent": request.agent,
            "outcome": attempt.outcome,
            "escalated": attempt.escalated,
            "control": attempt.control,
            "first_token_s": attempt.first_token_s,
            "duration_s": attempt.duration_s,
            "input_tokens": attempt.usage.input_tokens if attempt.usage else 0,
            "cached_tokens": attempt.usage.cached_tokens if attempt.usage else 0,
            "output_tokens": attempt.usage.output_tokens if attempt.usage else 0,
            "estimated": attempt.usage.estimated if attempt.usage else True,
            "cost_usd": attempt.usage.cost_usd if attempt.usage else None,
        }
        for attempt in attempts
        if attempt.outcome != "open"
    )


def midnight(now: datetime | None = None) -> datetime:
    """When the day that budgets count began (UTC)."""
    return (now or datetime.now(UTC)).astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True, slots=True)
class _Entry:
    statement: Any
    parameters: Mapping[str, Any]
    written: Callable[[], None] = lambda: None


class Books:
    """Entries are only ever added. ``note`` and ``judge`` take effect within ``EVERY_S``, as long as ``keep_writing``
    runs; what a process noted in its last moments may be lost with it. Other methods raise ``StoreUnavailable``.
    """

    def __init__(self, db: Database, metrics: Metrics) -> None:
        self._db = db
        self._waiting: deque[_Entry] = deque()
        self._wake = asyncio.Event()
        self.metrics = metrics

    async def add(self, owner: Owner, run_id: str, position: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Safe to repeat: a row that is there stays as it is."""
        if rows:
            await self._db.execute(_ADD, _of_rows(owner, run_id, position, rows))

    def note(
        self,
        owner: Owner,
        run_id: str,
        position: str,
        rows: Sequence[Mapping[str, Any]],
        written: Callable[[], None] = lambda: None,
    ) -> None:
        """``add`` it soon: for whoever must not wait, as one that is being cancelled. ``written`` hears of it then."""
        if rows:
            self._later(_Entry(_ADD, _of_rows(owner, run_id, position, rows), written))

    def judge(self, run_id: str, position: str, *, kept: bool) -> None:
        """Whether the answer that was paid for was used, in the eyes of whoever asked."""
        self._later(_Entry(_JUDGE, {"run_id": run_id, "position": position, "kept": kept}))

    def _later(self, entry: _Entry) -> None:
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.popleft()
            logger.warning("an entry in the books of model calls was lost: the database is away for too long")
        self._waiting.append(entry)
        self._wake.set()

    async def keep_writing(self) -> None:
        """Write what is noted, until cancelled; what is left then is written at the end."""
        try:
            while True:
                await self._wake.wait()
                await asyncio.sleep(EVERY_S)
                self._wake.clear()
                await self._try_to_write()
        finally:
            await self._try_to_write()

    async def _try_to_write(self) -> None:
        try:
            await self.write()
        except STORE_TROUBLE as exc:
            logger.warning("the books of model calls wait for the database", error=type(exc).__name__)
            self._wake.set()

    async def write(self) -> None:
        """Write what is noted now. What the database refuses for its own sake is dropped: all others wait behind it."""
        while self._waiting:
            entry = self._waiting[0]
            try:
                await self._db.execute(entry.statement, entry.parameters)
            except (psycopg.DataError, psycopg.IntegrityError) as exc:
                position = entry.parameters["position"]
                logger.warning("an entry in the books was refused and is lost", error=type(exc).__name__, at=position)
            if self._waiting and self._waiting[0] is entry:
                self._waiting.popleft()
                entry.written()

    async def spent_by_run(self, run_id: str) -> Decimal:
        return await self._sum(_BY_RUN, {"run_id": run_id})

    async def spent_by_user(self, owner: Owner, since: datetime) -> Decimal:
        return await self._sum(_BY_USER, {"tenant": owner.tenant, "user": owner.user_id, "since": since})

    async def spent_by_all(self, since: datetime) -> Decimal:
        return await self._sum(_BY_ALL, {"since": since})

    async def _sum(self, statement: Any, parameters: Mapping[str, Any]) -> Decimal:
        row = await self._db.fetch_one(statement, parameters)
        assert row is not None
        return Decimal(row["spent"])


class Account:
    """The books as one run, or one piece of work in the background, writes in them. ``settle`` hears of each call when
    the books have it.
    """

    def __init__(
        self, books: Books, owner: Owner, run_id: str, settle: Callable[[Attempt], None] = lambda _: None
    ) -> None:
        self._books = books
        self._owner = owner
        self._run_id = run_id
        self._settle = settle

    def met(self, request: ModelRequest, attempt: Attempt) -> None:
        """Count an attempt; it is written by whoever asked."""
        self._books.metrics.called(request.task, request.agent, attempt)

    def add(self, position: str, request: ModelRequest, attempts: Sequence[Attempt]) -> str:
        """Write attempts that are part of no step. Each time under a place of its own, which is returned: the same
        question may be asked again, and be paid for again.
        """
        place = f"{position}/{secrets.token_hex(4)}"
        rows = spent_on(request, attempts)
        self._books.note(self._owner, self._run_id, place, rows, written=lambda: self.written(attempts))
        return place

    def judged(self, position: str, *, kept: bool) -> None:
        self._books.judge(self._run_id, position, kept=kept)

    def written(self, attempts: Sequence[Attempt]) -> None:
        """They were written with a step."""
        for attempt in attempts:
            self._settle(attempt)


class Heard:
    """What has come of a question so far."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.calls: list[ToolRequest] = []
        self.usage: Usage | None = None
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def take(self, item: StreamItem) -> None:
        match item:
            case TextDelta(text):
                self._parts.append(text)
            case ToolRequest():
                self.calls.append(item)
            case Restart():
                self._parts.clear()
                self.calls.clear()
            case Usage():
                self.usage = item
            case Attempt():
                self.attempts.append(item)
            case Finish():
                pass


class BookedModel:
    """A ``Model`` over another for questions outside of steps: whatever they cost is noted in the books."""

    def __init__(self, model: Model, account: Account, place: str) -> None:
        self.name = model.name
        self.instructable = model.instructable
        self._model = model
        self._account = account
        self._place = place
        self._asked: deque[tuple[ModelRequest, str]] = deque(maxlen=16)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        attempts: list[Attempt] = []

        def met(attempt: Attempt) -> None:
            attempts.append(attempt)
            self._account.met(request, attempt)

        try:
            async with aclosing(self._model.stream(replace(request, unheard=met))) as stream:
                async for item in stream:
                    if isinstance(item, Attempt):
                        met(item)
                    else:
                        yield item
        finally:
            place = self._account.add(f"{self._place}/{request.task}", request, attempts)
            self._asked.append((request, place))

    def judged(self, request: ModelRequest, *, kept: bool) -> None:
        """See ``Judging``."""
        place = next((place for asked, place in reversed(self._asked) if asked is request), None)
        if place is not None:
            self._account.judged(place, kept=kept)

    async def close(self) -> None:
        """The model is not ours."""


def _of_rows(owner: Owner, run_id: str, position: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "position": position,
        "tenant": owner.tenant,
        "user": owner.user_id,
        "rows": Json(list(rows)),
    }
