"""A loop goes on in another process, wherever it was left: same prompts, no effect twice, nothing said twice."""

import asyncio
import json

import pytest
from callers import CallingModel, call, results

from live import ask, finished, read_all, read_until
from signalbox.runs.recorded import request_digest
from two_processes import crash, two_processes

AGENT = '''
from typing import ClassVar

from pydantic import Field

from signalbox.agents.base import Agent, TurnContext
from signalbox.agents.turn import Answer, Facts, Turn
from signalbox.envelope import Intent
from signalbox.tools.base import Arguments
from signalbox.tools.result import Ok, Result

SEEN: list[str] = []
NOTED: list[str] = []


class City(Arguments):
    name: str = Field(description="Its name.")


class Weather:
    """Tells the weather."""

    name: ClassVar[str] = "weather"
    effect: ClassVar[str] = "read"
    timeout_s: ClassVar[float] = 5.0

    async def run(self, arguments: City) -> Result[dict[str, str]]:
        SEEN.append(arguments.name)
        return Ok({"zeta": "last first", "city": arguments.name, "sky": f"blue {len(SEEN)}"})


class Note(Arguments):
    text: str


class TakeNote:
    """Takes a note."""

    name: ClassVar[str] = "take_note"
    effect: ClassVar[str] = "non_idempotent"
    timeout_s: ClassVar[float] = 5.0

    async def run(self, arguments: Note) -> Result[int]:
        NOTED.append(arguments.text)
        return Ok(len(NOTED))


class Loops(Agent):
    name: ClassVar[Intent] = "loops"
    label: ClassVar[str] = "Loop"
    when_to_use: ClassVar[str] = "Loops."
    examples: ClassVar[tuple[str, ...]] = ("loop please", "go round and round", "again and again")
    instructions: ClassVar[str] = "Use the tools."

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        unasked = () if "careful" in turn.message else ("take_note",)
        return await ctx.work(self, turn, Facts(), "Draft.", tools=[Weather(), TakeNote()], unasked=unasked)
'''
TURNS = (
    ["Looking. ", 0.3, call("weather", "r1", name="Leeds"), call("weather", "r2", name="York")],
    ["Noting. ", 0.3, call("take_note", "e1", text="both"), call("weather", "r3", name="Hull")],
    ["It ", "is ", 0.4, "sunny."],
)


def script() -> CallingModel:
    """What it says follows from what it is asked alone, as with a real one at temperature 0."""
    return CallingModel(lambda request: TURNS[sum(message.role == "assistant" for message in request.messages)])


@pytest.fixture
async def two(servers, apart, data_dir, tmp_path):
    await asyncio.to_thread((tmp_path / "loops.py").write_text, AGENT)
    return two_processes(servers, apart, data_dir, agents_dir=tmp_path)


def of(services, name):
    """What the tools of the agent's file have seen, in that process."""
    module = type(services.runner._orchestrator._agents["loops"]).respond.__globals__
    return module[name]


async def recorded(services, run_id, kind="model_turn"):
    rows = await services.db.fetch(
        "SELECT position, payload FROM run_step WHERE run_id = %s AND kind = %s ORDER BY seq", (run_id, kind)
    )
    return [row for row in rows if kind != "model_turn" or row["payload"]["task"] == "answer"]


@pytest.mark.parametrize(
    "mark", [b'"Looking. "', b'"call_id"', b"event: tool_result", b'Noting. "', b'"take_note"', b'It "'], ids=str
)
async def test_wherever_a_worker_dies_another_goes_on_with_the_same_prompts_and_no_effect_twice(two, mark):
    first, second = script(), script()
    async with two(first, second) as (a, b, user, elsewhere):
        run = await ask(user, "/loops slow")
        await read_until(elsewhere, run["events_url"], mark)
        await crash(a)
        found = await read_all(elsewhere, run["events_url"])
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        late = await read_all(elsewhere, run["events_url"])
        assert [event.data for event in late.events] == [event.data for event in found.events]
        whole = next(event.data["content"] for event in found.events if event.type == "message")
        assert whole == "Looking. \n\nNoting. \n\nIt is sunny."
        after = max([n for n, kind in enumerate(found.types) if kind == "rewind"], default=0)
        assert found.types.count("rewind") <= 1
        shown = "".join(event.data["content"] for event in found.events[after:] if event.type == "chunk")
        assert whole == shown
        assert found.types.count("tool_call") == found.types.count("tool_result") == 4
        assert found.types.count("complete") == 1
        turns = await recorded(b, run["run_id"])
        asked = {request_digest(request) for request in (*first.requests, *second.requests) if request.task == "answer"}
        assert len(turns) == 3
        assert asked == {turn["payload"]["request_sha256"] for turn in turns}, "nobody asked anything else"
        noted = await b.db.fetch("SELECT tool, status, tries FROM effect WHERE run_id = %s", (run["run_id"],))
        assert [(each["tool"], each["status"], each["tries"]) for each in noted] == [("take_note", "done", 1)]
        heard = {id(each): each for each in (of(a, "NOTED"), of(b, "NOTED"))}
        assert sum(len(each) for each in heard.values()) == 1


async def test_a_run_that_waits_for_an_approval_goes_on_in_the_same_place(two):
    first, second = script(), script()
    async with two(first, second) as (a, b, user, elsewhere):
        run = await ask(user, "/loops careful")
        waiting = await read_all(elsewhere, run["events_url"])
        asked = next(event.data for event in waiting.events if event.type == "approval_required")
        assert (asked["tool"], asked["arguments"]) == ("take_note", {"text": "both"})
        assert "of its own accord" in asked["risk"]
        assert waiting.events[-1].data["status"] == "waiting"
        assert not await b.db.fetch("SELECT 1 FROM effect WHERE run_id = %s", (run["run_id"],))
        await crash(a)
        url = f"/v1/runs/{run['run_id']}/approvals/{asked['approval_id']}"
        answer = await elsewhere.post(url, json={"decision": "approve"})
        assert answer.status_code == 200, answer.text
        found = await read_all(elsewhere, run["events_url"])
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        assert found.types.count("tool_call") == found.types.count("tool_result") == 4
        assert len(await recorded(b, run["run_id"])) == 3
        (kept,) = await b.db.fetch("SELECT arguments, tries FROM effect WHERE run_id = %s", (run["run_id"],))
        assert (kept["arguments"], kept["tries"]) == ({"text": "both"}, 1)
        last = next(request for request in reversed(second.requests) if request.task == "answer")
        assert results(last)["e1"].startswith("[FOUND: take_note]")


async def test_what_the_user_refuses_is_not_done_and_the_model_is_told(two):
    first, second = script(), script()
    async with two(first, second) as (_a, b, user, elsewhere):
        run = await ask(user, "/loops careful")
        waiting = await read_all(elsewhere, run["events_url"])
        asked = next(event.data for event in waiting.events if event.type == "approval_required")
        await elsewhere.post(f"/v1/runs/{run['run_id']}/approvals/{asked['approval_id']}", json={"decision": "reject"})
        await read_all(elsewhere, run["events_url"])
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        assert not await b.db.fetch("SELECT 1 FROM effect WHERE run_id = %s", (run["run_id"],))
        last = [request for request in (*first.requests, *second.requests) if request.task == "answer"]
        told = next(
            results(request)["e1"] for request in last if "e1" in json.dumps([m.tool_call_id for m in request.messages])
        )
        assert told.startswith("[NOT DONE (rejected): take_note]")


async def test_a_cancel_in_the_middle_of_a_loop_ends_the_run_and_starts_nothing_more(two):
    model = CallingModel(lambda _: ["Looking. ", 600.0])
    async with two(model, script()) as (_a, b, user, elsewhere):
        run = await ask(user, "/loops slow")
        await read_until(elsewhere, run["events_url"], b'"Looking. "')
        await elsewhere.post(f"/v1/runs/{run['run_id']}/cancel")
        found = await read_all(elsewhere, run["events_url"])
        assert found.events[-1].data["status"] == "cancelled"
        assert not await b.db.fetch("SELECT 1 FROM effect WHERE run_id = %s", (run["run_id"],))
        assert len(model.requests) == 1


async def test_the_model_is_told_with_what_a_call_was_made_and_not_what_it_asked_for_whoever_goes_on(two):
    hung = []

    def turn(request):
        number = sum(message.role == "assistant" for message in request.messages)
        if number < len(TURNS) - 1 or hung:
            return TURNS[number]
        hung.append(number)
        return ["It ", 600.0]

    first, second = CallingModel(turn), CallingModel(turn)
    async with two(first, second) as (a, b, user, elsewhere):
        run = await ask(user, "/loops careful")
        waiting = await read_all(elsewhere, run["events_url"])
        asked = next(event.data for event in waiting.events if event.type == "approval_required")
        url = f"/v1/runs/{run['run_id']}/approvals/{asked['approval_id']}"
        wrong = await elsewhere.post(url, json={"decision": "edit", "arguments": {"text": 7}})
        assert wrong.status_code == 400
        assert "text" in wrong.json()["detail"]
        answer = await elsewhere.post(url, json={"decision": "edit", "arguments": {"text": "both, and [Hull]"}})
        assert answer.status_code == 200, answer.text
        await read_until(elsewhere if b.runner.active else user, run["events_url"], b'It "')
        dying, left, client = (b, a, user) if b.runner.active else (a, b, elsewhere)
        await crash(dying)
        await read_all(client, run["events_url"])
        assert (await finished(client, run["run_id"]))["status"] == "succeeded"
        (kept,) = await left.db.fetch("SELECT arguments, tries FROM effect WHERE run_id = %s", (run["run_id"],))
        assert (kept["arguments"], kept["tries"]) == ({"text": "both, and [Hull]"}, 1)
        answers = [request for request in (*first.requests, *second.requests) if request.task == "answer"]
        last = [request for request in answers if "e1" in json.dumps([m.tool_call_id for m in request.messages])]
        assert len(last) == 2, "the turn that was torn off is asked again"
        assert {request_digest(request) for request in last} == {
            (await recorded(left, run["run_id"]))[-1]["payload"]["request_sha256"]
        }
        for request in last:
            told = results(request)["e1"]
            assert told.startswith("[FOUND: take_note]")
            assert "changed arguments of your call before they approved it (text)" in told
            assert '{"text": "both, and [Hull]"}' in told
            (echo,) = [each for m in request.messages for each in m.tool_calls if each.call_id == "e1"]
            assert json.loads(echo.arguments) == {"text": "both"}, "what the model said stays as it was said"
