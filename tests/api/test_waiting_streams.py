"""Streams of runs that wait for a human: they end where the run rests, and tell all of it to whoever comes later."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from apart import own_database
from courier import JSON, agents_in, approvals, asked, decide, post, rest, status, statuses

from live import Event, Live, ask, finished, left, live, parse, read_all, read_until
from mail_server import mailbox
from signalbox.runs.steps import StepStore
from signalbox.settings import load_settings
from signalbox.stream.hub import PAGE
from signalbox.stream.log import EventLog


@pytest.fixture(scope="module")
async def server(servers, data_dir) -> AsyncIterator[Live]:
    async with own_database(servers) as url:
        with mailbox() as box:
            settings = load_settings(
                data_dir=data_dir, database_url=url, redis_url=servers.redis_url, model="scripted",
                secret_key="only-for-tests-only-for-tests", heartbeat_s=0.3, lease_s=10,
                agents_dir=agents_in(data_dir / "couriers"), smtp_url=box.url(), mail_from="me@example.org",
            )  # fmt: skip
            async with live(settings) as running:
                yield running


@pytest.fixture
async def user(server: Live) -> AsyncIterator[httpx.AsyncClient]:
    async with server.user() as client:
        await client.get("/v1/conversations")
        yield client


def data(events: list[Event]) -> list[dict[str, Any]]:
    return [event.data for event in events]


async def again(client: httpx.AsyncClient, run: dict[str, Any], after: str) -> int:
    return (await client.get(run["events_url"], headers={"Last-Event-ID": after})).status_code


async def test_a_stream_ends_where_the_run_waits_and_goes_on_from_there_after_the_decision(user):
    run = await ask(user, "/courier ann@example.org")
    live_reader = asyncio.create_task(rest(user, run))
    await status(user, run, "waiting")
    before = (await live_reader).events
    assert [event.type for event in before][-2:] == ["approval_required", "complete"]
    assert statuses(before) == ["waiting"]
    assert data((await rest(user, run)).events) == data(before)
    assert data((await rest(user, run, before[2].id)).events) == data(before[3:])
    assert await again(user, run, before[-1].id) == 204
    assert await again(user, run, before[-1].id) == 204
    await decide(user, run, "approve")
    after = (await rest(user, run, before[-1].id)).events
    assert after[0].type == "approval_resolved"
    assert statuses(after) == ["succeeded"]
    whole = [*data(before), *data(after)]
    assert [event["seq"] for event in whole] == list(range(1, len(whole) + 1))
    # Whoever comes late gets all of it, from wherever.
    for place in (None, *(event.id for event in before)):
        late = (await rest(user, run, place)).events
        assert data(late) == [event for event in whole if place is None or event["seq"] > int(place.split("-")[1])]
    assert await again(user, run, after[-1].id) == 204
    filtered = (await read_all(user, f"{run['events_url']}?types=approval_resolved")).types
    assert filtered == ["complete", "approval_resolved", "complete"]


async def test_a_page_that_ends_with_the_wait_is_not_the_end(user):
    probe = await asked(user, "1 ann@example.org")
    others = len((await rest(user, probe)).events) - 1
    run = await asked(user, f"{PAGE - others} ann@example.org")
    before = (await rest(user, run)).events
    assert (len(before), statuses(before)) == (PAGE, ["waiting"])
    assert await again(user, run, before[-1].id) == 204
    await decide(user, run, "approve")
    await status(user, run, "succeeded")
    whole = (await rest(user, run)).events
    assert statuses(whole) == ["waiting", "succeeded"]
    assert data(whole[:PAGE]) == data(before)
    polled, _ = await poll(user, run)
    assert polled == data(whole)


async def test_a_run_that_waits_twice_is_told_whole(user):
    run = await asked(user, "ann@example.org bob@example.org")
    first = (await rest(user, run)).events
    await decide(user, run, "approve")
    second = (await rest(user, run, first[-1].id)).events
    assert statuses(second) == ["waiting"]
    # The first wait is over, though the run waits again.
    assert data((await rest(user, run)).events) == data([*first, *second])
    assert await again(user, run, second[-1].id) == 204
    await decide(user, run, "reject")
    third = (await rest(user, run, second[-1].id)).events
    assert statuses(third) == ["succeeded"]
    assert data((await rest(user, run)).events) == data([*first, *second, *third])


async def test_what_others_say_meanwhile_keeps_no_reader_of_a_waiting_run(server: Live, user):
    run = await asked(user)
    before = (await rest(user, run)).events
    busy = await ask(user, f"/ticks {PAGE * 2} 1 0", conversation_id=run["conversation_id"])
    await read_until(user, busy["events_url"], b"@000010@")
    assert await again(user, run, before[-1].id) == 204
    assert data((await rest(user, run)).events) == data(before)
    await finished(user, busy["run_id"])
    assert await again(user, run, before[-1].id) == 204
    assert data((await rest(user, run)).events) == data(before)
    await decide(user, run, "approve")
    after = (await rest(user, run, before[-1].id)).events
    assert statuses(after) == ["succeeded"]
    assert data((await rest(user, run)).events) == data([*before, *after])


async def test_a_conversation_is_followed_through_the_wait(user):
    run = await asked(user)
    url = f"/v1/conversations/{run['conversation_id']}/events"
    reading = asyncio.create_task(read_until(user, url, b'"status":"succeeded"'))
    await read_until(user, url, b"event: complete")
    await decide(user, run, "approve")
    events = parse(await reading).events
    assert statuses(events) == ["waiting", "succeeded"]
    assert data(events) == data((await rest(user, run)).events)


async def poll(client: httpx.AsyncClient, run: dict[str, Any], cursor: str = "") -> tuple[list[dict[str, Any]], str]:
    """What a client that polls gets until there is nothing more."""
    events: list[dict[str, Any]] = []
    async with asyncio.timeout(60):
        while True:
            headers = JSON | ({"Last-Event-ID": cursor} if cursor else {})
            response = await client.get(run["events_url"], headers=headers)
            if response.status_code == 204:
                return events, cursor
            events += response.json()
            cursor = response.headers["X-Last-Event-Id"]


async def test_a_poller_is_told_of_the_wait_and_of_what_comes_after_it(user):
    run = await ask(user, "/courier ann@example.org")
    before, cursor = await poll(user, run)
    assert before[-1]["status"] == "waiting"
    await decide(user, run, "approve")
    after, _ = await poll(user, run, cursor)
    assert (after[0]["type"], after[-1]["status"]) == ("approval_resolved", "succeeded")
    assert (await poll(user, run))[0] == [*before, *after]


@pytest.mark.parametrize("whole", [False, True], ids=["expired", "forgotten"])
async def test_a_wait_that_outlasts_the_log_is_told_by_a_snapshot(server: Live, user, redis, whole):
    run = await asked(user)
    await left(server.services, run["run_id"])
    before = (await rest(user, run)).events
    keys = EventLog.keys(run["conversation_id"])
    await redis.delete(*(keys if whole else keys[1:]))
    told = await rest(user, run)
    assert told.types == ["gap", "snapshot", "complete"]
    assert statuses(told.events) == ["waiting"]
    snapshot = told.events[1].data
    assert [each["status"] for each in snapshot["runs"]] == ["waiting"]
    assert "approval_required" in [block["type"] for block in snapshot["messages"][-1]["blocks"]]
    assert await again(user, run, told.events[-1].id) == 204
    if not whole:
        assert await again(user, run, before[-1].id) == 204
    await decide(user, run, "approve")
    after = await rest(user, run, told.events[-1].id)
    assert statuses(after.events)[-1] == "succeeded"
    assert "approval_resolved" in json.dumps(
        data(after.events)
    )  # as an event, or in the snapshot of a run that is over
    assert after.types.count("complete") == 1
    late = await rest(user, run)
    assert late.events[-1].data["status"] == "succeeded"
    assert "Sent to ann@example.org." in json.dumps(data(after.events))


async def test_a_wait_that_its_worker_did_not_live_to_tell_is_told_all_the_same(server: Live, user, redis):
    run = await asked(user)
    await left(server.services, run["run_id"])
    before = (await rest(user, run)).events
    meta, stream = EventLog.keys(run["conversation_id"])
    last = before[-1].data["seq"]
    entries = await redis.xrange(stream)
    await redis.delete(stream)
    for entry_id, fields in entries[:-1]:
        await redis.xadd(stream, fields, id=entry_id)
    fence, seen, first, _, _ = (await redis.hget(meta, f"r:{run['run_id']}")).split(b"|")
    record = b"|".join([fence, b"%d" % (int(seen) - 1), first, b"0", b"0"])
    await redis.hset(meta, mapping={"o": last - 1, f"r:{run['run_id']}": record})
    both = await asyncio.gather(rest(user, run), rest(user, run, before[-2].id))
    assert [statuses(each.events) for each in both] == [["waiting"], ["waiting"]]
    assert [event.data["seq"] for event in both[0].events] == list(range(1, last + 1))
    await decide(user, run, "approve")
    assert statuses((await rest(user, run)).events) == ["waiting", "succeeded"]


def question_of(events: list[Event]) -> str:
    return next(event.data["approval_id"] for event in events if event.type == "approval_required")


async def test_who_answers_a_question_before_it_is_stored_is_heard(server: Live, user):
    """Whoever reads the stream is told of it first."""
    steps, stored = server.services.runner._steps, asyncio.Event()

    async def late(*given):
        await stored.wait()
        await StepStore.ask(steps, *given)

    steps.ask = late
    try:
        run = await ask(user, "/courier ann@example.org")
        raw = await read_until(user, run["events_url"], b"event: approval_required")
        deciding = asyncio.create_task(post(user, run, question_of(parse(raw).events), decision="approve"))
        done, _ = await asyncio.wait([deciding], timeout=0.3)
        assert not done
        assert await approvals(user, run) == []
        stored.set()
        assert (await deciding).status_code == 200
    finally:
        stored.set()
        del steps.ask
    await status(user, run, "succeeded")


async def test_who_decides_faster_than_the_run_can_rest_still_gets_one_end(user):
    for _ in range(8):
        run = await ask(user, "/courier ann@example.org")
        raw = await read_until(user, run["events_url"], b"event: approval_required")
        events = parse(raw).events
        assert (await post(user, run, question_of(events), decision="approve")).status_code == 200
        async with asyncio.timeout(60):
            while statuses(events)[-1:] != ["succeeded"]:
                headers = {"Last-Event-ID": events[-1].id}
                response = await user.get(run["events_url"], headers=headers)
                events += parse(response.content).events
        assert statuses(events) in (["succeeded"], ["waiting", "succeeded"])
        assert data(events) == data((await rest(user, run)).events)
        assert [event.type for event in events].count("approval_resolved") == 1


async def test_a_second_chat_request_with_the_key_of_a_waiting_run_streams_what_there_is(user):
    headers = {"Idempotency-Key": "k", "Accept": "text/event-stream"}
    body = json.dumps({"message": "/courier ann@example.org"})
    first, second = [parse((await user.post("/v1/chat", content=body, headers=headers)).content) for _ in range(2)]
    assert statuses(first.events) == ["waiting"]
    assert data(first.events) == data(second.events)


async def test_messages_of_a_waiting_conversation_lead_on_to_what_is_new_and_nothing_twice(user):
    run = await asked(user)
    conversation = f"/v1/conversations/{run['conversation_id']}"
    await finished(user, (await ask(user, "/ticks 2 0 0", conversation_id=run["conversation_id"]))["run_id"])
    page = (await user.get(f"{conversation}/messages")).json()
    assert [each["status"] for each in page["runs"]] == ["waiting", "succeeded"]
    blocks = [block["type"] for message in page["messages"] for block in message["blocks"]]
    assert blocks == ["email_draft", "approval_required"]
    headers = {"Last-Event-ID": page["cursor"]}
    reading = asyncio.create_task(read_until(user, f"{conversation}/events", b"event: complete", headers=headers))
    await decide(user, run, "approve")
    events = parse(await reading).events
    assert events[0].type == "approval_resolved"
    assert statuses(events) == ["succeeded"]
