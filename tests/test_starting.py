"""What is wrong with the settings is told before anything is started: nothing is written, no server is opened."""

import asyncio
import json
import os
import sys

import pytest
from typer.testing import CliRunner

from signalbox.cli import app
from signalbox.errors import BadRequest, ConfigurationError, NotFound
from signalbox.services import open_services
from signalbox.settings import load_settings
from signalbox.starting import check_settings

WRONG = {
    "a provider's key": ({"PROVIDER_KEYS": "zzz=sk-private"}, "SIGNALBOX_PROVIDER_KEYS: entry 1 of 1 is for 'zzz'"),
    "a tier": ({"MODEL_TIERS": "write=huge"}, "'write=huge' is not of the form task=tier"),
    "no local file": ({"MODEL": "local"}, "set SIGNALBOX_LOCAL_MODEL to a GGUF file"),
    "an unknown fault": ({"FAULTS": "nope=timeout"}, "there is no tool 'nope'"),
    "a fault's form": ({"FAULTS": "search_jobs"}, "is not of the form tool=kind"),
    "no MCP file": ({"MCP_CONFIG": "/no/such.json"}, "Mend SIGNALBOX_MCP_CONFIG"),
    "a board": ({"JOB_BOARDS": "foo"}, "'foo' is no board we know"),
    "no cards": ({"MODEL_CARDS": "/no/such.json"}, "The model cards /no/such.json cannot be read"),
}


@pytest.fixture(autouse=True)
def bare(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.upper().startswith("SIGNALBOX_") or name == "GROQ_API_KEY":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def put(monkeypatch, given):
    for name, value in given.items():
        monkeypatch.setenv(f"SIGNALBOX_{name}", value)


@pytest.mark.parametrize(("given", "told"), WRONG.values(), ids=WRONG)
async def test_a_wrong_setting_is_told_before_the_stores_are_opened(monkeypatch, tmp_path, given, told):
    put(monkeypatch, given)
    with pytest.raises(ConfigurationError) as caught:
        async with open_services(load_settings()):
            pytest.fail("it started")
    assert told in caught.value.public
    assert "private" not in caught.value.public
    assert not (tmp_path / ".data").exists()


def test_a_file_that_is_no_model_is_told_by_the_server_that_would_load_it(monkeypatch, tmp_path):
    pytest.importorskip("xllamacpp", reason="the extra 'local' is not installed")
    (tmp_path / "text.gguf").write_text("no model")
    put(monkeypatch, {"MODEL": "local", "LOCAL_MODEL": "text.gguf"})
    with pytest.raises(ConfigurationError, match="is no GGUF file"):
        check_settings(load_settings())
    check_settings(load_settings(max_runs=0))  # its workers have it


def test_what_is_right_is_accepted_and_opens_nothing(monkeypatch, tmp_path):
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"time": {"command": "no-such-program"}}}))
    given = {"MCP_CONFIG": "mcp.json", "JOB_BOARDS": "remotive", "FAULTS": "board_remotive=timeout,time__now=timeout"}
    put(monkeypatch, given)
    check_settings(load_settings())
    assert [path.name for path in tmp_path.iterdir()] == ["mcp.json"]


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_the_commands_that_start_something_say_it_first(monkeypatch, tmp_path, command):
    put(monkeypatch, {"MODEL_TIERS": "write=huge"})
    result = CliRunner().invoke(app, [command])
    assert isinstance(result.exception, ConfigurationError)
    assert "is not of the form task=tier" in result.exception.public
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "fault", "told"),
    [
        (("inspect", "nope"), NotFound, "There is no MCP server 'nope'. There are: time, off."),
        (("resource", "nope", "x"), NotFound, "There is no MCP server 'nope'"),
        (("approve", "nope"), NotFound, "There is no MCP server 'nope'"),
        (("inspect", "off"), BadRequest, "is switched off"),
        (("prompt", "time", "x", "--argument", "bad"), ConfigurationError, "'bad' is not of the form name=value"),
        (("prompt", "nope", "x", "--argument", "a=b"), NotFound, "There is no MCP server 'nope'"),
        (("approve", "time", "--only-user"), BadRequest, "needs '--user NAME'"),
    ],
)
async def test_a_name_that_the_mcp_file_does_not_have_is_told_at_once(monkeypatch, tmp_path, words, fault, told):
    servers = {"time": {"command": sys.executable}, "off": {"command": sys.executable, "enabled": False}}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    put(monkeypatch, {"MCP_CONFIG": "mcp.json"})
    result = await asyncio.to_thread(CliRunner().invoke, app, ["mcp", *words])
    assert isinstance(result.exception, fault)
    assert told in result.exception.public
    assert [path.name for path in tmp_path.iterdir()] == ["mcp.json"]
