"""A conversation's summary over its life: when it is made, who wins, what takes it back, and which one a run reads."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from live import Live, ask, finished, left, live, read_until, serving
from signalbox.db import Database
from signalbox.llm.scripted import ScriptedModel
from signalbox.memory.conversation import PastMessage
from signalbox.memory.profile import Owner
from signalbox.memory.summarising import Said
from signalbox.memory.summary import ConversationSummary, Noted
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.runs.recorded import request_digest
from signalbox.runs.records import StartedRun
from signalbox.runs.summaries import Summariser, SummaryStore, Version, Window, due
from signalbox.services import Services, open_services
from signalbox.settings import Settings, load_settings
from two_processes import crash

REMOTE, PAY, SITE = "I only want remote jobs.", "I need at least £50k a year.", "On-site is fine now."
SMALL = Window(keep=2, batch=2)


@pytest.fixture(scope="module")
def settings(servers, apart, data_dir) -> Settings:
    return load_settings(
        data_dir=data_dir, database_url=apart.dsn, redis_url=servers.redis_url, model="scripted",
        secret_key="only-for-tests-only-for-tests", heartbeat_s=0.5, lease_s=10, grace_s=0,
    )  # fmt: skip


@pytest.fixture(scope="module")
async def server(settings) -> AsyncIterator[Live]:
    async with live(settings, model=ScriptedModel()) as running:
        yield running


@pytest.fixture
async def user(server: Live) -> AsyncIterator[httpx.AsyncClient]:
    async with server.user() as client:
        await client.get("/v1/conversations")
        yield client


@pytest.fixture(scope="module")
def vocabulary() -> SkillVocabulary:
    return SkillVocabulary.load()


async def talk(user: httpx.AsyncClient, services: Services, *messages: str, **body: Any) -> list[dict[str, Any]]:
    """Messages of one conversation, each answered before the next, with all that follows of them done."""
    runs: list[dict[str, Any]] = []
    for message in messages:
        started = await ask(user, f"/general {message}", **body)
        runs.append(started)
        body["conversation_id"] = started["conversation_id"]
        await finished(user, started["run_id"])
        await left(services, started["run_id"])
    await services.runner._afterwards.drain(60)
    return runs


async def shown(user: httpx.AsyncClient, conversation: str, **params: Any) -> dict[str, Any]:
    response = await user.get(f"/v1/conversations/{conversation}/summary", params=params)
    assert response.status_code == 200, response.text
    return response.json()


def constraints(summary: dict[str, Any]) -> list[str]:
    return [note["text"] for note in summary["summary"]["hard_constraints"]]


async def started_run(db: Database, conversation: str) -> StartedRun:
    """As the run that has just ended in this conversation would be handed on."""
    row = await db.fetch_one("SELECT tenant, user_id FROM conversation WHERE conversation_id = %s", (conversation,))
    assert row is not None
    return StartedRun(
        run_id="r_ended", conversation_id=conversation, owner=Owner(row["tenant"], row["user_id"]),
        message_id="m_ended", message="", lease_token=1, attempt=1, started_at=datetime.now(UTC), floor=None,
        temporary=False, history=(PastMessage(role="user", content="x"),) * 30, profile=(),
    )  # fmt: skip


def summariser(db: Database, vocabulary: SkillVocabulary, window: Window = SMALL, model=None) -> Summariser:
    chosen = model or ScriptedModel()
    return Summariser(SummaryStore(db), vocabulary, lambda _: chosen, window)


async def test_it_is_made_when_enough_turns_have_left_and_not_each_turn(server, user):
    runs = await talk(user, server.services, REMOTE, *(f"tell me more {number}" for number in range(8)))
    conversation = runs[0]["conversation_id"]
    none = await shown(user, conversation)
    assert (none["version"], none["versions"], none["summary"]["hard_constraints"]) == (0, [], [])
    await talk(user, server.services, PAY, conversation_id=conversation)
    first = await shown(user, conversation)
    assert (first["version"], first["made_by"]) == (1, "rules")
    assert constraints(first) == [REMOTE]
    (source,) = first["summary"]["hard_constraints"][0]["sources"]
    assert source.startswith("m_")
    assert first["changes"]["hard_constraints"]["added"][0]["text"] == REMOTE
    await talk(user, server.services, "and", "so", "on", conversation_id=conversation)
    assert (await shown(user, conversation))["version"] == 1
    await talk(user, server.services, SITE, "more", "more", conversation_id=conversation)
    assert (await shown(user, conversation))["versions"] == [1, 2]


async def test_only_its_owner_sees_it_and_every_version_can_be_asked_for(server, user, vocabulary):
    runs = await talk(user, server.services, REMOTE, "a", PAY, "b", SITE, "c", "d")
    conversation = runs[0]["conversation_id"]
    made = summariser(server.services.db, vocabulary, Window(keep=2, batch=2))
    store = SummaryStore(server.services.db)
    for upto in (2, 4, 6, 8):  # as if each had been made in its time
        before = await store.latest(conversation)
        found = (await store.since(conversation, before.upto, Window()))[:2]
        ruled = await asyncio.to_thread(_ruled, before, [said for _, said in found], vocabulary)
        assert (await store.store(conversation, before, ruled, found, f"rules {upto}")) is not None
    await made.after(await started_run(server.services.db, conversation))
    newest = await shown(user, conversation)
    assert newest["versions"] == [1, 2, 3, 4, 5]
    assert constraints(await shown(user, conversation, version=1)) == [REMOTE]
    assert constraints(await shown(user, conversation, version=3)) == [REMOTE, PAY]
    assert constraints(newest) == [PAY]
    fifth = await shown(user, conversation, version=5, since=1)
    assert [note["text"] for note in fifth["changes"]["hard_constraints"]["added"]] == [PAY]
    assert [note["text"] for note in fifth["changes"]["hard_constraints"]["removed"]] == [REMOTE]
    url = f"/v1/conversations/{conversation}/summary"
    for params, status in (
        ({"version": "9"}, 404), ({"version": "x"}, 400), ({"version": "-1"}, 400), ({"version": "9" * 40}, 400),
        ({"since": "9"}, 400), ({"version": "２"}, 400), ({"since": ""}, 400),
    ):  # fmt: skip
        assert (await user.get(url, params=params)).status_code == status, params
    async with server.user() as other:
        await other.get("/v1/conversations")
        assert (await other.get(url)).status_code == 404
        assert (await other.get(url, params={"version": 1})).status_code == 404
    assert (await user.get("/v1/conversations/c_none/summary")).status_code == 404


def _ruled(before: Version, said: list[Said], vocabulary: SkillVocabulary) -> ConversationSummary:
    from signalbox.memory.summarising import by_rules

    return by_rules(before.summary, said, vocabulary)


async def test_it_goes_with_its_conversation(server, user, vocabulary):
    runs = await talk(user, server.services, REMOTE, "a", "b")
    conversation = runs[0]["conversation_id"]
    await summariser(server.services.db, vocabulary).after(await started_run(server.services.db, conversation))
    assert (await shown(user, conversation))["version"] == 1
    assert (await user.delete(f"/v1/conversations/{conversation}")).status_code in {200, 204}
    rows = await server.services.db.fetch(
        "SELECT * FROM conversation_summary WHERE conversation_id = %s", (conversation,)
    )
    assert not rows


async def test_of_a_temporary_conversation_none_is_stored(server, user, vocabulary):
    runs = await talk(user, server.services, *[REMOTE, *"abcdefghijk"], temporary=True)
    conversation = runs[0]["conversation_id"]
    await summariser(server.services.db, vocabulary).after(await started_run(server.services.db, conversation))
    assert (await shown(user, conversation))["version"] == 0


async def test_of_those_who_make_the_same_version_one_wins(server, user, vocabulary):
    runs = await talk(user, server.services, REMOTE, "a", "b", "c")
    conversation = runs[0]["conversation_id"]
    run = await started_run(server.services.db, conversation)
    await asyncio.gather(*(summariser(server.services.db, vocabulary).after(run) for _ in range(6)))
    assert (await shown(user, conversation))["versions"] == [1]
    assert constraints(await shown(user, conversation)) == [REMOTE]


class Hanging(ScriptedModel):
    """Asked for anything, it is silent until it is given up."""

    def __init__(self) -> None:
        super().__init__({"": [3600.0]}, instructable=True)


async def test_one_that_was_lost_with_its_process_is_made_after_the_next_run(server, user, vocabulary):
    runs = await talk(user, server.services, REMOTE, "a", "b")
    conversation = runs[0]["conversation_id"]
    run = await started_run(server.services.db, conversation)
    model = Hanging()
    dying = asyncio.create_task(summariser(server.services.db, vocabulary, model=model).after(run))
    async with asyncio.timeout(30):
        while not model.requests:  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(0.01)
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    assert (await shown(user, conversation))["version"] == 0
    await summariser(server.services.db, vocabulary).after(run)
    assert constraints(await shown(user, conversation)) == [REMOTE]


async def test_what_is_taken_back_takes_its_summaries_along_and_they_are_made_anew(server, user, vocabulary):
    runs = await talk(user, server.services, REMOTE, "a")
    conversation = runs[0]["conversation_id"]
    db = server.services.db
    await summariser(db, vocabulary).after(await started_run(db, conversation))
    more = await talk(user, server.services, f"My secret plan. {SITE}", "b", "c", conversation_id=conversation)
    await summariser(db, vocabulary).after(await started_run(db, conversation))
    assert constraints(await shown(user, conversation)) == []
    assert (await shown(user, conversation))["versions"] == [1, 2]
    await talk(user, server.services, PAY, conversation_id=conversation, replaces=more[0]["run_id"])
    back = await shown(user, conversation)
    assert (back["versions"], constraints(back)) == ([1], [REMOTE])
    await talk(user, server.services, "d", "e", conversation_id=conversation)
    await summariser(db, vocabulary).after(await started_run(db, conversation))
    anew = await shown(user, conversation)
    assert constraints(anew) == [REMOTE, PAY]
    rows = await db.fetch("SELECT content::text AS content, changes::text AS changes FROM conversation_summary")
    assert not [row for row in rows if "secret plan" in row["content"] + row["changes"]]


async def test_a_message_that_is_taken_back_while_it_is_summarised_leaves_no_version(server, user, vocabulary):
    runs = await talk(user, server.services, REMOTE, "a", "b")
    store = SummaryStore(server.services.db)
    conversation = runs[0]["conversation_id"]
    found = await store.since(conversation, 0, Window())
    await talk(user, server.services, "anew", conversation_id=conversation, replaces=runs[0]["run_id"])
    summary = ConversationSummary(hard_constraints=(Noted(text=REMOTE, sources=("m",)),))
    assert await store.store(conversation, Version(0, 0, ConversationSummary()), summary, found[:2], "rules") is None
    assert (await shown(user, conversation))["version"] == 0


async def test_of_a_run_that_goes_on_nothing_is_told(server, user):
    runs = await talk(user, server.services, REMOTE)
    conversation = runs[0]["conversation_id"]
    going = await ask(user, "/ticks 200 20 0", conversation_id=conversation)
    await read_until(user, going["events_url"], b"@000002@")
    found = await SummaryStore(server.services.db).since(conversation, 0, Window())
    assert [said.role for _, said in found] == ["user", "assistant"]
    await user.post(f"/v1/runs/{going['run_id']}/cancel")
    await finished(user, going["run_id"])


def test_whole_turns_leave_the_window_and_enough_of_it_stays():
    said = [
        (number, Said(f"m{number}", "user" if number % 2 else "assistant", "x" * 10)) for number in range(1, 41)
    ]  # fmt: skip
    window = Window()
    assert not due(said[:19], window)
    assert [at for at, _ in due(said[:20], window)] == list(range(1, 9))
    assert [at for at, _ in due(said[:21], window)] == list(range(1, 9))  # a question stays with its answer
    long = [(at, replace(each, content="y" * 9_000)) for at, each in said[:6]]
    assert [at for at, _ in due(long, window)] == [1, 2]
    assert not due([(1, Said("m", "user", "z" * 90_000))], window)
    assert len(due(said, Window(keep=0, batch=4))) == len(said)


# -- which one a run reads

WHOLE = ["One ", "two ", "three."]
# Whoever says this is gone before it goes on, however slow the machine is.
HELD = ["One ", "two ", 600.0]


@asynccontextmanager
async def two_servers(settings: Settings, first: ScriptedModel, second: ScriptedModel):
    async with (
        open_services(settings, model=first) as one,
        open_services(settings, model=second) as other,
        serving(settings, one) as here,
        serving(settings, other),
        here.user() as user,
    ):
        await user.get("/v1/conversations")
        yield one, other, user


@pytest.fixture
def alone(server: Live) -> Iterator[None]:
    """The server of the other tests takes no runs meanwhile."""
    runner = server.services.runner
    before, runner._limits = runner._limits, replace(runner._limits, runs=0)
    yield
    runner._limits = before


async def test_whoever_takes_a_run_over_asks_the_same_though_a_newer_summary_is_there(settings, vocabulary, alone):
    scripts = ({"slow": HELD, "": ["Fine."]}, {"slow": WHOLE, "": ["Fine."]})
    one_model, other_model = (ScriptedModel(script, instructable=True) for script in scripts)
    async with two_servers(settings, one_model, other_model) as (one, other, user):
        other.runner._limits = replace(other.runner._limits, runs=0)
        runs = await talk(user, one, REMOTE, "a", "b")
        conversation = runs[0]["conversation_id"]
        run = await started_run(one.db, conversation)
        await summariser(one.db, vocabulary).after(run)
        await talk(user, one, PAY, "d", conversation_id=conversation)
        going = await ask(user, "/general slow", conversation_id=conversation)
        await read_until(user, going["events_url"], b'"two "')
        await crash(one)
        await summariser(one.db, vocabulary).after(run)
        assert (await shown(user, conversation))["versions"] == [1, 2]
        other.runner._limits = replace(other.runner._limits, runs=8)
        assert (await finished(user, going["run_id"]))["status"] == "succeeded"
        row = await one.db.fetch_one("SELECT summary_version, attempt FROM run WHERE run_id = %s", (going["run_id"],))
        assert (row["summary_version"], row["attempt"]) == (1, 2)
        asked, again = one_model.requests[-1], other_model.requests[-1]
        assert request_digest(asked) == request_digest(again)
        sent = "\n".join(message.content for message in again.messages)
        assert REMOTE in sent
        (step,) = await one.db.fetch(
            "SELECT payload FROM run_step WHERE run_id = %s AND kind = 'model_turn'", (going["run_id"],)
        )
        assert step["payload"]["request_sha256"] == request_digest(asked)


async def test_what_is_said_while_a_run_waits_for_its_user_is_taken_in(server, user, vocabulary):
    services = server.services
    runs = await talk(user, services, "send it", REMOTE, "a", "b", "c", "d")
    conversation = runs[0]["conversation_id"]
    waits = "UPDATE run SET status = 'waiting', finished_at = NULL WHERE run_id = %s"
    await services.db.execute(waits, (runs[0]["run_id"],))
    await summariser(services.db, vocabulary).after(await started_run(services.db, conversation))
    assert constraints(await shown(user, conversation)) == [REMOTE]
    await services.db.execute("UPDATE run SET status = 'succeeded' WHERE run_id = %s", (runs[0]["run_id"],))


async def test_a_run_that_waited_reads_the_summary_that_stands_when_it_begins(settings, vocabulary, alone):
    model = ScriptedModel({"": ["Fine."]}, instructable=True)
    async with live(settings, model=model) as server, server.user() as user:
        await user.get("/v1/conversations")
        services = server.services
        runs = await talk(user, services, REMOTE, "a", "b")
        conversation = runs[0]["conversation_id"]
        services.runner._limits = replace(services.runner._limits, runs=0)
        waiting = await ask(user, "/general hello", conversation_id=conversation)
        await summariser(services.db, vocabulary).after(await started_run(services.db, conversation))
        services.runner._limits = replace(services.runner._limits, runs=8)
        await finished(user, waiting["run_id"])
        row = await services.db.fetch_one("SELECT summary_version FROM run WHERE run_id = %s", (waiting["run_id"],))
        assert row["summary_version"] == 1
        sent = [message.content for message in model.requests[-1].messages]
        assert any("<summary>" in content and REMOTE in content for content in sent)
        assert not any(content == f"/general {REMOTE}" for content in sent)  # told by the summary, so not word for word
