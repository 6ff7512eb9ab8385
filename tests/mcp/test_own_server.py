"""An official MCP client lists and calls this server's own tools, as one user and nobody else."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.exceptions import HTTPException
from starlette.requests import Request

from live import Live, live
from signalbox.api.mcp import _check_host, _check_origin
from signalbox.retrieval.ingest import load_samples
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.settings import load_settings

ERAS = pytest.mark.parametrize("mode", ["legacy", "auto"])
KEYS = {"key-of-ann": "mcp-ann", "key-of-bob": "mcp-bob"}


@pytest.fixture(scope="module")
async def own(servers, database, data_dir, embedder) -> AsyncIterator[Live]:
    await load_samples(database, embedder, await asyncio.to_thread(SkillVocabulary.load))
    settings = load_settings(
        data_dir=data_dir,
        database_url=servers.database_url,
        redis_url=servers.redis_url,
        model="scripted",
        secret_key="only-for-tests-only-for-tests",
        heartbeat_s=0.5,
        api_keys=",".join(f"{key}:{user}" for key, user in KEYS.items()),
    )
    async with live(settings) as running:
        yield running


@asynccontextmanager
async def connected(url: str, mode: str, key: str | None = "key-of-ann") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@ERAS
async def test_a_client_lists_the_tools(own, mode):
    async with connected(own.url, mode) as client:
        told = await client.list_tools()
        assert client.server_info.name == "signalbox"
    assert [tool.name for tool in told.tools] == ["ask_assistant", "search_jobs", "read_run"]
    assert told.tools[0].input_schema["required"] == ["message"]


@ERAS
async def test_a_client_asks_the_assistant_and_goes_on_in_the_conversation(own, mode):
    heard: list[tuple[float, str]] = []

    async def progress(done: float, _: float | None, words: str | None) -> None:
        heard.append((done, words or ""))

    async with connected(own.url, mode) as client:
        first = await client.call_tool("ask_assistant", {"message": "/ticks 12 50"}, progress_callback=progress)
        told = first.structured_content
        assert not first.is_error
        assert told["status"] == "succeeded"
        assert first.content[0].text == told["text"]
        assert "@000011@" in told["text"]
        second = await client.call_tool(
            "ask_assistant", {"message": "hello again", "conversation_id": told["conversation_id"]}
        )
        assert second.structured_content["conversation_id"] == told["conversation_id"]
        again = await client.call_tool("read_run", {"run_id": told["run_id"]})
        assert again.structured_content["text"] == told["text"]
    assert len(heard) >= 3
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)
    assert "@000000@" in "".join(words for _, words in heard)


@ERAS
async def test_typed_results_come_as_structured_content(own, mode):
    async with connected(own.url, mode) as client:
        told = await client.call_tool("ask_assistant", {"message": "find python jobs"})
    assert any(block["type"] == "jobs_data" for block in told.structured_content["blocks"])


@ERAS
async def test_jobs_are_found_by_plain_words_and_none_is_no_error(own, mode):
    async with connected(own.url, mode) as client:
        found = await client.call_tool("search_jobs", {"query": "python developer", "limit": 3})
        none = await client.call_tool("search_jobs", {"query": "python jobs at Zzyzx Unheard Ltd in Ulan Bator"})
    assert not found.is_error
    assert 1 <= len(found.structured_content["jobs"]) <= 3
    assert found.structured_content["jobs"][0]["job_id"] in found.content[0].text
    assert not none.is_error


async def test_what_is_wrong_with_a_call_is_said(own):
    async with connected(own.url, "auto") as client:
        unknown = await client.call_tool("search_jobs", {"question": "python"})
        empty = await client.call_tool("ask_assistant", {"message": " \u200b "})
        missing = await client.call_tool("read_run", {"run_id": "r_no_such_run"})
        absent = await client.call_tool("drop_tables", {})
    assert all(each.is_error for each in (unknown, empty, missing, absent))
    assert "query" in unknown.content[0].text
    assert "empty" in empty.content[0].text
    assert missing.structured_content["error"]["code"] == "not_found"
    assert "ask_assistant" in absent.content[0].text


@ERAS
async def test_a_cancelled_call_cancels_the_run(own, mode):
    async with connected(own.url, mode) as client:
        begun, said = asyncio.Event(), ""

        async def progress(_: float, __: float | None, words: str | None) -> None:
            nonlocal said
            said += words or ""
            if "@000000@" in said:
                begun.set()

        asking = client.call_tool("ask_assistant", {"message": "/ticks 600 100"}, progress_callback=progress)
        task = asyncio.create_task(asking)
        await asyncio.wait_for(begun.wait(), 30)
        run = await _newest_run(own)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        end = time.monotonic() + 30
        while (told := (await client.call_tool("read_run", {"run_id": run})).structured_content)["status"] == "running":
            assert time.monotonic() < end
            await asyncio.sleep(0.05)
    assert told["status"] == "cancelled"
    assert "@000000@" in told["text"]


async def _newest_run(own: Live) -> str:
    row = await own.services.db.fetch_one(
        "SELECT run_id FROM run WHERE user_id = 'mcp-ann' ORDER BY created_at DESC LIMIT 1"
    )
    return row["run_id"]


async def test_another_users_run_and_conversation_are_unknown(own):
    async with connected(own.url, "auto") as ann:
        told = (await ann.call_tool("ask_assistant", {"message": "hello"})).structured_content
    async with connected(own.url, "auto", "key-of-bob") as bob:
        run = await bob.call_tool("read_run", {"run_id": told["run_id"]})
        asked = await bob.call_tool("ask_assistant", {"message": "hello", "conversation_id": told["conversation_id"]})
    assert run.is_error
    assert run.structured_content["error"]["code"] == "not_found"
    assert asked.is_error
    assert asked.structured_content["error"]["code"] == "not_found"


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
async def wire(own) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=own.url, headers=ACCEPT | {"Authorization": "Bearer key-of-ann"}) as client:
        yield client


async def test_without_a_key_or_from_elsewhere_nobody_is_answered(wire):
    no_key = await wire.post("/mcp", json=INITIALIZE, headers={"Authorization": "Bearer wrong"})
    assert (no_key.status_code, no_key.json()["code"]) == (401, "unauthorized")
    page = await wire.post("/mcp", json=INITIALIZE, headers={"Origin": "https://evil.example"})
    assert page.status_code == 403
    rebound = await wire.post(
        "/mcp", json=INITIALIZE, headers={"Host": "evil.example", "Origin": "http://evil.example"}
    )
    assert rebound.status_code == 421
    assert (await wire.get("/mcp")).status_code == 405
    assert (await wire.post("/mcp", json=INITIALIZE)).status_code == 200


@pytest.mark.parametrize("header", [{"Host": "[::1"}, {"Origin": "http://[::1"}, {"Host": "a]b"}])
async def test_a_host_or_origin_that_nobody_can_read_is_said_to_be_so(wire, header):
    answer = await wire.post("/mcp", json=INITIALIZE, headers=header)
    assert answer.status_code == 400
    assert next(iter(header)) in answer.json()["detail"]


@pytest.mark.parametrize(
    ("keyed", "hosts", "origin", "host", "status"),
    [
        (False, (), "http://evil.example", "evil.example", 403),
        (False, (), "http://evil.example:8000", "evil.example:8000", 403),
        (False, (), "http://192.168.0.5:8000", "192.168.0.5:8000", None),
        (False, (), "http://[fd00::5]:8000", "[fd00::5]:8000", None),
        (False, (), "http://localhost:8000", "localhost:8000", None),
        (False, (), None, "evil.example", None),
        (False, ("box.example",), "http://box.example", "box.example", None),
        (False, ("box.example",), "http://evil.example", "evil.example", 421),
        (True, (), "http://box.example", "box.example", None),
        (True, (), "http://evil.example", "box.example", 403),
        (False, (), None, "[::1", 400),
        (False, (), None, "a[b", 400),
        (False, (), "http://[::1", "box.example", 400),
    ],
)
def test_a_page_whose_name_was_pointed_here_is_refused_on_an_open_server(keyed, hosts, origin, host, status):
    settings = load_settings(host="0.0.0.0", mcp_hosts=hosts, api_keys="k:u" if keyed else "")
    headers = [(b"host", host.encode()), *([(b"origin", origin.encode())] if origin else [])]
    request = Request({"type": "http", "method": "POST", "path": "/mcp", "headers": headers})
    told = None
    try:
        _check_host(request, settings)
        _check_origin(request, settings, keyed=keyed)
    except HTTPException as exc:
        told = exc.status_code
    assert told == status


async def test_a_session_answers_only_to_who_opened_it(wire):
    opened = await wire.post("/mcp", json=INITIALIZE)
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-06-18"}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert (await wire.post("/mcp", json=listing, headers=session)).status_code == 200
    thief = await wire.post("/mcp", json=listing, headers=session | {"Authorization": "Bearer key-of-bob"})
    assert thief.status_code == 404


async def test_a_body_without_sense_or_end_is_refused(wire):
    assert (await wire.post("/mcp", content=b"\xff{")).status_code == 400
    assert (await wire.post("/mcp", content=b"x" * 600_000)).status_code == 413


@pytest.mark.parametrize("cookies", [True, False])
async def test_an_anonymous_client_keeps_its_own_runs_with_cookies_or_without(settings, cookies):
    async with live(settings) as running:
        jar = None if cookies else _NoCookies()
        async with (
            httpx2.AsyncClient(timeout=30, cookies=jar) as http,
            Client(streamable_http_client(f"{running.url}/mcp", http_client=http), mode="legacy") as client,
        ):
            told = (await client.call_tool("ask_assistant", {"message": "hello"})).structured_content
            mine = await client.call_tool("read_run", {"run_id": told["run_id"]})
        assert mine.structured_content["run_id"] == told["run_id"]
        async with connected(running.url, "legacy", None) as stranger:
            assert (await stranger.call_tool("read_run", {"run_id": told["run_id"]})).is_error


async def test_a_client_that_nobody_can_know_again_is_told_why_its_run_is_not_there(settings):
    async with (
        live(settings) as running,
        httpx2.AsyncClient(timeout=30, cookies=_NoCookies()) as http,
        Client(streamable_http_client(f"{running.url}/mcp", http_client=http), mode="auto") as client,
    ):
        told = (await client.call_tool("ask_assistant", {"message": "hello"})).structured_content
        gone = await client.call_tool("read_run", {"run_id": told["run_id"]})
        on = await client.call_tool("ask_assistant", {"message": "on", "conversation_id": told["conversation_id"]})
    for each in (gone, on):
        assert each.structured_content["error"]["code"] == "not_found"
        assert "cannot be known again" in each.content[0].text


def _NoCookies():  # noqa: N802
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    return CookieJar(DefaultCookiePolicy(allowed_domains=[]))


async def test_a_stdio_client_reaches_the_server_through_the_command(own):
    import sys

    from mcp import StdioServerParameters

    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "signalbox", "mcp", "serve", "--url", own.url],
        env={"SIGNALBOX_CHAT_KEY": "key-of-ann", "PATH": os.environ["PATH"]},
    )
    async with Client(command) as client:
        told = await client.list_tools()
        answer = await client.call_tool("ask_assistant", {"message": "hello"})
    assert "ask_assistant" in {tool.name for tool in told.tools}
    assert answer.structured_content["status"] == "succeeded"
