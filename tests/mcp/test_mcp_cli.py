"""``signalbox mcp`` as an operator uses it."""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

import pytest
from hosting import PLAIN
from typer.testing import CliRunner

from signalbox.cli import app
from signalbox.errors import BadRequest, NotFound


@pytest.fixture
def signalbox(servers, database, data_dir, tmp_path, monkeypatch):
    config = tmp_path / "mcp.json"
    change = tmp_path / "change"
    cli = {"command": sys.executable, "args": [str(PLAIN)], "env": {"CHANGE": str(change)}, "effects": {"echo": "read"}}
    gone = {"command": "/no/such/program", "connect_s": 1}
    config.write_text(json.dumps({"mcpServers": {"cli": cli, "gone": gone}}))
    monkeypatch.setenv("USER", "op")
    monkeypatch.setenv("SIGNALBOX_DATA_DIR", str(data_dir))
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", servers.database_url)
    monkeypatch.setenv("SIGNALBOX_REDIS_URL", servers.redis_url)
    monkeypatch.setenv("SIGNALBOX_MCP_CONFIG", str(config))

    async def run(*words: str) -> str:
        result = await asyncio.to_thread(CliRunner().invoke, app, ["mcp", *words])
        if result.exception is not None:
            raise result.exception
        return result.stdout

    run.change = change
    return run


async def test_an_operator_lists_approves_and_is_shown_what_changed(signalbox):
    told = json.loads(await signalbox("list", "--json"))
    assert {each["server"]: each["state"] for each in told["servers"]} == {"cli": "connected", "gone": "not connected"}
    echo = next(each for each in told["tools"] if each["tool"] == "echo")
    assert (echo["effect"], echo["state"]) == ("read", "new")
    assert "cli__echo is approved." in await signalbox("approve", "cli", "echo", "--yes")
    signalbox.change.write_text("Says it \u202e twice.")
    table = await signalbox("list")
    assert "changed" in next(line for line in table.splitlines() if "cli__echo" in line)
    shown = await signalbox("approve", "cli", "echo", "--deny", "--yes")
    assert '-  "description": "Says it again.",' in shown
    assert "\\u202e" in shown
    assert "approved by op" in shown
    inspected = json.loads(await signalbox("inspect", "cli", "--json"))
    assert inspected["tools"][0]["definition"] == "denied"
    assert inspected["tools"][0]["parameters"]["required"] == ["text"]


async def test_what_is_not_there_is_said(signalbox):
    with pytest.raises(NotFound, match="There is no MCP server 'x'"):
        await signalbox("inspect", "x")
    with pytest.raises(BadRequest, match="its command is not there"):
        await signalbox("inspect", "gone")


def made_in(folder: str, pattern: str) -> list[Path]:
    return list(Path(folder).rglob(pattern))


async def test_no_redis_is_started_for_what_needs_only_the_database(signalbox, monkeypatch):
    with tempfile.TemporaryDirectory(prefix="sb-") as folder:
        monkeypatch.setenv("SIGNALBOX_DATA_DIR", folder)
        monkeypatch.delenv("SIGNALBOX_REDIS_URL")
        assert json.loads(await signalbox("list", "--json"))["servers"]
        assert not made_in(folder, "*valkey*")
