"""Budgets: cheap near the bound, templates or a clear refusal at it, and no question to the database without one."""

import asyncio
import secrets
from contextlib import aclosing
from dataclasses import replace
from decimal import Decimal

import pytest

from signalbox.errors import BudgetSpent, ProviderError, StoreUnavailable
from signalbox.llm.base import Attempt, ChatMessage, Finish, ModelRequest, TextDelta, Usage, read_whole
from signalbox.llm.breaker import Breaker, MemoryMarks
from signalbox.llm.catalogue import Catalogue, ModelCard, PricedModel
from signalbox.llm.plan import Choice, ModelRef
from signalbox.llm.resilient import ResilientModel
from signalbox.memory.profile import Owner
from signalbox.metrics import Metrics
from signalbox.runs.books import Account, BookedModel, Books, midnight, spent_on
from signalbox.runs.budget import FRESH_S, BudgetedModel, Budgets, Limits, dollars

REQUEST = ModelRequest("answer", (ChatMessage("user", "hi"),), "The draft.", agent="general")


class Costly:
    """Costs ``usd`` a call; remembers what it was asked."""

    name, instructable = "costly", True

    def __init__(self, usd: float) -> None:
        self.usd, self.asked = usd, []

    async def stream(self, request):
        self.asked.append(request)
        yield TextDelta("An answer.")
        usage = Usage("m", 10, 0, 10, estimated=False, cost_usd=self.usd)
        yield Attempt(1, "groq", "m", request.tier or "standard", "ok", 0.1, 0.2, usage)
        yield usage
        yield Finish("stop")

    async def close(self):
        pass


class Counted(Books):
    def __init__(self, database) -> None:
        super().__init__(database, Metrics())
        self.looks, self.away = 0, False

    async def _sum(self, statement, parameters):
        self.looks += 1
        if self.away:
            raise StoreUnavailable
        return await super()._sum(statement, parameters)


class Heard:
    def __init__(self) -> None:
        self.events = []

    async def emit(self, event):
        self.events.append(event)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Stage:
    """One process with budgets over the real books."""

    def __init__(self, database, **limits) -> None:
        self.books, self.clock = Counted(database), Clock()
        told = {name: Decimal(str(value)) if name != "over" else value for name, value in limits.items()}
        self.budgets = Budgets(Limits(**told), self.books, clock=self.clock)
        self.owner = Owner("t", f"u_{secrets.token_hex(6)}")
        self.heard = Heard()
        self.model = Costly(0.5)

    def run(self, owner=None, run_id=None) -> BudgetedModel:
        return BudgetedModel(self.model, self.budgets, owner or self.owner, run_id or secrets.token_hex(6), self.heard)

    async def paid(self, usd: float, owner=None, run_id="before") -> None:
        usage = Usage("m", 1, 0, 1, estimated=False, cost_usd=usd)
        rows = spent_on(REQUEST, (Attempt(1, "groq", "m", "standard", "ok", 0.1, 0.2, usage),))
        await self.books.add(owner or self.owner, run_id, secrets.token_hex(6), rows)


async def test_without_a_budget_nobody_is_asked_what_was_spent(database):
    stage = Stage(database)
    assert (await read_whole(stage.run(), REQUEST)).text == "An answer."
    assert stage.books.looks == 0
    assert stage.model.asked == [REQUEST]


async def test_near_the_bound_calls_are_cheap_and_at_it_the_draft_answers(database):
    stage = Stage(database, user=2)
    await stage.paid(1.0)
    run = stage.run()
    answers = [(await read_whole(run, REQUEST)).text for _ in range(4)]
    # 1.0 spent: usual; 1.5: usual; 2.0: spent.
    assert answers == ["An answer.", "An answer.", "The draft.", "The draft."]
    assert [request.tier for request in stage.model.asked] == [None, None]
    assert [(event.stage, "midnight UTC" in event.label) for event in stage.heard.events] == [("budget", True)]
    assert stage.books.looks == 1, "what this process spends is added, not looked up"
    stage = Stage(database, user=2)
    await stage.paid(1.6)
    await read_whole(stage.run(), REQUEST)
    assert [request.tier for request in stage.model.asked] == ["cheap"]
    assert stage.heard.events == []


async def test_near_the_bound_nothing_is_asked_a_second_time(database):
    stage = Stage(database, user=2)
    await stage.paid(1.6)
    with pytest.raises(BudgetSpent):
        await read_whole(stage.run(), replace(REQUEST, tier="strong"))
    assert stage.model.asked == []


async def test_a_request_without_a_draft_fails_as_a_failing_provider_does(database):
    stage = Stage(database, user=1)
    await stage.paid(1.0)
    with pytest.raises(ProviderError) as told:
        await read_whole(stage.run(), replace(REQUEST, task="classify", draft=""))
    assert (told.value.code, told.value.status, told.value.retry, told.value.again) == (
        "budget_spent",
        429,
        False,
        False,
    )


async def test_refusing_says_whose_budget_it_is_and_when_it_is_renewed(database):
    stage = Stage(database, user=1, over="refuse")
    await stage.paid(1.0)
    with pytest.raises(BudgetSpent, match=r"Your budget .* midnight UTC"):
        await read_whole(stage.run(), REQUEST)
    stage = Stage(database, run=0.4, over="refuse")
    run = stage.run()
    await read_whole(run, REQUEST)  # it was decided before the call, which overshoots
    with pytest.raises(BudgetSpent, match="one answer"):
        await read_whole(run, REQUEST)
    assert stage.heard.events == []


async def test_a_run_that_goes_on_elsewhere_keeps_what_it_has_spent(database):
    stage = Stage(database, run=1)
    run_id = secrets.token_hex(6)
    await stage.paid(1.0, run_id=run_id)
    assert (await read_whole(stage.run(run_id=run_id), REQUEST)).text == "The draft."
    assert (await read_whole(stage.run(), REQUEST)).text == "An answer."


async def test_the_budget_of_a_day_is_everybodys(database):
    stage = Stage(database, day=1_000_000)
    spent = await stage.books.spent_by_all(midnight())
    stage = Stage(database, day=spent + Decimal(1))
    await stage.paid(1.0, owner=Owner("t", "somebody else"))
    assert (await read_whole(stage.run(), REQUEST)).text == "The draft."
    assert "Today's budget" in stage.heard.events[0].label
    assert stage.owner.user_id not in str(stage.heard.events)


async def test_one_users_spending_is_not_anothers(database):
    stage = Stage(database, user=1)
    await stage.paid(1.0)
    other = Owner("t", stage.owner.user_id + "_other")
    assert (await read_whole(stage.run(other), REQUEST)).text == "An answer."


async def test_what_other_processes_spend_is_seen_within_seconds(database):
    stage = Stage(database, user=2)
    run = stage.run()
    await read_whole(run, REQUEST)
    await stage.paid(3.0)
    assert (await read_whole(run, REQUEST)).text == "An answer.", "the sum is still fresh"
    stage.clock.now += FRESH_S
    assert (await read_whole(run, REQUEST)).text == "The draft."


async def test_a_database_that_is_away_stops_nobody_and_gives_nothing_back(database):
    stage = Stage(database, user=1)
    await stage.paid(1.0)
    assert (await read_whole(stage.run(), REQUEST)).text == "The draft."
    stage.books.away, stage.clock.now = True, FRESH_S
    assert (await read_whole(stage.run(), REQUEST)).text == "The draft.", "what was known stands"
    stage = Stage(database, user=1, run=1)
    stage.books.away = True
    assert (await read_whole(stage.run(), REQUEST)).text == "An answer."


async def test_leaving_early_closes_what_is_asked(database):
    stage = Stage(database, user=1)
    async with aclosing(stage.run().stream(REQUEST)) as stream:
        async for item in stream:
            assert item == TextDelta("An answer.")
            break


async def test_a_call_that_was_given_up_counts_before_the_books_have_it(database):
    silent = Silent()
    stage = Stage(database, user=1, run=1)
    run = BudgetedModel(_resilient(silent), stage.budgets, stage.owner, "r", stage.heard)
    account = Account(stage.books, stage.owner, "r", run.settle)
    with pytest.raises(TimeoutError):
        await silent.given_up(BookedModel(run, account, "behind"))
    assert (await read_whole(run, REQUEST)).text == "The draft."
    assert silent.asked == 1
    assert await stage.books.spent_by_user(stage.owner, midnight()) == 0, "they do not have it yet"
    stage.clock.now += FRESH_S
    assert (await read_whole(run, REQUEST)).text == "The draft.", "a look into the books does not forget it"
    await stage.books.write()
    spent = await stage.books.spent_by_user(stage.owner, midnight())
    assert spent > 1
    assert await stage.budgets.spent_by_user(stage.owner) == spent, "counted once"
    stage.clock.now += FRESH_S
    assert await stage.budgets.spent_by_user(stage.owner) == spent


async def test_runs_side_by_side_see_what_the_others_spent_though_no_step_is_written(database):
    stage = Stage(database, user=1)
    for _ in range(2):
        await read_whole(stage.run(), REQUEST)
        stage.clock.now += FRESH_S
    assert (await read_whole(stage.run(), REQUEST)).text == "The draft."
    assert len(stage.model.asked) == 2


async def test_what_is_written_while_the_books_are_read_is_not_lost(database):
    stage = Stage(database, user=10)
    run = stage.run()
    await read_whole(run, REQUEST)
    (attempt,) = [item async for item in Costly(0.5).stream(REQUEST) if isinstance(item, Attempt)]
    looked = stage.books._sum

    async def slow(statement, parameters):
        told = await looked(statement, parameters)
        run.settle(attempt)
        return told

    stage.books._sum = slow
    stage.clock.now += FRESH_S
    assert await stage.budgets.spent_by_user(stage.owner) == Decimal("0.5")


class Silent:
    """Says a word, then nothing."""

    name, instructable, asked = "m", True, 0

    def falls_silent(self):
        """The word was heard."""

    async def given_up(self, model):
        """Asked by way of ``model``, whose patience ends with the silence."""
        async with asyncio.timeout(30) as limit:
            self.falls_silent = lambda: limit.reschedule(0)
            await read_whole(model, REQUEST)

    async def stream(self, request):
        self.asked += 1
        yield TextDelta("One wor")
        self.falls_silent()
        await asyncio.sleep(60)


class Alone:
    def choose(self, request):
        return Choice("standard", (ModelRef("m", "groq"),), "task")


def _resilient(model):
    cards = Catalogue({("m", "groq"): ModelCard("m", 8_000, None, Decimal(1_000_000), None, Decimal(0))})
    return PricedModel(ResilientModel(Alone(), lambda _: model, Breaker(MemoryMarks()), name="m"), cards)


async def test_the_amount_is_told_of_budgets_that_are_ones_own(database):
    stage = Stage(database, user="0.5", over="refuse")
    await stage.paid(1.0)
    with pytest.raises(BudgetSpent, match=r"used up for today \(US\$0\.50 a day\)\. It is renewed at midnight UTC"):
        await read_whole(stage.run(), REQUEST)
    stage = Stage(database, run="0.0004")
    run = stage.run()
    await read_whole(run, REQUEST)
    await read_whole(run, REQUEST)
    assert "is used up (US$0.0004): the rest comes from templates" in stage.heard.events[0].label


@pytest.mark.parametrize(("amount", "told"), [("1", "US$1"), ("1E+3", "US$1,000"), ("0.5", "US$0.50"), ("0", "US$0")])
def test_an_amount_is_written_as_people_do(amount, told):
    assert dollars(Decimal(amount)) == told


async def test_refusing_still_tells_what_is_owed_and_says_nothing_of_the_budget(database):
    stage = Stage(database, user=1, over="refuse")
    await stage.paid(1.0)
    run = stage.run()
    assert (await read_whole(run, replace(REQUEST, owed=True))).text == "The draft."
    assert stage.heard.events == []
    assert stage.model.asked == []
    with pytest.raises(BudgetSpent):
        await read_whole(run, replace(REQUEST, owed=True, draft=""))
    with pytest.raises(BudgetSpent):
        await read_whole(run, REQUEST)


async def test_what_is_owed_is_asked_of_a_model_while_there_is_a_budget(database):
    stage = Stage(database, user=1, over="refuse")
    assert (await read_whole(stage.run(), replace(REQUEST, owed=True))).text == "An answer."
