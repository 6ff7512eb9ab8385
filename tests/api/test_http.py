"""The stream as HTTP: headers, first bytes, heartbeats, old clients, browsers of other origins, readers that vanish."""

import asyncio
import contextlib
import random
import socket
import time

import httpx
import pytest
from wire import check_problem, exchange, get_request, no_run, open_stream, readers_back_to, reset

from live import Live, ask, finished, parse, read_all, read_until
from signalbox.app import create_app
from signalbox.events import EVENT_TYPES, event_schema

ORIGIN = {"Origin": "http://page.example"}
SSE = {"Accept": "text/event-stream"}


@pytest.fixture
async def silent(user):
    """A run that has said one word and says no more, and ends with the test."""
    run = await ask(user, "/ticks 1 0 500")
    await read_until(user, run["events_url"], b"@000000@")
    yield run
    await user.post(f"/v1/runs/{run['run_id']}/cancel")


# -- the stream's bytes


async def test_a_stream_has_the_headers_that_keep_proxies_from_buffering(user, silent):
    async with user.stream("GET", silent["events_url"], headers={"Accept-Encoding": "gzip, br"}) as response:
        assert response.headers["content-type"].split(";")[0] == "text/event-stream"
        assert "no-store" in response.headers["cache-control"]
        assert response.headers["x-accel-buffering"] == "no"
        assert "content-encoding" not in response.headers
        assert "content-length" not in response.headers


@pytest.mark.parametrize(
    "accept", ["text/event-stream", "*/*", "text/html, text/event-stream;q=0.9", "TEXT/EVENT-STREAM"]
)
async def test_the_first_bytes_come_at_once_though_the_run_is_silent(user, silent, accept):
    events = silent["events_url"]
    cursor = parse(await read_until(user, events, b"@000000@")).events[-1].id
    took: list[float] = []
    while len(took) < 20 and min(took, default=1.0) >= 0.2:  # a busy machine makes it longer, never shorter
        started = time.monotonic()
        headers = {"Accept": accept, "Accept-Encoding": "gzip", "Last-Event-ID": cursor}
        async with user.stream("GET", events, headers=headers) as response:
            first = await anext(response.aiter_raw())
        took.append(time.monotonic() - started)
        assert first.startswith(b"retry: ")
    assert min(took) < 0.2


async def test_a_message_streams_at_once_though_its_run_is_silent(user):
    started = time.monotonic()
    async with user.stream("POST", "/v1/chat", json={"message": "/ticks 0 0 30"}, headers=SSE) as response:
        assert response.status_code == 200
        assert (await anext(response.aiter_raw())).startswith(b"retry: ")
        assert time.monotonic() - started < 15, "of the 30 seconds until it speaks"
        location = response.headers["location"]
    assert location == f"/v1/runs/{response.headers['x-run-id']}/events"
    await user.post(f"/v1/runs/{response.headers['x-run-id']}/cancel")


async def test_reconnects_are_spread(user):
    run = await ask(user, "/ticks 1 0 0")
    await finished(user, run["run_id"])
    reads = await asyncio.gather(*(read_all(user, run["events_url"]) for _ in range(12)))
    assert all(len(read.retry) == 1 and 500 <= read.retry[0] <= 1_500 for read in reads)
    assert len({read.retry[0] for read in reads}) > 6


async def test_heartbeats_come_while_a_run_is_silent(user, silent):
    started = time.monotonic()
    raw = await read_until(user, silent["events_url"], b": heartbeat\n\n: heartbeat\n\n: heartbeat\n\n")
    assert 0.9 < time.monotonic() - started < 30  # one each 0.5 s
    assert set(parse(raw).comments) == {"heartbeat"}


async def test_heartbeats_come_between_runs(user):
    run = await ask(user, "/ticks 1 0 0")
    await finished(user, run["run_id"])
    url = f"/v1/conversations/{run['conversation_id']}/events"
    raw = await read_until(user, url, b": heartbeat\n\n: heartbeat\n\n: heartbeat\n\n")
    assert parse(raw).types[-1] == "complete"


async def test_a_stream_ends_with_a_proper_last_chunk_and_keeps_the_connection(server, user):
    run = await ask(user, "/ticks 3 0 0")
    request = get_request(user, run["events_url"]).replace(b"Connection: close\r\n", b"")
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    for _ in range(2):
        writer.write(request)
        async with asyncio.timeout(30):
            raw = await reader.readuntil(b"\r\n0\r\n\r\n")
        assert raw.startswith(b"HTTP/1.1 200 OK")
        assert b"event: complete" in raw
    writer.close()


@pytest.mark.xfail(reason="uvicorn's httptools protocol sends chunks to HTTP/1.0 too", strict=True)
async def test_http_1_0_gets_the_bare_bytes_and_a_close(server, user):
    run = await ask(user, "/ticks 5 0 0")
    request = get_request(user, run["events_url"], version=b"1.0").replace(b"Host: test\r\n", b"")
    status, head, body = await exchange(server.port, request)
    assert status == 200
    assert b"chunked" not in head.lower()
    assert body.startswith(b"retry: ")
    assert parse(body).types[-1] == "complete"
    assert parse(body).text == (await read_all(user, run["events_url"])).text


# -- what is asked for


@pytest.mark.parametrize("what", ["runs", "conversations"])
async def test_head_gives_headers_at_once_and_leaves_no_reader(server: Live, user, silent, what):
    url = silent["events_url"] if what == "runs" else f"/v1/conversations/{silent['conversation_id']}/events"
    base = server.services.hub.readers
    async with asyncio.timeout(60):
        for _ in range(20):
            response = await user.head(url)
            assert response.status_code == 200
            assert response.headers["content-type"].startswith("text/event-stream")
            assert response.content == b""
    await readers_back_to(server, base)


BAD_CURSORS = [
    "-1",
    "abc",
    "$",
    "+",
    "0",
    "1-",
    "1-2-3",
    "null",
    "undefined",
    "00000000-01",
    "0000000g-1",
    "ABCDEF01-1",
]
BAD_CURSORS += [
    "00000000-" + "9" * 16,
    "18446744073709551616-0",
    "9" * 10_000,
    "\xe4".encode("latin-1"),
    "00000000-1,00000000-1",
]


@pytest.mark.parametrize("cursor", BAD_CURSORS, ids=lambda cursor: str(cursor)[:20])
async def test_a_cursor_that_is_none_is_refused_on_every_stream(user, silent, cursor):
    for url in (silent["events_url"], f"/v1/conversations/{silent['conversation_id']}/events"):
        for accept in ("text/event-stream", "application/json"):
            headers = {"Accept": accept, "Last-Event-ID": cursor}
            check_problem(await user.get(url, headers=headers), 400, "bad_cursor")
            if isinstance(cursor, str):
                by_query = await user.get(url, params={"lastEventId": cursor}, headers={"Accept": accept})
                check_problem(by_query, 400, "bad_cursor")


@pytest.mark.parametrize(
    "query", ["lastEventId=%00", "lastEventId=1%00-2", "lastEventId=%ff", "lastEventId=00000000-1%0a"]
)
async def test_a_cursor_with_odd_bytes_in_the_query_is_refused(user, silent, query):
    check_problem(await user.get(f"{silent['events_url']}?{query}"), 400, "bad_cursor")


async def test_of_two_cursor_headers_the_first_counts_and_a_bad_header_is_not_hidden_by_a_good_query(user):
    run = await ask(user, "/ticks 4 0 0")
    whole = (await read_all(user, run["events_url"])).events
    two = [("Last-Event-ID", whole[1].id), ("Last-Event-ID", whole[3].id)]
    assert (await read_all(user, run["events_url"], headers=two)).events[0].data["seq"] == 3
    url = f"{run['events_url']}?lastEventId={whole[1].id}"
    check_problem(await user.get(url, headers={"Last-Event-ID": "junk"}), 400, "bad_cursor")


@pytest.mark.parametrize("types", ["nothing", "chunk,nothing", "chunk;message", "Chunk", "*", "chunk%00", "%ff"])
async def test_an_unknown_type_is_refused_before_anything_starts(user, server_db, silent, types):
    for url in (silent["events_url"], f"/v1/conversations/{silent['conversation_id']}/events"):
        check_problem(await user.get(f"{url}?types={types}"), 400, "bad_request")
    async with no_run(server_db, user):
        response = await user.post(f"/v1/chat?types={types}", json={"message": "hello"}, headers=SSE)
        check_problem(response, 400, "bad_request")


async def test_types_may_be_padded_and_repeated_and_the_end_always_passes(user):
    run = await ask(user, "/ticks 3 0 0")
    whole = (await read_all(user, run["events_url"])).types
    for types, wanted in [
        ("chunk", ["chunk"]),
        (" chunk , usage,chunk,,", ["chunk", "usage"]),
        ("thinking", ["thinking"]),
        ("snapshot", []),
        ("", list(EVENT_TYPES)),
    ]:
        read = await read_all(user, run["events_url"], params={"types": types})
        assert read.types == [name for name in whole if name in [*wanted, "complete"]]


async def test_a_gap_and_its_snapshot_pass_every_filter(user):
    run = await ask(user, "/ticks 3 0 0")
    epoch = (await read_all(user, run["events_url"])).events[0].id.split("-")[0]
    lost = await read_all(user, f"{run['events_url']}?types=usage&lastEventId={epoch}-999")
    assert lost.types[:2] == ["gap", "snapshot"]
    assert lost.types[-1] == "complete"


# -- pages of other origins


async def test_a_preflight_allows_what_a_resuming_page_sends(user):
    wanted = "Last-Event-ID, Authorization, Idempotency-Key, Content-Type"
    for method in ("GET", "POST", "DELETE"):
        asked = {**ORIGIN, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": wanted.lower()}
        response = await user.options("/v1/chat", headers=asked)
        assert response.status_code == 200
        assert response.headers["access-control-allow-origin"] == ORIGIN["Origin"]
        allowed = response.headers["access-control-allow-headers"].lower().split(", ")
        assert set(wanted.lower().split(", ")) <= set(allowed)
    refused = await user.options("/v1/chat", headers={**asked, "Origin": "http://evil.example"})
    assert "access-control-allow-origin" not in refused.headers


async def test_answers_and_errors_can_be_read_by_the_page(user):
    answers = [
        await user.post("/v1/chat", json={"message": "/ticks 1 0 0"}, headers=ORIGIN),
        await user.post("/v1/chat", json={"message": "/ticks 1 0 0"}, headers=ORIGIN | SSE),
        await user.post("/v1/chat", json={"message": ""}, headers=ORIGIN),
        await user.post("/v1/chat", content=b"x" * 200_000, headers=ORIGIN),
        await user.post("/v1/chat", json={"mesage": ""}, headers=ORIGIN),
        await user.get("/v1/runs/r_unknown/events", headers=ORIGIN),
        await user.get("/v1/nothing-here", headers=ORIGIN),
        await user.get("/v1/conversations", headers=ORIGIN | {"Authorization": "Bearer wrong"}),
        await user.get("/v1/chat", headers=ORIGIN),
    ]
    assert [answer.status_code for answer in answers] == [202, 200, 400, 413, 422, 404, 404, 401, 405]
    for answer in answers:
        assert answer.headers["access-control-allow-origin"] == ORIGIN["Origin"]
        assert answer.headers["access-control-allow-credentials"] == "true"
        assert "X-Run-Id" in answer.headers["access-control-expose-headers"]


async def test_even_a_bug_is_a_problem_that_the_page_can_read(server: Live):
    app = create_app(server.services.settings, server.services)

    async def broken():
        raise ValueError("SENTINEL /srv/app")

    app.add_api_route("/broken", broken)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        response = await client.get("/broken", headers=ORIGIN)
    assert response.status_code == 500
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["access-control-allow-origin"] == ORIGIN["Origin"]
    assert (response.json()["code"], "SENTINEL" in response.text) == ("internal", False)


# -- clients that vanish


async def test_50_clients_that_leave_at_any_point_leave_no_reader(server: Live, user, silent):
    busy = await ask(user, "/ticks 2000 2 0")
    base = server.services.hub.readers
    rng = random.Random(5)
    loop = asyncio.get_running_loop()
    left: list[socket.socket] = []
    for number in range(50):
        run = busy if number % 2 else silent
        sock = await open_stream(server.port, get_request(user, run["events_url"]))
        # Before the answer; after its head; in mid-frame.
        wanted = (0, 1, rng.randint(200, 3_000))[number % 3] if run is busy else (0, 1, 300)[number % 3]
        got = 0
        while got < wanted:
            got += len(await loop.sock_recv(sock, wanted - got))
        if number % 4 < 2:
            reset(sock)
        else:
            sock.close()
        left.append(sock)
    await readers_back_to(server, base)
    assert (await user.get(f"/v1/runs/{silent['run_id']}")).json()["status"] == "running"
    await user.post(f"/v1/runs/{busy['run_id']}/cancel")


async def test_a_client_that_takes_nothing_is_dropped_and_can_resume_and_slows_nobody(server: Live, user):
    """``/ticks 18000``: some 5 MB of events, more than the socket's buffers hold, all of it resumable."""
    base = server.services.hub.readers
    run = await ask(user, "/ticks 18000 0 0")
    stuck = await open_stream(server.port, get_request(user, run["events_url"]), small=True)
    async with asyncio.timeout(120):
        whole = (await read_all(user, run["events_url"])).events
    assert [event.data["seq"] for event in whole] == list(range(1, len(whole) + 1))
    await readers_back_to(server, base, timeout=60)
    loop = asyncio.get_running_loop()
    raw = b""
    async with asyncio.timeout(30):
        # The kernel gives the socket up with a reset, which may take what lay unread along.
        with contextlib.suppress(ConnectionResetError):
            while part := await loop.sock_recv(stuck, 65_536):
                raw += part
    stuck.close()
    taken = parse_chunked(raw) if raw else []
    assert len(taken) < len(whole)
    headers = {"Last-Event-ID": taken[-1].id} if taken else {}
    rest = (await read_all(user, run["events_url"], headers=headers)).events
    assert [event.data for event in taken + rest] == [event.data for event in whole]


def parse_chunked(raw: bytes) -> list:
    """The whole events of a chunked answer that was cut somewhere."""
    body, rest = b"", raw.partition(b"\r\n\r\n")[2]
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16)
        body += rest[:length]
        rest = rest[length + 2 :]
    return parse(body[: body.rfind(b"\n\n") + 2]).events


# -- the description


async def test_the_served_schema_is_the_contract(user):
    assert (await user.get("/v1/schema/events")).json() == event_schema()


async def test_openapi_describes_every_route_once(user):
    described = (await user.get("/openapi.json")).json()
    assert described["openapi"].startswith("3.1")
    operations = {
        (method, path): operation
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    }
    assert set(operations) >= {
        ("post", "/v1/chat"),
        ("get", "/v1/runs/{run_id}"),
        ("get", "/v1/runs/{run_id}/events"),
        ("post", "/v1/runs/{run_id}/cancel"),
        ("get", "/v1/conversations"),
        ("get", "/v1/conversations/{conversation_id}"),
        ("delete", "/v1/conversations/{conversation_id}"),
        ("get", "/v1/conversations/{conversation_id}/messages"),
        ("get", "/v1/conversations/{conversation_id}/events"),
        ("get", "/v1/schema/events"),
        ("get", "/healthz"),
        ("get", "/readyz"),
    }
    ids = [operation["operationId"] for operation in operations.values()]
    assert len(ids) == len(set(ids))
    for (_, path), operation in operations.items():
        assert operation["summary"]
        in_path = {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}
        assert in_path == {part[1:-1] for part in path.split("/") if part.startswith("{")}
        if path.startswith("/v1"):
            assert "application/problem+json" in operation["responses"]["default"]["content"]
    body = operations["post", "/v1/chat"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(body["properties"]) >= {"message", "conversation_id", "suggestion_id", "temporary"}
    assert '"$ref"' not in str(body).replace("'", '"')
