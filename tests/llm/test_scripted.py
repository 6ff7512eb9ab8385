"""The scripted double: numbered ticks for measurements, scripts for faults, the draft for everything else."""

import asyncio
import time

import pytest

from signalbox import errors
from signalbox.llm.base import ChatMessage, Finish, ModelRequest, TextDelta, Usage
from signalbox.llm.scripted import TICKS_USAGE, ScriptedModel, Ticks, parse_ticks


def request(text: str, draft: str = "") -> ModelRequest:
    return ModelRequest("answer", (ChatMessage("user", "older"), ChatMessage("user", text)), draft)


async def played(model: ScriptedModel, asked: ModelRequest):
    return [item async for item in model.stream(asked)]


def texts(items) -> list[str]:
    return [item.text for item in items if isinstance(item, TextDelta)]


async def test_ticks_are_48_characters_and_carry_their_number_first():
    items = await played(ScriptedModel(), request("/ticks 1000 0 0"))
    assert [text[:8] for text in texts(items)] == [f"@{n:06d}@" for n in range(1000)]
    assert {len(text) for text in texts(items)} == {48}
    assert items[-2:] == [Usage("scripted", 0, 0, 1000, estimated=False), Finish("stop")]


async def test_ticks_let_other_tasks_run_between_them():
    turns = 0

    async def other():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    await played(ScriptedModel(), request("/ticks 100 0 0"))
    task.cancel()
    assert turns >= 99


async def test_the_stream_stays_open_for_the_hold():
    began = time.monotonic()
    assert len(texts(await played(ScriptedModel(), request("/ticks 2 10 0.1")))) == 2
    assert time.monotonic() - began >= 0.12


@pytest.mark.parametrize(
    ("message", "ticks"),
    [
        ("/ticks 5", Ticks(5, 0, 0)),
        ("/ticks 5 20", Ticks(5, 0.02, 0)),
        (" /ticks  5 20 3 ", Ticks(5, 0.02, 3)),
        ("/ticks 1000000 60000 3600", Ticks(1_000_000, 60, 3600)),
    ],
)
def test_ticks_are_parsed(message, ticks):
    assert parse_ticks(message) == ticks


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "x",
        "-1",
        "1000001",
        "5 -1",
        "5 60001",
        "5 0 3601",
        "5 nan",
        "5 0 inf",
        "5 0 nan",
        "1.5",
        "5 0 0 0",
        "9" * 5000,
    ],
)
async def test_bad_arguments_are_answered_with_the_usage(arguments):
    assert texts(await played(ScriptedModel(), request(f"/ticks {arguments}"))) == [TICKS_USAGE]


async def test_a_word_that_only_begins_like_ticks_is_no_command():
    assert texts(await played(ScriptedModel(), request("/ticksy 5", draft="No command"))) == ["No ", "command"]


async def test_without_a_script_the_draft_comes_word_by_word():
    items = await played(ScriptedModel(), request("hello", draft="  One two\n\nthree "))
    assert texts(items) == ["  ", "One ", "two\n\n", "three "]
    assert items[-1] == Finish("stop")


async def test_a_script_plays_texts_pauses_and_errors_anew_each_time():
    model = ScriptedModel({"boom": ["one", 0.001, "", "two", errors.ProviderCut()], "bo": ["never"]})
    for _ in range(2):
        items = model.stream(request("please boom now"))
        assert [(await anext(items)).text for _ in range(2)] == ["one", "two"]
        with pytest.raises(errors.ProviderCut):
            await anext(items)
    assert [asked.messages[-1].content for asked in model.requests] == ["please boom now"] * 2
