"""Cut anywhere, come back with the last id seen: the joined events equal the uncut run, exactly."""

import asyncio
import random

import httpx
import pytest
from redis.asyncio import Redis

from live import Live, ask, finished, left, parse, read_all, read_until
from signalbox.errors import LogUnavailable
from signalbox.stream.log import AlreadyClosed, EventLog

TICKS = "/ticks 120 1 0"


def last_whole_id(raw: bytes) -> str | None:
    """What a client remembers after bytes that may end in mid-frame."""
    whole = raw[: raw.rfind(b"\n\n") + 2]
    events = [event for event in parse(whole).events if event.id] if whole else []
    return events[-1].id if events else None


async def read_bytes(client: httpx.AsyncClient, url: str, limit: int, headers: dict[str, str]) -> tuple[bytes, bool]:
    """At most ``limit`` raw bytes, then the connection is dropped; True if the server had ended it."""
    raw = b""
    async with client.stream("GET", url, headers=headers) as response:
        if response.status_code == 204:
            return b"", True
        assert response.status_code == 200
        async for chunk in response.aiter_raw():
            raw += chunk
            if len(raw) >= limit:
                return raw[:limit], False
    return raw, True


async def joined(client: httpx.AsyncClient, url: str, cuts: list[int], query: str = "") -> list[dict]:
    """Every event of the run, read over one connection per cut."""
    events: list[dict] = []
    cursor: str | None = None
    for cut in [*cuts, 10**9]:
        headers = {"Last-Event-ID": cursor} if cursor else {}
        raw, over = await read_bytes(client, url + query, cut, headers)
        whole = raw[: raw.rfind(b"\n\n") + 2]
        events += [event.data for event in parse(whole).events] if whole else []
        cursor = last_whole_id(raw) or cursor
        if over and (not whole or events[-1]["type"] == "complete"):
            break
    return events


async def test_200_cuts_at_random_bytes_lose_and_double_nothing(user):
    run = await ask(user, TICKS)
    rng = random.Random(7)
    plans = [[rng.randint(1, 4_000) for _ in range(60)] for _ in range(2)]
    uncut, *cut = await asyncio.gather(
        read_all(user, run["events_url"]), *(joined(user, run["events_url"], plan) for plan in plans)
    )
    whole = [event.data for event in uncut.events]
    assert whole[-1]["type"] == "complete"
    assert [event["seq"] for event in whole] == list(range(1, len(whole) + 1))
    assert cut == [whole, whole]
    after_the_end = await joined(user, run["events_url"], [rng.randint(1, 3_000) for _ in range(80)])
    assert after_the_end == whole


async def test_every_event_is_a_place_to_resume_from(user):
    run = await ask(user, "/ticks 30 0 0")
    whole = (await read_all(user, run["events_url"])).events
    for number, event in enumerate(whole[:-1]):
        rest = await read_all(user, run["events_url"], headers={"Last-Event-ID": event.id})
        assert [e.data for e in rest.events] == [e.data for e in whole[number + 1 :]]


async def test_the_query_works_like_the_header_and_the_header_wins(user):
    run = await ask(user, "/ticks 5 0 0")
    whole = (await read_all(user, run["events_url"])).events
    url = f"{run['events_url']}?lastEventId={whole[2].id}"
    by_query = await read_all(user, url)
    assert by_query.events[0].data["seq"] == 4
    by_header = await read_all(user, url, headers={"last-event-id": whole[5].id})
    assert by_header.events[0].data["seq"] == 7
    empty_header = await read_all(user, url, headers={"Last-Event-ID": ""})
    assert empty_header.events[0].data["seq"] == 4


async def test_a_filter_never_changes_cursors(user):
    run = await ask(user, "/ticks 40 1 0")
    whole = (await read_all(user, run["events_url"])).events
    wanted = [e.data for e in whole if e.type in {"chunk", "complete"}]
    assert [e.data for e in (await read_all(user, run["events_url"] + "?types=chunk")).events] == wanted
    rng = random.Random(3)
    cuts = [rng.randint(1, 3_000) for _ in range(30)]
    assert await joined(user, run["events_url"], cuts, "?types=chunk") == wanted
    # A cursor got under one filter is good under another.
    chunk = next(e for e in whole if e.type == "chunk")
    rest = await read_all(user, run["events_url"], headers={"Last-Event-ID": chunk.id})
    assert [e.data for e in rest.events] == [e.data for e in whole if e.data["seq"] > chunk.data["seq"]]


async def test_after_the_end_there_is_nothing_more_to_come(user):
    run = await ask(user, "/ticks 3 0 0")
    whole = (await read_all(user, run["events_url"])).events
    for _ in range(20):
        response = await user.get(run["events_url"], headers={"Last-Event-ID": whole[-1].id})
        assert response.status_code == 204


async def test_a_conversation_is_followed_over_all_its_runs(user):
    first = await ask(user, "/ticks 5 0 0")
    conversation = first["conversation_id"]
    url = f"/v1/conversations/{conversation}/events"
    follower = asyncio.create_task(
        read_until(user, url, b'"content":"@000002@ a chunk of text as a model would send i"')
    )
    await finished(user, first["run_id"])
    await follower
    reading = asyncio.create_task(read_until(user, url, b"@000006@"))
    second = await ask(user, "/ticks 7 5 0", conversation_id=conversation)
    events = parse(await reading).events
    assert [e.data["seq"] for e in events] == list(range(1, len(events) + 1))
    assert {e.data["run_id"] for e in events} == {first["run_id"], second["run_id"]}
    assert events[0].type == "run_started"


async def test_messages_hand_out_the_cursor_to_stream_on_from(user):
    first = await ask(user, "/ticks 4 0 0")
    await read_all(user, first["events_url"])
    conversation = first["conversation_id"]
    page = (await user.get(f"/v1/conversations/{conversation}/messages")).json()
    assert [m["role"] for m in page["messages"]] == ["user", "assistant"]
    url = f"/v1/conversations/{conversation}/events"
    reading = asyncio.create_task(read_until(user, url, b"event: complete", headers={"Last-Event-ID": page["cursor"]}))
    second = await ask(user, "/ticks 4 0 0", conversation_id=conversation)
    events = parse(await reading).events
    assert {e.data["run_id"] for e in events} == {second["run_id"]}
    assert events[0].type == "run_started"


async def expire(redis: Redis, conversation: str) -> None:
    await redis.delete(EventLog.keys(conversation)[1])


async def forget(redis: Redis, conversation: str) -> None:
    await redis.delete(*EventLog.keys(conversation))


@pytest.mark.parametrize(("lose", "reason"), [(expire, "expired"), (forget, "unknown_epoch")])
async def test_an_expired_buffer_gives_gap_snapshot_and_the_same_end(user, redis, lose, reason):
    run = await ask(user, "/ticks 6 0 0")
    whole = (await read_all(user, run["events_url"])).events
    message = next(e.data for e in whole if e.type == "message")
    await lose(redis, run["conversation_id"])
    again = await read_all(user, run["events_url"], headers={"Last-Event-ID": whole[4].id})
    assert again.types == ["gap", "snapshot", "complete"]
    gap, snapshot, complete = again.events
    assert gap.data["reason"] == reason
    assert gap.id is None
    assert snapshot.data["messages"][-1]["content"] == message["content"]
    assert snapshot.data["messages"][-1]["message_id"] == message["message_id"]
    assert complete.data["status"] == whole[-1].data["status"]
    # Having been told, the reader is told no more; one who comes anew gets the state again.
    assert (await user.get(run["events_url"], headers={"Last-Event-ID": complete.id})).status_code == 204
    assert (await read_all(user, run["events_url"])).types == ["gap", "snapshot", "complete"]


async def test_a_cursor_from_the_future_is_a_gap(user):
    run = await ask(user, "/ticks 3 0 0")
    whole = (await read_all(user, run["events_url"])).events
    epoch = whole[0].id.split("-")[0]
    again = await read_all(user, run["events_url"], headers={"Last-Event-ID": f"{epoch}-999"})
    assert again.types[:2] == ["gap", "snapshot"]
    assert again.types[-1] == "complete"


async def test_a_cursor_of_another_conversation_is_a_gap(user):
    mine, foreign = await ask(user, "/ticks 3 0 0"), await ask(user, "/ticks 3 0 0")
    cursor = (await read_all(user, foreign["events_url"])).events[1].id
    await finished(user, mine["run_id"])
    again = await read_all(user, mine["events_url"], headers={"Last-Event-ID": cursor})
    assert again.types[:2] == ["gap", "snapshot"]
    assert again.types[-1] == "complete"


async def test_a_log_lost_in_mid_run_is_written_anew(user, redis):
    """FLUSHALL's effect on one conversation: the reader is told, and still gets the whole answer and its end."""
    run = await ask(user, "/ticks 150 20 0")
    reading = asyncio.create_task(read_all(user, run["events_url"]))
    fresh = read_until(user, run["events_url"], b"@000010@")
    await fresh
    await forget(redis, run["conversation_id"])
    events = (await reading).events
    assert [e.type for e in events].count("complete") == 1
    assert events[-1].type == "complete"
    assert events[-1].data["status"] == "succeeded"
    lost_at = [e.type for e in events].index("gap")
    assert events[lost_at + 1].type == "snapshot"
    text = "".join(e.data["content"] for e in events[lost_at:] if e.type == "chunk")
    assert text == next(e.data["content"] for e in events if e.type == "message")
    late = await read_all(user, run["events_url"])
    assert late.text == text


async def test_a_poller_can_follow_a_whole_run(user):
    run = await ask(user, "/ticks 30 5 0")
    events: list[dict] = []
    cursor = ""
    headers = {"Accept": "application/json"}
    async with asyncio.timeout(60):
        while not events or events[-1]["type"] != "complete":
            response = await user.get(
                run["events_url"], headers=headers | ({"Last-Event-ID": cursor} if cursor else {})
            )
            if response.status_code == 200:
                events += response.json()
                cursor = response.headers["X-Last-Event-Id"]
    whole = [e.data for e in (await read_all(user, run["events_url"])).events]
    assert events == whole


async def test_readers_who_join_a_fast_run_at_any_time_all_get_everything(server: Live, user):
    run = await ask(user, "/ticks 3000 0 0")
    rng = random.Random(11)

    async def late(delay: float) -> list[int]:
        await asyncio.sleep(delay)
        return [e.data["seq"] for e in (await read_all(user, run["events_url"])).events]

    reads = await asyncio.gather(*(late(rng.random() * 0.6) for _ in range(25)))
    assert len(reads[0]) > 3000
    assert all(read == list(range(1, len(reads[0]) + 1)) for read in reads)


async def test_the_tail_is_forgotten_with_its_last_reader(server: Live, user):
    run = await ask(user, "/ticks 3 0 0")
    await read_all(user, run["events_url"])
    await left(server.services, run["run_id"])
    async with asyncio.timeout(30):
        while run["conversation_id"] in server.services.hub._tails:  # noqa: ASYNC110 - nothing tells when a reader is gone
            await asyncio.sleep(0.02)


async def test_a_reply_that_got_lost_costs_no_reader_the_beginning(server: Live, user):
    """The log applied the batch, the process never heard of it and sends it again."""
    log = server.services.log
    append, dropped = log.append, []

    async def lossy(batches):
        results = await append(batches)
        if not dropped:
            dropped.append(results)
            raise LogUnavailable
        return results

    log.append = lossy
    try:
        run = await ask(user, "/ticks 20 5 0")
        found = await read_all(user, run["events_url"])
    finally:
        log.append = append
    assert dropped
    assert [e.data["seq"] for e in found.events] == list(range(1, len(found.events) + 1))
    assert found.types[0] == "run_started"
    assert [e.data for e in (await read_all(user, run["events_url"])).events] == [e.data for e in found.events]


async def test_a_deleted_conversation_stays_deleted_though_its_run_was_going(server: Live, user, redis):
    run = await ask(user, "/ticks 2000 5 0")
    await read_until(user, run["events_url"], b"@000005@")
    conversation = run["conversation_id"]
    assert (await user.delete(f"/v1/conversations/{conversation}")).status_code == 204
    await left(server.services, run["run_id"])
    assert (await user.get(run["events_url"])).status_code == 404
    meta, stream = EventLog.keys(conversation)
    assert not await redis.exists(stream)
    assert await redis.hgetall(meta) == {b"e": b"deleted"}


async def test_a_missing_complete_is_not_taken_for_a_loss_by_the_next_run(server: Live, user, redis):
    log = server.services.log
    append = log.append

    async def without_end(batches):
        return [AlreadyClosed("", 0)] if any(batch.closes for batch in batches) else await append(batches)

    log.append = without_end
    try:
        first = await ask(user, "/ticks 2 0 0")
        await finished(user, first["run_id"])
        await left(server.services, first["run_id"])
    finally:
        log.append = append
    second = await ask(user, "/ticks 2 0 0", conversation_id=first["conversation_id"])
    again = (await read_all(user, second["events_url"])).events
    assert again[0].data["seq"] > 1
    closed = await read_all(user, first["events_url"])  # and whoever reads it gets the stored end
    assert closed.types[-1] == "complete"
    assert closed.types.count("complete") == 1


async def test_one_broken_log_is_begun_anew_and_stops_no_other(server: Live, user, redis):
    broken = await ask(user, "/ticks 2 0 0")
    whole = (await read_all(user, broken["events_url"])).events
    _, stream = EventLog.keys(broken["conversation_id"])
    await redis.xadd(stream, {"t": "x", "r": "x", "d": "x"}, id=f"{len(whole) + 50}-0")
    again = await ask(user, "/ticks 2 0 0", conversation_id=broken["conversation_id"])
    other = await ask(user, "/ticks 2 0 0")
    assert (await read_all(user, other["events_url"])).types[-1] == "complete"
    events = (await read_all(user, again["events_url"])).events
    assert events[-1].data["status"] == "succeeded"
    assert events[0].id.split("-")[0] != whole[0].id.split("-")[0]


async def test_the_poller_sees_a_run_of_this_process_while_it_goes_on(user):
    run = await ask(user, "/ticks 5 60000 0")
    await read_until(user, run["events_url"], b"@000000@")
    events = (await user.get(run["events_url"], headers={"Accept": "application/json"})).json()
    assert [e["type"] for e in events][:2] == ["run_started", "thinking"]
    await user.post(f"/v1/runs/{run['run_id']}/cancel")


async def test_a_poller_hears_of_an_end_that_is_stored_before_the_worker_says_it(server: Live, user):
    run = await ask(user, "/ticks 5 60000 0")
    await read_until(user, run["events_url"], b"@000000@")
    await server.services.db.execute(
        "UPDATE run SET status = 'succeeded', finished_at = now() WHERE run_id = %s", (run["run_id"],)
    )
    poll = await user.get(run["events_url"], headers={"Accept": "application/json"})
    assert [(e["type"], e.get("status")) for e in poll.json()][-1] == ("complete", "succeeded")
    told = await read_all(user, run["events_url"])
    assert told.types.count("complete") == 1


@pytest.mark.parametrize("message", ["/", "/ ", "/\u00a0x", "//", "/ticks"])
async def test_odd_commands_are_answered(user, message):
    run = await ask(user, message)
    assert (await finished(user, run["run_id"]))["status"] == "succeeded"
