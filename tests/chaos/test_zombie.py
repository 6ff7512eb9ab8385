"""A worker that stops for longer than its lease and wakes up again: nothing it then writes is taken."""

import asyncio
import signal
import time
from typing import Any, Final

import httpx
from chaos_crew import Crew, Member
from chaos_human import deciding, if_not_done
from chaos_points import Plan
from chaos_readers import Reader, check_whole, differences
from redis.asyncio import Redis

from signalbox.db import Database
from signalbox.stream.log import EventLog

# Where a worker falls asleep: in mid-stream, in mid-effect, before each thing it could write.
SLEEPS: Final = {
    "append.before": 12,
    "model.inside": 1,
    "commit_tool_result.before": 1,
    "chaos_count_again.inside": 1,
    "commit_model_turn.before": 1,
    "intend.before": 1,
    "ask.before": 1,
    "park.before": 1,
    "finish.before": 1,
    "append_complete.before": 1,
}
# By the store, by the log, and by what a worker does to its own run once it learns that it has lost it.
REFUSALS: Final = {"Fenced", "FencedOff", "AlreadyClosed", "CancelledError"}
SETTLE_S: Final = 1.0
NOTED_LATER: Final = ["told", "learn_tries", "learn_begun"]
# Leases of a second run out by themselves on a busy machine: nobody gives a run up for that.
ATTEMPTS: Final = 100


async def test_a_worker_that_wakes_up_after_its_lease_changes_nothing_and_works_on(
    crew: Crew, http: httpx.AsyncClient, database: Database, redis: Redis, free_port
):
    api = await crew.api(free_port())
    async with deciding(database, redis, if_not_done(crew.diary)):

        async def ask(message: str) -> Reader:
            response = await http.post(f"{api.url}/v1/chat", json={"message": message})
            return Reader(http, lambda: api.url, response.json()["run_id"], hangs_up=False)

        # One run each: none has room for what another one drops.
        zombies = {
            point: await crew.worker(Plan({point: nth}, "stop"), max_runs=1, max_attempts=ATTEMPTS)
            for point, nth in SLEEPS.items()
        }
        readers = [await ask("/chaos once ask") for _ in SLEEPS]
        await _all_asleep(crew, len(SLEEPS))
        healthy = await crew.worker(lease_s=30, max_attempts=ATTEMPTS)
        async with asyncio.timeout(180):
            await asyncio.gather(*(reader.read() for reader in readers))
        for reader in readers:
            check_whole(reader.events)
            assert reader.events[-1].data["status"] == "succeeded"
        run_ids = [reader.run_id for reader in readers]
        before = await _written(database, redis, run_ids)

        for zombie in zombies.values():
            zombie.strike(signal.SIGCONT)
        await _all_refused(crew, zombies)
        await asyncio.sleep(SETTLE_S)  # whatever else they would write, they would by now
        assert list(differences(before, await _written(database, redis, run_ids))) == []

        # Those who were asleep are all that is left to work.
        healthy.strike()
        assert all(zombie.alive for zombie in zombies.values())
        again = [await ask("/chaos") for _ in SLEEPS]
        async with asyncio.timeout(180):
            await asyncio.gather(*(reader.read() for reader in again))
        assert {reader.events[-1].data["status"] for reader in again} == {"succeeded"}


async def _all_asleep(crew: Crew, number: int) -> None:
    async with asyncio.timeout(180):
        while len(crew.diary.read("stop")) < number:  # noqa: ASYNC110 - other processes write it
            await asyncio.sleep(0.05)


async def _all_refused(crew: Crew, zombies: dict[str, Member]) -> None:
    """Every zombie tries what it was about to do, and is told no."""
    give_up = time.monotonic() + 120
    refused: dict[int, set[str]] = {}
    while any(not refused.get(zombie.pid) for zombie in zombies.values()):
        assert time.monotonic() < give_up, f"not refused: {[p for p, z in zombies.items() if not refused.get(z.pid)]}"
        await asyncio.sleep(0.05)
        for entry in crew.diary.read("refused"):
            refused.setdefault(entry["pid"], set()).update({entry["error"]} & REFUSALS)
    assert {"Fenced", "FencedOff"} <= set.union(*refused.values()), "both the store and the log refuse"


async def _written(database: Database, redis: Redis, run_ids: list[str]) -> list[Any]:
    """All that the store and the log hold of these runs."""
    found: list[Any] = []
    for table in ("run", "run_step", "effect", "approval", "message"):
        # Whether a run's readers were told of its end, and whether its message was looked through for facts, is noted
        # by whoever looks after them, when they come to it.
        rows = await database.fetch(
            f"SELECT to_jsonb(t) - %s::text[] AS row FROM {table} AS t WHERE run_id = ANY(%s) ORDER BY 1",
            (NOTED_LATER, run_ids),
        )
        found.append([row["row"] for row in rows])
    for row in found[0]:
        meta, stream = EventLog.keys(row["conversation_id"])
        found += [await redis.hgetall(meta), await redis.xrange(stream)]
    return found
