"""A budget that is spent while a model calls tools: what was done stands, and is not told by a draft that knows nothing
of it.
"""

import secrets
from decimal import Decimal

import pytest
from callers import CallingModel, Speaker, TakeNote, call
from stage import OWNER, Recorder

from signalbox.agents.base import TurnContext
from signalbox.agents.turn import Facts, Turn
from signalbox.errors import BudgetSpent
from signalbox.llm.base import Attempt, Usage
from signalbox.memory.profile import Owner
from signalbox.metrics import Metrics
from signalbox.runs.books import Books
from signalbox.runs.budget import BudgetedModel, Budgets, Limits

TURN = Turn(message="Note that I like tea", message_id="m_question", intent="general")


class Loop:
    """A model that takes a note, at ``usd`` of a budget of one, and would go on."""

    def __init__(self, database, usd: float, *, over: str) -> None:
        usage = Usage("m", 1, 0, 1, estimated=False, cost_usd=usd)
        paid = Attempt(1, "groq", "m", "standard", "ok", 0.1, 0.2, usage)
        self.model = CallingModel([call("take_note", "a", text="tea"), paid], ["It is noted."])
        self.notes, self.heard = TakeNote(), Recorder()
        owner = Owner("t", f"u_{secrets.token_hex(6)}")
        budgets = Budgets(Limits(user=Decimal(1), over=over), Books(database, Metrics()))
        self.budgeted = BudgetedModel(self.model, budgets, owner, secrets.token_hex(6), self.heard)

    async def answer(self) -> str:
        ctx = TurnContext(
            owner=OWNER, message_id="m_answer", model=self.budgeted, tools={}, emitter=self.heard, strict=True
        )
        said = await ctx.work(Speaker(), TURN, Facts(), "The draft.", tools=[self.notes], unasked=["take_note"])
        return said.text


@pytest.mark.parametrize("over", ["refuse", "draft"])
async def test_within_the_budget_the_model_answers(database, over):
    loop = Loop(database, 0.5, over=over)
    assert await loop.answer() == "It is noted."
    assert loop.notes.notes == ["tea"]


async def test_refused_in_the_middle_it_ends_with_the_error_and_what_was_done_stands_in_its_results(database):
    loop = Loop(database, 1, over="refuse")
    with pytest.raises(BudgetSpent, match="It is renewed at midnight UTC"):
        await loop.answer()
    assert loop.notes.notes == ["tea"]
    assert [(each.tool, each.status) for each in loop.heard.events if each.type == "tool_result"] == [
        ("take_note", "ok")
    ]
    assert len(loop.model.requests) == 1, "no model is asked again"
    assert "message" not in loop.heard.types()


async def test_refused_before_its_first_word_nothing_is_called(database):
    loop = Loop(database, 1, over="refuse")
    with pytest.raises(BudgetSpent):
        await loop.answer()
    with pytest.raises(BudgetSpent):
        await loop.answer()
    assert (loop.notes.notes, len(loop.model.requests)) == (["tea"], 1)


async def test_with_drafts_the_draft_ends_it(database):
    loop = Loop(database, 1, over="draft")
    assert await loop.answer() == "The draft."
    assert loop.notes.notes == ["tea"]
    assert [event.stage for event in loop.heard.events if event.type == "thinking"] == ["budget"]
