"""Which replies may be given again: those that nothing but the message shaped, and that rest on no look-up."""

import pytest
from stage import Recorder, fact

from signalbox.agents.base import TurnContext
from signalbox.agents.general import GeneralAgent
from signalbox.agents.turn import Facts, Turn
from signalbox.llm.scripted import ScriptedModel
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.memory.summary import ConversationSummary, Noted
from signalbox.tools.result import Ok


class Found(Facts):
    topic: str = "greeting"


async def reusable(*, looked_up: bool = False, **known) -> bool:
    model = ScriptedModel(instructable=True)
    ctx = TurnContext(owner=Owner("t", "u"), message_id="m_answer", model=model, tools={}, emitter=Recorder())
    if looked_up:
        ctx.outcomes.begun("1/search_jobs", "search_jobs")
        ctx.outcomes.came("1/search_jobs", Ok(("a job",)))
    turn = Turn(message="What can you do?", message_id="m1", intent="general", **known)
    await ctx.reply(GeneralAgent(), turn, Found(), "the draft")
    return model.requests[-1].reusable


async def test_a_first_message_of_somebody_unknown_may_get_the_answer_it_got_before():
    assert await reusable()


@pytest.mark.parametrize(
    "known",
    [
        {"profile": (fact("skill", "Python"),)},
        {"history": (PastMessage(role="user", content="Hello"),)},
        {"summary": ConversationSummary(decisions=(Noted(text="applies at Acme", sources=("m0",)),))},
        {"temporary": True},
        {"looked_up": True},
    ],
    ids=lambda known: next(iter(known)),
)
async def test_what_is_personal_or_was_looked_up_is_never_given_again(known):
    assert not await reusable(**known)
