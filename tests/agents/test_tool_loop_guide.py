"""The guide's agent with a tool of its own works as shown, and the general agent calls tools where it should."""

import re
from pathlib import Path

import pytest
from callers import CallingModel, call, results
from stage import OWNER, Canned, Recorder, fact, hit, hits, perform

from signalbox.agents.base import TurnContext
from signalbox.agents.finding import find_agents
from signalbox.agents.general import GeneralAgent
from signalbox.agents.turn import Turn
from signalbox.llm.base import ToolSpec
from signalbox.llm.offline import OfflineModel
from signalbox.tools.base import Arguments
from signalbox.tools.result import Err, Ok, Result

GUIDE = Path(__file__).parents[2] / "docs/agents.md"


async def test_the_guides_agent_with_its_own_tool_works_as_shown(tmp_path):
    source = next(
        each for each in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL) if "ctx.work" in each
    )
    (tmp_path / "permits.py").write_text(source)
    agent = find_agents(tmp_path)["permits"]
    model = CallingModel(
        [
            call("permit_time", "a", name="Norway"),
            call("permit_time", "b", name="Peru"),
            call("permit_time", "c", land="x"),
        ],
        ["Eight weeks in Norway."],
    )

    async def answer(model):
        ctx = TurnContext(
            owner=OWNER, message_id="m", model=model, tools={"search_knowledge": Searching()}, emitter=Recorder()
        )
        return await agent.respond(Turn(message="How long?", message_id="q", intent="permits"), ctx)

    assert (await answer(model)).text == "Eight weeks in Norway."
    told = results(model.requests[-1])
    assert told["a"].startswith("[FOUND: permit_time]")
    assert told["b"].startswith("[NOTHING FOUND: permit_time]")
    assert "land: extra inputs are not permitted" in told["c"]
    assert [spec.name for spec in model.requests[0].tools] == ["permit_time", "search_knowledge"]
    assert model.requests[0].tools[0].description.startswith("Tells how many weeks")
    assert (await answer(OfflineModel(delay_s=0))).text == "Ask the embassy how long it takes."


class Question(Arguments):
    text: str


class Searching:
    name, effect, timeout_s = "search_knowledge", "read", 1.0

    async def run(self, arguments: Question) -> Result[str]:
        return Ok(arguments.text)


class Remote:
    """A tool of an MCP server, as far as an agent can tell."""

    name, effect, timeout_s = "skies__weather", "read", 1.0
    spec = ToolSpec(name, "Tells the weather.", {"type": "object", "properties": {"city": {"type": "string"}}})

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def parse(self, given):
        return Question(text=str(given.get("city")))

    async def run(self, arguments: Question) -> Result[str]:
        self.asked.append(arguments)
        return Ok("sunny")


async def test_what_no_specialist_covers_is_looked_up_with_a_servers_tool():
    model, remote = CallingModel([call("skies__weather", "a", city="Leeds")], ["Sunny in Leeds."]), Remote()
    answer, _ = await perform(GeneralAgent(), "What is the weather in Leeds?", [remote], model=model)
    assert answer.text == "Sunny in Leeds."
    assert [asked.text for asked in remote.asked] == ["Leeds"]
    assert "An external server says of it: Tells the weather." in [spec.description for spec in model.requests[0].tools]


async def test_postings_are_searched_by_words_and_told_in_short():
    search = Canned("search_jobs", Ok(hits(hit(1), hit(2), total=40), truncated=True, total=40))
    model = CallingModel([call("search_jobs", "a", words="python jobs in Berlin", limit=2)], ["Two of 40."])
    await perform(GeneralAgent(), "Tell me a joke", [search], model=model)
    (asked,) = search.asked
    assert (asked.query.skills, asked.query.locations, asked.query.limit) == (("Python",), ("Berlin",), 2)
    told = results(model.requests[-1])["a"]
    assert told.startswith("[FOUND A PART: search_jobs]")
    assert "2 of 40" in told
    assert "Python Engineer 1" in told


async def test_a_search_that_fails_is_told_as_one_that_could_not_look():
    search = Canned("search_jobs", Err("connection", "the index is away"))
    model = CallingModel([call("search_jobs", "a", words="python")], ["I could not look."])
    await perform(GeneralAgent(), "Tell me a joke", [search], model=model)
    assert results(model.requests[-1])["a"].startswith("[COULD NOT LOOK (connection): search_jobs]")


async def test_a_cry_for_help_is_answered_without_a_model():
    model, remote = CallingModel(["Fine."]), Remote()
    answer, _ = await perform(GeneralAgent(), "I want to die", [remote], model=model)
    assert answer.text
    assert not model.requests
    assert not remote.asked


@pytest.mark.parametrize("message", ["hello", "thanks!", "What do you know about me?"])
async def test_what_is_answered_from_the_facts_offers_no_tools(message):
    model, remote = CallingModel(["Fine."]), Remote()
    profile = Canned("read_profile", Ok((fact("skill", "Go"),)))
    await perform(GeneralAgent(), message, [remote, profile], model=model)
    assert not model.requests[0].tools
    assert not remote.asked
