"""Runs that nobody takes are told apart from runs that have to wait."""

import asyncio
from dataclasses import replace

import pytest
import structlog
from kept import keep_run

from live import serving
from signalbox.runs import retention
from signalbox.runs.queue import NO_WORKER, PATIENCE_S, Queue, QueueWatch
from signalbox.services import open_services


@pytest.fixture
async def alone(database):
    """A queue without what other tests left in it."""
    await database.execute("UPDATE run SET status = 'cancelled' WHERE status IN ('pending', 'running')")
    yield database
    async with database.transaction() as conn:
        await retention.erase(conn)
        await conn.execute("DELETE FROM conversation WHERE tenant = 't'")


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


async def test_an_api_only_server_says_that_no_worker_takes_runs(alone, settings, clock):
    settings = settings.model_copy(update={"max_runs": 0})
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
        with structlog.testing.capture_logs() as said, pytest.raises(TimeoutError):
            await asyncio.wait_for(watch.keep_looking(every_s=0.01), 0.3)
        assert NO_WORKER in {line["event"] for line in said}
        assert (await user.post(f"/v1/runs/{run['run_id']}/cancel")).status_code < 300
