"""A look-up on an external server is asked about first where it would carry away what is known of the user."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from callers import CallingModel, Place, Speaker, Weather, call, results
from stage import OWNER, Recorder

from signalbox.agents.base import TurnContext
from signalbox.agents.tools_guarded import known_of, read_others
from signalbox.agents.turn import Facts, Turn
from signalbox.blocks import ProfileFact
from signalbox.memory.conversation import PastMessage
from signalbox.memory.summary import ConversationSummary, Noted
from signalbox.tools.base import Arguments, Guard
from signalbox.tools.journal import Call, Unrecorded
from signalbox.tools.result import Err, Ok, Result

POSTING = PastMessage(role="assistant", content="Here are some.", blocks=({"type": "jobs_data", "jobs": []},))


def fact(key: str, value: str) -> ProfileFact:
    return ProfileFact(fact_id=f"f_{key}", kind="fact", key=key, value=value)


def turn_of(message: str = "Find me something", **more: Any) -> Turn:
    profile = (
        fact("name", "An Ng"),
        fact("location", "Leeds"),
        fact("salary_min", "45,000"),
        fact("title", "Data analyst"),
        fact("note", "I left Northwind after a burnout and see a therapist"),
    )
    more = {"profile": profile, "history": (POSTING,)} | more
    return Turn(message=message, message_id="m_question", intent="general", **more)


@pytest.mark.parametrize(
    ("message", "given", "tells"),
    [
        ("Find me something", {"query": "jobs in Leeds"}, True),
        ("Find me something", {"query": "LEEDS"}, True),
        ("Find me something", {"pay": 45000}, True),
        ("Find me something", {"pay": "45k"}, True),
        ("Find me something", {"pay": "45 000 a year"}, True),
        ("Find me something", {"Leeds": ""}, True),
        ("Find me something", {"pay": [45000, 60000]}, True),
        ("Find me something", {"q": "Ng"}, True),
        ("Find me something", {"q": "the ng-model directive of a"}, True),
        ("Find me something", {"q": "what is in it for me"}, False),
        ("Find me something", {"filters": {"text": ["burnout at Northwind"]}}, True),
        ("Find me something", {"query": "burnout prevention"}, False),
        ("Find me something", {"query": "weather in Oslo", "days": 4}, False),
        ("Find me something", {"query": "good jobs for people"}, False),
        ("Find me something in Leeds", {"query": "jobs in Leeds"}, False),
        ("Find me something in Leeds", {"query": "jobs in Leeds over 45,000"}, True),
        ("Find me something in Leeds. " + "The posting says a lot. " * 40, {"query": "jobs in Leeds"}, True),
    ],
)
def test_what_is_known_of_the_user_is_recognised_unless_they_have_just_written_it(message, given, tells):
    assert known_of(turn_of(message)).told_in(given) is tells


def test_the_summary_and_earlier_messages_are_known_of_the_user_too():
    summary = ConversationSummary(hard_constraints=(Noted(text="never for Contoso", sources=("m_1",)),))
    earlier = PastMessage(role="user", content="My sister Philippa works there")
    known = known_of(turn_of(summary=summary, history=(earlier, POSTING)))
    assert known.told_in({"query": "Contoso"})
    assert known.told_in({"query": "is Philippa somebody's sister"})
    assert not known.told_in({"query": "their sister company"})
    brief = known_of(turn_of(history=(PastMessage(role="user", content="What time is it in Oslo?"), POSTING)))
    assert not brief.told_in({"timezone": "Europe/Oslo"})


def test_results_shown_before_and_long_pasted_texts_may_be_what_others_wrote():
    assert read_others(turn_of())
    assert not read_others(turn_of(history=()))
    assert read_others(turn_of("x " * 400, history=()))
    assert read_others(turn_of(history=(PastMessage(role="user", content="x " * 400),)))


class Query(Arguments):
    query: str


@dataclass
class Elsewhere:
    """Looks something up on a server of others."""

    guard: Guard = "personal"
    asked: list[str] = field(default_factory=list)
    name: ClassVar[str] = "else__search"
    effect: ClassVar[str] = "read"
    timeout_s: ClassVar[float] = 2.0
    risk: ClassVar[str] = "What you see above is sent there."

    async def run(self, arguments: Query) -> Result[str]:
        self.asked.append(arguments.query)
        return Ok("found")


class Recording(Unrecorded):
    """Keeps decisions; its user rejects all that they are asked."""

    def __init__(self, kept: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.kept = {} if kept is None else kept
        self.calls: list[Call] = []

    async def step(self, position, kind, do, codec, *, about=None, lazily=False):
        if kind != "decision":
            return await do()
        if position not in self.kept:
            self.kept[position] = codec.dump(await do())
        return codec.load(self.kept[position])

    async def effect(self, call, do, codec):
        self.calls.append(call)
        return Err("rejected", "the user did not approve it", retryable=False, done="no")


async def worked(model: CallingModel, turn: Turn, journal: Recording, *tools: Any) -> None:
    ctx = TurnContext(
        owner=OWNER, message_id="m_answer", model=model, tools={}, emitter=Recorder(), strict=True, journal=journal
    )
    await ctx.work(Speaker(), turn, Facts(), "The draft.", tools=tools)


async def test_after_a_text_of_others_a_look_up_that_tells_of_the_user_is_asked_about():
    model = CallingModel(
        [call("else__search", "a", query="trains to Oslo"), call("else__search", "b", query="Leeds 45,000")], ["Done."]
    )
    tool, journal = Elsewhere(), Recording()
    await worked(model, turn_of(), journal, tool)
    assert tool.asked == ["trains to Oslo"]
    (asked,) = journal.calls
    assert (asked.tool, asked.effect, asked.arguments) == ("else__search", "irreversible", {"query": "Leeds 45,000"})
    assert asked.risk.startswith("What you see above is sent there. You are asked, though nothing is changed there")
    assert "something that is known of you" in asked.risk
    told = results(model.requests[-1])
    assert told["a"].startswith("[FOUND: else__search]")
    assert told["b"].startswith("[NOT DONE (rejected): else__search]")


async def test_before_anything_of_others_was_read_it_is_called_at_once_and_asked_about_from_then_on():
    model = CallingModel(
        [call("else__search", "a", query="Leeds")], [call("else__search", "b", query="near Leeds")], ["Done."]
    )
    tool, journal = Elsewhere(), Recording()
    await worked(model, turn_of(history=()), journal, tool)
    assert tool.asked == ["Leeds"]
    assert [each.arguments["query"] for each in journal.calls] == ["near Leeds"]


@pytest.mark.parametrize(("guard", "asked"), [("never", 0), ("personal", 0), ("always", 1)])
async def test_the_operator_says_of_each_server_when_its_look_ups_are_asked_about(guard, asked):
    model = CallingModel([call("else__search", "a", query="trains to Oslo")], ["Done."])
    tool, journal = Elsewhere(guard), Recording()
    await worked(model, turn_of(), journal, tool)
    assert (len(journal.calls), len(tool.asked)) == (asked, 1 - asked)
    assert all("the operator of this assistant wants it so" in each.risk for each in journal.calls)


async def test_our_own_look_ups_are_never_asked_about():
    model = CallingModel([call("weather", "a", city="Leeds")], ["Done."])
    weather, journal = Weather(), Recording()
    await worked(model, turn_of(), journal, weather)
    assert weather.asked == [Place(city="Leeds")]
    assert not journal.calls


async def test_another_worker_asks_the_same_whatever_is_known_of_the_user_by_then():
    turns = ([call("else__search", "a", query="Leeds")], ["Done."])
    first = Recording()
    await worked(CallingModel(*turns), turn_of(), first, Elsewhere())
    tool, second = Elsewhere("never"), Recording(first.kept)
    await worked(CallingModel(*turns), turn_of(profile=(), history=()), second, tool)
    assert tool.asked == []
    assert [each.position for each in second.calls] == [each.position for each in first.calls]
