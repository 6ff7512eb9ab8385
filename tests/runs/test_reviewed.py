"""Effects begun before the first step, workers that lose a run in mid-effect, cancels in mid-commit, and their kin."""

import asyncio
import secrets
from datetime import UTC, datetime, timedelta

import pytest

from signalbox.agents.budget import Budget, RunBudget
from signalbox.errors import ProviderCut
from signalbox.events import Thinking
from signalbox.llm.base import ModelRequest, TextDelta
from signalbox.llm.scripted import ScriptedModel
from signalbox.llm.tokens import TokenRatios
from signalbox.memory.profile import Owner
from signalbox.runs import statements
from signalbox.runs.claims import ClaimStore
from signalbox.runs.journal import RunJournal
from signalbox.runs.recorded import RecordedModel
from signalbox.runs.records import Begin, NewRun, RunRow, StartedRun
from signalbox.runs.replay import Replay
from signalbox.runs.retention import erase
from signalbox.runs.steps import Hold, Step, StepStore
from signalbox.runs.store import RunStore
from signalbox.runs.takeover import _decoded
from signalbox.stream.hub import Hub
from signalbox.stream.log import EventLog
from signalbox.stream.writer import Appender, RunWriter
from signalbox.tools.journal import AsIs, Call

OWNER = Owner("t", "reviewer")
WAITS = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


class Halted(Exception):
    pass


async def new_run(database, *, conversation=None, status="running", **columns) -> str:
    run = f"r_{secrets.token_hex(6)}"
    conversation = conversation or f"c_{run}"
    await database.execute(
        "INSERT INTO conversation (conversation_id, tenant, user_id) VALUES (%s, 't', 'reviewer') "
        "ON CONFLICT DO NOTHING",
        (conversation,),
    )
    told = {
        "run_id": run,
        "conversation_id": conversation,
        "tenant": "t",
        "user_id": "reviewer",
        "user_message_id": f"m_{run}",
        "status": status,
        "request_digest": "",
        "started_at": datetime.now(UTC),
        "lease_until": datetime.now(UTC) + timedelta(seconds=60),
        **columns,
    }
    names, places = ", ".join(told), ", ".join(["%s"] * len(told))
    await database.execute(f"INSERT INTO run ({names}) VALUES ({places})", tuple(told.values()))
    await database.execute(
        "INSERT INTO message (message_id, conversation_id, run_id, tenant, user_id, role, content) "
        "VALUES (%s, %s, %s, 't', 'reviewer', 'user', 'hello')",
        (f"m_{run}", conversation, run),
    )
    return run


async def waits_for_a_lock(database) -> None:
    """Until some statement does, in this database: servers of other tests have theirs."""
    async with asyncio.timeout(30):
        while not await database.fetch(WAITS):  # noqa: ASYNC110 - it is PostgreSQL's
            await asyncio.sleep(0.02)


@pytest.fixture(autouse=True)
async def _none_left(database):
    """No server of another test is to take these runs up."""
    yield
    async with database.transaction() as conn:
        await erase(conn)
        await conn.execute("DELETE FROM conversation WHERE user_id = 'reviewer'")


@pytest.fixture
async def journal(database, redis):
    """Makes journals: of a run, with what is known of it by now, and with what ends its attempt."""
    log = EventLog(redis, buffer_ttl_s=60, buffer_events=1_000)
    hub = Hub(log, redis, heartbeat_s=5, send_timeout_s=5)
    appender = Appender(log, hub)
    ships = asyncio.create_task(appender.run())

    async def raising(reason: str):
        raise Halted(reason)

    async def made(run: str, *, token: int = 1, halt=raising) -> RunJournal:
        history = await StepStore(database).history(run)
        writer = RunWriter(appender, conversation_id=f"c_{run}", run_id=run, fence=token, floor=None)
        return RunJournal(
            hold=Hold(run, token, 1),
            store=StepStore(database),
            writer=writer,
            halt=halt,
            approval_s=60,
            history=history,
            replay=None,
        )

    yield made
    ships.cancel()
    await log.close()


def booking(kind: str = "non_idempotent") -> Call:
    return Call("1/book/1", "book", kind, {"day": "friday"})


async def test_an_effect_begun_before_any_step_was_recorded_is_asked_about(database, journal):
    run = await new_run(database)
    done = []

    async def killed(arguments, key):
        done.append(key)
        raise Halted("killed")

    with pytest.raises(Halted, match="killed"):
        await (await journal(run)).effect(booking(), killed, AsIs())
    with pytest.raises(Halted, match="waiting"):
        await (await journal(run)).effect(booking(), killed, AsIs())
    assert len(done) == 1
    asked = await database.fetch("SELECT risk, decision FROM approval WHERE run_id = %s", (run,))
    assert len(asked) == 1
    assert "may have happened already" in asked[0]["risk"]


@pytest.mark.parametrize("kind", ["idempotent", "non_idempotent"])
async def test_what_led_to_an_effect_is_recorded_before_it_begins(database, journal, kind):
    run = await new_run(database)
    found = []

    async def look(arguments, key):
        found.extend(await database.fetch("SELECT position FROM run_step WHERE run_id = %s", (run,)))
        return {}

    mine = await journal(run)
    mine.note(Step("route/intent/1", "decision", {"result": {}}, datetime.now(UTC)))
    await mine.effect(booking(kind), look, AsIs())
    assert [row["position"] for row in found] == ["route/intent/1"]
    kept = await database.fetch("SELECT seq, position FROM run_step WHERE run_id = %s ORDER BY seq", (run,))
    assert [(row["seq"], row["position"]) for row in kept] == [(1, "route/intent/1"), (2, "1/book/1")]


@pytest.mark.parametrize("how", ["taken over", "deleted"])
@pytest.mark.parametrize("kind", ["idempotent", "non_idempotent"])
async def test_a_worker_that_loses_its_run_in_mid_effect_stops(database, journal, kind, how):
    """It waits for the effect's end, which must not wait for it in turn."""
    run = await new_run(database)
    reasons: list[str] = []

    async def halt(reason: str):  # as the runner does it
        reasons.append(reason)
        task.cancel()
        await asyncio.get_running_loop().create_future()

    async def lose(arguments, key):
        if how == "taken over":
            await database.execute("UPDATE run SET lease_token = 2 WHERE run_id = %s", (run,))
        else:
            async with database.transaction() as conn:
                await erase(conn)
                await conn.execute("DELETE FROM conversation WHERE conversation_id = %s", (f"c_{run}",))
        return {}

    task = asyncio.create_task((await journal(run, halt=halt)).effect(booking(kind), lose, AsIs()))
    await asyncio.wait([task], timeout=30)
    assert task.cancelled()
    assert reasons == ["fenced"]
    assert not await database.fetch("SELECT 1 FROM run_step WHERE run_id = %s", (run,))


async def test_no_effect_begins_once_the_runs_end_was_asked_for(database, journal):
    """The announcement has not come yet, but the user was told that the run will stop."""
    run = await new_run(database, cancel_requested=True)
    done = []

    async def note(arguments, key):
        done.append(key)
        return {}

    with pytest.raises(Halted, match="cancelled"):
        await (await journal(run)).effect(booking(), note, AsIs())
    assert not done
    assert not await database.fetch("SELECT 1 FROM effect WHERE run_id = %s", (run,))


async def test_a_cancel_in_the_middle_of_a_commit_leaves_the_journal_whole(database, journal):
    """A caller's time limit cancels a call whose step is just being written; the run goes on with another."""
    run = await new_run(database)
    mine = await journal(run)
    async with database.transaction() as conn:
        await conn.execute("SELECT 1 FROM run WHERE run_id = %s FOR UPDATE", (run,))
        first = asyncio.create_task(mine.commit(Step("1/look/1", "tool_result", {"result": 1}, datetime.now(UTC))))
        await waits_for_a_lock(database)
        first.cancel()
        await asyncio.sleep(0.05)
    with pytest.raises(asyncio.CancelledError):
        await first
    await mine.commit(Step("1/look/2", "tool_result", {"result": 2}, datetime.now(UTC)))
    kept = await database.fetch("SELECT seq, position FROM run_step WHERE run_id = %s ORDER BY seq", (run,))
    assert [(row["seq"], row["position"]) for row in kept] == [(1, "1/look/1"), (2, "1/look/2")]


async def test_a_turn_that_broke_off_breaks_off_at_the_same_place_when_it_is_told_again(database, journal):
    run = await new_run(database)
    request = ModelRequest("answer", (), "")
    model = ScriptedModel({"": ["Half of ", "it", ProviderCut()]})

    async def heard(recorded: RecordedModel) -> str:
        text = ""
        try:
            async for item in recorded.stream(request):
                assert isinstance(item, TextDelta)
                text += item.text
        except ProviderCut:
            return text
        pytest.fail("it did not break off")

    first = await heard(RecordedModel(model, await journal(run)))
    again = await heard(RecordedModel(model, await journal(run)))
    assert first == again == "Half of it"
    assert len(model.requests) == 1


async def test_a_worker_that_dies_in_its_first_answer_leaves_the_budget_that_it_went_by(database, journal):
    run = await new_run(database)
    learnt = TokenRatios()
    learnt.learn("m", guessed=1_000, reported=1_300)
    first = await RunBudget(Budget(prompt=3_000), "m", await journal(run), learnt).settled()
    elsewhere = RunBudget(Budget(prompt=500, window=4_096), "m", await journal(run), TokenRatios())
    assert await elsewhere.settled() == first
    assert first.ratio == 1.3


def test_events_of_a_newer_version_in_a_step_do_not_fail_the_run():
    thinking = Thinking(stage="intent", label="Working").model_dump(mode="json")
    step = Step("p", "decision", {}, datetime.now(UTC), events=({"type": "hologram", "depth": 3}, thinking))
    told = list(_decoded([step]))
    assert [event.type for event in told] == ["thinking"]
    assert Replay(told).heard(told[0]) == []


async def test_a_run_that_killed_its_buriers_is_dead_whatever_the_limit_is_by_now(database):
    """The limit of attempts was raised by a deploy after the run had used up the old one."""
    past = datetime.now(UTC) - timedelta(seconds=5)
    run = await new_run(database, burials=2, attempt=5, lease_until=past)
    await ClaimStore(database, lease_owner="w", lease_s=5).bury()
    row = await database.fetch_one("SELECT status, error_code FROM run WHERE run_id = %s", (run,))
    assert row == {"status": "dead", "error_code": "run_dead"}


async def test_whoever_ends_a_rolled_back_runs_stream_knows_what_was_taken_back(database):
    past = datetime.now(UTC) - timedelta(seconds=5)
    run = await new_run(database, status="cancelled", finished_at=past, told=False, rolled_back=True)
    orphans = await ClaimStore(database, lease_owner="w", lease_s=5).untold(1, limit=10_000)
    assert next(orphan for orphan in orphans if orphan.run_id == run).retracted == f"m_{run}"


async def test_history_does_not_change_when_a_waiting_run_before_ends(database):
    waiting = await new_run(database, status="waiting")
    run = await new_run(database, conversation=f"c_{waiting}")

    async def history():
        row = await database.fetch_one("SELECT * FROM run WHERE run_id = %s", (run,))
        loaded = await database.fetch_one(
            statements.LOAD, {**statements.CONTEXT_LIMITS, **row, "started": row["started_at"]}
        )
        return loaded["history"]

    before = await history()
    await database.execute(
        "UPDATE run SET status = 'succeeded', intent = 'salary', finished_at = clock_timestamp() WHERE run_id = %s",
        (waiting,),
    )
    assert await history() == before != []


async def test_a_run_whose_predecessor_ends_while_it_is_stored_reads_its_history_anew(database):
    """The statement that stores it saw the other one going on, so the other's answer is missing from what it read."""
    earlier = await new_run(database)
    new = NewRun(OWNER, "and then?", f"c_{earlier}")
    store = RunStore(database, lease_owner="w", lease_s=5)
    async with database.transaction() as conn:
        await conn.execute("UPDATE conversation SET title = 'x' WHERE conversation_id = %s", (f"c_{earlier}",))
        await conn.execute("UPDATE run SET status = 'succeeded', finished_at = now() WHERE run_id = %s", (earlier,))
        started = asyncio.create_task(store.start(new, Begin(here=True, per_user=10_000, model="m", pins="p")))
        await waits_for_a_lock(database)
    row = await started
    assert isinstance(row, RunRow)
    assert (row.status, row.ahead) == ("pending", ())
    assert isinstance(await store.start(NewRun(OWNER, "hello", None), Begin(True, 10_000, "m", "p")), StartedRun)
