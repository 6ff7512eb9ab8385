"""Runs that nobody takes are told apart from runs that have to wait."""

import asyncio
from dataclasses import replace

import pytest
import structlog
from kept import keep_run
from pydantic import SecretStr

from live import serving
from signalbox.db import Database
from signalbox.runs import retention
from signalbox.runs.queue import NO_WORKER, PATIENCE_S, SAY_EVERY_S, Queue, QueueWatch
from signalbox.services import open_services


@pytest.fixture
async def alone(apart):
    """A queue without what other tests left in it, where no other server takes runs."""
    await emptied(apart)
    yield apart
    await emptied(apart)


async def emptied(db: Database) -> None:
    async with db.transaction() as conn:
        await retention.erase(conn)
        await conn.execute("DELETE FROM conversation")


class Seen(QueueWatch):
    """Can be waited for."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self._looks = 0
        self._more = asyncio.Event()

    async def look(self) -> Queue:
        try:
            return await super().look()
        finally:
            self._looks += 1
            self._more.set()

    async def looks(self, number: int) -> None:
        """Until it has begun and ended so many more."""
        wanted = self._looks + number + 1  # one may be on its way
        async with asyncio.timeout(30):
            while self._looks < wanted:
                self._more.clear()
                await self._more.wait()


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


async def test_a_run_that_nobody_takes_is_told_from_one_that_has_to_wait(alone, clock):
    watch = QueueWatch(alone, clock=clock)
    assert await watch.look() == Queue(0, 0, 0, stalled=False)
    run = await keep_run(alone, status="pending", finished=None)
    first = await watch.look()
    assert (first.pending, first.running, first.stalled) == (1, 0, False), "old, yet it may be here since a moment ago"
    assert first.oldest_s > 86_400
    clock.now += PATIENCE_S
    assert (await watch.look()).stalled
    going = await keep_run(alone, status="running", finished=None)
    assert (await watch.look()).stalled, "a worker whose lease ran out is none"
    await alone.execute("UPDATE run SET lease_until = now() + interval '1 minute' WHERE run_id = %s", (going,))
    busy = await watch.look()
    assert (busy.pending, busy.running, busy.stalled) == (1, 1, False)
    await alone.execute("UPDATE run SET status = 'succeeded' WHERE run_id = ANY(%s)", ([run, going],))
    await keep_run(alone, status="pending", finished=None)
    clock.now += PATIENCE_S
    assert not (await watch.look()).stalled, "another run than the one before"


async def test_what_waits_for_an_earlier_message_does_not_wait_for_a_worker(alone, clock):
    first = await keep_run(alone, status="running", finished=None)
    await keep_run(alone, status="pending", finished=None, conversation=f"c_{first}")
    watch = QueueWatch(alone, clock=clock)
    for _ in range(2):
        found = await watch.look()
        assert (found.pending, found.oldest_s, found.stalled) == (1, 0, False)
        clock.now += PATIENCE_S


def warnings(said: list) -> list[dict]:
    """Without what servers of other tests say."""
    return [line for line in said if line["event"] in {NO_WORKER, "the queue of runs cannot be seen"}]


async def test_who_keeps_looking_knows_since_when_nobody_has_taken_it_and_says_so_now_and_then(alone, clock):
    watch = Seen(alone, clock=clock)
    run = await keep_run(alone, status="pending", finished=None)
    with structlog.testing.capture_logs() as said:
        looking = asyncio.create_task(watch.keep_looking(every_s=0))
        await watch.looks(1)
        assert warnings(said) == []
        clock.now += PATIENCE_S
        assert not (await QueueWatch(alone, clock=clock).look()).stalled, "who has only just begun to look cannot know"
        assert (await watch.look()).stalled
        await watch.looks(2)
        assert [(line["event"], line["pending"]) for line in warnings(said)] == [(NO_WORKER, 1)]
        clock.now += SAY_EVERY_S
        await watch.looks(2)
        assert len(warnings(said)) == 2
        await alone.execute("UPDATE run SET status = 'succeeded' WHERE run_id = %s", (run,))
        await watch.looks(1)
        await keep_run(alone, status="pending", finished=None)
        await watch.looks(1)
        clock.now += PATIENCE_S
        await watch.looks(1)
        assert len(warnings(said)) == 3, "a new trouble is said at once"
        looking.cancel()


async def test_a_queue_that_cannot_be_seen_is_said_once_in_a_while(clock):
    gone = Database("postgresql://nobody@127.0.0.1:1/none", size=1, wait_s=0.05)
    await gone.open()
    watch = Seen(gone, clock=clock)
    with structlog.testing.capture_logs() as said:
        looking = asyncio.create_task(watch.keep_looking(every_s=0))
        await watch.looks(1)
        looking.cancel()
    await gone.close()
    (warning,) = warnings(said)
    assert "StoreUnavailable" not in warning["error"], "the cause is named"


async def test_an_api_only_server_says_that_no_worker_takes_runs(alone, settings, clock):
    settings = settings.model_copy(update={"max_runs": 0, "database_url": SecretStr(alone.dsn)})
    watch = QueueWatch(alone, clock=clock)
    async with (
        open_services(settings) as services,
        serving(settings, replace(services, queue=watch)) as server,
        server.user() as user,
    ):
        run = (await user.post("/v1/chat", json={"message": "anybody there?"})).json()
        assert (await user.get("/readyz")).json()["warnings"] == []
        clock.now += PATIENCE_S
        response = await user.get("/readyz")
        body = response.json()
        assert (response.status_code, body["status"], body["warnings"]) == (200, "ready", [NO_WORKER])
        assert (body["queue"]["pending"], body["queue"]["running"]) == (1, 0)
        assert (await user.post(f"/v1/runs/{run['run_id']}/cancel")).status_code < 300
