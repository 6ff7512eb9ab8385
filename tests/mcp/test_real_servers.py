"""Servers as people have them: from PyPI, from npm, over HTTP; listed, called, cancelled, lost, found."""

import asyncio
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hosting import ANN, Said, call, hosting, unready
from web_server import built, web

from signalbox.memory.profile import Owner
from signalbox.tools.mcp.config import Credentials, ServerConfig
from signalbox.tools.result import Empty, Err, Ok

NPM = Path(__file__).parent / "npm" / "node_modules" / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
READS = {"trust_first_use": True, "effects": {"*": "read"}}


@pytest.mark.skipif(find_spec("mcp_server_time") is None, reason="mcp-server-time is not installed")
async def test_a_server_from_pypi_is_listed_and_called(database):
    config = ServerConfig(command=sys.executable, args=("-m", "mcp_server_time"), allow=("get_*",), **READS)
    async with hosting(database, time=config) as host:
        await host.link("time", ANN).ready(30)
        tools = await host.tools(ANN, Said().emit)
        told = await call(host, "time__get_current_time", {"timezone": "Europe/Berlin"})
        wrong = await call(host, "time__get_current_time", {"timezone": "Mars/Olympus"})
    assert list(tools) == ["time__get_current_time"], "convert_time is not on the allow list"
    assert isinstance(told, Ok)
    assert "Europe/Berlin" in told.value.text or told.value.data["timezone"] == "Europe/Berlin"
    assert isinstance(wrong, Err)


@pytest.mark.skipif(
    shutil.which("node") is None or not NPM.exists(), reason="needs Node.js, and `npm ci` in tests/mcp/npm"
)
async def test_a_server_from_npm_is_listed_and_called(database, tmp_path):
    env = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
    config = ServerConfig(command="node", args=(str(NPM),), env=env, **READS)
    entity = {"name": "Ann", "entityType": "person", "observations": ["likes Go"]}
    async with hosting(database, memory=config) as host:
        made = await call(host, "memory__create_entities", {"entities": [entity]})
        found = await call(host, "memory__search_nodes", {"query": "Go"})
        misfit = await call(host, "memory__create_entities", {"entities": "Ann"})
    assert isinstance(made, Ok)
    assert isinstance(found, Ok)
    assert found.value.data["entities"][0]["name"] == "Ann"
    assert isinstance(misfit, Err)
    assert misfit.kind == "invalid_arguments"


async def test_a_server_over_http_is_called_with_the_headers_of_each_user(database):
    server = built()
    async with web(server) as port:
        config = ServerConfig(
            url=f"http://127.0.0.1:{port}/mcp",
            headers={"Authorization": "Bearer of-all"},
            users={"bob": Credentials(headers={"Authorization": "Bearer of-bob"})},
            **READS,
        )
        assert "of-bob" not in repr(config)
        async with hosting(database, greeter=config) as host:
            said = Said()
            ann = await call(host, "greeter__greet", {"name": "Ann"}, said=said)
            bob = await call(host, "greeter__greet", {"name": "Bob"}, owner=Owner("default", "bob"))
    assert isinstance(ann, Ok)
    assert isinstance(bob, Ok)
    assert "Bearer of-all" in str(ann.value)
    assert "Bearer of-bob" in str(bob.value)
    assert [event.label for event in said] == ["greeter: thinking of words"]


async def test_a_server_for_some_users_only_is_closed_to_others(database):
    server = built()
    async with web(server) as port:
        bob = Credentials(headers={"Authorization": "Bearer of-bob"})
        config = ServerConfig(url=f"http://127.0.0.1:{port}/mcp", users={"bob": bob}, users_only=True, **READS)
        async with hosting(database, private=config) as host:
            mine = await call(host, "private__greet", {"name": "Bob"}, owner=Owner("default", "bob"))
            assert await host.tools(ANN, Said().emit) == {}
            refused = host.link("private", ANN)
    assert isinstance(mine, Ok)
    assert isinstance(refused, Err)
    assert refused.kind == "auth"


async def test_a_call_over_http_is_cancelled_where_it_runs(database):
    server = built()
    async with web(server) as port:
        config = ServerConfig(url=f"http://127.0.0.1:{port}/mcp", **READS)
        async with hosting(database, slow=config) as host:
            await host.link("slow", ANN).ready(30)
            task = asyncio.create_task(call(host, "slow__wait", {"seconds": 60}))
            await asyncio.wait_for(server.waiting.wait(), 30)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(server.cancelled.wait(), 30)


async def test_resources_and_prompts_are_told_as_data(database):
    server = built()
    async with web(server) as port:
        config = ServerConfig(url=f"http://127.0.0.1:{port}/mcp", **READS)
        async with hosting(database, notes=config) as host:
            resources = await host.resources("notes", ANN)
            read = await host.read_resource("notes", "notes://today", ANN)
            absent = await host.read_resource("notes", "notes://tomorrow", ANN)
            prompts = await host.prompts("notes", ANN)
            prompt = await host.prompt("notes", "letter", {"to": "Bob"}, ANN)
    assert isinstance(resources, Ok)
    assert [str(each.uri) for each in resources.value] == ["notes://today"]
    assert isinstance(read, Ok)
    assert read.value.text == "Remember the [1mmilk[0m \ufffd."
    assert isinstance(absent, Err)
    assert isinstance(prompts, Ok)
    assert isinstance(prompt, Ok)
    assert prompt.value == "user: Write a letter to Bob."


async def test_a_server_without_resources_has_none_which_is_no_error(database):
    from hosting import plain

    async with hosting(database, plainly=plain()) as host:
        assert isinstance(await host.resources("plainly", ANN), Empty)
        assert isinstance(await host.prompts("plainly", ANN), Empty)


async def test_a_server_over_http_that_went_away_is_found_again(database, free_port):
    port = free_port()
    config = ServerConfig(url=f"http://127.0.0.1:{port}/mcp", **READS)
    async with hosting(database, fickle=config) as host:
        absent = await unready(host, "fickle")
        assert isinstance(absent, Err)
        assert "nobody listens" in absent.note
        async with web(built(), port):
            assert isinstance(await call(host, "fickle__greet", {"name": "Ann"}), Ok)
        away = await call(host, "fickle__greet", {"name": "Ann"})
        assert isinstance(away, Err)
        async with web(built(), port), asyncio.timeout(90):
            while not isinstance(await call(host, "fickle__greet", {"name": "Ann"}), Ok):
                pass
