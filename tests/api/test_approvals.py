"""Approvals over HTTP: nothing goes out that its user has not seen, once, and whatever was restarted meanwhile."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from apart import opened, own_database
from courier import agents_in, approvals, asked, decide, post, rest, status, statuses
from wire import check_problem

from live import Live, ask, finished, left, live
from mail_server import Mailbox, mailbox
from signalbox.client import Client
from signalbox.db import Database, migrate
from signalbox.embedded import embedded_servers
from signalbox.events import Snapshot
from signalbox.settings import load_settings
from signalbox.stream.hub import CONTROL
from signalbox.view import ConversationView, final, reduce, sent
from test_failures import Process

SECRET = "only-for-tests-only-for-tests"


@pytest.fixture(scope="module")
def box() -> Iterator[Mailbox]:
    with mailbox() as running:
        yield running


@pytest.fixture
def mails(box: Mailbox) -> list[Any]:
    box.kept.clear()
    return box.kept


def mailing(box: Mailbox, folder: Path) -> dict[str, Any]:
    """Settings of a server that can send mail and has the courier."""
    return {
        "data_dir": folder,
        "agents_dir": agents_in(folder / "couriers"),
        "smtp_url": box.url(),
        "mail_from": "me@example.org",
        "model": "scripted",
        "secret_key": SECRET,
        "heartbeat_s": 0.5,
        "lease_s": 10,  # it never runs out while a busy machine holds this process up
    }


@pytest.fixture(scope="module")
async def url(servers) -> AsyncIterator[str]:
    async with own_database(servers) as made:
        yield made


@pytest.fixture
async def database(url) -> AsyncIterator[Database]:
    async with opened(url) as db:
        yield db


@pytest.fixture(scope="module")
async def server(servers, url, data_dir, box) -> AsyncIterator[Live]:
    urls = {"database_url": url, "redis_url": servers.redis_url}
    async with live(load_settings(**mailing(box, data_dir), **urls)) as running:
        yield running


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


async def test_a_run_asks_waits_and_sends_what_was_approved_exactly_once(server: Live, user, mails):
    run = await asked(user)
    (question,) = await approvals(user, run)
    assert question["arguments"] == {
        "to": ["ann@example.org"],
        "subject": "Hello",
        "body": "The parcel is on its way.",
        "reply_to": None,
    }
    assert (question["tool"], question["run_id"]) == ("send_email", run["run_id"])
    assert "cannot be taken back" in question["risk"]
    assert len(question["digest"]) == 64
    assert (question["decision"], question["decided_at"]) == (None, None)
    assert mails == []
    response = await decide(user, run, "approve", digest=question["digest"], note="go ahead")
    assert response.status_code == 200
    decided = response.json()
    assert (decided["decision"], decided["note"], decided["events_url"]) == ("approved", "go ahead", run["events_url"])
    assert decided["arguments"] == question["arguments"]
    assert (await status(user, run, "succeeded"))["attempt"] == 1
    assert [mail.to for mail in mails] == [("ann@example.org",)]
    assert (await approvals(user, run))[0]["decision"] == "approved"
    messages = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
    assert messages[-1]["content"] == "Sent to ann@example.org."
    types = [block["type"] for block in messages[-1]["blocks"]]
    assert types == ["email_draft", "approval_required", "approval_resolved"]


async def test_a_run_that_waits_holds_nothing(server: Live, database, user):
    run = await asked(user)
    (row,) = await database.fetch(
        "SELECT status, lease_owner, lease_until, finished_at FROM run WHERE run_id = %s", (run["run_id"],)
    )
    assert row == {"status": "waiting", "lease_owner": None, "lease_until": None, "finished_at": None}
    async with asyncio.timeout(30):
        while server.services.runner.active:  # noqa: ASYNC110 - its ending goes on for a moment
            await asyncio.sleep(0.01)
    # Nor does it hold up the conversation.
    after = await ask(user, "/ticks 1 0 0", conversation_id=run["conversation_id"])
    assert (await finished(user, after["run_id"]))["status"] == "succeeded"
    assert (await status(user, run, "waiting"))["finished_at"] is None


async def test_of_many_decisions_at_once_one_holds_and_one_mail_goes_out(user, mails):
    run = await asked(user)
    (question,) = await approvals(user, run)
    answers = await asyncio.gather(
        *(post(user, run, question["approval_id"], decision=("approve", "reject")[n % 2]) for n in range(10))
    )
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 9
    for answer in answers:
        if answer.status_code == 409:
            check_problem(answer, 409, "decided")
    held = next(answer.json()["decision"] for answer in answers if answer.status_code == 200)
    await status(user, run, "succeeded")
    assert len(mails) == (held == "approved")
    check_problem(await decide(user, run, "approve"), 409, "decided")
    assert len(mails) == (held == "approved")


async def test_what_was_edited_is_what_goes_out(user, mails):
    run = await asked(user)
    response = await decide(user, run, "edit", arguments={"to": "bob@example.org", "subject": "Hello Bob"})
    assert response.status_code == 200
    assert response.json()["edited"]["to"] == ["bob@example.org"]
    assert response.json()["arguments"]["to"] == ["ann@example.org"]
    await status(user, run, "succeeded")
    (mail,) = mails
    assert (mail.to, mail.message["Subject"], mail.text) == (
        ("bob@example.org",), "Hello Bob", "The parcel is on its way.",
    )  # fmt: skip
    resolved = [event.data["decision"] for event in (await rest(user, run)).events if event.type == "approval_resolved"]
    assert resolved == ["edited"]


async def test_a_no_is_told_to_the_assistant_with_its_note(user, mails):
    run = await asked(user)
    assert (await decide(user, run, "reject", note="not before Monday")).json()["decision"] == "rejected"
    await status(user, run, "succeeded")
    events = (await rest(user, run)).events
    (result,) = [event.data for event in events if event.type == "tool_result"]
    assert (result["status"], result["kind"]) == ("error", "rejected")
    assert "not before Monday" in next(event.data["content"] for event in events if event.type == "message")
    assert mails == []


async def test_after_its_time_a_question_is_answered_with_no(database, user, mails):
    run = await asked(user)
    await database.execute("UPDATE approval SET expires_at = now() WHERE run_id = %s", (run["run_id"],))
    check_problem(await decide(user, run, "approve"), 409, "decided")
    await status(user, run, "succeeded")
    assert (await approvals(user, run))[0]["decision"] == "expired"
    events = (await rest(user, run)).events
    assert [event.data["decision"] for event in events if event.type == "approval_resolved"] == ["expired"]
    assert mails == []


async def test_each_mail_of_a_run_is_asked_for_by_itself(user, mails):
    run = await asked(user, "ann@example.org bob@example.org")
    await decide(user, run, "approve")
    async with asyncio.timeout(30):
        while len(await approvals(user, run)) < 2:  # noqa: ASYNC110 - as a client would
            await asyncio.sleep(0.02)
    await status(user, run, "waiting")
    assert [mail.to for mail in mails] == [("ann@example.org",)]
    await decide(user, run, "reject")
    await status(user, run, "succeeded")
    assert [question["decision"] for question in await approvals(user, run)] == ["approved", "rejected"]
    assert [mail.to for mail in mails] == [("ann@example.org",)]
    assert statuses((await rest(user, run)).events) == ["waiting", "waiting", "succeeded"]


async def test_a_waiting_run_can_be_cancelled_and_its_question_is_closed(user, mails):
    run = await asked(user)
    (question,) = await approvals(user, run)
    cancelled = await user.post(f"/v1/runs/{run['run_id']}/cancel")
    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
    check_problem(await post(user, run, question["approval_id"], decision="approve"), 409, "decided")
    assert statuses((await rest(user, run)).events) == ["waiting", "cancelled"]
    assert (await status(user, run, "cancelled"))["finished_at"] is not None
    assert mails == []


async def test_approvals_are_their_owners_alone(user, other, mails):
    run = await asked(user)
    (question,) = await approvals(user, run)
    check_problem(await other.get(f"/v1/runs/{run['run_id']}/approvals"), 404, "not_found")
    for decision in ("approve", "reject"):
        check_problem(await post(other, run, question["approval_id"], decision=decision), 404, "not_found")
    # Nor does a run of one's own open another's question.
    mine = await asked(other)
    check_problem(await post(other, mine, question["approval_id"], decision="approve"), 404, "not_found")
    assert (await approvals(user, run))[0]["decision"] is None
    assert mails == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, 422),
        ({"decision": "maybe"}, 422),
        ({"decision": "approve", "extra": 1}, 422),
        ({"decision": "reject", "note": "x" * 2_001}, 422),
        ({"decision": "edit", "arguments": [1]}, 422),
        ({"decision": "edit"}, 400),
        ({"decision": "edit", "arguments": {}}, 400),
        ({"decision": "approve", "arguments": {"to": "x@example.org"}}, 400),
        ({"decision": "edit", "arguments": {"to": "nobody"}}, 400),
        ({"decision": "edit", "arguments": {"subject": "two\nlines"}}, 400),
        ({"decision": "edit", "arguments": {"cc": ["x@example.org"]}}, 400),
        ({"decision": "edit", "arguments": {"c" * 70_000: 1}}, 400),
        ({"decision": "edit", "arguments": {str(n): n for n in range(101)}}, 422),
        ({"decision": "approve", "digest": "0" * 64}, 409),
    ],
)
async def test_a_body_that_does_not_fit_decides_nothing(asking, body, code):
    user, run, question = asking
    response = await post(user, run, question["approval_id"], **body)
    detail = check_problem(response, code)["detail"]
    if code == 400 and "arguments" in body and body["decision"] == "edit" and body["arguments"]:
        assert next(iter(body["arguments"]))[:60] in detail
    assert (await approvals(user, run))[0]["decision"] is None


async def test_what_is_no_json_or_no_id_is_refused(asking):
    user, run, question = asking
    url = f"/v1/runs/{run['run_id']}/approvals"
    for content in (b"", b"{", b"[]", b"\xff"):
        check_problem(await user.post(f"{url}/{question['approval_id']}", content=content), 400, "bad_request")
    for wrong in (f"{url}/ap_unknown", "/v1/runs/r_unknown/approvals/ap_x", f"{url}/%00"):
        check_problem(await user.post(wrong, json={"decision": "approve"}), 404, "not_found")
    check_problem(await user.get("/v1/runs/r_unknown/approvals"), 404, "not_found")
    assert (await approvals(user, run))[0]["decision"] is None


@pytest.fixture(scope="module")
async def asking(server: Live) -> AsyncIterator[tuple[httpx.AsyncClient, dict[str, Any], dict[str, Any]]]:
    """A user with a run that waits."""
    async with server.user() as client:
        run = await asked(client)
        yield client, run, (await approvals(client, run))[0]


async def test_a_process_that_answers_nothing_itself_takes_decisions(server: Live, user, mails, redis):
    settings = server.services.settings.model_copy(update={"max_runs": 0})
    async with live(settings) as api, api.user() as elsewhere:
        elsewhere.cookies = user.cookies
        run = await asked(elsewhere)
        assert api.services.runner.active == 0
        await left(server.services, run["run_id"])
        async with redis.pubsub() as heard, asyncio.timeout(30):
            await heard.subscribe(CONTROL)
            assert (await decide(elsewhere, run, "approve")).status_code == 200
            # The worker is told, and does not have to look by itself.
            while (await heard.get_message(timeout=5) or {}).get("data") != b"work:":
                pass
        await status(elsewhere, run, "succeeded")
        assert statuses((await rest(elsewhere, run)).events) == ["waiting", "succeeded"]
    assert len(mails) == 1


async def test_the_python_client_decides_and_goes_on_where_the_stream_ended(server: Live, mails):
    async with Client(server.url) as client, asyncio.timeout(60):
        run = await client.send("/courier ann@example.org bob@example.org")
        view, cursor = sent(ConversationView(), run.run_id, "/courier ann@example.org bob@example.org"), None
        for decision in ("approve", "reject", None):
            stream = client.stream(run_id=run.run_id, cursor=cursor)
            async for event in stream:
                view = reduce(view, event)
            cursor = stream.cursor
            mine = view.run(run.run_id)
            assert mine is not None
            if decision is None:
                break
            assert (mine.status, len(mine.open_approvals)) == ("waiting", 1)
            asked_last = (await client.approvals(run.run_id))[-1]
            assert asked_last.arguments == mine.open_approvals[0].arguments
            await client.decide(run.run_id, asked_last.approval_id, decision, digest=asked_last.digest)
        assert (mine.status, mine.open_approvals) == ("succeeded", ())
        assert list(mine.decisions.values()) == ["approved", "rejected"]
        whole = ConversationView()
        async for event in client.stream(run_id=run.run_id):
            whole = reduce(whole, event)
        assert final(whole) == final(view)
        stored = await client.messages(run.conversation_id)
        reloaded = reduce(ConversationView(), Snapshot(messages=stored.messages, runs=stored.runs))
        assert final(reloaded) == final(view)
    assert [mail.to for mail in mails] == [("ann@example.org",)]


# -- over a restart of everything


@pytest.fixture
def folder(data_dir) -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="sbf-"))
    if (data_dir / "models").is_dir():  # the intent model is the same: no need to train it again
        shutil.copytree(data_dir / "models", path / "models")
    yield path
    shutil.rmtree(path, ignore_errors=True)


async def test_approvals_outlive_a_restart_of_everything(folder, box, mails):
    settings = mailing(box, folder)
    async with embedded_servers(folder, lambda _: None) as own:
        await migrate(own.database_url)
        urls = {"database_url": own.database_url, "redis_url": own.redis_url}
        async with live(load_settings(**settings, **urls)) as first, first.user() as user:
            cookies = user.cookies
            yes, edited, no = [await asked(user, f"{name}@example.org") for name in ("yes", "edited", "no")]
            told = (await rest(user, yes)).events
            assert statuses(told) == ["waiting"]
        async with live(load_settings(**settings, **urls, approval_s=1)) as hasty, hasty.user() as user:
            user.cookies = cookies
            late = await asked(user, "late@example.org")
            question = (await approvals(user, late))[0]
    assert mails == []
    async with embedded_servers(folder, lambda _: None) as own:
        urls = {"database_url": own.database_url, "redis_url": own.redis_url}
        async with live(load_settings(**settings, **urls)) as second, second.user() as user, second.user() as other:
            user.cookies = cookies
            check_problem(await post(user, late, question["approval_id"], decision="approve"), 409, "decided")
            check_problem(await other.get(f"/v1/runs/{yes['run_id']}/approvals"), 404, "not_found")
            response = await user.get(yes["events_url"], headers={"Last-Event-ID": told[-1].id})
            assert response.status_code == 204
            both = await asyncio.gather(decide(user, yes, "approve"), decide(user, yes, "approve"))
            assert sorted(answer.status_code for answer in both) == [200, 409]
            assert (await decide(user, edited, "edit", arguments={"subject": "Changed"})).status_code == 200
            assert (await decide(user, no, "reject")).status_code == 200
            for run in (yes, edited, no, late):
                assert (await status(user, run, "succeeded"))["attempt"] == 1
            more = (await rest(user, yes, told[-1].id)).events
            assert more[0].type == "approval_resolved"
            assert statuses(more) == ["succeeded"]
            assert [event.data["seq"] for event in (*told, *more)] == list(range(1, len(told) + len(more) + 1))
            assert (await approvals(user, late))[0]["decision"] == "expired"
    assert sorted((mail.to, mail.message["Subject"]) for mail in mails) == [
        (("edited@example.org",), "Changed"),
        (("yes@example.org",), "Hello"),
    ]


async def test_a_process_that_is_killed_while_its_run_waits_is_not_missed(folder, box, mails, free_port):
    more = {f"SIGNALBOX_{name.upper()}": str(value) for name, value in mailing(box, folder).items()}
    async with embedded_servers(folder, lambda _: None) as own:
        await migrate(own.database_url)
        process = Process(own, folder, free_port(), **more)
        try:
            await process.ready()
            async with httpx.AsyncClient(base_url=process.url, timeout=30) as user:
                await user.get("/v1/conversations")
                cookies = user.cookies
                run = await asked(user)
        finally:
            process.process.kill()
            process.process.wait()
            process.process.stderr.close()
    async with embedded_servers(folder, lambda _: None) as own:
        process = Process(own, folder, free_port(), **more)
        try:
            await process.ready()
            async with httpx.AsyncClient(base_url=process.url, timeout=30, cookies=cookies) as user:
                assert mails == []
                assert (await decide(user, run, "approve")).status_code == 200
                await status(user, run, "succeeded")
                assert statuses((await rest(user, run)).events) == ["waiting", "succeeded"]
        finally:
            process.process.kill()
            process.process.wait()
            process.process.stderr.close()
    assert [mail.to for mail in mails] == [("ann@example.org",)]
