"""What the caller's answers have cost, and, for whoever has the operator's key, this process's numbers."""

import hmac
from datetime import datetime
from typing import Final

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from signalbox.api.deps import principal, services
from signalbox.api.guard import Guard
from signalbox.errors import NotFound, StoreUnavailable, Unauthorized
from signalbox.runs.books import midnight
from signalbox.runs.budget import renewed_at
from signalbox.runs.costs import Spending, costs_of, total

router = APIRouter()

METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class ModelUsage(BaseModel):
    """Requests to one model. ``cached_tokens`` are part of ``input_tokens``."""

    model: str
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_usd: float


class PeriodUsage(BaseModel):
    """``unpriced_calls`` have no known price and are not in ``cost_usd``."""

    since: datetime
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced_calls: int
    models: list[ModelUsage]


class BudgetLeft(BaseModel):
    """What a user's answers may cost a day; what is left of it until ``renewed_at``."""

    usd: float
    left_usd: float
    renewed_at: datetime


class UsageTold(BaseModel):
    """``budget`` is null where none is set."""

    today: PeriodUsage
    month: PeriodUsage
    budget: BudgetLeft | None


@router.get("/v1/usage", summary="What your answers have cost today and this month")
async def usage(request: Request, response: Response) -> UsageTold:
    """By model, in US dollars. Days and months are UTC. Deleting conversations changes nothing here."""
    found, who = services(request), principal(request)
    today = midnight()
    of_day, of_month = await costs_of(found.db, who.owner, today)
    guard: Guard = request.app.state.guard
    guard.leave(who, response)
    day = _period(today, of_day)
    bound = found.settings.budget_user_usd
    budget = None
    if bound is not None:
        # As the budget counts it: with what was spent today before an erasure.
        spent = float(await found.payments.books.spent_by_user(who.owner, today))
        budget = BudgetLeft(usd=bound, left_usd=max(0.0, round(bound - spent, 8)), renewed_at=renewed_at())
    return UsageTold(today=day, month=_period(today.replace(day=1), of_month), budget=budget)


@router.get("/metrics", summary="This process's numbers for Prometheus", include_in_schema=False)
async def metrics(request: Request) -> Response:
    found = services(request)
    key = found.settings.metrics_key
    if key is None:
        raise NotFound("There are no metrics here. The operator can set SIGNALBOX_METRICS_KEY.")
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    wanted = key.get_secret_value().encode()
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode("utf-8", "surrogateescape"), wanted):
        raise Unauthorized("Send 'Authorization: Bearer <key>' with the key of SIGNALBOX_METRICS_KEY.")
    pending = running = None
    try:
        queue = await found.queue.look()
        pending, running = queue.pending, queue.running
    except StoreUnavailable:
        pass  # the rest is known without the database, and just then it is wanted
    found.metrics.stands(active=found.runner.active, readers=found.hub.readers, pending=pending, running=running)
    return Response(found.metrics.text(), media_type=METRICS_TYPE)


def _period(since: datetime, spent: list[Spending]) -> PeriodUsage:
    all_of_it = total(spent)
    return PeriodUsage(
        since=since,
        calls=all_of_it.calls,
        input_tokens=all_of_it.input_tokens,
        cached_tokens=all_of_it.cached_tokens,
        output_tokens=all_of_it.output_tokens,
        cost_usd=round(all_of_it.cost_usd, 8),
        unpriced_calls=all_of_it.unpriced,
        models=[
            ModelUsage(
                model=one.what,
                calls=one.calls,
                input_tokens=one.input_tokens,
                cached_tokens=one.cached_tokens,
                output_tokens=one.output_tokens,
                cost_usd=round(one.cost_usd, 8),
            )
            for one in spent
        ],
    )
