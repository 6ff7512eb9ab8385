"""A second message while a run is going: ``if_busy`` decides, on one process and on two."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from apart import own_database
from held import HELD, HeldModel
from wire import check_problem

from live import Live, ask, finished, live, parse, read_all, read_until
from signalbox.settings import Settings, load_settings

LONG = "/ticks 2000 20 0"


@pytest.fixture(scope="module")
def model() -> HeldModel:
    return HeldModel()


@pytest.fixture
def go(model) -> Iterator[asyncio.Event]:
    """Lets what answers ``HELD`` go on, here and in the second process."""
    model.go.clear()
    yield model.go
    model.go.set()


@pytest.fixture(scope="module")
async def settings(servers, data_dir) -> AsyncIterator[Settings]:
    async with own_database(servers) as url:
        yield settings_of(servers, data_dir, url)


@pytest.fixture(scope="module")
async def server(settings, model) -> AsyncIterator[Live]:
    async with live(settings, model=model) as running:
        yield running


def settings_of(servers, data_dir, url) -> Settings:
    return load_settings(
        data_dir=data_dir, database_url=url, redis_url=servers.redis_url, model="scripted",
        secret_key="only-for-tests-only-for-tests", heartbeat_s=0.5, lease_s=10,
    )  # fmt: skip


@pytest.fixture
async def user(server: Live) -> AsyncIterator[httpx.AsyncClient]:
    async with server.user() as client:
        await client.get("/v1/conversations")
        yield client


async def going(client: httpx.AsyncClient) -> dict[str, Any]:
    """A run that has said something and has far to go."""
    run = await ask(client, LONG)
    await read_until(client, run["events_url"], b"@000005@")
    return run


async def post(client: httpx.AsyncClient, run: dict[str, Any], message: str, if_busy: str) -> httpx.Response:
    body = {"message": message, "conversation_id": run["conversation_id"], "if_busy": if_busy}
    return await client.post("/v1/chat", json=body)


async def messages(client: httpx.AsyncClient, run: dict[str, Any]) -> list[dict[str, Any]]:
    return (await client.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]


async def test_enqueue_waits_for_its_turn_and_is_what_happens_by_itself(user, go):
    first = await ask(user, HELD)
    second = await ask(user, "/ticks 2 0 0", conversation_id=first["conversation_id"])
    third = (await post(user, first, "/ticks 3 0 0", "enqueue")).json()
    assert (await user.get(f"/v1/runs/{second['run_id']}")).json()["status"] == "pending"
    go.set()
    streams = await asyncio.gather(*(read_all(user, run["events_url"]) for run in (first, second, third)))
    places = [[event.data["seq"] for event in stream.events] for stream in streams]
    assert places[0][-1] < places[1][0]
    assert places[1][-1] < places[2][0]
    assert [stream.events[-1].data["status"] for stream in streams] == ["succeeded"] * 3
    answers = [message["run_id"] for message in await messages(user, first) if message["role"] == "assistant"]
    assert answers == [first["run_id"], second["run_id"], third["run_id"]]


async def test_interrupt_ends_what_is_going_keeps_what_it_said_and_goes_on(user):
    first = await going(user)
    second = (await post(user, first, "/ticks 2 0 0", "interrupt")).json()
    async with asyncio.timeout(30):  # of the 40 seconds that the first one would go on for
        assert (await finished(user, second["run_id"]))["status"] == "succeeded"
    assert (await finished(user, first["run_id"]))["status"] == "cancelled"
    stored = await messages(user, first)
    partial = next(m for m in stored if m["run_id"] == first["run_id"] and m["role"] == "assistant")
    assert partial["status"] == "partial"
    assert partial["content"].count("@") // 2 >= 6
    told = (await read_all(user, first["events_url"])).text
    assert told == partial["content"]


async def test_interrupt_also_ends_what_has_not_begun(user):
    first = await going(user)
    queued = await ask(user, "/ticks 2 0 0", conversation_id=first["conversation_id"])
    last = (await post(user, first, "/ticks 1 0 0", "interrupt")).json()
    assert (await finished(user, last["run_id"]))["status"] == "succeeded"
    assert (await finished(user, queued["run_id"]))["status"] == "cancelled"
    assert (await read_all(user, queued["events_url"])).types == ["complete"]


async def test_reject_refuses_and_leaves_no_trace(user, model):
    first = await going(user)
    before = await messages(user, first)
    check_problem(await post(user, first, "not now", "reject"), 409, "busy")
    assert await messages(user, first) == before
    await user.post(f"/v1/runs/{first['run_id']}/cancel")
    await finished(user, first["run_id"])
    free = await post(user, first, "/ticks 1 0 0", "reject")
    assert free.status_code == 202
    assert (await finished(user, free.json()["run_id"]))["status"] == "succeeded"
    assert not any("not now" in message.content for request in model.requests for message in request.messages)


async def test_a_refused_message_costs_no_idempotency_key(user):
    first = await going(user)
    body = {"message": "/ticks 1 0 0", "conversation_id": first["conversation_id"], "if_busy": "reject"}
    refused = await user.post("/v1/chat", json=body, headers={"Idempotency-Key": "one"})
    check_problem(refused, 409, "busy")
    await user.post(f"/v1/runs/{first['run_id']}/cancel")
    await finished(user, first["run_id"])
    taken = await user.post("/v1/chat", json=body, headers={"Idempotency-Key": "one"})
    assert taken.status_code == 202
    again = await user.post("/v1/chat", json=body, headers={"Idempotency-Key": "one"})
    assert again.json()["run_id"] == taken.json()["run_id"]


async def test_of_ten_at_once_that_will_not_wait_exactly_the_first_is_taken(user, go):
    first = await ask(user, "/ticks 1 0 0")
    await finished(user, first["run_id"])
    answers = await asyncio.gather(*(post(user, first, HELD, "reject") for _ in range(10)))
    assert Counter(answer.status_code for answer in answers) == {202: 1, 409: 9}
    go.set()
    taken = next(answer.json() for answer in answers if answer.status_code == 202)
    assert (await finished(user, taken["run_id"]))["status"] == "succeeded"
    stored = [m for m in await messages(user, first) if m["role"] == "user"]
    assert [m["run_id"] for m in stored] == [first["run_id"], taken["run_id"]]


async def test_of_ten_at_once_that_interrupt_one_is_answered_and_all_end(user):
    first = await going(user)
    answers = await asyncio.gather(*(post(user, first, "/ticks 3 0 0", "interrupt") for _ in range(10)))
    assert {answer.status_code for answer in answers} == {202}
    rows = await asyncio.gather(*(finished(user, answer.json()["run_id"]) for answer in answers))
    assert "succeeded" in {row["status"] for row in rows}
    assert {row["status"] for row in rows} <= {"succeeded", "cancelled"}
    assert (await finished(user, first["run_id"]))["status"] == "cancelled"
    await asyncio.gather(*(read_all(user, row["events_url"]) for row in rows))  # what is over in the store is told, too
    raw = await read_until(user, f"/v1/conversations/{first['conversation_id']}/events", b": heartbeat")
    ends = Counter(event.data["run_id"] for event in parse(raw).events if event.type == "complete")
    assert ends == dict.fromkeys([first["run_id"], *(row["run_id"] for row in rows)], 1)


async def test_rollback_takes_the_message_and_its_answer_back(user, model):
    kept = await ask(user, "hello, this one stays")
    await finished(user, kept["run_id"])
    body = {"message": LONG, "conversation_id": kept["conversation_id"]}
    first = (await user.post("/v1/chat", json=body)).json()
    await read_until(user, first["events_url"], b"@000005@")
    follower = asyncio.create_task(read_all(user, first["events_url"]))
    second = (await post(user, first, "what did I say before?", "rollback")).json()
    async with asyncio.timeout(30):  # of the 40 seconds that the first one would go on for
        assert (await finished(user, second["run_id"]))["status"] == "succeeded"
    events = (await follower).events
    assert [event.type for event in events[-2:]] == ["retracted", "complete"]
    assert events[-1].data["status"] == "cancelled"
    assert events[-2].data["user_message_id"] == events[0].data["user_message_id"]
    assert {m["run_id"] for m in await messages(user, first)} == {kept["run_id"], second["run_id"]}
    (asked,) = [r for r in model.requests if "what did I say before?" in str(r.messages) and r.task == "answer"]
    text = " ".join(message.content for message in asked.messages)
    assert "this one stays" in text
    assert "/ticks" not in text
    assert "@000001@" not in text
    assert (await finished(user, first["run_id"]))["status"] == "cancelled"


async def test_rollback_takes_back_what_has_not_begun(user):
    first = await going(user)
    queued = await ask(user, "/ticks 2 0 0", conversation_id=first["conversation_id"])
    last = (await post(user, first, "/ticks 1 0 0", "rollback")).json()
    assert (await finished(user, last["run_id"]))["status"] == "succeeded"
    told = await read_all(user, queued["events_url"])
    assert told.types == ["retracted", "complete"]
    assert {m["run_id"] for m in await messages(user, first)} == {last["run_id"]}


async def test_of_ten_at_once_that_roll_back_only_what_was_answered_is_left(user):
    first = await going(user)
    answers = await asyncio.gather(*(post(user, first, "/ticks 3 0 0", "rollback") for _ in range(10)))
    runs = [answer.json()["run_id"] for answer in answers]
    rows = await asyncio.gather(*(finished(user, run_id) for run_id in (first["run_id"], *runs)))
    told = {row["run_id"]: (await read_all(user, row["events_url"])).types for row in rows}
    assert all(types.count("complete") == 1 and types[-1] == "complete" for types in told.values())
    kept = {run_id for run_id, types in told.items() if "retracted" not in types}
    assert kept
    assert first["run_id"] not in kept
    # One that was done when it was taken back is gone all the same.
    assert {row["status"] for row in rows if row["run_id"] in kept} == {"succeeded"}
    left = await messages(user, first)
    assert {m["run_id"] for m in left} == kept
    assert [m["role"] for m in left].count("user") == [m["role"] for m in left].count("assistant") == len(kept)


@pytest.mark.parametrize("if_busy", ["enqueue", "interrupt", "reject", "rollback"])
async def test_with_nothing_going_on_every_message_is_taken(user, if_busy):
    response = await user.post("/v1/chat", json={"message": "/ticks 1 0 0", "if_busy": if_busy})
    run = response.json()
    assert (await finished(user, run["run_id"]))["status"] == "succeeded"
    again = (await post(user, run, "/ticks 1 0 0", if_busy)).json()
    assert (await finished(user, again["run_id"]))["status"] == "succeeded"
    assert len(await messages(user, run)) == 4


async def test_another_way_of_being_busy_is_refused(user):
    check_problem(await user.post("/v1/chat", json={"message": "x", "if_busy": "panic"}), 422)


# -- two processes


@pytest.fixture(scope="module")
async def second(settings, model) -> AsyncIterator[Live]:
    async with live(settings, model=model) as running:
        yield running


async def test_two_processes_keep_a_conversations_order(server, second, user):
    async with second.user() as elsewhere:
        elsewhere.cookies = user.cookies
        first = await ask(user, "/ticks 30 10 0")
        # One after the other, so that the order is known; all while the first is going on.
        runs = [first] + [
            await ask((user, elsewhere)[n % 2], f"/ticks {n} 0 0", conversation_id=first["conversation_id"])
            for n in range(1, 7)
        ]
        for run in runs:
            assert (await finished(user, run["run_id"]))["status"] == "succeeded"
        raw = await read_until(elsewhere, f"/v1/conversations/{first['conversation_id']}/events", b": heartbeat")
        told = list(dict.fromkeys(event.data["run_id"] for event in parse(raw).events))
        assert told == [run["run_id"] for run in runs]


@pytest.mark.parametrize("if_busy", ["interrupt", "rollback"])
async def test_a_message_on_one_process_ends_the_run_on_the_other(second, user, if_busy):
    first = await going(user)
    async with second.user() as elsewhere:
        elsewhere.cookies = user.cookies
        next_one = (await post(elsewhere, first, "/ticks 1 0 0", if_busy)).json()
        async with asyncio.timeout(30):  # of the 40 seconds that the first one would go on for
            assert (await finished(elsewhere, next_one["run_id"]))["status"] == "succeeded"
        assert (await finished(elsewhere, first["run_id"]))["status"] == "cancelled"
        runs = {m["run_id"] for m in await messages(elsewhere, first)}
        assert (first["run_id"] in runs) == (if_busy == "interrupt")


async def test_of_ten_over_two_processes_that_will_not_wait_exactly_one_is_taken(second, user, go):
    first = await ask(user, "/ticks 1 0 0")
    await finished(user, first["run_id"])
    async with second.user() as elsewhere:
        elsewhere.cookies = user.cookies
        both = (user, elsewhere)
        answers = await asyncio.gather(*(post(both[n % 2], first, HELD, "reject") for n in range(10)))
    assert Counter(answer.status_code for answer in answers) == {202: 1, 409: 9}
