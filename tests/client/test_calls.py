"""The plain calls: retried without harm, refused with the server's words."""

import itertools
import json

import pytest
from badly_behaved import Answer, Asked, Wire, as_json, problem

from signalbox.client import ApiError, Client, ConnectionLost

HANDLE = {"run_id": "r_1", "conversation_id": "c_1", "events_url": "/v1/runs/r_1/events"}
RUN = {**HANDLE, "status": "succeeded", "attempt": 1, "intent": "general", "usage": None, "error": None, "new": 1}


async def test_a_lost_response_is_asked_for_again_under_the_same_key():
    turns = iter(
        [Answer(end="cut", status=202), Answer(end="mute"), problem(503, "x", retry=True), as_json(HANDLE, 202)]
    )
    async with Wire(lambda _: next(turns)) as wire, wire.client(idle_s=0.1) as client:
        run = await client.send("hi \ud800", conversation_id="c_1")
    assert (run.run_id, run.conversation_id) == ("r_1", "c_1")
    assert len({asked.headers["idempotency-key"] for asked in wire.asked}) == 1
    assert len(wire.asked) == 4
    assert {asked.body for asked in wire.asked} == {wire.asked[0].body}
    assert json.loads(wire.asked[0].body) == {"message": "hi \ufffd", "conversation_id": "c_1", "temporary": False}


async def test_two_messages_have_two_keys_unless_the_caller_gives_one():
    async with Wire(lambda _: as_json(HANDLE, 202)) as wire, wire.client() as client:
        await client.send("a")
        await client.send("a")
        await client.send(suggestion_id="s_1", idempotency_key="mine")
    keys = [asked.headers["idempotency-key"] for asked in wire.asked]
    assert len(set(keys)) == 3
    assert keys[2] == "mine"
    assert json.loads(wire.asked[2].body) == {"suggestion_id": "s_1", "temporary": False}


async def test_an_anonymous_user_exists_before_the_first_message_and_stays_the_same():
    made = itertools.count(1)

    def answer(asked: Asked) -> Answer:
        fresh = (
            {} if "cookie" in asked.headers else {"set-cookie": f"signalbox_user=anon_{next(made)}; Path=/; HttpOnly"}
        )
        return as_json({**HANDLE, "conversations": []}, 200, **fresh)

    async with Wire(answer) as wire:
        async with wire.client(api_key=None) as client:
            await client.send("a")
            await client.send("b")
            kept = client.user_cookie
        async with wire.client(api_key=None, user_cookie=kept) as again:
            await again.send("c")
    assert [asked.method for asked in wire.asked] == ["GET", "POST", "POST", "POST"]
    assert {asked.headers.get("cookie") for asked in wire.asked[1:]} == {"signalbox_user=anon_1"}


async def test_a_refusal_is_not_asked_again():
    async with Wire(lambda _: problem(409, "idempotency_conflict", "Used.")) as wire, wire.client() as client:
        with pytest.raises(ApiError, match="Used") as caught:
            await client.send("hi")
    assert caught.value.code == "idempotency_conflict"
    assert len(wire.asked) == 1


async def test_a_bug_of_the_server_is_not_asked_again_when_it_says_that_it_would_not_help():
    async with Wire(lambda _: problem(500, "internal")) as wire, wire.client() as client:
        with pytest.raises(ApiError):
            await client.run("r_1")
    assert len(wire.asked) == 1


async def test_retry_after_is_honoured_up_to_the_cap():
    slow = Answer(status=503, headers={"retry-after": "7200"})
    turns = iter([slow, as_json(RUN)])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        assert (await client.run("r_1")).status == "succeeded"


async def test_a_delete_whose_answer_was_lost_has_done_its_work():
    turns = iter([Answer(end="cut"), problem(404, "not_found")])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        await client.delete_conversation("c_1")
    async with Wire(lambda _: problem(404, "not_found")) as wire, wire.client() as client:
        with pytest.raises(ApiError):
            await client.delete_conversation("c_1")


async def test_ids_cannot_leave_their_place_in_the_path():
    async with Wire(lambda _: as_json(RUN)) as wire, wire.client() as client:
        await client.cancel("../x?y#z")
    assert wire.asked[0].path == "/v1/runs/..%2Fx%3Fy%23z/cancel"


async def test_answers_are_typed_and_newer_fields_are_left_out():
    messages = {
        "conversation_id": "c_1",
        "messages": [
            {"message_id": "m", "run_id": "r", "role": "user", "content": "x", "status": "complete", "new": 1}
        ],
        "runs": [{"run_id": "r", "status": "running", "new": 1}],
        "cursor": "0a1b2c3d-4",
    }
    info = {
        "conversation_id": "c_1",
        "title": "t",
        "created_at": "2025-01-01T00:00:00Z",
        "updated_at": "2025-01-01T00:00:00Z",
    }
    turns = iter([as_json(messages), as_json({"conversations": [info]}), Answer([b"<html>"])])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        assert (await client.messages("c_1")).messages[0].content == "x"
        (first,) = await client.conversations(limit=1)
        assert first.updated_at.year == 2025
        with pytest.raises(ApiError, match="Check the URL"):
            await client.conversations(before=first.updated_at)
    assert wire.asked[2].path == "/v1/conversations?limit=50&before=2025-01-01T00%3A00%3A00%2B00%3A00"


async def test_conversations_are_found_by_words_and_renamed():
    row = {
        "conversation_id": "c_1",
        "title": "New",
        "created_at": "2025-01-01T00:00:00Z",
        "updated_at": "2025-01-01T00:00:00Z",
    }
    turns = iter([as_json({"conversations": [row | {"match": "…Köln…"}, row]}), as_json(row)])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        found = await client.conversations(query="Köln & more", limit=5)
        assert [each.match for each in found] == ["…Köln…", None]
        assert (await client.rename("c_1", "New \ud800")).title == "New"
    assert wire.asked[0].path == "/v1/conversations?limit=5&q=K%C3%B6ln%20%26%20more"
    assert (wire.asked[1].method, wire.asked[1].path) == ("PATCH", "/v1/conversations/c_1")
    assert json.loads(wire.asked[1].body) == {"title": "New \ufffd"}


async def test_a_message_can_take_the_place_of_a_run():
    async with Wire(lambda _: as_json(HANDLE, 202)) as wire, wire.client() as client:
        await client.send("better", conversation_id="c_1", replaces="r_0")
        await client.send(conversation_id="c_1", replaces="r_0")
    assert [json.loads(asked.body) for asked in wire.asked] == [
        {"message": "better", "conversation_id": "c_1", "temporary": False, "replaces": "r_0"},
        {"conversation_id": "c_1", "temporary": False, "replaces": "r_0"},
    ]


async def test_a_sign_in_page_is_no_answer():
    portal = Answer([b"<h1>Welcome to our WiFi</h1>"], content_type="text/html")
    turns = itertools.chain([portal, portal, as_json(HANDLE, 202)])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        assert (await client.send("hi")).run_id == "r_1"
        assert len({asked.headers["idempotency-key"] for asked in wire.asked}) == 1
    async with Wire(lambda _: portal) as wire, wire.client(give_up_after=0.05) as client:
        with pytest.raises(ConnectionLost, match="sign-in page"):
            await client.delete_conversation("c_1")


async def test_a_redirect_is_told_not_followed():
    moved = Answer(status=308, headers={"location": "https://elsewhere.example/"})
    async with Wire(lambda _: moved) as wire, wire.client() as client:
        with pytest.raises(ApiError, match="elsewhere"):
            await client.run("r_1")


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://x", "http://", "http://x:99999999", ""])
def test_a_url_that_cannot_work_is_refused_at_once(url: str):
    with pytest.raises(ValueError, match="URL"):
        Client(url)


async def test_ready_tries_once():
    async with Client("http://127.0.0.1:1") as client:
        with pytest.raises(ConnectionLost):
            await client.ready()


def test_the_client_needs_nothing_of_the_server():
    import subprocess
    import sys

    code = "import sys, signalbox.client, signalbox.view; print(*[m for m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    ours = {name for name in loaded if name.startswith("signalbox.")}
    needed = "blocks client encoding envelope errors event_stream events frames replies view"
    assert ours == {f"signalbox.{name}" for name in needed.split()}
    assert not {"fastapi", "redis", "psycopg", "langgraph", "onnxruntime"} & set(loaded)


QUESTION = {
    "approval_id": "ap_1", "run_id": "r_1", "tool": "send_email", "arguments": {"to": ["a"], "body": "x"},
    "digest": "d", "risk": "It goes out.", "expires_at": "2025-01-01T00:00:00Z", "decision": None, "edited": None,
    "note": "", "created_at": "2025-01-01T00:00:00Z", "decided_at": None, "new": 1,
}  # fmt: skip


async def test_a_decision_is_sent_as_it_was_made():
    turns = iter(
        [as_json({"approvals": [QUESTION]}), as_json(QUESTION | {"decision": "edited", "edited": {"to": ["b"]}})]
    )
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        (asked,) = await client.approvals("r_1")
        assert (asked.decision, asked.arguments) == (None, {"to": ["a"], "body": "x"})
        decided = await client.decide("r_1", "ap_1", "edit", arguments={"to": ["b"]}, note="n", digest=asked.digest)
    assert (decided.decision, decided.edited) == ("edited", {"to": ["b"]})
    assert [(each.method, each.path) for each in wire.asked] == [
        ("GET", "/v1/runs/r_1/approvals"), ("POST", "/v1/runs/r_1/approvals/ap_1"),
    ]  # fmt: skip
    assert json.loads(wire.asked[1].body) == {
        "decision": "edit",
        "arguments": {"to": ["b"]},
        "note": "n",
        "digest": "d",
    }


@pytest.mark.parametrize(
    ("decision", "stands", "ours"),
    [("approve", "approved", True), ("approve", "rejected", False), ("reject", "expired", False)],
)
async def test_a_decision_whose_answer_was_lost_is_known_by_what_stands(decision, stands, ours):
    turns = iter(
        [Answer(end="cut"), problem(409, "decided"), as_json({"approvals": [QUESTION | {"decision": stands}]})]
    )
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        if ours:
            assert (await client.decide("r_1", "ap_1", decision)).decision == stands
        else:
            with pytest.raises(ApiError):
                await client.decide("r_1", "ap_1", decision)


async def test_somebody_elses_decision_is_never_taken_for_ours():
    async with Wire(lambda _: problem(409, "decided", "Before.")) as wire, wire.client() as client:
        with pytest.raises(ApiError, match="Before"):
            await client.decide("r_1", "ap_1", "approve")
    assert len(wire.asked) == 1


async def test_who_wants_to_be_refused_while_busy_is_told_at_once():
    async with Wire(lambda _: problem(409, "busy", retry=True)) as wire, wire.client() as client:
        with pytest.raises(ApiError) as caught:
            await client.send("hi", conversation_id="c_1", if_busy="reject")
    assert (caught.value.code, len(wire.asked)) == ("busy", 1)
    assert json.loads(wire.asked[0].body)["if_busy"] == "reject"
