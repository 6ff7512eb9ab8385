"""Keeps what models cost within bounds: for one run, for one user and day, for all and a day.

Near a bound calls go to the cheap tier; at it, answers come from templates, or only those that are owed do.
"""

import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final, Literal, TypeAlias, TypeVar

import structlog

from signalbox.agents.turn import Emitter
from signalbox.errors import BudgetSpent, StoreUnavailable
from signalbox.events import Thinking
from signalbox.llm.base import Attempt, Model, ModelRequest, StreamItem
from signalbox.llm.offline import OfflineModel
from signalbox.memory.profile import Owner
from signalbox.runs.books import Books, midnight
from signalbox.settings import Settings

logger = structlog.get_logger(__name__)

K = TypeVar("K")
Whose: TypeAlias = Literal["run", "user", "day"]

# From this share of a budget on, calls go to the cheap tier.
NEAR: Final = Decimal("0.8")
# How old a sum from the books may be. What this process spends meanwhile is added to it.
FRESH_S: Final = 5.0
REST: Final = 50
MOST_KNOWN: Final = 10_000

# How large the whole server's budget is, is its operator's business.
_SPENT: Final[dict[Whose, str]] = {
    "run": "What language models may cost for one answer is used up ({usd}). Ask for less at once: the next answer has "
    "a budget of its own.",
    "user": "Your budget for language models is used up for today ({usd} a day). It is renewed at midnight UTC.",
    "day": "This server's budget for language models is used up for today. It is renewed at midnight UTC.",
}
_DRAFTED: Final[dict[Whose, str]] = {
    "run": "The budget of this answer for language models is used up ({usd}): the rest comes from templates.",
    "user": "Your budget for language models is used up for today ({usd} a day): answers come from templates until "
    "midnight UTC.",
    "day": "Today's budget for language models is used up: answers come from templates until midnight UTC.",
}
_KEPT_BACK: Final = "The budget for language models is nearly used up: nothing is asked a second time."


def dollars(amount: Decimal) -> str:
    """Without zeros behind its end, but for the cents: US$0.50, US$0.0005."""
    text = f"{amount.normalize():f}"
    whole, _, part = text.partition(".")
    return f"US${int(whole):,}" + (f".{part:0<2}" if part else "")


@dataclass(frozen=True, slots=True)
class Limits:
    """US dollars; None is no bound. ``over``: what happens when one is reached."""

    run: Decimal | None = None
    user: Decimal | None = None
    day: Decimal | None = None
    over: Literal["draft", "refuse"] = "draft"

    @classmethod
    def of(cls, settings: Settings) -> "Limits":
        run, user, day = (
            None if bound is None else Decimal(str(bound))
            for bound in (settings.budget_run_usd, settings.budget_user_usd, settings.budget_day_usd)
        )
        return cls(run, user, day, settings.over_budget)

    @property
    def any(self) -> bool:
        return (self.run, self.user, self.day) != (None, None, None)

    def told(self, words: Mapping[Whose, str], whose: Whose) -> str:
        bound = {"run": self.run, "user": self.user, "day": self.day}[whose]
        return words[whose].format(usd=dollars(bound or Decimal(0)))


@dataclass(frozen=True, slots=True)
class Standing:
    """The budget that is used up most, as a share of it; 1 and more is used up."""

    whose: Whose
    share: Decimal

    @property
    def near(self) -> bool:
        return self.share >= NEAR

    @property
    def spent(self) -> bool:
        return self.share >= 1


@dataclass(slots=True)
class _Sum:
    """What the books told, and what is on its way to them. ``written``: how much got there, since we count."""

    since: datetime
    told: Decimal = Decimal(0)
    fresh_until: float = -math.inf
    under_way: Decimal = Decimal(0)
    written: Decimal = Decimal(0)

    @property
    def spent(self) -> Decimal:
        return self.told + self.under_way


class Budgets:
    """One process's view of what was spent. With no bounds set it asks nobody and knows nothing.

    Sums come from the books and are used for ``FRESH_S``, longer where adding them up takes long. What this process
    spent and the books do not have yet is added at once. Other processes' spending is seen that late, and calls that
    are under way are not counted: a budget can be overshot by those.
    """

    def __init__(self, limits: Limits, books: Books, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.books = books
        self._clock = clock
        self._users: dict[Owner, _Sum] = {}
        self._day: dict[None, _Sum] = {}

    @classmethod
    def of(cls, settings: Settings, books: Books) -> "Budgets":
        return cls(Limits.of(settings), books)

    async def standing(self, owner: Owner, spent_by_run: Decimal) -> Standing | None:
        """None without any bound."""
        limits = self.limits
        found: list[Standing] = []
        if limits.run is not None:
            found.append(Standing("run", spent_by_run / limits.run))
        if limits.user is not None:
            found.append(Standing("user", await self.spent_by_user(owner) / limits.user))
        if limits.day is not None:
            spent = await self._known(self._day, None, self.books.spent_by_all)
            found.append(Standing("day", spent / limits.day))
        return max(found, key=lambda standing: standing.share, default=None)

    async def spent_by_user(self, owner: Owner) -> Decimal:
        """Since midnight UTC."""
        if len(self._users) > MOST_KNOWN and owner not in self._users:
            self._users.clear()
        return await self._known(self._users, owner, lambda since: self.books.spent_by_user(owner, since))

    def charge(self, owner: Owner, usd: Decimal) -> None:
        """Count what was just spent, until the books have it."""
        for known in self._of(owner):
            known.under_way += usd

    def settle(self, owner: Owner, usd: Decimal) -> None:
        """The books have what was charged."""
        for known in self._of(owner):
            known.under_way = max(Decimal(0), known.under_way - usd)
            known.told += usd
            known.written += usd

    def _of(self, owner: Owner) -> list[_Sum]:
        return [known for known in (self._users.get(owner), self._day.get(None)) if known is not None]

    async def _known(self, sums: dict[K, _Sum], key: K, read: Callable[[datetime], Awaitable[Decimal]]) -> Decimal:
        since = midnight()
        known = sums.setdefault(key, _Sum(since))
        if known.since != since:
            known.since, known.told, known.fresh_until = since, Decimal(0), -math.inf
        if self._clock() < known.fresh_until:
            return known.spent
        began, written = time.monotonic(), known.written
        told = await _looked_up(lambda: read(since))
        if told is not None:
            # What was written while they were read may not be in it: for FRESH_S that is rather counted twice.
            known.told = told + known.written - written
            # A day of very many calls takes long to add up, and must not become the database's work.
            known.fresh_until = self._clock() + max(FRESH_S, REST * (time.monotonic() - began))
        return known.spent


class BudgetedModel:
    """A ``Model`` over another, for one run. It is decided before each call: one that is under way goes on to its end.

    Near a bound, calls are made in the cheap tier, and none in the strong one: nothing is asked a second time. At it,
    ``draft`` gives the agent's own draft in place of an answer, and the user is told so once; ``refuse`` gives it where
    it is ``owed``, and nothing is said of the budget, as no answer of a model's is missed. Any other request raises
    ``BudgetSpent``.
    """

    def __init__(self, model: Model, budgets: Budgets, owner: Owner, run_id: str, emitter: Emitter | None) -> None:
        self.name = model.name
        self.instructable = model.instructable
        self._model = model
        self._budgets = budgets
        self._owner = owner
        self._run_id = run_id
        self._emitter = emitter
        self._spent_here: Decimal | None = None
        self._told = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        standing = await self._standing()
        model = self._model
        if standing is not None and standing.spent:
            model = await self._without_model(request, standing.whose)
        elif standing is not None and standing.near:
            if request.tier == "strong":
                raise BudgetSpent(_KEPT_BACK)
            request = replace(request, tier="cheap")
        unheard = request.unheard

        def charged(attempt: Attempt) -> None:
            self.charge(attempt)
            if unheard is not None:
                unheard(attempt)

        request = replace(request, unheard=charged)
        async with aclosing(model.stream(request)) as stream:
            async for item in stream:
                if isinstance(item, Attempt):
                    self.charge(item)
                yield item

    async def close(self) -> None:
        await self._model.close()

    async def _standing(self) -> Standing | None:
        if not self._budgets.limits.any:
            return None
        if self._spent_here is None:
            # Another worker may have begun this run.
            before: Decimal | None = None
            if self._budgets.limits.run is not None:
                before = await _looked_up(lambda: self._budgets.books.spent_by_run(self._run_id))
            self._spent_here = before or Decimal(0)
        return await self._budgets.standing(self._owner, self._spent_here)

    def charge(self, attempt: Attempt) -> None:
        """Count at once what was spent."""
        if (usd := _cost_of(attempt)) and self._spent_here is not None:
            self._spent_here += usd
            self._budgets.charge(self._owner, usd)

    def settle(self, attempt: Attempt) -> None:
        """The books have it."""
        if (usd := _cost_of(attempt)) and self._spent_here is not None:
            self._budgets.settle(self._owner, usd)

    async def _without_model(self, request: ModelRequest, whose: Whose) -> Model:
        refuses = self._budgets.limits.over == "refuse"
        if not refuses and not self._told and self._emitter is not None:
            self._told = True
            await self._emitter.emit(Thinking(stage="budget", label=self._budgets.limits.told(_DRAFTED, whose)))
        if not request.draft or (refuses and not request.owed):
            raise BudgetSpent(self._budgets.limits.told(_SPENT, whose))
        logger.info("a draft stands in for a model", budget=whose, task=request.task, agent=request.agent)
        return OfflineModel()


def _cost_of(attempt: Attempt) -> Decimal:
    return Decimal(str(attempt.usage.cost_usd)) if attempt.usage and attempt.usage.cost_usd else Decimal(0)


async def _looked_up(read: Callable[[], Awaitable[Decimal]]) -> Decimal | None:
    """None where it cannot be looked up just now, which stops nobody: without its database a run gets no further than
    to its next step, so little can be spent unseen.
    """
    try:
        return await read()
    except StoreUnavailable as exc:
        logger.warning("what was spent cannot be looked up just now", error=type(exc.__cause__).__name__)
        return None  # truth: documented as "not known", which is not "nothing spent"


def renewed_at(now: datetime | None = None) -> datetime:
    """When the budgets of a day begin anew."""
    return midnight(now) + timedelta(days=1)
