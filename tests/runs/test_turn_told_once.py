"""A turn that one worker began is not told again as another agent's, wherever the run goes on."""

import asyncio

import pytest

from live import ask, finished, read_all, read_until
from signalbox.events import AgentStarted, Chunk, IntentClassified
from signalbox.graph.intent import Classification
from signalbox.llm.scripted import ScriptedModel
from signalbox.runs.opening import FORGOTTEN_S, Declined
from signalbox.runs.replay import Replay
from two_processes import crash, opened_again, two_processes

WHOLE = ["One ", "two ", "three ", "four."]
# Whoever says this is gone before it goes on, however slow the machine is.
HELD = ["One ", "two ", 600.0]
AGENT = """
from signalbox.agents.turn import Facts
from signalbox.tools.base import Arguments
from signalbox.tools.result import Ok


class Note(Arguments):
    text: str


class Ring:
    name = "ring"
    effect = "irreversible"
    timeout_s = 5.0
    risk = "It rings."
    rung = []

    async def run(self, arguments: Note):
        self.rung.append(arguments.text)
        return Ok(len(self.rung))


class Booking:
    name = "booking"
    label = "Book"
    when_to_use = "Books a call."
    examples = ("book a call", "call me", "arrange a phone call")
    instructions = ""

    async def respond(self, turn, ctx):
        if "ring" in turn.message:
            told = await ctx.call(Ring(), Note(text="them"))
            return await ctx.reply(self, turn, Facts(), f"{type(told).__name__}.")
        return await ctx.reply(self, turn, Facts(), "slow")
"""


class Sure:
    """A classifier of one opinion."""

    def __init__(self, intent: str, confidence: float = 0.95) -> None:
        self.intent, self.confidence = intent, confidence

    async def of(self, text, recent):
        return Classification(self.intent, self.confidence, "model", f"it is {self.intent}", ())


def held() -> ScriptedModel:
    return ScriptedModel({"slow": HELD})


def whole() -> ScriptedModel:
    return ScriptedModel({"slow": WHOLE})


def reads(services, *opinion) -> None:
    services.runner._orchestrator._router._classifier = Sure(*opinion)


@pytest.fixture
def two(servers, apart, data_dir):
    return two_processes(servers, apart, data_dir)


@pytest.fixture
async def booking(tmp_path):
    await asyncio.to_thread((tmp_path / "booking.py").write_text, AGENT)
    return {"agents_dir": tmp_path}


async def answer_of(user, run) -> dict:
    messages = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
    (answer,) = [message for message in messages if message["role"] == "assistant"]
    return answer


def told_once(found, agent: str, kinds=("run_started", "intent", "agent_started", "complete")) -> None:
    assert {kind: found.types.count(kind) for kind in kinds} == dict.fromkeys(kinds, 1)
    assert {e.data["agent"] for e in found.events if e.type in {"agent_started", "chunk", "message"}} == {agent}


@pytest.mark.parametrize("opinion", [("salary", 0.95), ("general", 0.941), ("salary", 0.1)])
async def test_a_message_that_is_read_otherwise_elsewhere_stays_with_whoever_began_to_answer(two, opinion):
    """The first worker dies before any step is recorded, so the second one has to classify the message itself."""
    async with two(held(), whole()) as (a, b, user, elsewhere):
        reads(a, "general")
        reads(b, *opinion)
        run = await ask(user, "be slow about it")
        await read_until(elsewhere, run["events_url"], b'"two "')
        assert not await b.db.fetch("SELECT 1 FROM run_step WHERE run_id = %s", (run["run_id"],))
        await crash(a)
        found = await read_all(elsewhere, run["events_url"])
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        told_once(found, "general")
        answer = await answer_of(elsewhere, run)
        assert (answer["agent"], answer["content"]) == ("general", "One two three four.")
        (row,) = await b.db.fetch("SELECT intent, confidence FROM classification WHERE run_id = %s", (run["run_id"],))
        assert (row["intent"], row["confidence"]) == ("general", 0.95)


async def test_who_was_asked_what_they_mean_is_not_answered_by_a_guess_after_a_takeover(two):
    async with two(held(), whole()) as (a, b, user, elsewhere):
        reads(a, "salary", 0.3)
        reads(b, "general")
        ending = asyncio.Event()

        async def never(*_):
            ending.set()
            await asyncio.Event().wait()

        a.runner._closing._store.finish = never
        run = await ask(user, "be slow about it")
        await ending.wait()
        await crash(a)
        found = await read_all(elsewhere, run["events_url"])
        told_once(found, "clarify", ("run_started", "intent", "suggestions", "message", "complete"))
        assert (await answer_of(elsewhere, run))["agent"] == "clarify"


async def test_a_process_without_the_agent_that_began_leaves_the_run_to_one_that_has_it(two, booking):
    script = {"slow": HELD}
    async with two(ScriptedModel(script), whole(), of_first=booking) as (a, b, user, elsewhere):
        run = await ask(user, "/booking slow")
        await read_until(elsewhere, run["events_url"], b'"two "')
        await crash(a)
        async with asyncio.timeout(60):
            while not b.runner._declined.now():  # noqa: ASYNC110 - it gives it back without a word
                await asyncio.sleep(0.02)
        script["slow"] = WHOLE
        await opened_again(a)
        found = await read_all(elsewhere, run["events_url"])
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        told_once(found, "booking")
        answer = await answer_of(elsewhere, run)
        assert (answer["agent"], answer["content"]) == ("booking", "One two three four.")


@pytest.mark.parametrize("decision", ["approve", "reject"])
async def test_what_one_agent_asked_the_user_no_other_agent_answers(two, booking, decision):
    """A process without the agent may be the first to see that the question is answered."""
    async with two(held(), whole(), of_first=booking) as (a, b, user, elsewhere):
        run = await ask(user, "/booking ring")
        waiting = await read_all(elsewhere, run["events_url"])
        asked = next(event.data for event in waiting.events if event.type == "approval_required")
        await crash(a)
        url = f"/v1/runs/{run['run_id']}/approvals/{asked['approval_id']}"
        assert (await elsewhere.post(url, json={"decision": decision})).status_code == 200
        async with asyncio.timeout(60):
            while not b.runner._declined.now():  # noqa: ASYNC110 - it gives it back without a word
                await asyncio.sleep(0.02)
        await opened_again(a)
        found = await read_all(elsewhere, run["events_url"])
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        told_once(found, "booking", ("run_started", "intent", "agent_started", "tool_result"))
        effects = await b.db.fetch("SELECT status, tries FROM effect WHERE run_id = %s", (run["run_id"],))
        assert len(effects) == (decision == "approve")


async def test_a_run_whose_agent_no_process_has_any_more_ends_and_says_so(two, booking):
    async with two(held(), whole(), of_first=booking) as (a, b, user, elsewhere):
        b.runner._declined = Declined(patience_s=0.2)
        run = await ask(user, "/booking slow")
        await read_until(elsewhere, run["events_url"], b'"two "')
        await crash(a)
        found = await read_all(elsewhere, run["events_url"])
        (error,) = [event.data for event in found.events if event.type == "error"]
        assert error["code"] == "other_version"
        assert "'booking'" in error["content"]
        assert found.events[-1].data["status"] == "failed"
        told_once(found, "booking")
        answer = await answer_of(elsewhere, run)
        assert (answer["content"], answer["status"]) == ("One two ", "partial")


async def test_the_generalist_goes_on_with_what_it_began_where_the_specialist_was_missing(two, booking):
    async with two(held(), whole(), of_second=booking) as (a, _b, user, elsewhere):
        run = await ask(user, "/booking slow")
        await read_until(elsewhere, run["events_url"], b'"two "')
        await crash(a)
        found = await read_all(elsewhere, run["events_url"])
        assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
        told_once(found, "general")


def test_what_was_begun_is_known_by_the_first_who_said_so_and_its_route_only_once_something_followed_from_it():
    intent = IntentClassified(intent="salary", confidence=0.9, reasoning="r", source="model")
    assert Replay([intent]).begun.route is None
    begun = Replay([intent, AgentStarted(agent="salary", message_id="m_1")]).begun
    assert begun.route is not None
    assert (begun.route.intent, begun.route.clear) == ("salary", True)
    asked_back = Replay([intent, Chunk(message_id="m_1", agent="clarify", content="Which?")]).begun
    assert asked_back.route is not None
    assert not asked_back.route.clear
    more = (AgentStarted(agent="part", message_id="m_1"), AgentStarted(agent="general", message_id="m_1_2"))
    begun = Replay([intent, AgentStarted(agent="salary", message_id="m_1"), *more]).begun
    assert begun.agents == {"m_1": "salary", "m_1_2": "general"}


def test_a_run_is_declined_once_and_left_alone_until_others_had_their_time():
    now = 0.0
    declined = Declined(patience_s=10, clock=lambda: now)
    assert declined.add("r_1")
    assert declined.now() == ("r_1",)
    now = 11.0
    assert declined.now() == ()
    assert not declined.add("r_1")
    assert declined.add("r_1"), "that was another time"
    now = 300.0
    assert declined.now() == ()
    assert not declined.add("r_1"), "however long there was no room for it here"
    assert declined.add("r_1")
    now += FORGOTTEN_S + 1
    assert declined.now() == ()
    assert declined.add("r_1"), "it went on elsewhere meanwhile"
