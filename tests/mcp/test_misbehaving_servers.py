"""Whatever a server does, a call ends with a value, its process ends with ours, and nothing is believed."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from hosting import ANN, Said, call, hosting, plain

from signalbox.tools.mcp.config import ServerConfig
from signalbox.tools.mcp.remote_tool import Misfit
from signalbox.tools.result import Empty, Err, Ok


@pytest.fixture(scope="module")
async def host(database, tmp_path_factory):
    calls = tmp_path_factory.mktemp("calls") / "calls"
    async with hosting(database, leaks=False, bad=plain({"CALLS": str(calls)})) as host:
        host.calls = calls
        yield host


def heard(host) -> str:
    return host.calls.read_text() if host.calls.exists() else ""


async def until(true, patience_s: float = 5.0) -> None:
    end = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < end, "it did not come about"
        await asyncio.sleep(0.02)


async def test_a_tool_is_called_under_the_servers_name(host):
    result = await call(host, "bad__echo", {"text": "hello"})
    assert isinstance(result, Ok)
    assert (result.value.text, result.truncated) == ("hello", False)


async def test_a_tool_named_like_a_built_in_one_does_not_take_its_place(host):
    tools = await host.tools(ANN, Said().emit)
    assert "bad__send_email" in tools
    assert "send_email" not in tools
    assert all("__" in name for name in tools)


async def test_a_result_of_a_megabyte_is_cut_and_says_so(host):
    result = await call(host, "bad__big")
    assert isinstance(result, Ok)
    assert result.truncated
    assert len(result.value.text) == 64_000


async def test_structured_content_of_a_megabyte_is_cut_and_says_so(host):
    result = await call(host, "bad__big_json")
    assert isinstance(result, Ok)
    assert result.truncated
    assert len(str(result.value.data)) < 70_000


async def test_no_content_is_empty_and_zero_is_a_value(host):
    assert isinstance(await call(host, "bad__nothing"), Empty)
    zero = await call(host, "bad__zero")
    assert isinstance(zero, Ok)
    assert zero.value.data == {"count": 0}


async def test_a_tool_that_failed_is_an_error_in_cleaned_words(host):
    result = await call(host, "bad__fails")
    assert isinstance(result, Err)
    assert "[31mdisk" in result.note
    assert "\x1b" not in result.note
    assert "im_start" not in result.note


async def test_an_error_of_the_protocol_is_an_error(host):
    result = await call(host, "bad__refuses")
    assert isinstance(result, Err)
    assert result.kind == "server_error"
    assert "no [0m luck" in result.note


async def test_images_and_links_are_told_as_references(host):
    result = await call(host, "bad__picture")
    assert isinstance(result, Ok)
    assert [(each.kind, each.mime_type, each.uri) for each in result.value.references] == [
        ("image", "image/png", ""),
        ("resource", "", "file:///notes.txt"),
    ]


async def test_junk_on_stdout_and_stderr_is_survived(host):
    result = await call(host, "bad__junk")
    assert isinstance(result, Ok)
    assert result.value.text == "after the junk"


async def test_the_servers_progress_is_shown_as_cleaned_data(host):
    said = Said()
    result = await call(host, "bad__slow", said=said)
    assert isinstance(result, Ok)
    assert [event.label for event in said] == [f"bad: row {n} \ufffd" for n in range(3)]


async def test_arguments_that_do_not_fit_never_reach_the_server(host):
    before = heard(host)
    result = await call(host, "bad__echo", {"text": 5})
    assert isinstance(result, Err)
    assert result.kind == "invalid_arguments"
    assert "text" in result.note
    assert heard(host) == before
    tools = await host.tools(ANN, Said().emit)
    with pytest.raises(Misfit, match="'other' was unexpected"):
        tools["bad__echo"].parse({"text": "a", "other": 1})


async def test_a_server_that_never_answers_is_given_up_and_told(database, tmp_path):
    calls = tmp_path / "calls"
    async with hosting(database, mute=plain({"CALLS": str(calls)}, timeout_s=0.5)) as host:
        await call(host, "mute__echo", {"text": "a"})
        began = time.monotonic()
        result = await call(host, "mute__never")
        assert isinstance(result, Err)
        assert (result.kind, result.retryable) == ("timeout", True)
        assert time.monotonic() - began < 2
        await until(lambda: "cancelled" in calls.read_text())
        assert isinstance(await call(host, "mute__echo", {"text": "b"}), Ok)


async def test_a_cancelled_call_releases_its_run_at_once_and_the_server_is_told(host):
    task = asyncio.create_task(call(host, "bad__never"))
    await until(lambda: "never" in heard(host))
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 0.5
    await until(lambda: heard(host).endswith("cancelled\n"))


async def test_a_crash_ends_the_call_and_the_server_is_started_again(host):
    result = await call(host, "bad__crash")
    assert isinstance(result, Err)
    assert result.kind == "connection"
    again = await call(host, "bad__echo", {"text": "back"})
    assert isinstance(again, Ok)


async def test_a_crash_is_seen_though_a_process_it_started_holds_its_stdout(database):
    async with hosting(database, parent=plain({"HELPER": "1"})) as host:
        await call(host, "parent__echo", {"text": "a"})
        result = await call(host, "parent__crash")
        assert isinstance(result, Err)
        assert result.kind == "connection"
        assert isinstance(await call(host, "parent__echo", {"text": "back"}), Ok)


async def test_a_line_without_an_end_ends_the_connection_not_us(host):
    result = await call(host, "bad__endless")
    assert isinstance(result, Err)
    assert result.kind == "connection"
    assert isinstance(await call(host, "bad__echo", {"text": "back"}), Ok)


async def test_an_effect_that_was_cut_off_may_have_happened(database):
    async with hosting(database, cut=plain(effects={})) as host:
        await call(host, "cut__echo", {"text": "a"})
        result = await call(host, "cut__crash")
    assert isinstance(result, Err)
    assert not result.retryable
    assert "may have happened" in result.note


async def test_a_child_gets_nothing_of_our_environment_but_what_it_needs(database, monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "secret-of-ours")
    async with hosting(database, bare=plain({"MINE": "yes"})) as host:
        result = await call(host, "bare__environment")
    assert isinstance(result, Ok)
    assert "secret-of-ours" not in result.value.text
    given = set(__import__("json").loads(result.value.text))
    assert given - {"LC_CTYPE"} <= {"PATH", "HOME", "LANG", "MINE"}


async def test_a_stubborn_child_and_what_it_started_end_with_the_host(database):
    async with hosting(database, tough=plain({"STUBBORN": "1", "HELPER": "1"})) as host:
        await call(host, "tough__echo", {"text": "a"})
        pids = _children()
        assert len(pids) == 2
    await until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() and _alive(pid) for pid in pids))


def _children() -> list[int]:
    """Processes of the plain server that are not the module's own."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                environ = (entry / "environ").read_bytes()
            except OSError:
                continue
            if b"STUBBORN=1" in environ:
                found.append(int(entry.name))
    return found


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False


async def test_a_command_that_is_not_there_is_said(database):
    async with hosting(database, absent=ServerConfig(command="/no/such/program")) as host:
        link = host.link("absent", ANN)
        result = await link.ready(0.5)
    assert isinstance(result, Err)
    assert "its command is not there" in result.note


async def test_a_server_that_does_not_greet_is_given_up(database):
    async with hosting(database, rude=plain({"MUTE": "1"}, connect_s=0.5)) as host:
        result = await host.link("rude", ANN).ready(1.5)
    assert isinstance(result, Err)
    assert "did not answer" in result.note
