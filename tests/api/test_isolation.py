"""What is one user's is, to everybody else, exactly what does not exist."""

import asyncio
import hashlib
import hmac
from http.cookies import SimpleCookie

import httpx
import pytest
from wire import check_problem, no_run

from live import Live, ask, finished, left, read_all, read_until
from signalbox.app import create_app
from signalbox.settings import load_settings

RUN_ROUTES = [("GET", ""), ("GET", "/events"), ("HEAD", "/events"), ("POST", "/cancel")]
CONVERSATION_ROUTES = [("GET", ""), ("GET", "/messages"), ("GET", "/events"), ("HEAD", "/events"), ("DELETE", "")]
HEADERS: list[dict[str, str]] = [
    {},
    {"Accept": "text/event-stream"},
    {"Accept": "application/json"},
    {"Last-Event-ID": "00000000-0"},
    {"Last-Event-ID": "junk"},
]


@pytest.fixture(params=["/ticks 3 0 0", "/ticks 2 1 60"], ids=["over", "running"])
async def theirs(request, other):
    """Somebody else's run, over or in progress."""
    run = await ask(other, request.param)
    if request.param.endswith(" 0"):
        await finished(other, run["run_id"])
    else:
        await read_until(other, run["events_url"], b"@000001@")
    yield run
    await other.post(f"/v1/runs/{run['run_id']}/cancel")


def told(response: httpx.Response) -> tuple:
    """All that an answer tells, less the clock."""
    return response.status_code, response.content, sorted(set(response.headers) - {"date"})


async def state(client: httpx.AsyncClient, run: dict) -> tuple:
    row = (await client.get(f"/v1/runs/{run['run_id']}")).json()
    messages = (await client.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
    return row["status"], [message["content"] for message in messages]


@pytest.mark.parametrize("headers", HEADERS, ids=str)
async def test_another_users_run_is_as_unknown_as_none(user, other, theirs, headers):
    before = await state(other, theirs)
    for method, rest in RUN_ROUTES:
        foreign = await user.request(method, f"/v1/runs/{theirs['run_id']}{rest}", headers=headers)
        unknown = await user.request(method, f"/v1/runs/r_0123456789abcdef0123{rest}", headers=headers)
        assert told(foreign) == told(unknown)
        assert foreign.status_code == 404
        if method != "HEAD":
            check_problem(foreign, 404, "not_found")
    assert await state(other, theirs) == before


@pytest.mark.parametrize("headers", HEADERS, ids=str)
async def test_another_users_conversation_is_as_unknown_as_none(user, other, theirs, headers):
    before = await state(other, theirs)
    for method, rest in CONVERSATION_ROUTES:
        foreign = await user.request(method, f"/v1/conversations/{theirs['conversation_id']}{rest}", headers=headers)
        unknown = await user.request(method, f"/v1/conversations/c_0123456789abcdef0123{rest}", headers=headers)
        assert told(foreign) == told(unknown)
        assert foreign.status_code == 404
    assert await state(other, theirs) == before


async def test_nobody_writes_into_another_users_conversation(user, other, theirs, server_db):
    before = await state(other, theirs)
    mine = await ask(user, "/ticks 1 0 0")
    async with no_run(server_db, user), no_run(server_db, other):
        for headers in ({}, {"Accept": "text/event-stream"}, {"Idempotency-Key": "k"}):
            foreign, unknown = [
                await user.post("/v1/chat", json={"message": "hello", "conversation_id": c}, headers=headers)
                for c in (theirs["conversation_id"], "c_0123456789abcdef0123")
            ]
            assert told(foreign) == told(unknown)
            check_problem(foreign, 404, "not_found")
    assert await state(other, theirs) == before
    assert [row["conversation_id"] for row in (await user.get("/v1/conversations")).json()["conversations"]] == [
        mine["conversation_id"]
    ]


async def test_another_users_quick_reply_cannot_be_chosen(user, other, server_db):
    theirs, mine = await ask(other, "/ticks 1 0 0"), await ask(user, "/ticks 1 0 0")
    owner = other.cookies["signalbox_user"].partition(".")[0]
    await server_db.execute(
        "INSERT INTO suggestion (suggestion_id, run_id, conversation_id, tenant, user_id, label, message) "
        "VALUES (%s, %s, %s, 'default', %s, 'Yes', '/ticks 1 0 0')",
        (f"s_{theirs['run_id']}", theirs["run_id"], theirs["conversation_id"], owner),
    )
    choice = {"suggestion_id": f"s_{theirs['run_id']}"}
    async with no_run(server_db, user):
        for more in ({}, {"message": "hello"}, {"conversation_id": theirs["conversation_id"]}, mine_of(mine)):
            foreign = await user.post("/v1/chat", json=choice | more)
            unknown = await user.post("/v1/chat", json={"suggestion_id": "s_unknown"} | more)
            assert told(foreign) == told(unknown)
            check_problem(foreign, 404, "not_found")
    assert (await other.post("/v1/chat", json=choice)).status_code == 202


def mine_of(run: dict) -> dict:
    return {"conversation_id": run["conversation_id"]}


async def test_a_list_holds_only_ones_own(user, other):
    for client in (user, other):
        await ask(client, "/ticks 1 0 0")
    lists = [(await client.get("/v1/conversations?limit=100")).json()["conversations"] for client in (user, other)]
    assert [len(rows) for rows in lists] == [1, 1]
    assert lists[0][0]["conversation_id"] != lists[1][0]["conversation_id"]


async def test_a_deleted_conversation_is_as_unknown_as_none(server: Live, user):
    run = await ask(user, "/ticks 2 0 60")
    gone = f"/v1/conversations/{run['conversation_id']}"
    reading = asyncio.create_task(read_all(user, run["events_url"]))
    await read_until(user, run["events_url"], b"@000001@")
    assert (await user.delete(gone)).status_code == 204
    await asyncio.wait_for(reading, 30)
    await left(server.services, run["run_id"])
    for method, rest in CONVERSATION_ROUTES:
        response = await user.request(method, gone + rest)
        assert told(response) == told(await user.request(method, f"/v1/conversations/c_unknown{rest}"))
    for method, rest in RUN_ROUTES:
        assert (await user.request(method, f"/v1/runs/{run['run_id']}{rest}")).status_code == 404
    check_problem(await user.post("/v1/chat", json={"message": "hello", **mine_of(run)}), 404, "not_found")


# -- cookies


async def test_the_cookie_is_set_once_and_out_of_reach_of_scripts(server: Live):
    async with server.user() as client:
        first = await client.post("/v1/chat", json={"message": "/ticks 1 0 0"}, headers={"Accept": "text/event-stream"})
        cookie = SimpleCookie(first.headers["set-cookie"])["signalbox_user"]
        assert cookie["httponly"] is True
        assert cookie["samesite"] == "lax"
        assert cookie["path"] == "/"
        assert cookie["domain"] == ""
        assert int(cookie["max-age"]) > 86_400
        assert first.headers.get_list("set-cookie") == [first.headers["set-cookie"]]
        run = f"/v1/runs/{first.headers['x-run-id']}"
        for path in ("/v1/conversations", run, f"{run}/events", "/healthz", "/v1/runs/r_unknown"):
            assert "set-cookie" not in (await client.get(path)).headers


async def test_a_cookie_that_was_tampered_with_is_a_stranger(server: Live, user, other):
    mine, theirs = user.cookies["signalbox_user"], other.cookies["signalbox_user"]
    run = await ask(user, "/ticks 1 0 0")
    name, _, signature = mine.partition(".")
    other_name, _, other_signature = theirs.partition(".")
    forged = [
        name,
        f"{name}.",
        f"{name}.{'0' * 64}",
        f"{name}.{signature[:-1]}",
        f"{name}.{signature}0",
        f"{name}.{signature.upper()}" if signature.upper() != signature else f"{name}.",
        f"{name}.{other_signature}",
        f"{other_name}.{signature}",
        f"{name}.{hashlib.sha256(name.encode()).hexdigest()}",
        f"{name}.{hmac.new(b'', name.encode(), hashlib.sha256).hexdigest()}",
        f"{name[:-1]}0.{signature}" if name[-1] != "0" else f"{name[:-1]}1.{signature}",
        "anon_.",
        "x" * 4_000,
        "null",
        '""',
    ]
    for cookie in forged:
        async with httpx.AsyncClient(
            verify=False, base_url=server.url, headers={"Cookie": f"signalbox_user={cookie}"}
        ) as client:
            check_problem(await client.get(f"/v1/runs/{run['run_id']}"), 404, "not_found")
            listed = await client.get("/v1/conversations")
            assert listed.json() == {"conversations": []}
            fresh = SimpleCookie(listed.headers["set-cookie"])["signalbox_user"].value
            assert fresh.partition(".")[0] not in {name, other_name}
    assert (await user.get(f"/v1/runs/{run['run_id']}")).status_code == 200


# -- keys


@pytest.fixture
async def keyed(server: Live):
    """The same stores behind an app that asks for a key."""
    settings = load_settings(**server.services.settings.model_dump() | {"api_keys": "key-one-1:alice,key-two-2:bob"})
    app = create_app(settings, server.services)
    async with app.router.lifespan_context(app):
        yield app


def with_key(app, authorization: str | None) -> httpx.AsyncClient:
    headers = {"Authorization": authorization} if authorization is not None else {}
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), verify=False, base_url="http://test", headers=headers)


REFUSED = [None, "", "Bearer", "Bearer ", "Bearer wrong", "Bearer key-one", "Bearer key-one-1x", "Bearer KEY-ONE-1"]
REFUSED += [
    "Basic key-one-1",
    "key-one-1",
    "Bearer alice",
    "Bearer key-one-1, Bearer key-two-2",
    "Bearer " + "k" * 50_000,
]


@pytest.mark.parametrize("authorization", REFUSED, ids=lambda a: str(a)[:30])
async def test_without_a_good_key_every_route_is_closed(keyed, user, authorization):
    run = await ask(user, "/ticks 1 0 0")
    async with with_key(keyed, authorization) as client:
        client.cookies.update(user.cookies)  # a cookie is no key
        routes = [(method, f"/v1/runs/{run['run_id']}{rest}") for method, rest in RUN_ROUTES if method != "HEAD"]
        conversation = f"/v1/conversations/{run['conversation_id']}"
        routes += [(method, conversation + rest) for method, rest in CONVERSATION_ROUTES if method != "HEAD"]
        for method, path in [*routes, ("GET", "/v1/conversations"), ("POST", "/v1/chat")]:
            response = await client.request(method, path)
            check_problem(response, 401, "unauthorized")
            assert "set-cookie" not in response.headers
            assert "key-" not in response.text


@pytest.mark.parametrize("scheme", ["Bearer key-one-1", "bearer key-one-1", "BEARER  key-one-1 "])
async def test_a_key_opens_its_own_users_data_and_nobody_elses(keyed, capfd, scheme):
    async with with_key(keyed, scheme) as alice, with_key(keyed, "Bearer key-two-2") as bob:
        run = await ask(alice, "/ticks 2 0 0")
        await read_all(alice, run["events_url"])
        events = await alice.get(run["events_url"], headers={"Accept": "application/json"})
        assert events.json()[-1]["type"] == "complete"
        assert run["conversation_id"] in (await alice.get("/v1/conversations")).text
        assert run["conversation_id"] not in (await bob.get("/v1/conversations")).text
        for method, rest in RUN_ROUTES:
            assert (await bob.request(method, f"/v1/runs/{run['run_id']}{rest}")).status_code == 404
        for method, rest in CONVERSATION_ROUTES:
            path = f"/v1/conversations/{run['conversation_id']}{rest}"
            assert (await bob.request(method, path)).status_code == 404
        answers = [events, await alice.get("/v1/conversations"), await alice.get(f"/v1/runs/{run['run_id']}")]
        assert all("key-one-1" not in answer.text + str(answer.headers) for answer in answers)
        assert all("set-cookie" not in answer.headers for answer in answers)
    written = capfd.readouterr()
    assert "key-one-1" not in written.out + written.err


async def test_where_no_key_is_asked_for_an_unknown_one_is_still_refused(user):
    response = await user.get("/v1/conversations", headers={"Authorization": "Bearer key-one-1"})
    check_problem(response, 401, "unauthorized")
    assert "key-one-1" not in response.text
