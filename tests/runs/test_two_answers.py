"""Two requests in one message on a live server: two stored messages, one complete, and every way of reading agrees."""

import json

import pytest

from live import ask, finished, live, read_all
from signalbox.events import decode
from signalbox.view import ConversationView, final, reduce

MESSAGE = "Find me Python jobs, and then write an e-mail to the first company."


@pytest.fixture
async def told(settings):
    async with live(settings) as server, server.user() as user:
        run = await ask(user, MESSAGE)
        found = await read_all(user, run["events_url"])
        row = await finished(user, run["run_id"])
        page = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()
        yield run, found, row, page


async def test_each_answer_is_stored_with_its_own_results_in_the_order_given(told):
    run, found, row, page = told
    assert row["status"] == "succeeded"
    assert found.types.count("complete") == 1
    assert found.types.count("agent_started") == found.types.count("message") == 2
    assert "handoff" in found.types
    answers = [m for m in page["messages"] if m["role"] == "assistant"]
    assert [a["agent"] for a in answers] == ["job_search", "cold_email"]
    kinds = [{block["type"] for block in answer["blocks"]} for answer in answers]
    assert "jobs_data" in kinds[0]
    assert "jobs_data" not in kinds[1]
    assert "email_draft" in kinds[1]
    assert [a["content"] for a in answers] == [e.data["content"] for e in found.events if e.type == "message"]
    assert {a["run_id"] for a in answers} == {run["run_id"]}


async def test_the_stream_and_the_store_show_the_same(told):
    run, found, _, page = told
    live_view = stored_view = ConversationView()
    for event in found.events:
        live_view = reduce(live_view, decode(json.dumps(event.data)))
    snapshot = {
        "type": "snapshot",
        "seq": live_view.last_seq,
        "conversation_id": run["conversation_id"],
        "messages": page["messages"],
        "runs": page["runs"],
    }
    stored_view = reduce(stored_view, decode(json.dumps(snapshot)))
    assert final(live_view) == final(stored_view)
    assert len(final(live_view)[run["run_id"]].answers) == 2
