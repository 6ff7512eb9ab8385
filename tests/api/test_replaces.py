"""Edit and ask again: a message takes the place of an earlier one, and of all that came after that."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from apart import opened, own_database
from courier import agents_in, approvals, asked, decide, status
from redis.asyncio import Redis
from wire import check_problem, no_run

from live import Live, Parsed, ask, finished, left, live, parse, read_all, read_until
from mail_server import Mailbox, mailbox
from signalbox.db import Database
from signalbox.events import event_adapter
from signalbox.llm.scripted import ScriptedModel
from signalbox.memory.profile import Owner
from signalbox.runs.claims import ClaimStore
from signalbox.runs.records import Begin, Ending, NewRun, StartedRun
from signalbox.runs.store import RunStore
from signalbox.runs.story import RunStories
from signalbox.settings import Settings, load_settings
from signalbox.view import ConversationView, reduce

LONG = "/ticks 2000 20 0"
UNCLEAR = "blue paper window"


@pytest.fixture(scope="module")
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture(scope="module")
def box() -> Iterator[Mailbox]:
    with mailbox() as running:
        yield running


@pytest.fixture(scope="module")
async def url(servers) -> AsyncIterator[str]:
    async with own_database(servers) as made:
        yield made


@pytest.fixture(scope="module")
def settings(servers, data_dir, url, box) -> Settings:
    return load_settings(
        data_dir=data_dir, database_url=url, redis_url=servers.redis_url, model="scripted",
        agents_dir=agents_in(data_dir / "replaced"), smtp_url=box.url(), mail_from="me@example.org",
        secret_key="only-for-tests-only-for-tests", heartbeat_s=0.5, lease_s=4,
    )  # fmt: skip


@pytest.fixture(scope="module")
async def server(settings, model) -> AsyncIterator[Live]:
    async with live(settings, model=model) as running:
        yield running


@pytest.fixture
async def database(url) -> AsyncIterator[Database]:
    async with opened(url) as db:
        yield db


@pytest.fixture
async def user(server: Live) -> AsyncIterator[httpx.AsyncClient]:
    async with server.user() as client:
        await client.get("/v1/conversations")
        yield client


@pytest.fixture
async def other(server: Live) -> AsyncIterator[httpx.AsyncClient]:
    async with server.user() as client:
        await client.get("/v1/conversations")
        yield client


async def said(client: httpx.AsyncClient, message: str = "/ticks 2 0 0", **body: Any) -> dict[str, Any]:
    """A run that is over, in the store and in its stream."""
    run = await ask(client, message, **body)
    await read_all(client, run["events_url"])
    return run


async def three(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    first = await said(client, "/ticks 1 0 0")
    more = [await said(client, f"/ticks {n} 0 0", conversation_id=first["conversation_id"]) for n in (2, 3)]
    return [first, *more]


async def replaced(client: httpx.AsyncClient, run: dict[str, Any], message: str, **body: Any) -> dict[str, Any]:
    """The run that takes its place, over."""
    new = await ask(client, message, replaces=run["run_id"], **body)
    await read_all(client, new["events_url"])
    return new


async def messages(client: httpx.AsyncClient, run: dict[str, Any]) -> list[dict[str, Any]]:
    return (await client.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]


async def runs_told(client: httpx.AsyncClient, run: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(message["run_id"] for message in await messages(client, run)))


async def followed(client: httpx.AsyncClient, run: dict[str, Any]) -> Parsed:
    """All that the conversation's log has so far."""
    raw = await read_until(client, f"/v1/conversations/{run['conversation_id']}/events", b": heartbeat")
    return parse(raw)


def retractions(told: Parsed) -> Counter[str]:
    return Counter(event.data["run_id"] for event in told.events if event.type == "retracted")


def ends(told: Parsed) -> Counter[str]:
    return Counter(event.data["run_id"] for event in told.events if event.type == "complete")


async def test_a_message_takes_the_place_of_an_answered_one_and_of_all_after_it(user, model):
    first, second, third = await three(user)
    new = await replaced(user, second, "and what did I say before?")
    assert new["conversation_id"] == first["conversation_id"]
    assert await runs_told(user, first) == [first["run_id"], new["run_id"]]
    told = await followed(user, first)
    assert retractions(told) == {second["run_id"]: 1, third["run_id"]: 1}
    assert ends(told) == dict.fromkeys([run["run_id"] for run in (first, second, third, new)], 1)
    order = [(event.type, event.data["run_id"]) for event in told.events]
    assert order.index(("retracted", third["run_id"])) < order.index(("run_started", new["run_id"]))
    (request,) = [r for r in model.requests if "what did I say before?" in str(r.messages) and r.task == "answer"]
    history = " ".join(message.content for message in request.messages)
    assert "/ticks 1 0 0" in history
    assert "/ticks 2 0 0" not in history
    assert "/ticks 3 0 0" not in history


async def test_whoever_follows_sees_it_vanish_and_the_new_one_come(user):
    first, second, _ = await three(user)
    url = f"/v1/conversations/{first['conversation_id']}/events"
    reading = asyncio.create_task(read_until(user, url, b"@000004@"))
    new = await replaced(user, second, "/ticks 5 0 0")
    view = ConversationView()
    for event in parse(await reading).events:
        view = reduce(view, event_adapter.validate_python(event.data))
    shown = {message.run_id for message in view.messages}
    assert shown == {first["run_id"], new["run_id"]}


async def test_the_runs_own_stream_still_ends_after_its_complete(user):
    run = await said(user)
    await replaced(user, run, "/ticks 1 0 0")
    again = await read_all(user, run["events_url"])
    assert again.types[-1] == "complete"
    assert again.types.count("complete") == 1


async def test_what_is_going_on_is_stopped_and_taken_back(server, user):
    first = await said(user, "/ticks 1 0 0")
    going = await ask(user, LONG, conversation_id=first["conversation_id"])
    await read_until(user, going["events_url"], b"@000005@")
    queued = await ask(user, "/ticks 7 0 0", conversation_id=first["conversation_id"])
    async with asyncio.timeout(30):  # of the 40 seconds that it would go on for
        new = await replaced(user, going, "/ticks 2 0 0")
    assert (await finished(user, going["run_id"]))["status"] == "cancelled"
    assert (await finished(user, queued["run_id"]))["status"] == "cancelled"
    assert (await read_all(user, queued["events_url"])).types == ["retracted", "complete"]
    assert await runs_told(user, first) == [first["run_id"], new["run_id"]]
    await left(server.services, going["run_id"])
    told = await followed(user, first)
    assert retractions(told) == {going["run_id"]: 1, queued["run_id"]: 1}
    assert set(ends(told).values()) == {1}


async def test_a_snapshot_does_not_show_what_is_on_its_way_out(user, database):
    going = await ask(user, LONG)
    await read_until(user, going["events_url"], b"@000005@")
    assert [m["content"] for m in await messages(user, going)] == [LONG]
    await database.execute("UPDATE run SET rolled_back = true WHERE run_id = %s", (going["run_id"],))
    url = f"/v1/conversations/{going['conversation_id']}"
    snapshot = (await user.get(url + "/messages")).json()
    assert (snapshot["messages"], snapshot["runs"]) == ([], [])
    await user.post(f"/v1/runs/{going['run_id']}/cancel")
    assert (await read_all(user, going["events_url"])).types[-2:] == ["retracted", "complete"]
    # Whoever goes on from there sees it vanish, not come.
    after = {"Last-Event-ID": snapshot["cursor"]}
    told = parse(await read_until(user, url + "/events", b"event: complete", headers=after)).types
    assert "run_started" not in told
    assert told[-2:] == ["retracted", "complete"]


async def test_a_snapshot_goes_on_from_the_run_that_replaces_the_one_on_its_way_out(user, database):
    going = await ask(user, LONG)
    await read_until(user, going["events_url"], b"@000005@")
    await database.execute("UPDATE run SET rolled_back = true WHERE run_id = %s", (going["run_id"],))
    new = await ask(user, "/ticks 1 0 0", conversation_id=going["conversation_id"])
    url = f"/v1/conversations/{going['conversation_id']}"
    snapshot = (await user.get(url + "/messages")).json()
    assert [(run["run_id"], run["status"]) for run in snapshot["runs"]] == [(new["run_id"], "pending")]
    assert [message["run_id"] for message in snapshot["messages"]] == [new["run_id"]]
    await user.post(f"/v1/runs/{going['run_id']}/cancel")
    await read_all(user, new["events_url"])
    after = {"Last-Event-ID": snapshot["cursor"]}
    told = parse(await read_until(user, url + "/events", b": heartbeat", headers=after))
    started = [event.data["run_id"] for event in told.events if event.type == "run_started"]
    assert started == [new["run_id"]]


async def test_a_run_that_waits_is_closed_with_its_question(user, box):
    box.kept.clear()
    run = await asked(user)
    (question,) = await approvals(user, run)
    new = await replaced(user, run, "/ticks 1 0 0")
    assert (await finished(user, run["run_id"]))["status"] == "cancelled"
    (closed,) = await approvals(user, run)
    assert (closed["approval_id"], closed["decision"]) == (question["approval_id"], "rejected")
    check_problem(await decide(user, run, "approve"), 409, "decided")
    assert await runs_told(user, run) == [new["run_id"]]
    told = await followed(user, run)
    assert retractions(told) == {run["run_id"]: 1}
    mine = [event for event in told.events if event.data["run_id"] == run["run_id"]]
    assert [event.type for event in mine][-3:] == ["approval_resolved", "retracted", "complete"]
    assert box.kept == []


async def test_what_a_run_did_outside_stays_done(user, database, box):
    box.kept.clear()
    run = await asked(user)
    await decide(user, run, "approve")
    await status(user, run, "succeeded")
    await read_all(user, run["events_url"])
    await replaced(user, run, "/ticks 1 0 0")
    assert len(box.kept) == 1
    story = await RunStories(database).story(run["run_id"])
    assert (story.run.rolled_back, story.run.status, story.run.message) == (True, "succeeded", None)
    assert "taken back" in story.run.why_no_message
    assert [effect.status for effect in story.effects] == ["done"]


# -- what is asked instead


async def test_without_a_text_the_same_is_asked_again(user):
    run = await said(user, "/ticks 3 0 0")
    again = await user.post("/v1/chat", json={"replaces": run["run_id"]})
    assert again.status_code == 202
    await read_all(user, again.json()["events_url"])
    stored = await messages(user, run)
    assert [(m["run_id"], m["role"]) for m in stored] == [(again.json()["run_id"], r) for r in ("user", "assistant")]
    assert stored[0]["content"] == "/ticks 3 0 0"


async def offered(client: httpx.AsyncClient, run: dict[str, Any]) -> list[dict[str, Any]]:
    told = await read_all(client, run["events_url"])
    (block,) = [event for event in told.events if event.type == "suggestions"]
    return block.data["suggestions"]


async def chosen_for(database: Database, run: dict[str, Any]) -> list[str | None]:
    sql = "SELECT chosen_by_run FROM suggestion WHERE run_id = %s ORDER BY suggestion_id"
    return [row["chosen_by_run"] for row in await database.fetch(sql, (run["run_id"],))]


async def routing_of(database: Database, run: dict[str, Any]) -> tuple[str, str | None]:
    sql = "SELECT outcome, chosen_intent FROM classification WHERE run_id = %s"
    (row,) = await database.fetch(sql, (run["run_id"],))
    return row["outcome"], row["chosen_intent"]


@pytest.mark.parametrize("with_text", [False, True])
async def test_asking_a_chosen_quick_reply_again_chooses_it_again(user, database, with_text):
    unclear = await ask(user, UNCLEAR)
    reply = (await offered(user, unclear))[1]
    first = (await user.post("/v1/chat", json={"suggestion_id": reply["id"]})).json()
    await read_all(user, first["events_url"])
    body = {"replaces": first["run_id"]} | ({"message": reply["message"]} if with_text else {})
    again = (await user.post("/v1/chat", json=body)).json()
    told = await read_all(user, again["events_url"])
    (chosen,) = [event for event in told.events if event.type == "suggestion_chosen"]
    assert chosen.data["suggestion_id"] == reply["id"]
    (intent,) = [event for event in told.events if event.type == "intent"]
    assert (intent.data["intent"], intent.data["source"]) == (reply["intent"], "quick_reply")
    assert await chosen_for(database, unclear) == [None, again["run_id"], None]
    check_problem(await user.post("/v1/chat", json={"suggestion_id": reply["id"]}), 409, "conflict")


async def test_an_edited_quick_reply_opens_the_others_again(user, database):
    unclear = await ask(user, UNCLEAR)
    replies = await offered(user, unclear)
    await database.execute("UPDATE classification SET outcome = 'clarified' WHERE run_id = %s", (unclear["run_id"],))
    first = (await user.post("/v1/chat", json={"suggestion_id": replies[1]["id"]})).json()
    await read_all(user, first["events_url"])
    assert (await routing_of(database, unclear))[0] in {"chosen", "chose_other"}
    edited = await replaced(user, first, "/ticks 1 0 0")
    assert await chosen_for(database, unclear) == [None] * 3
    assert await routing_of(database, unclear) == ("clarified", None)
    other = await user.post("/v1/chat", json={"suggestion_id": replies[2]["id"], "replaces": edited["run_id"]})
    assert other.status_code == 202
    await read_all(user, other.json()["events_url"])
    assert await chosen_for(database, unclear) == [None, None, other.json()["run_id"]]


async def test_replies_that_were_taken_back_cannot_be_chosen(user, database):
    unclear = await ask(user, UNCLEAR)
    replies = await offered(user, unclear)
    await replaced(user, unclear, "/ticks 1 0 0")
    assert await chosen_for(database, unclear) == []
    check_problem(await user.post("/v1/chat", json={"suggestion_id": replies[0]["id"]}), 404, "not_found")


async def test_a_run_that_is_done_when_it_is_rolled_back_leaves_no_quick_replies(user, database):
    owner = Owner("default", user.cookies["signalbox_user"].partition(".")[0])
    store = RunStore(database, lease_owner="w", lease_s=60)
    run = await store.start(NewRun(owner, "hello", None), Begin(here=True, per_user=99, model="m", pins="p"))
    assert isinstance(run, StartedRun)
    await store.roll_back(owner, run.run_id)
    reply = {"id": f"s_{run.run_id}", "label": "Yes", "message": "yes", "intent": None}
    assert await store.finish(run, Ending(status="succeeded", suggestions=[reply])) == ("succeeded", True)
    check_problem(await user.post("/v1/chat", json={"suggestion_id": reply["id"]}), 404, "not_found")


async def test_a_rolled_back_run_leaves_no_routing_behind(user, database):
    owner = user.cookies["signalbox_user"].partition(".")[0]
    run = await ask(user, LONG)
    await read_until(user, run["events_url"], b"@000002@")
    reply = await ask(user, "/ticks 1 0 0", conversation_id=run["conversation_id"], if_busy="rollback")
    await read_all(user, reply["events_url"])
    rows = await database.fetch("SELECT run_id FROM classification WHERE user_id = %s", (owner,))
    assert run["run_id"] not in {row["run_id"] for row in rows}


async def test_the_title_follows_the_first_message_unless_it_was_changed(user):
    async def title(run: dict[str, Any]) -> str:
        return (await user.get(f"/v1/conversations/{run['conversation_id']}")).json()["title"]

    run = await said(user, "/ticks 1 0 0")
    edited = await replaced(user, run, "/ticks 2 0 0")
    assert await title(run) == "/ticks 2 0 0"
    later = await said(user, "/ticks 2 0 0", conversation_id=run["conversation_id"])
    await replaced(user, later, "/ticks 3 0 0")
    assert await title(run) == "/ticks 2 0 0"
    await user.patch(f"/v1/conversations/{run['conversation_id']}", json={"title": "Mine"})
    await replaced(user, edited, "/ticks 4 0 0")
    assert await title(run) == "Mine"


# -- who may, and how often


async def test_only_ones_own_runs_of_that_very_conversation_can_be_replaced(user, other, database):
    theirs, mine, elsewhere = await said(other), await said(user), await said(user)
    async with no_run(database, user), no_run(database, other):
        bodies = [
            {"replaces": theirs["run_id"]},
            {"replaces": theirs["run_id"], "conversation_id": theirs["conversation_id"]},
            {"replaces": theirs["run_id"], "conversation_id": mine["conversation_id"]},
            {"replaces": elsewhere["run_id"], "conversation_id": mine["conversation_id"]},
            {"replaces": "r_0123456789abcdef0123"},
            {"replaces": "r_\x00"},
            {"replaces": ""},
        ]
        for body in bodies:
            check_problem(await user.post("/v1/chat", json={"message": "hello", **body}), 404, "not_found")
    for client, run in ((other, theirs), (user, mine), (user, elsewhere)):
        assert len(await messages(client, run)) == 2
    given = {"conversation_id": mine["conversation_id"], "replaces": mine["run_id"]}
    assert (await user.post("/v1/chat", json={"message": "/ticks 1 0 0", **given})).status_code == 202


async def test_the_same_key_asks_again_once(user):
    """The message that it means is not part of what came with the key."""
    run = await said(user, "/ticks 1 0 0")
    body, key = {"replaces": run["run_id"]}, {"Idempotency-Key": "again"}
    answers = [await user.post("/v1/chat", json=body, headers=key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 202]
    (run_id,) = {answer.json()["run_id"] for answer in answers}
    assert (await finished(user, run_id))["status"] == "succeeded"
    assert await runs_told(user, run) == [run_id]


async def test_what_was_taken_back_cannot_be_replaced_again(user):
    first, second, third = await three(user)
    await replaced(user, second, "/ticks 4 0 0")
    for gone in (second, third):
        answer = await user.post("/v1/chat", json={"message": "/ticks 5 0 0", "replaces": gone["run_id"]})
        check_problem(answer, 409, "taken_back")
    assert len(await messages(user, first)) == 4


async def test_the_same_key_replaces_once(user):
    first, second, _ = await three(user)
    body = {"message": "/ticks 4 0 0", "replaces": second["run_id"]}
    answers = await asyncio.gather(
        *(user.post("/v1/chat", json=body, headers={"Idempotency-Key": "edit"}) for _ in range(5))
    )
    assert {answer.status_code for answer in answers} == {202}
    (run_id,) = {answer.json()["run_id"] for answer in answers}
    await finished(user, run_id)
    later = await user.post("/v1/chat", json=body, headers={"Idempotency-Key": "edit"})
    assert later.json()["run_id"] == run_id
    assert await runs_told(user, first) == [first["run_id"], run_id]
    changed = await user.post(
        "/v1/chat", json=body | {"replaces": first["run_id"]}, headers={"Idempotency-Key": "edit"}
    )
    check_problem(changed, 409, "idempotency_conflict")
    assert await runs_told(user, first) == [first["run_id"], run_id]


async def test_of_ten_tabs_that_edit_the_same_message_exactly_one_wins(user):
    first, second, third = await three(user)
    answers = await asyncio.gather(
        *(user.post("/v1/chat", json={"message": f"/ticks {n} 0 0", "replaces": second["run_id"]}) for n in range(10))
    )
    assert Counter(answer.status_code for answer in answers) == {202: 1, 409: 9}
    for answer in answers:
        if answer.status_code == 409:
            check_problem(answer, 409, "taken_back")
    (new,) = [answer.json() for answer in answers if answer.status_code == 202]
    await read_all(user, new["events_url"])
    assert await runs_told(user, first) == [first["run_id"], new["run_id"]]
    assert retractions(await followed(user, first)) == {second["run_id"]: 1, third["run_id"]: 1}


async def test_a_run_that_ends_as_it_is_replaced_is_gone_all_the_same(server, user):
    """The moment is hit by chance: before, in and after its ending."""
    for pause in range(0, 24, 2):
        run = await ask(user, "/ticks 2 1 0")
        await asyncio.sleep(pause / 1_000)
        new = await replaced(user, run, "/ticks 1 0 0")
        await finished(user, run["run_id"])
        await left(server.services, run["run_id"])
        assert await runs_told(user, run) == [new["run_id"]]
        told = await followed(user, run)
        assert retractions(told) == {run["run_id"]: 1}
        assert ends(told) == {run["run_id"]: 1, new["run_id"]: 1}


async def test_replacing_while_others_write_delete_and_cancel_leaves_one_truth(user):
    for _ in range(5):
        first, second, third = await three(user)
        conversation = f"/v1/conversations/{first['conversation_id']}"
        answers = await asyncio.gather(
            user.post("/v1/chat", json={"message": "/ticks 1 0 0", "replaces": second["run_id"]}),
            user.post("/v1/chat", json={"message": "/ticks 2 0 0", "conversation_id": first["conversation_id"]}),
            user.post("/v1/chat", json={"message": "/ticks 3 0 0", "replaces": third["run_id"]}),
            user.post(f"/v1/runs/{third['run_id']}/cancel"),
            user.delete(conversation),
        )
        assert {answer.status_code for answer in answers} <= {200, 202, 204, 404, 409}
        assert answers[-1].status_code == 204
        assert (await user.get(conversation)).status_code == 404


async def test_a_reject_does_not_count_what_it_replaces(user):
    going = await ask(user, LONG)
    await read_until(user, going["events_url"], b"@000002@")
    body = {"message": "/ticks 1 0 0", "conversation_id": going["conversation_id"], "if_busy": "reject"}
    check_problem(await user.post("/v1/chat", json=body), 409, "busy")
    new = await user.post("/v1/chat", json=body | {"replaces": going["run_id"]})
    assert new.status_code == 202
    assert (await finished(user, new.json()["run_id"]))["status"] == "succeeded"
    assert (await finished(user, going["run_id"]))["status"] == "cancelled"


async def test_a_refused_replacement_takes_nothing_back(user):
    first = await ask(user, LONG)
    await read_until(user, first["events_url"], b"@000002@")
    queued = await ask(user, "/ticks 2 0 0", conversation_id=first["conversation_id"])
    body = {"message": "/ticks 1 0 0", "if_busy": "reject", "replaces": queued["run_id"]}
    check_problem(await user.post("/v1/chat", json=body), 409, "busy")
    await user.post(f"/v1/runs/{first['run_id']}/cancel")
    assert (await finished(user, queued["run_id"]))["status"] == "succeeded"
    assert queued["run_id"] in await runs_told(user, first)


# -- crashes


async def test_a_process_that_dies_before_it_told_anybody_leaves_it_to_another(server, user, database, url):
    """The transaction alone, as a process killed right after it leaves it."""
    first, second, third = await three(user)
    store = RunStore(database, lease_owner="gone", lease_s=1)
    row = await database.fetch_one("SELECT tenant, user_id FROM run WHERE run_id = %s", (first["run_id"],))
    new = NewRun(Owner(row["tenant"], row["user_id"]), "/ticks 4 0 0", None, replaces=second["run_id"])
    started, replaced_runs = await store.start_or_replace(new, Begin(here=False, per_user=9, model="", pins=""))
    assert [orphan.run_id for orphan in replaced_runs.ended] == [second["run_id"], third["run_id"]]
    await server.services.runner.announce_work()
    await finished(user, started.run_id)
    async with asyncio.timeout(60):
        while await untold(database, second, third):  # noqa: ASYNC110 - nothing tells when somebody noticed
            await asyncio.sleep(0.05)
    told = await followed(user, first)
    assert retractions(told) == {second["run_id"]: 1, third["run_id"]: 1}
    assert ends(told) == dict.fromkeys([first["run_id"], second["run_id"], third["run_id"], started.run_id], 1)
    # Whoever tells it again, as two processes may, says nothing new.
    for orphan in replaced_runs.ended:
        assert not await server.services.runner.close_stream(orphan)
    assert await runs_told(user, first) == [first["run_id"], started.run_id]


async def untold(database: Database, *runs: dict[str, Any]) -> bool:
    sql = "SELECT EXISTS (SELECT FROM run WHERE NOT told AND run_id = ANY(%s)) AS any"
    row = await database.fetch_one(sql, ([run["run_id"] for run in runs],))
    return bool(row and row["any"])


async def test_that_a_run_was_told_before_does_not_hide_that_it_was_taken_back(user, database):
    """A worker notes late, in bulk, that the readers of its runs have their end."""
    run = await said(user)
    (before,) = await database.fetch("SELECT lease_token FROM run WHERE run_id = %s", (run["run_id"],))
    await database.execute(
        "UPDATE run SET rolled_back = true, told = false, lease_token = lease_token + 1, finished_at = now() + "
        "interval '1 hour' WHERE run_id = %s", (run["run_id"],)
    )  # fmt: skip
    claims = ClaimStore(database, lease_owner="w", lease_s=1)
    await claims.note_told([(run["run_id"], before["lease_token"])])
    assert await untold(database, run)
    await claims.note_told([(run["run_id"], before["lease_token"] + 1)])
    assert not await untold(database, run)


async def test_a_dead_run_that_was_taken_back_is_not_given_back_to_the_workers(user, database):
    run = await said(user)
    await database.execute("UPDATE run SET status = 'dead', pins = 'p' WHERE run_id = %s", (run["run_id"],))
    await replaced(user, run, "/ticks 1 0 0")
    assert not await ClaimStore(database, lease_owner="w", lease_s=1).requeue(run["run_id"])
    assert run["run_id"] not in await RunStories(database).dead()


async def test_a_run_that_was_taken_back_leaves_nothing_when_it_is_buried(user, database):
    """It stopped its worker, and those that came to end it."""
    owner = Owner("default", user.cookies["signalbox_user"].partition(".")[0])
    store = RunStore(database, lease_owner="gone", lease_s=60)
    begin = Begin(here=True, per_user=99, model="m", pins="p")
    runs = [await store.start(NewRun(owner, text, None), begin) for text in ("kept", "taken back")]
    await store.roll_back(owner, runs[1].run_id)
    ids = [run.run_id for run in runs]
    await database.execute(
        "UPDATE run SET burials = 2, lease_until = now() - interval '1 s' WHERE run_id = ANY(%s)", (ids,)
    )
    await ClaimStore(database, lease_owner="w", lease_s=1).bury()  # or the server did, a moment ago
    rows = await database.fetch("SELECT status FROM run WHERE run_id = ANY(%s)", (ids,))
    assert [row["status"] for row in rows] == ["dead", "dead"]
    left = await database.fetch("SELECT content FROM message WHERE run_id = ANY(%s)", (ids,))
    assert [row["content"] for row in left] == ["kept"]


@asynccontextmanager
async def slow_log(redis: Redis) -> AsyncIterator[None]:
    """A Redis that takes whatever is written, but does not get to it."""
    await redis.client_pause(15_000, all=False)
    try:
        yield
    finally:
        await redis.client_unpause()


async def test_a_slow_log_holds_up_no_replacement(user, redis):
    first, second, _ = await three(user)
    async with slow_log(redis):
        began = time.monotonic()
        new = await ask(user, "/ticks 1 0 0", replaces=second["run_id"])
        assert time.monotonic() - began < 10, "of the 15 seconds that the log is away"
        assert (await user.get(f"/v1/runs/{new['run_id']}")).json()["status"] == "running"
    assert (await finished(user, new["run_id"]))["status"] == "succeeded"
    assert await runs_told(user, first) == [first["run_id"], new["run_id"]]


async def test_a_replacement_whose_caller_has_gone_is_answered_all_the_same(server, user, database, redis):
    first, second, third = await three(user)
    row = await database.fetch_one("SELECT tenant, user_id FROM run WHERE run_id = %s", (first["run_id"],))
    new = NewRun(Owner(row["tenant"], row["user_id"]), "/ticks 4 0 0", None, replaces=second["run_id"])
    stored = "SELECT run_id FROM run WHERE conversation_id = %s AND run_id <> ALL(%s)"
    known = [run["run_id"] for run in (first, second, third)]
    async with slow_log(redis):
        caller = asyncio.create_task(server.services.runner.submit(new))
        while not (rows := await database.fetch(stored, (first["conversation_id"], known))):  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(0)
        caller.cancel()
        await asyncio.wait([caller])
        assert caller.cancelled()
        assert rows[0]["run_id"] in server.services.runner._tasks  # at once, not when its lease has run out
    assert (await finished(user, rows[0]["run_id"]))["status"] == "succeeded"


async def test_a_lost_log_costs_no_replacement(server, user, redis):
    run = await said(user)
    await redis.delete(*server.services.log.keys(run["conversation_id"]))
    new = await replaced(user, run, "/ticks 1 0 0")
    assert await runs_told(user, run) == [new["run_id"]]
    told = await followed(user, run)
    assert ends(told)[new["run_id"]] == 1
    assert retractions(told)[run["run_id"]] <= 1


# -- two processes


async def test_a_message_on_one_process_replaces_the_run_on_the_other(settings, model, server, user):
    async with live(settings, model=model) as second, second.user() as elsewhere:
        elsewhere.cookies = user.cookies
        going = await ask(user, LONG)
        await read_until(user, going["events_url"], b"@000005@")
        async with asyncio.timeout(30):
            new = await replaced(elsewhere, going, "/ticks 1 0 0")
        assert await runs_told(elsewhere, going) == [new["run_id"]]
        await left(server.services, going["run_id"])
        assert retractions(await followed(elsewhere, going)) == {going["run_id"]: 1}
