"""The same message sent twice under one key is one run, whichever way it is asked for."""

import asyncio

import pytest
from wire import check_problem, no_run

from live import finished, parse, read_until

SSE = {"Accept": "text/event-stream"}


async def test_20_posts_with_one_key_are_one_run(user, server_db):
    body = {"message": "/ticks 3 0 0"}
    answers = await asyncio.gather(
        *(user.post("/v1/chat", json=body, headers={"Idempotency-Key": "once"}) for _ in range(20))
    )
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["run_id"] for answer in answers}) == 1
    conversations = (await user.get("/v1/conversations")).json()["conversations"]
    assert [row["conversation_id"] for row in conversations] == [answers[0].json()["conversation_id"]]
    messages = (await user.get(f"/v1/conversations/{conversations[0]['conversation_id']}/messages")).json()["messages"]
    assert [m["role"] for m in messages].count("user") == 1


async def test_a_key_with_another_body_is_a_conflict(user, server_db):
    key = {"Idempotency-Key": "mine"}
    first = await user.post("/v1/chat", json={"message": "/ticks 1 0 0"}, headers=key)
    async with no_run(server_db, user):
        for other in ({"message": "/ticks 2 0 0"}, {"message": "/ticks 1 0 0", "temporary": True}):
            check_problem(await user.post("/v1/chat", json=other, headers=key), 409, "idempotency_conflict")
        again = await user.post("/v1/chat", json={"message": "/ticks 1 0 0"}, headers=key)
    assert again.json() == first.json()


async def test_a_key_is_its_users_own(user, other):
    runs = [
        (await c.post("/v1/chat", json={"message": "/ticks 1 0 0"}, headers={"Idempotency-Key": "k"})).json()
        for c in (user, other)
    ]
    assert runs[0]["run_id"] != runs[1]["run_id"]


@pytest.mark.parametrize("key", ["", "k" * 201, "k" * 300, "\xe4".encode("latin-1"), "a\tb", "\u20ac".encode()])
async def test_a_bad_key_is_refused(user, server_db, key):
    async with no_run(server_db, user):
        response = await user.post("/v1/chat", json={"message": "hello"}, headers={"Idempotency-Key": key})
        check_problem(response, 400, "bad_request")


async def test_a_stream_asked_for_again_is_the_same_stream(user):
    post = {"json": {"message": "/ticks 20 2 0"}, "headers": {**SSE, "Idempotency-Key": "stream"}}
    async with user.stream("POST", "/v1/chat", **post) as response:
        run_id = response.headers["x-run-id"]
        await anext(response.aiter_raw())
    during = asyncio.create_task(read_until(user, "/v1/chat", b"event: complete", method="POST", **post))
    await finished(user, run_id)
    after = parse(await read_until(user, "/v1/chat", b"event: complete", method="POST", **post))
    assert [e.data for e in after.events] == [e.data for e in parse(await during).events]
    assert {e.data["run_id"] for e in after.events} == {run_id}
    assert after.types[0] == "run_started"
    assert after.text.count("@") == 40
