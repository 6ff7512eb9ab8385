"""What the books say: spending by model, task, agent, user or day, and whether escalating was worth it. Reads only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from signalbox.db import Database
from signalbox.memory.profile import Owner

# ruff: noqa: S608 - these join constants only; every value is a placeholder.

BY: Final[Mapping[str, str]] = {
    "model": "model || '@' || provider",
    "task": "task",
    "agent": "coalesce(nullif(agent, ''), '(none)')",
    "user": "user_id",
    "day": "to_char(called_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
    "tier": "tier",
    "outcome": "outcome",
}

_SINCE: Final = "(%(since)s::timestamptz IS NULL OR called_at >= %(since)s)"
_SUMS: Final = """
    count(*) AS calls,
    count(*) FILTER (WHERE outcome NOT IN ('ok', 'cached')) AS failures,
    coalesce(sum(input_tokens), 0)::bigint AS input_tokens,
    coalesce(sum(cached_tokens), 0)::bigint AS cached_tokens,
    coalesce(sum(output_tokens), 0)::bigint AS output_tokens,
    coalesce(sum(cost_usd), 0)::float8 AS cost_usd,
    count(*) FILTER (WHERE cost_usd IS NULL AND input_tokens + output_tokens > 0) AS unpriced,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY first_token_s) AS first_token_p50_s,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY first_token_s) AS first_token_p95_s"""

_OF_USER: Final = (
    "SELECT model AS what, called_at >= %(today)s AS today,"
    + _SUMS
    + """ FROM model_call WHERE tenant = %(tenant)s AND user_id = %(user)s AND called_at >= %(month)s
    GROUP BY model, called_at >= %(today)s ORDER BY cost_usd DESC, model"""
)

# One question is one place in a run, however many requests it took. It was escalated if a question of the same run,
# task and agent went to the strong tier because of an answer.
_ESCALATIONS: Final = (
    """
WITH asked AS (
    SELECT run_id, position, task, agent, bool_or(escalated) AS escalated, bool_or(control) AS control,
           bool_or(outcome IN ('ok', 'cached')) AS answered, bool_or(kept) AS kept,
           coalesce(sum(cost_usd), 0) AS cost, min(called_at) AS called_at
    FROM model_call WHERE """
    + _SINCE
    + """ GROUP BY run_id, position, task, agent
), paired AS (
    SELECT a.*, EXISTS (
        SELECT FROM asked e WHERE e.run_id = a.run_id AND e.task = a.task AND e.agent = a.agent AND e.escalated
    ) AS led_to FROM asked a
)
SELECT task,
       count(*) FILTER (WHERE NOT escalated AND NOT control) AS asked,
       count(*) FILTER (WHERE NOT escalated AND NOT control AND led_to) AS escalated,
       count(*) FILTER (WHERE escalated) AS again,
       count(*) FILTER (WHERE escalated AND answered) AS again_answered,
       count(*) FILTER (WHERE escalated AND kept) AS again_kept,
       count(*) FILTER (WHERE escalated AND kept IS NOT NULL) AS again_judged,
       count(*) FILTER (WHERE NOT escalated AND NOT control AND kept) AS asked_kept,
       count(*) FILTER (WHERE NOT escalated AND NOT control AND kept IS NOT NULL) AS asked_judged,
       count(*) FILTER (WHERE control AND NOT escalated) AS control,
       count(*) FILTER (WHERE control AND NOT escalated AND led_to) AS control_escalated,
       count(*) FILTER (WHERE control AND NOT escalated AND kept) AS control_kept,
       count(*) FILTER (WHERE control AND NOT escalated AND kept IS NOT NULL) AS control_judged,
       (avg(cost) FILTER (WHERE NOT escalated AND NOT control))::float8 AS asked_usd,
       (avg(cost) FILTER (WHERE escalated))::float8 AS again_usd,
       (avg(cost) FILTER (WHERE control AND NOT escalated))::float8 AS control_usd
FROM paired GROUP BY task ORDER BY task"""
)


@dataclass(frozen=True, slots=True)
class Spending:
    """What was asked of one thing. ``calls`` counts requests, those included that failed; ``cached_tokens`` are part
    of ``input_tokens``; ``unpriced`` calls are not in ``cost_usd``. First tokens in seconds, None where none came.
    """

    what: str
    calls: int
    failures: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced: int
    first_token_p50_s: float | None
    first_token_p95_s: float | None

    @property
    def hit_share(self) -> float:
        """Of the input, how much the provider had seen before."""
        return self.cached_tokens / self.input_tokens if self.input_tokens else 0.0


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that were asked in the same way. ``judged`` of them whoever asked said whether the answer was used,
    and ``kept`` were; ``usd`` is their mean cost, None without any.
    """

    asked: int
    escalated: int
    judged: int
    kept: int
    usd: float | None

    @property
    def rate(self) -> float | None:
        return self.escalated / self.asked if self.asked else None

    @property
    def kept_share(self) -> float | None:
        return self.kept / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class Escalations:
    """Of one task: questions that its usual tier got first, those that went on to the strong one, and those that had
    it from the start by chance. ``answered``: escalated questions that got an answer at all.
    """

    task: str
    usual: Group
    again: Group
    control: Group
    answered: int


async def costs(db: Database, by: str, since: datetime | None) -> list[Spending]:
    """By one of ``BY``, the dearest first (days in order). Raises ``StoreUnavailable``."""
    order = "1" if by == "day" else "cost_usd DESC, calls DESC, 1"
    sql: Any = f"SELECT {BY[by]} AS what, {_SUMS} FROM model_call WHERE {_SINCE} GROUP BY 1 ORDER BY {order}"
    return [Spending(**row) for row in await db.fetch(sql, {"since": since})]


async def costs_of(db: Database, owner: Owner, today: datetime) -> tuple[list[Spending], list[Spending]]:
    """One user's spending by model since ``today`` and since the first of its month. Raises ``StoreUnavailable``."""
    rows = await db.fetch(
        _OF_USER,
        {"tenant": owner.tenant, "user": owner.user_id, "today": today, "month": today.replace(day=1)},
    )
    before: dict[str, Spending] = {}
    now: dict[str, Spending] = {}
    for row in rows:
        told = dict(row)
        found = now if told.pop("today") else before
        found[told["what"]] = Spending(**told)
    month = {model: _both(before.get(model), now.get(model)) for model in (*before, *now)}
    return list(now.values()), sorted(month.values(), key=lambda one: (-one.cost_usd, one.what))


async def escalations(db: Database, since: datetime | None) -> list[Escalations]:
    """By task. Raises ``StoreUnavailable``."""
    return [
        Escalations(
            task=row["task"],
            usual=Group(row["asked"], row["escalated"], row["asked_judged"], row["asked_kept"], row["asked_usd"]),
            again=Group(row["again"], 0, row["again_judged"], row["again_kept"], row["again_usd"]),
            control=Group(
                row["control"], row["control_escalated"], row["control_judged"], row["control_kept"], row["control_usd"]
            ),
            answered=row["again_answered"],
        )
        for row in await db.fetch(_ESCALATIONS, {"since": since})
    ]


def total(parts: list[Spending], what: str = "total") -> Spending:
    """Sums; medians do not add up and are left out."""
    return Spending(
        what=what,
        calls=sum(part.calls for part in parts),
        failures=sum(part.failures for part in parts),
        input_tokens=sum(part.input_tokens for part in parts),
        cached_tokens=sum(part.cached_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cost_usd=sum(part.cost_usd for part in parts),
        unpriced=sum(part.unpriced for part in parts),
        first_token_p50_s=None,
        first_token_p95_s=None,
    )


def _both(one: Spending | None, other: Spending | None) -> Spending:
    parts = [part for part in (one, other) if part is not None]
    return total(parts, parts[0].what) if len(parts) == 2 else parts[0]
