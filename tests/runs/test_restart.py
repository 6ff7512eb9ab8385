"""An answer that a provider cuts is begun anew while its reader looks on, and all accounts tell the same text."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from loopback import Loopback, Reply, failure, sse

from live import ask, finished, live, parse, read_all, read_until
from signalbox.events import event_adapter
from signalbox.view import ConversationView, reduce
from two_processes import crash, opened_again, shut, two_processes

KEY = "gsk_SENTINEL_of_the_key"
ASK = "/general how do I ask for a raise"
HALF = Reply(sse("Half ", "an answer", finish=None, done=False), pieces=1)
WHOLE = Reply(sse("The ", "whole ", "answer."), pieces=3)


def held(*texts: str) -> Reply:
    """The beginning of an answer that never goes on."""
    return Reply(sse(*texts, finish=None, done=False), end="hold")


def by_provider(settings, provider, **changes):
    return settings.model_copy(
        update={
            "model": "llama",
            "model_base_url": provider.url,
            "groq_api_key": None,
            "extract_facts": False,
            "retry_budget_s": 10.0,
            "breaker_failures": 1_000,  # all tests share one Redis
            **changes,
        }
    )


def view_of(found) -> ConversationView:
    view = ConversationView(conversation_id=found.events[0].data["conversation_id"])
    for event in found.events:
        view = reduce(view, event_adapter.validate_python(event.data))
    return view


def text_of(view: ConversationView) -> str:
    return next(m.text for m in reversed(view.messages) if m.role == "assistant")


@asynccontextmanager
async def answered(settings, *replies, **changes):
    async with (
        Loopback(*replies) as provider,
        live(by_provider(settings, provider, **changes)) as server,
        server.user() as user,
    ):
        run = await ask(user, ASK)
        found = await read_all(user, run["events_url"])
        row = await finished(user, run["run_id"])
        yield server.services, user, run, found, row


async def kept(services, run) -> list[dict]:
    rows = await services.db.fetch("SELECT * FROM run_step WHERE run_id = %s ORDER BY seq", (run["run_id"],))
    return [row["payload"] for row in rows if row["kind"] == "model_turn"]


async def stored(user, run) -> dict:
    messages = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
    return messages[-1]


async def test_a_cut_answer_is_rewound_and_only_the_second_one_is_kept_anywhere(settings):
    async with answered(settings, HALF, WHOLE) as (services, user, run, found, row):
        assert row["status"] == "succeeded"
        assert found.types.count("rewind") == found.types.count("message") == found.types.count("complete") == 1
        cut = found.types.index("rewind")
        texts = [e.data["content"] for e in found.events[:cut] if e.type == "chunk"]
        assert "".join(texts) == "Half an answer"
        after = [e.data["content"] for e in found.events[cut:] if e.type == "chunk"]
        assert "".join(after) == "The whole answer."
        assert text_of(view_of(found)) == "The whole answer."
        message = await stored(user, run)
        assert (message["content"], message["status"]) == ("The whole answer.", "complete")
        (turn,) = await kept(services, run)
        assert turn["result"]["text"] == "The whole answer."
        assert [attempt["outcome"] for attempt in turn["attempts"]] == ["provider_cut", "ok"]
        late = await read_all(user, run["events_url"])
        assert [e.data for e in late.events] == [e.data for e in found.events]
        assert "SENTINEL" not in str(late)


async def test_a_failure_before_the_first_word_is_seen_by_nobody_but_the_books(settings):
    async with answered(settings, failure(503), WHOLE) as (services, _user, run, found, row):
        assert row["status"] == "succeeded"
        assert "rewind" not in found.types
        assert "error" not in found.types
        (turn,) = await kept(services, run)
        assert [attempt["outcome"] for attempt in turn["attempts"]] == ["provider_unavailable", "ok"]
        calls = await services.db.fetch(
            "SELECT outcome FROM model_call WHERE run_id = %s ORDER BY number", (run["run_id"],)
        )
        assert [call["outcome"] for call in calls] == ["provider_unavailable", "ok"]


async def test_what_was_shown_of_an_answer_that_nobody_can_finish_is_kept_as_partial(settings):
    replies = (HALF, failure(503), failure(503), failure(503))
    async with answered(settings, *replies) as (_services, user, run, found, row):
        assert (row["status"], row["error"]["code"]) == ("failed", "provider_cut")
        assert "rewind" not in found.types
        message = await stored(user, run)
        assert (message["content"], message["status"]) == ("Half an answer", "partial")
        assert text_of(view_of(found)) == "Half an answer"


async def test_what_is_shown_of_a_second_try_that_is_cut_too_is_what_is_kept(settings):
    other = Reply(sse("Another half", finish=None, done=False))
    async with answered(settings, HALF, other, failure(503)) as (_services, user, run, found, _row):
        assert found.types.count("rewind") == 1
        message = await stored(user, run)
        assert (message["content"], message["status"]) == ("Another half", "partial")
        assert text_of(view_of(found)) == "Another half"


# -- and a worker that dies in the middle of that


@pytest.fixture
def two(servers, apart, data_dir):
    return two_processes(servers, apart, data_dir, extract_facts=False, breaker_failures=1_000)


@pytest.mark.parametrize(
    ("replies", "seen", "rewinds"),
    [
        ((HALF, held("Second ")), b"Second ", 2),  # in the middle of the second text
        ((HALF, Reply(b"", head_delay_s=30)), b"an answer", 1),  # while the second try has not spoken yet
        ((held("First "),), b"First ", 1),
    ],
)
async def test_a_worker_killed_around_a_restart_leaves_one_whole_answer(two, replies, seen, rewinds):
    async with Loopback(*replies) as first, Loopback(WHOLE) as second:
        by = {"model": "llama", "model_base_url": first.url}
        async with two(of_first=by, of_second={**by, "model_base_url": second.url}) as (a, b, user, elsewhere):
            await shut(b)
            run = await ask(user, ASK)
            await read_until(elsewhere, run["events_url"], seen)
            await crash(a)
            await opened_again(b)
            found = await read_all(elsewhere, run["events_url"])
            assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
            assert found.types.count("rewind") == rewinds
            assert found.types.count("complete") == found.types.count("run_started") == 1
            assert text_of(view_of(found)) == "The whole answer."
            after = found.events[len(found.types) - 1 - found.types[::-1].index("rewind") :]
            assert "".join(e.data["content"] for e in after if e.type == "chunk") == "The whole answer."
            assert (await stored(elsewhere, run))["content"] == "The whole answer."


async def test_a_restart_in_the_attempt_that_took_over_is_told_once(two):
    async with Loopback(held("First ")) as first, Loopback(HALF, WHOLE) as second:
        by = {"model": "llama", "model_base_url": first.url}
        async with two(of_first=by, of_second={**by, "model_base_url": second.url}) as (a, b, user, elsewhere):
            run = await ask(user, ASK)
            await read_until(elsewhere, run["events_url"], b"First ")
            await crash(a)
            found = await read_all(elsewhere, run["events_url"])
            assert found.types.count("rewind") == 2
            assert text_of(view_of(found)) == "The whole answer."
            assert (await stored(elsewhere, run))["content"] == "The whole answer."
            turns = await kept(b, run)
            assert [attempt["outcome"] for attempt in turns[-1]["attempts"]] == ["provider_cut", "ok"]


async def test_a_run_in_flight_keeps_its_plan_through_a_deploy_with_other_tiers(two):
    async with Loopback(held("First ")) as first, Loopback(WHOLE) as second:
        before = {"model": "old", "model_fallbacks": ("older",), "model_base_url": first.url}
        after = {"model": "new", "model_base_url": second.url, "retired_models": ("old",)}
        async with two(of_first=before, of_second=after) as (a, b, user, elsewhere):
            run = await ask(user, ASK)
            await read_until(elsewhere, run["events_url"], b"First ")
            await crash(a)
            assert (await finished(elsewhere, run["run_id"]))["status"] == "succeeded"
            assert [request.body["model"] for request in second.requests] == ["older"]
            fresh = await ask(elsewhere, ASK)
            assert (await finished(elsewhere, fresh["run_id"]))["status"] == "succeeded"
            assert second.requests[-1].body["model"] == "new"
            assert (await kept(b, fresh))[-1]["model"] == "new"


async def test_a_reader_who_comes_late_to_a_cut_answer_sees_what_the_others_see(settings):
    async with Loopback(HALF, held("Second ")) as provider:
        async with live(by_provider(settings, provider)) as server, server.user() as user:
            run = await ask(user, ASK)
            raw = await read_until(user, run["events_url"], b"Second ")
            assert raw.index(b"event: rewind") > raw.index(b"Half ")
            again = await read_until(user, run["events_url"], b"Second ")
            assert parse(raw).events == parse(again).events
            await user.post(f"/v1/runs/{run['run_id']}/cancel")
            assert (await finished(user, run["run_id"]))["status"] == "cancelled"
            message = await stored(user, run)
            assert (message["content"], message["status"]) == ("Second ", "partial")
        async with asyncio.timeout(30):
            await provider.left.wait()
