"""The event log over a real Valkey: offsets, idempotency, fences, loss."""

import secrets
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from signalbox.errors import BadCursor
from signalbox.stream.log import (
    AlreadyClosed,
    Appended,
    Batch,
    Cursor,
    EventLog,
    FencedOff,
    LogLost,
)


@pytest.fixture
async def log(redis: Redis) -> AsyncIterator[EventLog]:
    log = EventLog(redis, buffer_ttl_s=600, buffer_events=20_000)
    yield log
    await log.close()


@pytest.fixture
def conversation() -> str:
    return f"c_{secrets.token_hex(6)}"


def batch(conversation: str, *texts: str, number: int = 1, **more) -> Batch:
    values = {"run_id": "r_1", "fence": 1, "epoch": "", "floor": None, "closes": False} | more
    return Batch(
        conversation_id=conversation,
        number=number,
        events=[("chunk", f'"type":"chunk","content":"{text}"}}') for text in texts],
        **values,
    )


async def texts(log: EventLog, conversation: str, after: int = 0) -> list[str]:
    page = await log.read(conversation, after)
    assert page is not None
    return [entry.data.split('"content":"')[1][:-2] for entry in page.entries]


async def test_offsets_count_from_one_without_holes_over_several_runs(log, conversation):
    results = await log.append(
        [batch(conversation, "a", "b"), batch(conversation, "c", run_id="r_2"), batch(conversation, "d", number=3)]
    )
    assert [(r.first, r.last) for r in results] == [(1, 2), (3, 3), (4, 4)]
    page = await log.read(conversation, 0)
    assert [entry.offset for entry in page.entries] == [1, 2, 3, 4]
    assert [entry.run_id for entry in page.entries] == ["r_1", "r_1", "r_2", "r_1"]


async def test_a_batch_sent_twice_is_applied_once(log, conversation):
    (first,) = await log.append([batch(conversation, "a", "b")])
    (second,) = await log.append([batch(conversation, "a", "b", "c", epoch=first.epoch)])
    assert (second.first, second.last) == (3, 3)
    assert await texts(log, conversation) == ["a", "b", "c"]


async def test_a_writer_with_an_old_fence_is_refused(log, conversation):
    await log.append([batch(conversation, "new", fence=2)])
    (result,) = await log.append([batch(conversation, "zombie", fence=1)])
    assert result == FencedOff()
    assert await texts(log, conversation) == ["new"]


async def test_a_new_attempt_counts_its_events_anew(log, conversation):
    await log.append([batch(conversation, "a", "b", fence=1)])
    await log.append([batch(conversation, "c", fence=2)])
    assert await texts(log, conversation) == ["a", "b", "c"]


async def test_nothing_follows_the_end_of_a_run(log, conversation):
    await log.append([batch(conversation, "end", closes=True)])
    (result,) = await log.append([batch(conversation, "late", number=2)])
    assert isinstance(result, AlreadyClosed)
    (again,) = await log.append([batch(conversation, "second end", number=0, fence=9)])
    assert isinstance(again, AlreadyClosed)
    assert await texts(log, conversation) == ["end"]


async def test_a_run_without_a_writer_can_be_closed_whatever_came_before(log, conversation):
    await log.append([batch(conversation, "a", "b")])
    (result,) = await log.append([batch(conversation, "end", number=0, fence=2, closes=True)])
    assert isinstance(result, Appended)
    page = await log.read(conversation, 0, run_id="r_1")
    assert page.run is not None
    assert page.run.closed == 3


def taken_back(conversation: str, fence: int) -> Batch:
    """Says that the run was taken back, and its end where that is not said yet."""
    kinds = ("retracted", "complete")
    events = [(kind, f'"type":"{kind}","content":"{kind}"}}') for kind in kinds]
    return Batch(conversation, "r_1", fence, 0, "", None, events, closes=True, retracts=True)


async def kinds(log: EventLog, conversation: str) -> list[str]:
    page = await log.read(conversation, 0)
    assert page is not None
    return [entry.type for entry in page.entries]


@pytest.mark.parametrize("fence", [1, 2])
async def test_of_a_run_that_has_its_end_only_the_retraction_is_said_and_once(log, conversation, fence):
    await log.append([batch(conversation, "a", "end", closes=True)])
    (first,) = await log.append([taken_back(conversation, fence)])
    (again,) = await log.append([taken_back(conversation, fence)])
    assert (first.first, first.last) == (3, 3)
    assert isinstance(again, AlreadyClosed)
    assert await kinds(log, conversation) == ["chunk", "chunk", "retracted"]
    page = await log.read(conversation, 0, run_id="r_1")
    assert page.run.closed == 2  # where its own stream ends
    (late,) = await log.append([batch(conversation, "more", number=3)])
    assert isinstance(late, AlreadyClosed | FencedOff)


async def test_a_run_whose_end_was_not_said_gets_it_with_the_retraction(log, conversation):
    await log.append([batch(conversation, "a")])
    (result,) = await log.append([taken_back(conversation, 2)])
    assert (result.first, result.last) == (2, 3)
    assert await kinds(log, conversation) == ["chunk", "retracted", "complete"]
    (its_own,) = await log.append([batch(conversation, "end", number=2, closes=True)])
    assert isinstance(its_own, FencedOff)


async def test_a_retraction_whose_end_is_missing_gets_only_that(log, conversation):
    said = Batch(conversation, "r_1", 1, 1, "", None, [("retracted", '"type":"retracted"}')], closes=False)
    await log.append([said])
    (result,) = await log.append([taken_back(conversation, 1)])
    assert (result.first, result.last) == (2, 2)
    assert await kinds(log, conversation) == ["retracted", "complete"]


async def test_a_run_that_waits_is_taken_back_with_an_end(log, conversation):
    await log.append([batch(conversation, "a", "waiting", closes=True, waits=True)])
    (result,) = await log.append([taken_back(conversation, 2)])
    assert (result.first, result.last) == (3, 4)
    assert isinstance((await log.append([taken_back(conversation, 2)]))[0], AlreadyClosed)


async def test_a_lost_log_is_told_to_its_writer_and_starts_a_new_epoch(log, conversation, redis):
    (first,) = await log.append([batch(conversation, "a", "b")])
    await redis.delete(*EventLog.keys(conversation))
    (lost,) = await log.append([batch(conversation, "c", number=3, epoch=first.epoch)])
    assert lost == LogLost()
    (anew,) = await log.append([batch(conversation, "ab", "c")])
    assert anew.epoch != first.epoch
    assert await texts(log, conversation) == ["ab", "c"]


async def test_offsets_that_a_rolled_back_server_forgot_are_never_used_again(log, conversation, redis):
    """A crash may take the last second of an append-only file; readers already hold those offsets."""
    (first,) = await log.append([batch(conversation, "a")])
    meta, stream = EventLog.keys(conversation)
    before = await redis.hgetall(meta)
    await log.append([batch(conversation, "b", "c", number=2, epoch=first.epoch)])
    await redis.delete(meta)
    await redis.hset(meta, mapping=before)
    await redis.xtrim(stream, minid="0")
    (lost,) = await log.append([batch(conversation, "d", number=4, epoch=first.epoch)])
    assert lost == LogLost()


async def test_a_floor_from_the_store_shows_a_rollback_to_the_next_run(log, conversation):
    (first,) = await log.append([batch(conversation, "a")])
    floor = Cursor(first.epoch, 5)
    (second,) = await log.append([batch(conversation, "b", run_id="r_2", floor=floor)])
    assert second.epoch != first.epoch
    assert second.first == 1


async def test_metadata_outlives_the_data(redis, conversation):
    log = EventLog(redis, buffer_ttl_s=600, buffer_events=20_000)
    (first,) = await log.append([batch(conversation, "a", "b")])
    await redis.delete(EventLog.keys(conversation)[1])  # what expiry does
    page = await log.read(conversation, 1)
    assert (page.epoch, page.last, page.oldest, page.entries) == (first.epoch, 2, 0, ())
    assert page.missing(1)
    assert not page.missing(2)
    (more,) = await log.append([batch(conversation, "c", number=3, epoch=first.epoch)])
    assert (more.epoch, more.first) == (first.epoch, 3)


async def test_trimmed_events_are_missing_and_the_rest_is_not(redis, conversation):
    log = EventLog(redis, buffer_ttl_s=600, buffer_events=100)
    (first,) = await log.append([batch(conversation, *map(str, range(250)))])
    await log.append([batch(conversation, *map(str, range(250, 400)), number=251, epoch=first.epoch)])
    page = await log.read(conversation, 0)
    assert page.missing(0)
    assert page.oldest > 1
    kept = await log.read(conversation, page.oldest - 1)
    assert not kept.missing(page.oldest - 1)
    assert kept.entries[0].offset == page.oldest


async def test_a_run_is_read_from_its_own_first_event(log, conversation):
    await log.append([batch(conversation, "a", "b", run_id="r_1"), batch(conversation, "c", run_id="r_2")])
    page = await log.read(conversation, None, run_id="r_2")
    assert [entry.offset for entry in page.entries] == [3]


async def test_an_unknown_log_is_none(log, conversation):
    assert await log.read(conversation, 0) is None


@pytest.mark.parametrize(
    "text", ["-1", "abc", "$", "0", "1-", "1-2-3", "00000000-01", "0000000g-1", "9" * 10_000, "00000000-١", "", "1 2"]
)
def test_a_cursor_has_exactly_one_form(text):
    with pytest.raises(BadCursor):
        Cursor.parse(text)


def test_a_cursor_reads_back_as_written():
    assert Cursor.parse("0a1b2c3d-42") == Cursor("0a1b2c3d", 42)
    assert str(Cursor("0a1b2c3d", 42)) == "0a1b2c3d-42"
