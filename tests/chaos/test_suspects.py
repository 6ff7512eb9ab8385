"""Runs that have lost worker after worker are kept apart, so that a deadly one takes no other with it to its end."""

import pytest
from chaos_crew import Crew

from signalbox.db import Database
from signalbox.memory.profile import Owner
from signalbox.runs.claims import Claim, ClaimStore
from signalbox.runs.store import Begin, NewRun, RunStore

CLAIM = Claim(room=10, per_user=10, attempts=5, model="scripted", pins="")


async def lost_runs(database: Database, number: int, attempt: int) -> list[str]:
    """Runs whose worker has died at that attempt."""
    store = RunStore(database, lease_owner="dead", lease_s=1)
    begun = [
        await store.start(NewRun(Owner("default", "eve"), "/chaos", None), Begin(True, 1_000, "", ""))
        for _ in range(number)
    ]
    run_ids = [run.run_id for run in begun]
    await database.execute(
        "UPDATE run SET attempt = %s, lease_until = now() - interval '1 s' WHERE run_id = ANY(%s)", (attempt, run_ids)
    )
    return run_ids


def worker(database: Database, name: str) -> ClaimStore:
    return ClaimStore(database, lease_owner=name, lease_s=60)


async def claimed(claims: ClaimStore) -> list[str]:
    runs, _ = await claims.claim(CLAIM)
    return [run.run_id for run in runs]


@pytest.mark.usefixtures("crew")  # it tidies up
async def test_a_worker_takes_all_that_lost_one_worker_at_once(database: Database):
    lost = await lost_runs(database, 4, attempt=1)
    assert sorted(await claimed(worker(database, "first"))) == sorted(lost)


@pytest.mark.usefixtures("crew")
async def test_what_has_lost_many_workers_is_taken_one_by_one_and_fresh_runs_go_beside_it(
    crew: Crew, database: Database
):
    suspects = await lost_runs(database, 3, attempt=3)
    first, second = worker(database, "first"), worker(database, "second")
    mine = await claimed(first)
    assert len(mine) == 1
    assert await claimed(first) == []
    fresh = await lost_runs(database, 2, attempt=1)
    assert sorted(await claimed(first)) == sorted(fresh)
    theirs = await claimed(second)
    assert len(theirs) == 1
    assert {*mine, *theirs} < set(suspects)
    await database.execute("UPDATE run SET status = 'succeeded', finished_at = now() WHERE run_id = %s", (mine[0],))
    assert {*mine, *theirs, *await claimed(first)} == set(suspects)
