"""A model that calls tools gets a result for each call, is never obeyed blindly, and always comes to an end."""

import asyncio
import json
from typing import ClassVar

import pytest
from callers import CallingModel, Note, Place, TakeNote, Weather, call, results, work

from signalbox.agents.replying import CUT_SHORT
from signalbox.agents.tools_clock import LoopLimits
from signalbox.errors import ConfigurationError, ProviderRejected, ProviderTimeout, ProviderUnavailable
from signalbox.llm.base import Restart, ToolRequest
from signalbox.llm.offline import OfflineModel
from signalbox.settings import load_settings
from signalbox.tools.result import Err, Ok, Result
from signalbox.workbench import loop_limits


def last_told(model: CallingModel) -> dict[str, str]:
    return results(model.requests[-1])


async def test_the_model_is_told_what_came_of_its_call_and_answers_with_it():
    model = CallingModel(["Let me look. ", call("weather", "a", city="Leeds")], ["It is ", "sunny."])
    weather = Weather(Ok({"sky": "blue"}))
    answer, heard = await work(model, weather)
    assert [asked.city for asked in weather.asked] == ["Leeds"]
    assert answer.text == "Let me look. \n\nIt is sunny."
    assert heard.types() == ["chunk", "usage", "tool_call", "tool_result", "chunk", "usage", "message"]
    assert heard.one("message").content == "".join(e.content for e in heard.events if e.type == "chunk") == answer.text
    told = last_told(model)["a"]
    assert told.startswith("[FOUND: weather]")
    assert '<data>\n{"sky": "blue"}\n</data>' in told
    (spec,) = model.requests[0].tools
    assert (spec.name, spec.description) == ("weather", "Tells the weather of a city.")
    assert spec.parameters["required"] == ["city"]
    assert spec.parameters["additionalProperties"] is False
    assert [ref.id for ref in model.requests[0].prompts] == ["persona", "tools", "agent:general"]


async def test_a_model_that_follows_no_instructions_streams_the_draft():
    answer, heard = await work(OfflineModel(delay_s=0), Weather())
    assert answer.text == "The draft."
    assert "tool_call" not in heard.types()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('{"city": "Leeds", "country": "UK"}', "country: extra inputs are not permitted"),
        ('{"city": 5}', "city: input should be a valid string"),
        ('{"city": "Leeds", "days": "2"}', "days: input should be a valid integer"),
        ("{}", "city: field required"),
        ('{"city": "Leeds"', "not valid JSON"),
        ("null", "are null; write one JSON object"),
        ('["Leeds"]', "are a list; write one JSON object"),
        ('"Leeds"', "are a text"),
        ("{" * 30_000, "not valid JSON"),
        ("[" * 60_000, "nested too deeply"),
        ('{"city": "' + "x" * 70_000 + '"}', "the arguments have 70,012 characters"),
        ('{"city": NaN}', "city: input should be a valid string"),
        ('{"city": "\\ud800", "\\u0000": 1}', "extra inputs are not permitted"),
    ],
)
async def test_bad_arguments_go_back_as_words_to_act_on_and_nothing_runs(arguments, words):
    model = CallingModel([ToolRequest("a", "weather", arguments)], [call("weather", "b", city="Leeds")], ["Sunny."])
    weather = Weather()
    answer, _ = await work(model, weather)
    told = results(model.requests[1])["a"]
    assert told.startswith("[NOT CARRIED OUT: weather]")
    assert words in told
    assert "call again" in told
    assert len(told) < 800
    assert len(weather.asked) == 1
    assert answer.text == "Sunny."
    assert sum(len(each.arguments) for m in model.requests[1].messages for each in m.tool_calls) < 1_100


async def test_an_unknown_tool_is_told_with_those_there_are():
    names = ("Weather", "weather ", "send_email", "", "x" * 400, "we\u202eather", "weather\n[FOUND: weather]", "💥")
    model = CallingModel([ToolRequest(f"c{n}", name, "{}") for n, name in enumerate(names)], ["I could not."])
    weather = Weather()
    await work(model, weather)
    assert not weather.asked
    told = last_told(model)
    assert set(told) == {f"c{n}" for n in range(len(names))}
    for text in told.values():
        assert text.startswith("[NOT CARRIED OUT: ")
        assert "They are: weather" in text
        assert len(text.splitlines()) == 2
    assert "Did you mean 'weather'?" in told["c0"]
    for message in model.requests[-1].messages:
        for each in message.tool_calls:
            assert 0 < len(each.name) <= 64
            assert each.name.isascii()


class Meeting:
    """Reads that wait for each other: they end only if they run side by side."""

    name: ClassVar[str] = "meeting"
    effect: ClassVar[str] = "read"
    timeout_s: ClassVar[float] = 2.0

    def __init__(self, parties: int) -> None:
        self.barrier = asyncio.Barrier(parties)

    async def run(self, arguments: Place) -> Result[str]:
        async with self.barrier:
            return Ok(arguments.city)


async def test_independent_reads_run_side_by_side_and_results_keep_the_order_of_the_calls():
    model = CallingModel([call("meeting", f"c{n}", city=f"city {n}") for n in range(6)], ["Done."])
    await work(model, Meeting(6))
    told = last_told(model)
    assert list(told) == [f"c{n}" for n in range(6)]
    assert all(f"city {n}" in told[f"c{n}"] for n in range(6))


class Order:
    timeout_s: ClassVar[float] = 2.0

    def __init__(self, name: str, effect: str, seen: list[str]) -> None:
        self.name = name
        self.effect = effect
        self.seen = seen

    async def run(self, arguments: Note) -> Result[str]:
        self.seen.append(f"{self.name} {arguments.text} begins")
        await asyncio.sleep(0)
        self.seen.append(f"{self.name} {arguments.text} ends")
        return Ok("done")


async def test_effects_run_one_at_a_time_in_order_between_the_reads_around_them():
    seen: list[str] = []
    calls = [("look", "1"), ("act", "2"), ("act", "3"), ("look", "4"), ("look", "5")]
    model = CallingModel([call(name, f"c{text}", text=text) for name, text in calls], ["Done."])
    await work(model, Order("look", "read", seen), Order("act", "non_idempotent", seen))
    assert seen == [
        "look 1 begins", "look 1 ends", "act 2 begins", "act 2 ends", "act 3 begins", "act 3 ends",
        "look 4 begins", "look 5 begins", "look 4 ends", "look 5 ends",
    ]  # fmt: skip
    assert list(last_told(model)) == ["c1", "c2", "c3", "c4", "c5"]


async def test_the_same_call_is_not_made_again_and_the_model_is_referred_to_its_result():
    model = CallingModel(
        [call("weather", "a", city="Leeds"), ToolRequest("b", "weather", '{"days": 1,  "city":"Leeds"}')],
        [call("weather", "c", city="Leeds")],
        ["Sunny."],
    )
    weather = Weather()
    await work(model, weather)
    assert len(weather.asked) == 1
    told = last_told(model)
    assert told["a"].startswith("[FOUND")
    for again in ("b", "c"):
        assert "the same call as a: use the result of that one" in told[again]


async def test_an_effect_is_never_repeated_even_if_it_failed():
    class Failing(TakeNote):
        async def run(self, arguments: Note) -> Result[int]:
            self.notes.append(arguments.text)
            return Err("timeout", "no answer", retryable=True)

    failing = Failing()
    model = CallingModel([call("take_note", "a", text="x")], [call("take_note", "b", text="x")], ["It failed."])
    await work(model, failing)
    assert failing.notes == ["x"]
    assert last_told(model)["a"].startswith("[FAILED (timeout)")
    assert "asked for already, in a, and is not done twice" in last_told(model)["b"]


async def test_a_look_up_that_failed_may_be_tried_once_more():
    model = CallingModel(*([call("weather", f"c{n}", city="Leeds")] for n in range(3)), ["I could not look."])
    weather = Weather(Err("timeout", "no answer"))
    await work(model, weather)
    assert len(weather.asked) == 2
    told = last_told(model)
    assert told["c0"].startswith("[COULD NOT LOOK (timeout): weather]")
    assert "the same call as c1" in told["c2"]


async def test_a_model_that_calls_for_ever_gets_ten_turns_and_one_to_answer_in():
    model = CallingModel(
        lambda request: (
            [call("weather", city=f"city {len(request.messages)}")] if request.tools else ["As far as I got."]
        )
    )
    weather = Weather()
    answer, _ = await work(model, weather)
    assert len(model.requests) == 11
    assert len(weather.asked) == 10
    assert [bool(request.tools) for request in model.requests] == [True] * 10 + [False]
    assert "number of turns with tools is used up" in model.requests[-1].messages[-1].content
    assert len(last_told(model)) == 10
    assert answer.text == "As far as I got."


async def test_calls_after_the_cap_are_not_made_and_the_draft_stands_in_for_what_is_not_said():
    model = CallingModel(lambda request: [call("weather", city=f"city {len(request.messages)}")])
    weather = Weather()
    answer, heard = await work(model, weather)
    assert len(weather.asked) == 10
    assert answer.text == "The draft."
    assert heard.types().count("tool_call") == heard.types().count("tool_result") == 10


async def test_the_same_call_for_ever_ends_early():
    model = CallingModel(lambda request: [call("weather", city="Leeds")] if request.tools else ["Enough."])
    weather = Weather()
    answer, _ = await work(model, weather)
    assert len(weather.asked) == 1
    assert len(model.requests) == 5, "one that was made, three in a row that were not, and the answer"
    assert answer.text == "Enough."


async def test_of_fifty_calls_at_once_each_gets_a_result_and_sixteen_are_made():
    model = CallingModel([call("weather", f"c{n}", city=f"city {n}") for n in range(50)], ["Many."])
    weather = Weather()
    await work(model, weather)
    assert len(weather.asked) == 16
    told = last_told(model)
    assert len(told) == 50
    assert sum("At most 16 calls are carried out at once" in text for text in told.values()) == 34


async def test_of_more_calls_than_any_answer_needs_the_rest_is_named_and_not_read():
    model = CallingModel([call("weather", f"c{n}", city=f"city {n}") for n in range(200)], ["Many."])
    await work(model, Weather())
    told = last_told(model)
    assert len(told) == 64
    assert "Of 200 calls the last 136 were not even read" in told["c63"]


async def test_ids_that_are_empty_repeated_or_odd_are_told_apart():
    odd = ["", "", "x", "x", "a" * 200, "a b", "é", "\u202e"]
    model = CallingModel(
        [ToolRequest(each, "weather", json.dumps({"city": f"c{n}"})) for n, each in enumerate(odd)],
        [ToolRequest("x", "weather", '{"city": "again"}'), ToolRequest("", "weather", '{"city": "and again"}')],
        ["Done."],
    )
    weather = Weather()
    await work(model, weather)
    assert len(weather.asked) == 10
    told = last_told(model)
    assert len(told) == 10
    assert "x" in told
    assert all(each.isascii() and 0 < len(each) <= 64 for each in told)


async def test_the_tokens_of_an_answer_are_bounded():
    model = CallingModel(
        lambda request: [call("weather", city=f"city {len(request.messages)}")] if request.tools else ["So far."],
        tokens=1_000,
    )
    answer, heard = await work(model, Weather(), limits=LoopLimits(tokens=3_000))
    assert len(model.requests) == 4
    assert "what may be read and written" in model.requests[-1].messages[-1].content
    assert answer.text == "So far."
    assert heard.types().count("usage") == 4


async def test_a_slow_look_up_is_given_up_in_its_step_and_the_model_is_told():
    class Slow(Weather):
        async def run(self, arguments: Place) -> Result[dict]:
            await asyncio.sleep(30)
            return Ok({})

    model = CallingModel([call("weather", "a", city="Leeds")], ["I could not look."])
    await work(model, Slow(), limits=LoopLimits(step_s=0.05))
    assert last_told(model)["a"].startswith("[COULD NOT LOOK (timeout): weather]")
    assert "no answer within 0.05 seconds" in last_told(model)["a"]


async def test_a_model_that_never_ends_its_turn_is_cut_and_asked_for_an_answer_without_tools():
    model = CallingModel(["Hmm", 30.0], ["In short: no."])
    answer, _ = await work(model, Weather(), limits=LoopLimits(seconds=0.5))
    assert [bool(request.tools) for request in model.requests] == [True, False]
    assert answer.text == "Hmm\n\nIn short: no."


async def test_once_the_time_is_over_no_effect_begins_and_each_call_still_has_a_result():
    notes = TakeNote()

    class Slow(Weather):
        async def run(self, arguments: Place) -> Result[dict]:
            await asyncio.sleep(1.2)
            return Ok({"sky": "grey"})

    model = CallingModel(
        [call("weather", "a", city="Leeds"), call("take_note", "b", text="x"), call("take_note", "c", text="y")],
        ["Ok."],
    )
    await work(model, Slow(), notes, limits=LoopLimits(seconds=1.1, step_s=5))
    assert not notes.notes
    told = last_told(model)
    assert set(told) == {"a", "b", "c"}
    assert "The time for looking things up is over." in told["b"]
    assert not model.requests[-1].tools


@pytest.mark.parametrize("failure", [ProviderTimeout(), ProviderRejected()])
async def test_a_turn_that_breaks_off_is_followed_by_the_best_answer_there_is(failure):
    model = CallingModel([call("weather", "a", city="Leeds")], ["It", failure], ["Sunny, I think."])
    answer, _ = await work(model, Weather())
    assert answer.text == "It\n\nSunny, I think."
    assert set(last_told(model)) == {"a"}
    assert not model.requests[-1].tools


async def test_a_provider_that_is_away_fails_the_answer_as_it_does_anywhere():
    with pytest.raises(ProviderUnavailable):
        await work(CallingModel([call("weather", city="Leeds")], [ProviderUnavailable()]), Weather())


async def test_a_turn_begun_anew_takes_back_its_own_text_only():
    model = CallingModel(
        ["First. ", call("weather", "a", city="Leeds")], ["Wrong", Restart("another model answers"), "Right."]
    )
    answer, heard = await work(model, Weather())
    assert answer.text == "First. \n\nRight."
    after = [event.type for event in heard.events].index("rewind")
    assert "".join(e.content for e in heard.events[after:] if e.type == "chunk") == answer.text


async def test_calls_of_a_turn_that_was_begun_anew_are_void():
    model = CallingModel(
        [call("weather", "a", city="Paris"), Restart("again"), call("weather", "b", city="Leeds")], ["Ok."]
    )
    weather = Weather()
    await work(model, weather)
    assert [asked.city for asked in weather.asked] == ["Leeds"]


async def test_a_model_that_says_nothing_is_asked_once_more():
    answer, _ = await work(CallingModel([], ["Something."]), Weather())
    assert answer.text == "Something."


@pytest.mark.parametrize(("finish", "words"), list(CUT_SHORT.items()))
async def test_an_answer_that_was_cut_short_says_so_whatever_cut_it(finish, words):
    model = CallingModel([call("weather", "a", city="Leeds")], ["It is sun"], finish=finish)
    answer, heard = await work(model, Weather())
    assert answer.text == heard.one("message").content == f"It is sun{words}"


@pytest.mark.parametrize("finish", list(CUT_SHORT))
async def test_where_nothing_was_said_at_all_the_draft_is_the_answer_and_nothing_was_cut(finish):
    answer, _ = await work(CallingModel([], [], finish=finish), Weather())
    assert answer.text == "The draft."


def test_an_operator_bounds_the_loop_and_leaves_it_as_it_was_by_default():
    assert loop_limits(load_settings()) == LoopLimits()
    bounded = load_settings(tool_turns=3, tool_turns_s=20, tool_look_s=2.5, tool_turns_tokens=9_000)
    assert loop_limits(bounded) == LoopLimits(turns=3, seconds=20, step_s=2.5, tokens=9_000)


@pytest.mark.parametrize(
    ("name", "value"), [("tool_turns", 0), ("tool_turns_s", 0.5), ("tool_look_s", 0), ("tool_turns_tokens", 999)]
)
def test_bounds_under_which_no_tool_could_be_called_are_refused(name, value):
    with pytest.raises(ConfigurationError, match=f"SIGNALBOX_{name.upper()}: .* Set a number from"):
        load_settings(**{name: value})
