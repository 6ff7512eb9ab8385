"""The operator's shell: what runs did, and starting them again."""

import asyncio
import json

import pytest
from kept import keep_run, left_of
from psycopg.types.json import Json
from typer.testing import CliRunner

from signalbox.cli import app
from signalbox.errors import BadRequest, ConfigurationError, NotFound
from signalbox.runs import retention
from signalbox.runs.story import RunStories, shortened
from signalbox.stream.hub import CONTROL
from signalbox.stream.log import EventLog


@pytest.fixture
def database(apart):
    return apart


@pytest.fixture
async def signalbox(apart, servers, data_dir, monkeypatch):
    """Calls the command line on a database where no server takes runs; returns all it printed."""
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", apart.dsn)
    monkeypatch.setenv("SIGNALBOX_REDIS_URL", servers.redis_url)
    monkeypatch.setenv("SIGNALBOX_DATA_DIR", str(data_dir))

    async def call(*words: str) -> str:
        result = await asyncio.to_thread(CliRunner().invoke, app, list(words))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    yield call
    async with apart.transaction() as conn:
        await retention.erase(conn)
        await conn.execute("DELETE FROM conversation")


async def test_a_list_holds_every_users_runs_and_can_be_narrowed(database, signalbox):
    mine = await keep_run(database, user="ada")
    other = await keep_run(database, user="bob", status="dead", error="run_dead")
    lines = (await signalbox("runs", "list")).splitlines()
    assert lines[0].split()[:3] == ["run", "status", "try"]
    assert [line.split()[0] for line in lines[1:3]] == [other, mine], "newest first, ids whole"
    assert "run_dead: It stopped." in lines[1]
    assert "write to jane" in lines[2]
    assert mine not in await signalbox("runs", "list", "--dead")
    assert mine in await signalbox("runs", "list", "--user", "ada", "--status", "succeeded")
    assert other not in await signalbox("runs", "list", "--user", "ada")
    found = json.loads(await signalbox("runs", "list", "--limit", "1", "--json"))
    assert [(run["run_id"], run["user_id"], run["steps"]) for run in found] == [(other, "bob", 6)]
    assert "no such runs" in await signalbox("runs", "list", "--user", "nobody-of-this-name")


async def test_a_run_is_shown_as_the_story_it_is(database, signalbox):
    run = await keep_run(database, message="write to \x1b]0;jane")
    shown = await signalbox("runs", "show", run)
    for part in (
        f"run:          {run}", "status:       succeeded", "user:         someone (tenant t)", "worker:       host-1",
        "routed to cold_email: cold_email at 0.98 by model",
        'find_company(name="Northwind") -> nothing found: no company of that name is on record',
        'llama: answer (120 tokens in, 30 out) "Here is a mail. Dear �[31mJane" [req-7]',
        'asked whether to send_email (to=["jane@example.com"], subject="Hello")',
        'the user\'s answer: edited with subject="Hi" (shorter)',
        'send_email(to=["jane@example.com"], subject="Hello") -> ok ({"to": 1})',
        f"key-{run}", "irreversible  intended", f"ap_{run}",
    ):  # fmt: skip
        assert part in shown, part
    assert "\x1b" not in shown, "nothing of a user's text moves the operator's terminal"
    order = [shown.index(f"\n{seq}    ") for seq in range(1, 7)]
    assert order == sorted(order)
    told = json.loads(await signalbox("runs", "show", run, "--json"))
    assert [step["kind"] for step in told["steps"]] == [
        "decision", "tool_result", "model_turn", "approval", "decision", "tool_result",
    ]  # fmt: skip
    assert told["steps"][2]["payload"]["result"]["text"].endswith("\x1b[31mJane"), "JSON holds the whole payload"
    assert (told["effects"][0]["status"], told["approvals"][0]["decision"]) == ("intended", "edited")


async def test_what_is_not_there_is_said(database, signalbox):
    with pytest.raises(NotFound, match="no run 'r_nothing'"):
        await signalbox("runs", "show", "r_nothing")
    with pytest.raises(NotFound):
        await signalbox("runs", "requeue", "r_nothing")
    with pytest.raises(NotFound):
        await signalbox("runs", "show", "\udcff")  # as Python has bytes of the shell that are no text
    assert "no such runs" in await signalbox("runs", "list", "--user", "\udcff")
    with pytest.raises(ConfigurationError, match="not a status"):
        await signalbox("runs", "list", "--status", "asleep")
    with pytest.raises(ConfigurationError, match="contradict"):
        await signalbox("runs", "list", "--status", "failed", "--dead")
    with pytest.raises(ConfigurationError, match="--all-dead"):
        await signalbox("runs", "requeue")
    with pytest.raises(ConfigurationError, match="not an age"):
        await signalbox("prune", "--older-than", "a week")


async def test_a_temporary_conversations_message_is_not_shown(database, signalbox):
    run = await keep_run(database, temporary=True)
    assert "write to jane" not in (await signalbox("runs", "show", run)).split("Steps")[0]
    assert "write to jane" not in await signalbox("runs", "list", "--limit", "1")


async def test_dead_runs_are_going_and_workers_are_told(database, signalbox, redis):
    dead = [await keep_run(database, status="dead", error="run_dead") for _ in range(3)]
    over = await keep_run(database)
    pubsub = redis.pubsub()
    await pubsub.subscribe(CONTROL)
    assert f"{dead[0]} waits for a worker." in await signalbox("runs", "requeue", dead[0])
    async with asyncio.timeout(30):
        while (await pubsub.get_message(timeout=5) or {}).get("data") != b"work:":
            pass
    await pubsub.aclose()
    with pytest.raises(BadRequest, match=f"{over} is succeeded"):
        await signalbox("runs", "requeue", over, dead[1])
    rest = await signalbox("runs", "requeue", "--all-dead")
    assert dead[2] in rest
    assert dead[1] not in rest, "it was requeued although another one was refused"
    stories = RunStories(database)
    assert [(await stories.line(run)).status for run in dead] == ["pending"] * 3
    assert (await stories.line(dead[0])).error_code is None


async def test_a_dead_run_whose_steps_are_gone_is_not_run_anew(database, signalbox):
    run = await keep_run(database, status="dead", error="run_dead")
    assert "runs 1, steps 6" in await signalbox("prune", "--older-than", "7300d")
    assert await left_of(database, run) == {"runs": 1, "messages": 1, "steps": 0, "effects": 0, "approvals": 0}
    with pytest.raises(BadRequest, match="pruned"):
        await signalbox("runs", "requeue", run)
    assert run not in await RunStories(database).dead()
    assert "They were pruned." in await signalbox("runs", "show", run)


async def test_pruning_can_be_tried_first(database, signalbox):
    run = await keep_run(database)
    assert (
        "Would be pruned (--dry-run, nothing was changed): runs 1, steps 6, effects 1, approvals 1"
        in await signalbox("prune", "--older-than", "7300d", "--dry-run")
    )
    assert "runs 0" in await signalbox("prune", "--older-than", "999999d", "--dry-run"), "nothing is that old"
    assert (await left_of(database, run))["steps"] == 6


async def test_why_a_run_has_no_steps_is_said(database, signalbox):
    async def without_steps(**columns) -> str:
        run = await keep_run(database, **columns)
        async with database.transaction() as conn:
            await retention.erase(conn)
            await conn.execute("DELETE FROM run_step WHERE run_id = %s", (run,))
        return await signalbox("runs", "show", run)

    assert "None: it needed nothing from outside." in await without_steps()
    assert "None yet." in await without_steps(status="running", finished=None)
    never = await keep_run(database, status="cancelled")
    await database.execute("UPDATE run SET started_at = NULL WHERE run_id = %s", (never,))
    assert (await RunStories(database).line(never)).why_no_steps == "None: it ended before anybody began it."


async def test_a_refused_approval_is_no_look_up_that_failed(database, signalbox):
    run = await keep_run(database)
    no = {"status": "error", "kind": "rejected", "note": "you did not approve it: not now"}
    await database.execute(
        "INSERT INTO run_step (run_id, seq, kind, position, payload, attempt, began_at) "
        "VALUES (%s, 7, 'tool_result', '1/send_email/2', %s, 1, now())",
        (run, Json({"tool": "send_email", "arguments": {}, "result": no})),
    )
    assert "send_email() -> rejected: you did not approve it: not now" in await signalbox("runs", "show", run)


async def test_any_users_run_can_be_cancelled(database, signalbox):
    waiting = await keep_run(database, status="waiting", finished=None)
    assert f"{waiting} is cancelled." in await signalbox("runs", "cancel", waiting)
    assert (await RunStories(database).line(waiting)).status == "cancelled"
    with pytest.raises(BadRequest, match="is over: cancelled"):
        await signalbox("runs", "cancel", waiting)
    going = await keep_run(database, status="running", finished=None)
    assert "was told to stop" in await signalbox("runs", "cancel", going)
    assert (await RunStories(database).line(going)).cancel_requested


async def test_readers_of_a_cancelled_run_learn_that_its_question_is_closed(database, signalbox, redis):
    run = await keep_run(database, status="waiting", finished=None)
    await database.execute("UPDATE approval SET decision = NULL WHERE run_id = %s", (run,))
    await signalbox("runs", "cancel", run)
    log = EventLog(redis, buffer_ttl_s=60, buffer_events=100)
    page = await log.read(f"c_{run}", None, run_id=run)
    await log.close()
    assert page is not None
    told = [json.loads(entry.json(f"c_{run}")) for entry in page.entries]
    assert [(event["type"], event.get("decision") or event.get("status")) for event in told] == [
        ("approval_resolved", "rejected"), ("complete", "cancelled"),
    ]  # fmt: skip
    assert told[0]["approval_id"] == f"ap_{run}"


def test_long_values_are_cut_and_stay_on_one_line():
    assert shortened("a\n b") == "a b"
    assert shortened({"x": "y" * 200}, 20) == '{"x": "yyyyyyyyyyyy…'
    assert len(shortened("y" * 500)) == 100
