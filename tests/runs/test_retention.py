"""How old runs were worked on is forgotten, whole and alone; nothing else can remove a step."""

import asyncio
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from kept import ERA, STEPS, keep_run, left_of

from signalbox.errors import StoreUnavailable
from signalbox.memory.profile import Owner
from signalbox.runs import retention
from signalbox.runs.conversations import ConversationStore
from signalbox.runs.retention import Retention
from signalbox.stream.log import EventLog

WHOLE = {"runs": 1, "messages": 1, "steps": len(STEPS), "effects": 1, "approvals": 1}
BARE = {"runs": 1, "messages": 1, "steps": 0, "effects": 0, "approvals": 0}
# Runs of an era of their own: other tests' are all younger.
BEFORE = ERA + timedelta(days=1)


@pytest.fixture
async def clean(database):
    await cleaned(database)  # other tests leave runs of that era, too
    yield
    await cleaned(database)


async def cleaned(database):
    async with database.transaction() as conn:
        await retention.erase(conn)
        await conn.execute("DELETE FROM conversation WHERE tenant = 't'")
    await database.execute("DELETE FROM pinned WHERE digest LIKE 'pins-%%'")


@pytest.fixture
def kept(database, redis, clean):
    return Retention(database, redis)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE run_step SET payload = '{}' WHERE run_id = %s",
        "DELETE FROM run_step WHERE run_id = %s",
        "DELETE FROM run WHERE run_id = %s",
        "DELETE FROM conversation c USING run r WHERE r.conversation_id = c.conversation_id AND r.run_id = %s",
        "TRUNCATE run_step",
        "TRUNCATE run CASCADE",
    ],
)
async def test_a_step_can_neither_be_changed_nor_removed(database, clean, statement):
    run = await keep_run(database)
    with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
        await database.execute(statement, (run,) if "%s" in statement else ())
    assert await left_of(database, run) == WHOLE


async def test_even_who_erases_cannot_change_a_step_or_truncate(database, clean):
    run = await keep_run(database)
    for statement in (f"UPDATE run_step SET seq = seq + 10 WHERE run_id = '{run}'", "TRUNCATE run_step"):
        async with database.connection() as conn, conn.transaction(force_rollback=True):
            await retention.erase(conn)
            with pytest.raises(psycopg.errors.RestrictViolation):
                await conn.execute(statement)
    assert await left_of(database, run) == WHOLE


async def test_the_right_to_erase_ends_with_its_transaction(database, clean):
    run = await keep_run(database)
    async with database.connection() as conn:
        async with conn.transaction():
            await retention.erase(conn)
        with pytest.raises(psycopg.errors.RestrictViolation):
            await conn.execute("DELETE FROM run_step WHERE run_id = %s", (run,))


async def test_a_deleted_conversation_leaves_nothing_of_its_runs(database, clean):
    run = await keep_run(database, status="waiting", finished=None)
    other = await keep_run(database)
    await ConversationStore(database).delete(Owner("t", "someone"), f"c_{run}")
    assert set((await left_of(database, run)).values()) == {0}
    assert await left_of(database, other) == WHOLE


@pytest.mark.parametrize("status", ["succeeded", "failed", "cancelled", "dead"])
async def test_of_an_old_run_only_how_it_was_worked_on_is_forgotten(database, kept, status):
    run = await keep_run(database, status=status)
    assert (await kept.prune(BEFORE)).runs == 1
    assert await left_of(database, run) == BARE
    row = await database.fetch_one("SELECT status, pins, profile, model FROM run WHERE run_id = %s", (run,))
    assert dict(row) == {"status": status, "pins": None, "profile": None, "model": "llama"}


async def test_unfinished_and_younger_runs_are_not_touched(database, kept):
    going = [await keep_run(database, status=status, finished=None) for status in ("pending", "running", "waiting")]
    young = await keep_run(database, finished=BEFORE)
    pruned = await kept.prune(BEFORE)
    assert (pruned.runs, pruned.steps) == (0, 0)
    for run in (*going, young):
        assert await left_of(database, run) == WHOLE


async def test_a_count_changes_nothing_and_says_what_pruning_then_does(database, kept):
    digest = "pins-shared"
    await database.execute("INSERT INTO pinned (digest, bundle, created_at) VALUES (%s, '{}', %s)", (digest, ERA))
    runs = [await keep_run(database, pins=digest) for _ in range(3)]
    counted = await kept.count(BEFORE)
    assert await left_of(database, runs[0]) == WHOLE
    assert counted == await kept.prune(BEFORE)
    assert (counted.runs, counted.steps, counted.effects, counted.approvals) == (3, 3 * len(STEPS), 3, 3)
    assert (counted.logs, counted.bundles) == (3, 1)
    assert await kept.count(BEFORE) == await kept.prune(BEFORE) == retention.Pruned()


async def test_batches_are_told_and_none_is_left_out(database, kept, monkeypatch):
    monkeypatch.setattr(retention, "BATCH", 2)
    runs = [await keep_run(database) for _ in range(5)]
    told = []
    pruned = await kept.prune(BEFORE, lambda done: told.append(done.runs))
    assert (told, pruned.runs) == ([2, 4, 5], 5)
    for run in runs:
        assert await left_of(database, run) == BARE


async def test_two_processes_prune_at_once_and_count_each_run_once(database, kept, redis, monkeypatch):
    monkeypatch.setattr(retention, "BATCH", 3)
    for _ in range(12):
        await keep_run(database)
    found = await asyncio.gather(kept.prune(BEFORE), Retention(database, redis).prune(BEFORE))
    assert sum(pruned.runs for pruned in found) == 12
    assert sum(pruned.steps for pruned in found) == 12 * len(STEPS)


async def test_events_go_with_the_last_run_of_their_conversation(database, kept, redis):
    silent = await keep_run(database)
    alive = await keep_run(database)
    await keep_run(database, conversation=f"c_{alive}", status="waiting", finished=None)
    keys = {run: EventLog.keys(f"c_{run}") for run in (silent, alive)}
    for meta, stream in keys.values():
        await redis.hset(meta, "e", "00000000")
        await redis.xadd(stream, {"t": "x"}, id="1-0")
    assert (await kept.prune(BEFORE)).logs == 1
    assert await redis.exists(*keys[silent]) == 0
    assert await redis.exists(*keys[alive]) == 2
    await redis.delete(*keys[alive])


async def test_a_bundle_stays_while_a_run_or_a_process_needs_it(database, kept):
    old, now = ERA, datetime.now(UTC)
    for digest, moment in (("pins-unused", old), ("pins-waiting", old), ("pins-of-a-process", now)):
        await database.execute(
            "INSERT INTO pinned (digest, bundle, created_at) VALUES (%s, '{}', %s)", (digest, moment)
        )
    await keep_run(database, status="waiting", finished=None, pins="pins-waiting")
    assert (await kept.prune(BEFORE)).bundles == 1
    left = await database.fetch("SELECT digest FROM pinned WHERE digest LIKE 'pins-%%' ORDER BY digest")
    assert [row["digest"] for row in left] == ["pins-of-a-process", "pins-waiting"]


async def test_a_process_prunes_by_itself_and_survives_an_outage(database, kept):
    run = await keep_run(database)
    vouched = asyncio.Event()
    calls = 0

    async def vouch():
        nonlocal calls
        calls += 1
        if calls < 3:
            raise [StoreUnavailable, psycopg.errors.QueryCanceled][calls - 1]
        if calls == 4:
            vouched.set()

    keep = datetime.now(UTC) - BEFORE
    task = asyncio.create_task(kept.keep_pruning(keep, vouch, every_s=0.01))
    async with asyncio.timeout(30):
        await vouched.wait()
    task.cancel()
    assert await left_of(database, run) == BARE
