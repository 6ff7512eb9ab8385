"""Whatever is sent, the answer is a problem with a stable code, nothing is started, and the next message works."""

import asyncio
import json

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from wire import check_problem, check_problem_body, exchange, get_request, no_run

from live import ask, finished, read_all
from signalbox.api.deps import read_body

LIMIT = 10_000
SENTINEL = "SENTINEL-9f31"


async def post(user, content: bytes, **headers: str):
    return await user.post("/v1/chat", content=content, headers={"Content-Type": "application/json", **headers})


# -- messages


@pytest.mark.parametrize(
    "message",
    ["", " ", "\n\t\r\n", "\u00a0\u2003\u3000", "\u2028\u2029\u0085", "\u200b\u2060\ufeff", "\x1f"],
    ids=ascii,
)
async def test_a_message_that_shows_nothing_is_refused(user, server_db, message):
    async with no_run(server_db, user):
        check_problem(await user.post("/v1/chat", json={"message": message}), 400, "bad_request")


@pytest.mark.parametrize("length", [LIMIT + 1, 100_000, 1_000_000])
async def test_a_message_over_the_limit_is_refused(user, server_db, length):
    async with no_run(server_db, user):
        check_problem(await user.post("/v1/chat", json={"message": "x" * length}), 413, "payload_too_large")


@pytest.mark.parametrize("char", ["x", "ä", "\U0001f600"])
async def test_a_message_of_exactly_the_limit_is_answered_and_kept(user, char):
    run = await ask(user, char * LIMIT)
    assert (await finished(user, run["run_id"]))["status"] == "succeeded"
    page = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()
    assert page["messages"][0]["content"] == char * LIMIT


# -- bodies


async def test_ten_megabytes_are_refused_whether_declared_or_not(user, server_db):
    big = b'{"message": "' + b"x" * 10_000_000 + b'"}'

    async def pieces():
        for start in range(0, len(big), 65_536):
            yield big[start : start + 65_536]

    async with no_run(server_db, user):
        check_problem(await post(user, big), 413, "payload_too_large")
        check_problem(await post(user, pieces()), 413, "payload_too_large")


async def test_an_endless_body_is_answered_before_it_ends(server, user):
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"POST /v1/chat HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
    head = asyncio.create_task(reader.readuntil(b"\r\n\r\n"))
    async with asyncio.timeout(60):
        while not head.done():
            writer.write(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
            await writer.drain()
            await asyncio.sleep(0)
    assert (await head).startswith(b"HTTP/1.1 413 ")
    writer.close()


async def test_a_body_that_trickles_in_is_given_up():
    async def receive():
        await asyncio.sleep(0.002)
        return {"type": "http.request", "body": b"x", "more_body": True}

    request = Request({"type": "http", "method": "POST", "headers": []}, receive)
    with pytest.raises(HTTPException) as told:
        await read_body(request, 150_000, patience_s=0.1)
    assert told.value.status_code == 408


@pytest.mark.parametrize("length", [0, 5, 5_000, 149_000, 10**15, 10**30])
async def test_a_content_length_that_lies_starts_nothing(server, user, server_db, length):
    cookie = f"Cookie: signalbox_user={user.cookies['signalbox_user']}\r\n".encode()
    head = f"POST /v1/chat HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: {length}\r\n".encode()
    async with no_run(server_db, user):
        status, head, body = await exchange(server.port, head + cookie + b'\r\n{"message": "hello"}', end=True)
        assert status < 500
        if b"application/problem+json" in head:
            check_problem_body(body, status)
    assert (await user.get("/v1/conversations")).status_code == 200


NOT_A_REQUEST = {
    "empty": b"",
    "spaces": b"  \n ",
    "not JSON": b"hello",
    "form": b"message=hello",
    "cut": b'{"message": "hello"',
    "trailing": b'{"message": "hello"} x',
    "two": b'{"message": "hello"}{"message": "hello"}',
    "null": b"null",
    "list": b'[{"message": "hello"}]',
    "text": b'"hello"',
    "number": b"7",
    "utf-16": '{"message": "hello"}'.encode("utf-16"),
    "latin-1": '{"message": "h\xe4llo"}'.encode("latin-1"),
    "bad utf-8": b'{"message": "\xff\xfe"}',
    "overlong utf-8": b'{"message": "\xc0\xaf"}',
    "raw NUL": b'{"message": "a\x00b"}',
    "raw newline": b'{"message": "a\nb"}',
    "nested": b"[" * 100_000,
    "nested message": b'{"message": ' + b'{"a":' * 20_000,
    "long integer": b'{"message": ' + b"9" * 6_000 + b"}",
    "big integer": b'{"message": ' + b"9" * 400 + b"}",
    "NaN": b'{"message": NaN}',
    "Infinity": b'{"temporary": Infinity, "message": "hello"}',
    "overflow": b'{"temporary": 1e999, "message": "hello"}',
    "lone high": b'{"message": "a\\ud800b"}',
    "lone low": b'{"message": "a\\udc00b"}',
    "reversed pair": b'{"message": "a\\udc00\\ud800b"}',
    "surrogate id": b'{"message": "hello", "conversation_id": "\\ud800"}',
    "surrogate key": b'{"message": "hello", "\\ud800": 1}',
    "number message": b'{"message": 7}',
    "list message": b'{"message": ["hello"]}',
    "object message": b'{"message": {"text": "hello"}}',
    "true message": b'{"message": true}',
    "null message": b'{"message": null}',
    "no message": b"{}",
    "wrong flag": b'{"message": "hello", "temporary": "perhaps"}',
    "unknown field": b'{"message": "hello", "mesage": "x"}',
    "odd field": b'{"message": "hello", "' + SENTINEL.encode() + b' \\u0000": 1}',
    "many fields": b'{"message": "hello"' + b"".join(b',"f%d":0' % n for n in range(10_000)) + b"}",
    "id of another type": b'{"message": "hello", "conversation_id": 7}',
}


@pytest.mark.parametrize("body", NOT_A_REQUEST.values(), ids=NOT_A_REQUEST.keys())
async def test_a_body_that_is_no_request_is_refused(user, server_db, body):
    async with no_run(server_db, user):
        problem = check_problem(await post(user, body))
        assert problem["code"] in {"bad_request", "invalid_request"}
        assert SENTINEL not in str(problem)


async def test_a_mistyped_field_is_named(user):
    problem = check_problem(await user.post("/v1/chat", json={"message": "hello", "mesage": "x"}), 422)
    assert problem["errors"] == [{"field": "mesage", "message": "Extra inputs are not permitted"}]


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "application/x-www-form-urlencoded"},  # what curl -d says
        {"Content-Type": "text/plain; charset=latin-1"},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Type": "\xe4".encode("latin-1")},
        {},
    ],
)
async def test_json_is_json_whatever_its_content_type_says(user, headers):
    response = await user.post("/v1/chat", content=b'{"message": "/ticks 1 0 0 "}', headers=headers)
    assert response.status_code == 202


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (b'\xef\xbb\xbf{"message": "with a BOM"}', "with a BOM"),
        (b'{"message": "first", "message": "the last one wins"}', "the last one wins"),
        (b' \r\n\t{"message": "spaces around"} \n', "spaces around"),
        (b'{"message": "pair \\ud83d\\ude00"}', "pair \U0001f600"),
        (b'{"message": "nul \\u0000 in text"}', "nul \ufffd in text"),
        (b'{"message": "lines\\r\\n\\u2028\\u0085end"}', "lines\r\n\u2028\u0085end"),
    ],
)
async def test_odd_but_valid_json_is_taken_and_reads_back(user, body, kept):
    run = (await post(user, body)).json()
    await finished(user, run["run_id"])
    page = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()
    assert page["messages"][0]["content"] == kept


@pytest.mark.parametrize("text", ["\\ud800", "\\udc00 x \\ud800", "\\u0000"])
async def test_text_that_cannot_be_stored_never_spoils_a_conversation(user, text):
    first = await ask(user, "/ticks 2 0 0")
    conversation = first["conversation_id"]
    await finished(user, first["run_id"])
    for body in (
        f'{{"message": "a{text}b", "conversation_id": "{conversation}"}}',
        f'{{"message": "hello", "conversation_id": "{conversation}{text}"}}',
        f'{{"conversation_id": "{conversation}", "suggestion_id": "{text}"}}',
    ):
        response = await post(user, body.encode())
        assert response.status_code < 500
        if response.status_code == 202:
            await finished(user, response.json()["run_id"])
    second = await ask(user, "/ticks 2 0 0", conversation_id=conversation)
    assert (await finished(user, second["run_id"]))["status"] == "succeeded"
    page = (await user.get(f"/v1/conversations/{conversation}/messages")).json()
    assert [m["role"] for m in page["messages"]][-2:] == ["user", "assistant"], page["messages"]
    assert (await read_all(user, second["events_url"])).types[-1] == "complete"


# -- ids

ODD_IDS = [
    "c:1",
    "{c}",
    "*",
    "a b",
    "\U0001f600",
    "x" * 10_240,
    "..",
    "a/b",
    "a%2fb",
    "a\nb",
    "a\x00b",
    "'",
    '"',
    "ä",
    "$",
    "?",
]


@pytest.mark.parametrize("odd", ODD_IDS, ids=ascii)
async def test_an_odd_id_in_a_body_is_just_unknown(user, server_db, odd):
    async with no_run(server_db, user):
        body = {"message": "hello", "conversation_id": odd}
        unknown = await user.post("/v1/chat", json=body | {"conversation_id": "c_unknown"})
        assert (await user.post("/v1/chat", json=body)).content == unknown.content
        check_problem(unknown, 404, "not_found")
        check_problem(await user.post("/v1/chat", json={"suggestion_id": odd}), 404, "not_found")


PATHS = [b"c%3A1", b"%7Bc%7D", b"*", b"%20", b"%F0%9F%98%80", b"x" * 10_240, b"..", b"%2e%2e", b"a%2fb", b"a%252fb"]
PATHS += [b"%00", b"a%0Ab", b"%ff%fe", b"a%", b"%zz", b"a;b", b"'", b"c_unknown", b"c_unknown%00"]


@pytest.mark.parametrize("place", [b"/v1/runs/%s", b"/v1/runs/%s/events", b"/v1/conversations/%s/messages"])
async def test_an_odd_id_in_a_path_is_just_unknown(server, user, place):
    answers = await asyncio.gather(
        *(exchange(server.port, get_request(user, place.replace(b"%s", path))) for path in PATHS)
    )
    for path, (status, head, body) in zip(PATHS, answers, strict=True):
        assert status == 404, path
        assert b"application/problem+json" in head
        check_problem_body(body, 404, "not_found")


@pytest.mark.parametrize("target", [b"/v1/runs/\xff\xfe", b"/v1/runs/a b", b"v1", b"*", b"//", b"/v1/runs/\x00"])
async def test_bytes_that_are_no_request_target_are_refused(server, user, target):
    status, _, _ = await exchange(server.port, get_request(user, target))
    assert status in {0, 400, 404}
    assert (await user.get("/healthz")).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS"])
async def test_a_wrong_method_is_a_problem_that_says_what_is_allowed(user, method):
    response = await user.request(method, "/v1/chat")
    check_problem(response, 405, "method_not_allowed")
    assert response.headers["allow"] == "POST"


async def test_an_unknown_route_is_a_problem(user):
    check_problem(await user.get("/v1/nothing-here"), 404, "not_found")


# -- query

BAD_QUERIES = [
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=x",
    "limit=",
    "limit=1e2",
    "limit=" + "9" * 5_000,
    "limit=%D9%A3",
]
BAD_QUERIES += [
    "before=x",
    "before=2026-01-01",
    "before=9999-12-31T23:59:59-23:59",
    "before=0001-01-01T00:00:00%2B23:59",
]
BAD_QUERIES += ["before=%00", "before=%ff", "before=2026-13-01T00:00:00Z"]


@pytest.mark.parametrize("query", BAD_QUERIES)
async def test_a_bad_page_of_conversations_is_refused(user, query):
    check_problem(await user.get(f"/v1/conversations?{query}"), 400, "bad_request")


@pytest.mark.parametrize(
    "before", ["2026-01-01T00:00:00%2B23:59", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", ""]
)
async def test_any_time_with_a_zone_is_a_place_to_page_from(user, before):
    assert (await user.get(f"/v1/conversations?before={before}")).status_code == 200


async def test_pages_of_conversations_join_without_a_hole(user):
    for number in range(5):
        await ask(user, f"/ticks 1 0 0 {number}")
    whole = (await user.get("/v1/conversations")).json()["conversations"]
    assert len(whole) == 5
    joined, before = [], ""
    while page := (await user.get("/v1/conversations", params={"limit": 2, "before": before})).json()["conversations"]:
        joined += page
        before = page[-1]["updated_at"]
    assert joined == whole


async def test_a_refusal_repeats_nothing_that_was_sent(user):
    bodies = [json.dumps({key: SENTINEL}) for key in ("message", "conversation_id", "suggestion_id", "temporary")]
    for body in [SENTINEL, f'"{SENTINEL}"', *bodies[1:], f'{{"message": "{SENTINEL}"', f'{{"{SENTINEL} ": 1}}']:
        assert SENTINEL not in check_problem(await post(user, body.encode()))["detail"]
    for path in (f"/v1/runs/{SENTINEL}", f"/v1/{SENTINEL}", f"/v1/conversations?limit={SENTINEL}&before={SENTINEL}"):
        response = await user.get(path, headers={"Last-Event-ID": SENTINEL, "X-Other": SENTINEL})
        assert SENTINEL not in response.text
        check_problem(response)
    response = await user.post("/v1/chat", json={"message": "hello"}, headers={"Idempotency-Key": SENTINEL * 100})
    assert SENTINEL not in response.text
