"""What a server needs before it opens anything: a port of its own, and words for who starts it."""

import errno
import os
import re
import shlex
import socket
import subprocess
import sys
from contextlib import ExitStack
from io import StringIO

import httpx
import pytest
import structlog
from rich.console import Console
from typer.testing import CliRunner

from live import live
from signalbox.cli import app
from signalbox.errors import ConfigurationError
from signalbox.serving import bound, first_steps, listen, warn_of_short_keys
from signalbox.settings import load_settings

LONG = "only-for-tests-only-for-tests"


@pytest.fixture
def listening():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


def told(settings, port=8000) -> str:
    screen = Console(file=StringIO(), width=60)
    first_steps(settings, port, screen)
    return screen.file.getvalue()


def test_a_port_in_use_is_told_before_anything_is_opened(monkeypatch, tmp_path, listening):
    monkeypatch.setenv("SIGNALBOX_DATA_DIR", str(tmp_path / "data"))
    result = CliRunner().invoke(app, ["serve", "--port", str(listening)])
    assert isinstance(result.exception, ConfigurationError)
    assert result.exception.public == (
        f"Port {listening} of 127.0.0.1 is in use, maybe by another Signalbox. Choose another one with --port or "
        "SIGNALBOX_PORT (0 takes a free one), or end the program that has it."
    )
    assert list(tmp_path.iterdir()) == []


def test_the_command_ends_with_one_line_and_no_trace_where_the_port_is_in_use(tmp_path, listening):
    given = {**os.environ, "SIGNALBOX_DATA_DIR": str(tmp_path / "data")}
    command = [sys.executable, "-m", "signalbox", "serve", "--port", str(listening)]
    ended = subprocess.run(command, env=given, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 2
    assert " ".join(ended.stderr.split()).startswith(f"Port {listening} of 127.0.0.1 is in use")
    assert "Traceback" not in ended.stderr
    assert "Errno" not in ended.stderr


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid", "a" * 70 + ".x"])
def test_a_host_that_is_not_this_machine_is_told_with_what_to_set(host):
    with pytest.raises(ConfigurationError, match=f"'{host}' is no address of this machine. Set --host or SIGNALBOX_"):
        bound(host, 0)


def test_every_address_of_a_host_gets_the_same_port_and_answers_nobody_yet():
    with ExitStack() as stack:
        sockets = [stack.enter_context(each) for each in bound("localhost", 0)]
        (port,) = {each.getsockname()[1] for each in sockets}
        assert port > 0
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=5)
        sockets[0].listen()
        with pytest.raises(ConfigurationError, match="is in use"):
            bound("localhost", port)


def test_of_two_that_start_together_only_one_listens_and_the_other_is_told_why():
    with ExitStack() as stack:
        (first,) = map(stack.enter_context, bound("127.0.0.1", 0))
        second = [stack.enter_context(each) for each in bound("127.0.0.1", first.getsockname()[1])]
        assert listen([first], 16) is None
        assert listen(second, 16) == errno.EADDRINUSE


def test_a_port_is_free_again_after_it_could_not_be_had_whole(listening):
    for _ in range(3):
        with pytest.raises(ConfigurationError):
            bound("127.0.0.1", listening)
    for each in bound("127.0.0.1", 0):
        each.close()


async def test_the_first_command_works_as_it_stands_with_a_key_in_its_place(settings):
    keyed = settings.model_copy(update={"api_keys": load_settings(api_keys=f"{LONG}:ann").api_keys})
    async with live(keyed) as server:
        printed = told(keyed, server.port)
        command = re.search(r"curl .*?\\\n.*?}'", printed, re.DOTALL)
        assert command is not None
        words = shlex.split(command[0].replace("YOUR_KEY", LONG))
        headers = dict(words[at + 1].split(": ") for at, word in enumerate(words) if word == "-H")
        assert headers["Authorization"] == f"Bearer {LONG}"
        async with httpx.AsyncClient() as http:
            url = next(word for word in words if word.startswith("http"))
            body = words[words.index("-d") + 1]
            answer = await http.post(url, content=body, headers=headers, timeout=30)
        assert answer.status_code == 200
        assert "event: complete" in answer.text
        assert "--key YOUR_KEY" in printed
        assert LONG not in printed


def test_without_keys_nothing_is_said_of_any():
    printed = told(load_settings())
    assert "curl -N http://127.0.0.1:8000/v1/chat -H 'Accept: text/event-stream'" in printed
    assert "KEY" not in printed


def test_an_address_of_the_sixth_version_is_written_as_in_a_url():
    assert "http://[::1]:8123/v1/chat" in told(load_settings(host="::1"), 8123)


def test_keys_that_can_be_guessed_are_warned_of_by_their_place_alone():
    with structlog.testing.capture_logs() as lines:
        warn_of_short_keys(load_settings(api_keys=f"hunter2:ann,{LONG}:bob"))
    (line,) = lines
    assert line["log_level"] == "warning"
    assert (line["entries"], line["least_characters"]) == ([1], 16)
    assert not re.search("hunter2|ann|bob", str(line))
    with structlog.testing.capture_logs() as lines:
        warn_of_short_keys(load_settings(api_keys=f"{LONG}:bob"))
    assert lines == []
