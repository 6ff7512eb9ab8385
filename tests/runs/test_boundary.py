"""The run boundary: whatever happens inside ends in a stored status and exactly one complete, last."""

import asyncio
from itertools import pairwise

import pytest

from live import ask, finished, live, parse, read_all, read_until
from signalbox.errors import ProviderCut, ProviderTimeout
from signalbox.graph.state import TurnPatch
from signalbox.llm.scripted import ScriptedModel

SENTINEL = "SENTINEL-gsk_abc /srv/app"

SCRIPT = {
    "die at once": [ProviderTimeout()],
    "die in mid-answer": ["Some text ", "was shown ", ProviderCut()],
    "bug": ["Some text ", ValueError(SENTINEL)],
    "slow": ["one ", 600.0, "two"],
    "break the lines": ["a\nb\rc\r\nd\r\revent: complete\rid: 9\n\ndata: x", " \u2028\u2029\u0085\x0b\x0c\x1c ", "end"],
    "break unicode": ["bad \ud800 tail", " nul \x00 ", "\U0001f600 fine"],
    "say nothing": [],
}


@pytest.fixture(scope="module")
async def server(servers, database, data_dir):
    from signalbox.settings import load_settings

    settings = load_settings(
        data_dir=data_dir,
        database_url=servers.database_url,
        redis_url=servers.redis_url,
        model="scripted",
        secret_key="only-for-tests-only-for-tests",
        heartbeat_s=0.3,
        lease_s=30,
    )
    async with live(settings, model=ScriptedModel(SCRIPT)) as running:
        yield running


@pytest.fixture
async def user(server):
    async with server.user() as client:
        await client.get("/v1/conversations")
        yield client


def check_end(events, status):
    assert [e.type for e in events].count("complete") == 1
    assert events[-1].type == "complete"
    assert events[-1].data["status"] == status
    assert [e.data["seq"] for e in events] == list(range(events[0].data["seq"], events[-1].data["seq"] + 1))


@pytest.mark.parametrize(
    ("message", "code"),
    [("/say die at once", "provider_timeout"), ("/say die in mid-answer", "provider_cut"), ("/say bug", "internal")],
)
async def test_a_failure_is_one_error_and_one_complete_and_the_row_agrees(user, message, code):
    run = await ask(user, message)
    found = await read_all(user, run["events_url"])
    check_end(found.events, "failed")
    errors = [e.data for e in found.events if e.type == "error"]
    assert [e["code"] for e in errors] == [code]
    row = (await user.get(f"/v1/runs/{run['run_id']}")).json()
    assert (row["status"], row["error"]["code"]) == ("failed", code)
    assert SENTINEL not in str(found) + str(row)


async def test_text_shown_before_a_failure_is_kept_as_a_partial_message(user):
    run = await ask(user, "/say die in mid-answer")
    shown = (await read_all(user, run["events_url"])).text
    messages = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
    assert (messages[-1]["content"], messages[-1]["status"]) == (shown, "partial")
    assert shown == "Some text was shown "


@pytest.mark.parametrize("message", ["/say break the lines", "/say break unicode"])
async def test_no_text_can_break_the_stream_or_the_store(user, message):
    run = await ask(user, message)
    found = await read_all(user, run["events_url"])
    check_end(found.events, "succeeded")
    whole = next(e.data["content"] for e in found.events if e.type == "message")
    assert found.text == whole
    messages = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
    assert messages[-1]["content"] == whole
    if "lines" in message:
        assert whole == "".join(SCRIPT["break the lines"])
    else:
        assert whole == "bad \ufffd tail nul \ufffd \U0001f600 fine"
    again = await ask(user, "/say nothing", conversation_id=run["conversation_id"])
    assert (await finished(user, again["run_id"]))["status"] == "succeeded"


async def test_an_empty_answer_stores_no_empty_message_and_the_next_turn_works(user):
    run = await ask(user, "/say say nothing")
    assert (await finished(user, run["run_id"]))["status"] == "succeeded"
    messages = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
    assert all(message["content"] for message in messages)
    again = await ask(user, "/ticks 2 0 0", conversation_id=run["conversation_id"])
    assert (await finished(user, again["run_id"]))["status"] == "succeeded"


async def test_cancel_stops_a_run_while_its_model_is_silent_and_keeps_what_was_said(user):
    run = await ask(user, "/say slow")
    reading = asyncio.create_task(read_all(user, run["events_url"]))
    await read_until(user, run["events_url"], b'"one "')
    response = await user.post(f"/v1/runs/{run['run_id']}/cancel")
    assert response.status_code in {200, 202}
    async with asyncio.timeout(60):  # of the ten minutes that its model is silent for
        found = await reading
    check_end(found.events, "cancelled")
    messages = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
    assert (messages[-1]["content"], messages[-1]["status"]) == ("one ", "partial")
    twice = await user.post(f"/v1/runs/{run['run_id']}/cancel")
    assert (twice.status_code, twice.json()["status"]) == (200, "cancelled")


async def test_cancel_racing_completion_ends_in_one_truth(user):
    for delay in range(30):
        run = await ask(user, "/ticks 20 1 0")
        await asyncio.sleep(delay / 1000)
        await user.post(f"/v1/runs/{run['run_id']}/cancel")
        events = (await read_all(user, run["events_url"])).events
        row = await finished(user, run["run_id"])
        assert [e.type for e in events].count("complete") == 1
        assert events[-1].data["status"] == row["status"]


async def test_a_dropped_response_stops_nothing(user):
    async with user.stream(
        "POST", "/v1/chat", json={"message": "/ticks 50 10 0"}, headers={"Accept": "text/event-stream"}
    ) as r:
        run_id = r.headers["X-Run-Id"]
    assert (await finished(user, run_id))["status"] == "succeeded"


async def test_messages_of_one_conversation_are_answered_one_after_the_other(user):
    first = await ask(user, "/ticks 2 0 0")
    conversation = first["conversation_id"]
    await finished(user, first["run_id"])
    runs = await asyncio.gather(*(ask(user, f"/ticks {n} 5 0", conversation_id=conversation) for n in range(3, 11)))
    for run in runs:
        assert (await finished(user, run["run_id"]))["status"] == "succeeded"
    messages = (await user.get(f"/v1/conversations/{conversation}/messages")).json()["messages"]
    answers = [m for m in messages if m["role"] == "assistant"]
    assert len(answers) == 9
    # Events of different runs never interleave.
    raw = await read_until(user, f"/v1/conversations/{conversation}/events", b": heartbeat")
    order = [e.data["run_id"] for e in parse(raw).events]
    assert len(order) - 1 == sum(a == b for a, b in pairwise(order)) + 8


@pytest.mark.parametrize(
    ("output", "field"),
    [
        ({"agnet": "general"}, "agnet"),
        ({"answer": {"text": 3}}, "answer.text"),
        (TurnPatch, "output"),
        (None, "output"),
    ],
)
async def test_a_node_with_a_wrong_or_unknown_field_fails_there(servers, database, data_dir, output, field):
    """LangGraph alone would drop the unknown key, and never check what the last node returns."""
    from signalbox.agents.finding import find_agents
    from signalbox.graph.build import Orchestrator
    from signalbox.settings import load_settings

    async def broken(state, ctx):
        return output

    settings = load_settings(
        data_dir=data_dir, database_url=servers.database_url, redis_url=servers.redis_url, model="scripted",
        secret_key="only-for-tests-only-for-tests", heartbeat_s=0.3,
    )  # fmt: skip
    async with live(settings) as running, running.user() as client:
        runner = running.services.runner
        runner._orchestrator = Orchestrator(
            runner._orchestrator._router._classifier, find_agents(), extra_nodes={"general": broken}
        )
        run = await ask(client, "/ticks 1 0 0")
        found = await read_all(client, run["events_url"])
        check_end(found.events, "failed")
        error = next(e.data for e in found.events if e.type == "error")
        assert error["code"] == "node_output"
        assert "'general'" in error["content"]
        assert f"'{field}'" in error["content"]
