"""A run goes on in another process: same input to every call, nothing done twice, nothing said twice."""

import asyncio
from contextlib import aclosing

import pytest

from live import ask, finished, read_all, read_until
from signalbox.llm.scripted import ScriptedModel
from signalbox.runs.recorded import request_digest
from two_processes import crash, opened_again, shut, two_processes

WHOLE = ["One ", "two ", "three ", "four ", "five."]
# Whoever says this is gone before it goes on, however slow the machine is.
HELD = ["One ", "two ", 600.0, *WHOLE[2:]]


class NamedModel(ScriptedModel):
    def __init__(self, name: str, script=None) -> None:
        super().__init__(script)
        self.name = name


class Gated(ScriptedModel):
    """Waits for ``go`` before it says ``gate``."""

    def __init__(self, gate: str, script) -> None:
        super().__init__(script)
        self.gate, self.go = gate, asyncio.Event()

    async def stream(self, request):
        async with aclosing(super().stream(request)) as items:
            async for item in items:
                if getattr(item, "text", "") == self.gate:
                    await self.go.wait()
                yield item


@pytest.fixture
def two(servers, apart, data_dir):
    return two_processes(servers, apart, data_dir)


async def steps(services, run_id: str):
    return await services.db.fetch("SELECT * FROM run_step WHERE run_id = %s ORDER BY seq", (run_id,))


async def test_a_killed_workers_answer_is_taken_back_and_written_anew_elsewhere(two):
    async with two(ScriptedModel({"slow": HELD}), ScriptedModel({"slow": WHOLE})) as (a, b, user, elsewhere):
        run = await ask(user, "/general slow")
        reading = asyncio.create_task(read_all(elsewhere, run["events_url"]))
        await read_until(elsewhere, run["events_url"], b'"two "')
        await crash(a)
        found = await reading
        late = await read_all(elsewhere, run["events_url"])
        assert [e.data for e in late.events] == [e.data for e in found.events]
        assert found.types.count("complete") == 1
        assert found.types.count("run_started") == 1
        assert found.types.count("rewind") == 1
        after = found.types.index("rewind")
        assert (
            "".join(e.data["content"] for e in found.events[after:] if e.type == "chunk") == "One two three four five."
        )
        row = await finished(elsewhere, run["run_id"])
        assert (row["status"], row["attempt"]) == ("succeeded", 2)
        stored = (await elsewhere.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
        assert [(m["role"], m["content"], m["status"]) for m in stored][-1] == (
            "assistant", "One two three four five.", "complete",
        )  # fmt: skip
        assert [s["kind"] for s in await steps(b, run["run_id"])] == ["decision", "model_turn"]


async def test_the_model_is_asked_the_very_same_after_a_takeover_whatever_the_run_has_changed_meanwhile(two):
    first, second = ScriptedModel({"live in Berlin": HELD}), ScriptedModel({"live in Berlin": WHOLE})
    async with two(first, second) as (a, b, user, elsewhere):
        run = await ask(user, "/profile_update I live in Berlin and I never want to work nights")
        await read_until(elsewhere, run["events_url"], b'"two "')
        # Its own effect and somebody else's have changed the profile that the run began with.
        also = await ask(user, "/profile_update I know Rust")
        await finished(user, also["run_id"])
        await crash(a)
        await read_all(elsewhere, run["events_url"])
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        asked = [
            request
            for request in first.requests
            if "Berlin" in request.messages[-1].content and request.task == "answer"
        ]
        again = [
            request
            for request in second.requests
            if "Berlin" in request.messages[-1].content and request.task == "answer"
        ]
        assert len(asked) == len(again) == 1
        assert request_digest(again[0]) == request_digest(asked[0])
        turn = next(s for s in await steps(b, run["run_id"]) if s["kind"] == "model_turn")
        assert turn["payload"]["request_sha256"] == request_digest(asked[0])
        keys = await b.db.fetch("SELECT tool, status, tries FROM effect WHERE run_id = %s", (run["run_id"],))
        assert [(k["tool"], k["status"], k["tries"]) for k in keys] == [("update_profile", "done", 1)]


async def test_a_deploy_with_other_prompts_and_another_model_changes_nothing_for_a_run_that_goes_on(two, tmp_path):
    newer = (
        "from signalbox.agents.general import GeneralAgent\n\n\n"
        "class Newer(GeneralAgent):\n    instructions = 'Entirely new instructions.'\n"
    )
    await asyncio.to_thread((tmp_path / "newer.py").write_text, newer)
    first = ScriptedModel({"slow": HELD})
    second = NamedModel("a-newer-model", {"slow": WHOLE})
    async with two(first, second, of_second={"agents_dir": tmp_path}) as (a, b, user, elsewhere):
        run = await ask(user, "/general slow")
        await read_until(elsewhere, run["events_url"], b'"two "')
        await crash(a)
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        turn = next(s for s in await steps(b, run["run_id"]) if s["kind"] == "model_turn")
        assert turn["payload"]["model"] == "scripted"
        assert turn["payload"]["request_sha256"] == request_digest(first.requests[-1])
        assert not second.requests
        fresh = await ask(elsewhere, "/general slow")
        assert (await finished(elsewhere, fresh["run_id"]))["status"] == "succeeded"
        assert "Entirely new instructions." in second.requests[-1].messages[0].content


async def test_a_run_whose_model_is_gone_fails_early_and_says_so(two):
    first, second = NamedModel("a-retired-model", {"slow": HELD}), ScriptedModel({"slow": WHOLE})
    async with two(first, second) as (a, _b, user, elsewhere):
        run = await ask(user, "/general slow")
        reading = asyncio.create_task(read_all(elsewhere, run["events_url"]))
        await read_until(elsewhere, run["events_url"], b'"two "')
        await crash(a)
        found = await reading
        error = next(e.data for e in found.events if e.type == "error")
        assert error["code"] == "model_retired"
        assert "a-retired-model" in error["content"]
        assert found.events[-1].data["status"] == "failed"
        stored = (await elsewhere.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
        assert (stored[-1]["content"], stored[-1]["status"]) == ("One two ", "partial")


async def test_a_failed_call_is_a_step_of_its_own_and_told_again_without_asking(two):
    """Two calls: the first fails and the agent goes on with its own words; the second one breaks off in a crash."""
    from signalbox.errors import ProviderUnavailable

    first = ScriptedModel({"Write it.": [ProviderUnavailable()], "write": HELD}, instructable=True)
    second = ScriptedModel({"Write it.": ["A LETTER THAT NOBODY ASKED FOR"], "write": WHOLE}, instructable=True)
    async with two(first, second) as (a, b, user, elsewhere):
        run = await ask(user, "/cold_email write to Acme Robotics about a data engineer role")
        await read_until(elsewhere, run["events_url"], b'"two "')
        await crash(a)
        reading = await read_all(elsewhere, run["events_url"])
        assert reading.events[-1].data["status"] == "succeeded"
        assert reading.types.count("email_draft") == 1
        assert "NOBODY ASKED" not in str(reading.events)
        kinds = [(s["position"], "error" in s["payload"]["result"]) for s in await steps(b, run["run_id"])
                 if s["kind"] == "model_turn"]  # fmt: skip
        assert kinds[0][1] is True
        assert kinds[-1][1] is False


async def test_a_log_that_is_lost_with_the_worker_is_told_anew_from_the_steps(two):
    async with two(ScriptedModel({"slow": HELD}), ScriptedModel({"slow": WHOLE})) as (a, b, user, elsewhere):
        run = await ask(user, "/job_search slow python jobs")
        await read_until(elsewhere, run["events_url"], b'"two "')
        await crash(a)
        for key in b.log.keys(run["conversation_id"]):
            await b.log._redis.delete(key)
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        found = await read_all(elsewhere, run["events_url"])
        assert found.types[0] == "run_started"
        assert found.types.count("tool_call") == found.types.count("tool_result") == 1
        assert found.types.count("complete") == 1
        assert found.text == "One two three four five."


async def test_a_log_that_was_told_anew_by_a_worker_that_died_too_is_told_once_more_and_nothing_in_it_twice(two):
    """The last step stands in a log that is gone; what is in the new one, no step bears out."""
    first = Gated("three ", {"slow": ["One ", "two ", "three ", 600.0]})
    async with two(first, ScriptedModel({"slow": WHOLE})) as (a, b, user, elsewhere):
        run = await ask(user, "/job_search slow python jobs")
        await read_until(elsewhere, run["events_url"], b'"two "')
        for key in b.log.keys(run["conversation_id"]):
            await b.log._redis.delete(key)
        first.go.set()  # it notices with what it says next, and tells all of it again
        await read_until(elsewhere, run["events_url"], b"three ")
        await crash(a)
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        found = await read_all(elsewhere, run["events_url"])
        once = ("run_started", "intent", "agent_started", "tool_call", "tool_result", "message", "complete")
        assert {kind: found.types.count(kind) for kind in once} == dict.fromkeys(once, 1)
        assert found.text == "One two three four five."


async def test_steps_can_be_added_and_nothing_else(two):
    import psycopg

    async with two(ScriptedModel(), ScriptedModel()) as (a, _, user, _elsewhere):
        run = await ask(user, "/general hello")
        await finished(user, run["run_id"])
        for statement in (
            "UPDATE run_step SET payload = '{}'",
            "DELETE FROM run_step",
            "TRUNCATE run_step CASCADE",
        ):
            with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
                await a.db.execute(statement)
        assert await steps(a, run["run_id"])


OWN = """
import asyncio
from typing import ClassVar

from signalbox.agents.base import Agent, TurnContext
from signalbox.agents.turn import Answer, Facts, Turn
from signalbox.envelope import Intent
from signalbox.tools.base import Arguments
from signalbox.tools.result import Ok, Result

DONE: list[str] = []


class Note(Arguments):
    text: str


class Booked(Facts):
    number: int


class BookCall:
    name: ClassVar[str] = "book_call"
    effect: ClassVar[str] = "idempotent"
    timeout_s: ClassVar[float] = 5.0

    async def run(self, arguments: Note, key: str) -> Result[Booked]:
        DONE.append(key)
        return Ok(Booked(number=len(DONE)))


class BookingAgent(Agent):
    name: ClassVar[Intent] = "booking"
    label: ClassVar[str] = "Book"
    when_to_use: ClassVar[str] = "Books a call."
    examples: ClassVar[tuple[str, ...]] = ("book a call", "call me", "arrange a phone call")
    instructions: ClassVar[str] = ""

    async def respond(self, turn: Turn, ctx: TurnContext) -> Answer:
        async def draw() -> object:
            DONE.append("drawn")
            return ("lot", len(DONE))

        lot = await ctx.step("draw", draw)
        booked = await ctx.call(BookCall(), Note(text=f"{lot}"))
        return await ctx.reply(self, turn, booked.value, f"{lot[0]} {lot[1]}, booked as {booked.value.number}. slow")
"""


async def test_an_agent_of_ones_own_does_its_own_things_once(two, tmp_path):
    """The agent counts what it does: a second time would show in the numbers."""
    await asyncio.to_thread((tmp_path / "booking.py").write_text, OWN)
    script = {"slow": HELD}
    async with two(ScriptedModel(), ScriptedModel(script), of_second={"agents_dir": tmp_path}) as (a, b, _, elsewhere):
        # The first process has not got the agent: it hands the run over by having no room for it.
        await shut(a)
        run = await ask(elsewhere, "/booking slow")
        await read_until(elsewhere, run["events_url"], b'"two "')
        await crash(b)
        script["slow"] = WHOLE
        await opened_again(b)
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        kept = await steps(b, run["run_id"])
        assert [s["position"] for s in kept] == [
            "route/intent/1", "1/draw/1", kept[2]["position"], kept[3]["position"],
        ]  # fmt: skip
        assert kept[3]["position"].startswith("model/answer:")
        assert kept[1]["payload"]["result"] == ["lot", 1]
        assert kept[2]["payload"]["result"]["value"] == {"number": 2}
        effects = await b.db.fetch("SELECT tries, status FROM effect WHERE run_id = %s", (run["run_id"],))
        assert [(e["tries"], e["status"]) for e in effects] == [(1, "done")]
