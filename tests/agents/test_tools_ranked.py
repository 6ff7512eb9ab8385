"""Which tools a model is offered where not all have room, and that what is left out is told."""

import json

from callers import CallingModel, Note, Weather, work
from structlog.testing import capture_logs

from signalbox.agents.budget import Budget, RunBudget
from signalbox.agents.tools_offered import OfferedCodec, offered
from signalbox.agents.tools_ranked import ranked
from signalbox.llm.base import ToolSpec
from signalbox.runs.story import StepLine
from signalbox.tools.result import Ok

LONG = "A knowledge graph of entities, relations and observations is kept between conversations. " * 8
ENTITY = {"type": "object", "properties": {"name": {"type": "string", "description": LONG}}, "required": ["name"]}
MANY = {"type": "object", "properties": {"entities": {"type": "array", "description": LONG, "items": ENTITY}}}


class Foreign:
    """A tool of an MCP server, as far as an agent can tell."""

    timeout_s = 1.0

    def __init__(self, name, description="", effect="irreversible", parameters=None):
        self.name, self.effect = name, effect
        self.spec = ToolSpec(name, description, parameters or {"type": "object", "properties": {}})

    def parse(self, given):
        return Note(text=str(given))

    async def run(self, arguments: Note):
        return Ok(arguments.text)


def memory_and_time(effect="irreversible"):
    """Two servers as they are met with, in the order of their names; nobody has classified their tools."""
    writing = ["add_observations", "create_entities", "create_relations", "delete_entities", "delete_observations",
               "delete_relations"]  # fmt: skip
    return [
        *(Foreign(f"memory__{name}", LONG, "irreversible", MANY) for name in writing),
        Foreign("memory__open_nodes", "Open specific nodes in the knowledge graph by their names.", effect, ENTITY),
        Foreign("memory__read_graph", "Read the entire knowledge graph.", effect),
        Foreign("memory__search_nodes", "Search for nodes in the knowledge graph based on a query.", effect, ENTITY),
        Foreign("time__convert_time", "Convert time between timezones.", effect, ENTITY),
        Foreign("time__get_current_time", "Get current time in a specific timezone.", effect, ENTITY),
    ]


def names(tools):
    return [tool.name for tool in tools]


def test_what_fits_the_message_comes_first_then_looking_and_deleting_last():
    order = names(ranked(memory_and_time(), "What time is it in London now?"))
    assert set(order[:2]) == {"time__get_current_time", "time__convert_time"}
    assert set(order[2:5]) == {"memory__open_nodes", "memory__read_graph", "memory__search_nodes"}
    assert all(name.startswith("memory__delete_") for name in order[-3:])


def test_who_asks_to_delete_something_is_not_kept_from_the_tool_that_does():
    order = names(ranked(memory_and_time(), "Delete the relation between Ann and Acme"))
    assert order[0] == "memory__delete_relations"


def test_words_that_a_whole_server_has_in_common_do_not_put_its_deletions_first():
    order = names(ranked([*memory_and_time(), Foreign("time__now", effect="read")], "Put Ann into the knowledge graph"))
    assert all(name.startswith("memory__delete_") for name in order[-3:])


def test_endings_of_words_make_no_difference():
    tools = [Foreign("a__list_things"), Foreign("b__read_notes"), Foreign("c__findCities")]
    assert names(ranked(tools, "Read me my noted ideas"))[0] == "b__read_notes"
    assert names(ranked(tools, "which city?"))[0] == "c__findCities"


def test_a_server_with_many_tools_takes_turns_with_the_others():
    greedy = [Foreign(f"big__time_{n}", "time zone clock London now") for n in range(50)]
    order = names(ranked([*greedy, Foreign("small__clock", "Tells the time.")], "What time is it in London?"))
    assert order.index("small__clock") <= 1


def test_one_tool_that_has_no_room_makes_place_for_those_after_it():
    large = Foreign("a__time", "time", parameters={"enum": ["x" * 5_000]})
    found = offered([large, Foreign("b__clock", "clock")], "What time is it?", 1_000, len)
    assert [offer.spec.name for offer in found.offers] == ["b__clock"]
    assert found.left_out == ("a__time",)
    assert found.tokens > 5_000


def test_where_there_is_little_room_all_are_told_in_fewer_words():
    tools = [Foreign(f"s__{n}", LONG, parameters=ENTITY) for n in range(4)]
    roomy, tight = (offered(tools, "", room, len) for room in (100_000, 3_000))
    assert len(roomy.offers) == len(tight.offers) == 4
    assert len(roomy.offers[0].spec.description) > 600
    assert len(tight.offers[0].spec.description) <= 240
    assert tight.offers[0].spec.parameters["required"] == ["name"]


def test_the_chosen_stand_in_their_own_order_so_that_the_same_choice_is_the_same_prompt():
    tools = memory_and_time()
    one, two = (offered(tools, asked, 100_000, len) for asked in ("What time is it?", "Search the graph"))
    assert one == two
    assert [offer.spec.name for offer in one.offers] == names(tools)


def test_what_was_offered_is_read_back_as_it_was():
    tools = memory_and_time("read")
    tools[-1].guard = "always"
    found = offered(tools, "time", 2_000, len)
    codec = OfferedCodec()
    told = json.loads(json.dumps(codec.dump(found)))
    assert found.left_out
    assert found.offers[-1].guard == "always"
    assert codec.load(told) == found


async def test_the_tools_that_a_message_needs_are_offered_in_windows_large_and_small():
    for budget in (Budget(), Budget(window=8_192, prompt=6_000), Budget(window=8_192, prompt=3_000)):
        model = CallingModel(["Noon."])
        await work(model, Weather(), *memory_and_time(), budget=RunBudget(budget), message="What time is it in Rome?")
        told = {spec.name for spec in model.requests[0].tools}
        assert {"weather", "time__get_current_time", "memory__read_graph", "memory__search_nodes"} <= told, budget


async def test_what_is_left_out_is_told_in_the_log_and_with_the_models_turn():
    model = CallingModel(["Noon."])
    with capture_logs() as logs:
        await work(model, *memory_and_time(), budget=RunBudget(Budget(window=8_192, prompt=3_000)), message="Time?")
    (line,) = [each for each in logs if each["event"] == "tools_left_out"]
    about = model.requests[0].about
    (gone,) = [each for each in about["dropped"] if each["part"] == "tools"]
    assert gone["items"] == len(line["tools"]) > 0
    assert all("__" in name for name in gone["what"])
    offered_names = {spec.name for spec in model.requests[0].tools}
    assert offered_names.isdisjoint(line["tools"])
    assert len(offered_names) + len(line["tools"]) == len(memory_and_time())


def step(position, kind, payload):
    return StepLine(1, kind, position, 1, payload, None, None, None, None, 0)


def test_runs_show_tells_what_was_offered_and_what_had_no_room():
    found = offered(memory_and_time(), "Time?", 2_000, len)
    told = step("turn/0/tools.offered", "decision", {"result": OfferedCodec().dump(found)}).what
    assert "time__get_current_time" in told
    assert f"no room for {len(found.left_out)}: " in told
    assert found.left_out[0] in told
    turn = step("turn/0/model", "model_turn", {"about": {"output": 1, "window": 9, "tokens": {}, **found.about()}}).what
    assert f"left out {len(found.left_out)} of tools" in turn
