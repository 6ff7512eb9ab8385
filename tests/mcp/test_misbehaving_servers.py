"""Whatever a server does, a call ends with a value, its process ends with ours, and nothing is believed."""

import asyncio
import os
import secrets
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hosting import ANN, Said, call, hosting, plain, unready

from signalbox.memory.profile import Owner
from signalbox.tools.mcp.config import ServerConfig
from signalbox.tools.mcp.link import Link
from signalbox.tools.mcp.remote_tool import Misfit, RemoteArguments
from signalbox.tools.result import Empty, Err, Ok


@pytest.fixture(scope="module")
async def host(database, tmp_path_factory):
    calls = tmp_path_factory.mktemp("calls") / "calls"
    async with hosting(database, leaks=False, bad=plain({"CALLS": str(calls)})) as host:
        host.calls = calls
        yield host


def heard(host) -> str:
    return host.calls.read_text() if host.calls.exists() else ""


async def until(true, patience_s: float = 30.0) -> None:
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
    async with hosting(database, mute=plain({"CALLS": str(calls)})) as host:
        await call(host, "mute__echo", {"text": "a"})
        patient = host.servers["mute"]
        host.servers["mute"] = patient.model_copy(update={"timeout_s": 1})
        result = await call(host, "mute__never")
        assert isinstance(result, Err)
        assert (result.kind, result.retryable) == ("timeout", True)
        await until(lambda: "cancelled" in calls.read_text())
        host.servers["mute"] = patient
        assert isinstance(await call(host, "mute__echo", {"text": "b"}), Ok)


async def test_a_cancelled_call_releases_its_run_though_it_is_never_answered_and_the_server_is_told(host):
    task = asyncio.create_task(call(host, "bad__never"))
    await until(lambda: "never" in heard(host))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
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
    assert (result.kind, result.done, result.retryable) == ("connection", "unknown", False)
    assert "may have happened" in result.note


@pytest.mark.parametrize("tool", ["fails", "refuses", "odd_error", "never", "endless"])
@pytest.mark.parametrize(
    ("effect", "done"),
    [("read", None), ("idempotent", "unknown"), ("non_idempotent", "unknown"), ("irreversible", "unknown")],
)
async def test_whatever_became_of_an_effect_that_was_sent_it_may_have_happened(
    effects_of, monkeypatch, tool, effect, done
):
    host, name = effects_of[effect], effect.replace("_", "")
    if tool == "never":
        monkeypatch.setitem(host.servers, name, host.servers[name].model_copy(update={"timeout_s": 1}))
    result = await call(host, f"{name}__{tool}")
    assert isinstance(result, Err)
    assert result.done == done
    if effect in {"non_idempotent", "irreversible"}:
        assert not result.retryable


@pytest.fixture(scope="module")
async def effects_of(database):
    names = ("read", "idempotent", "non_idempotent", "irreversible")
    configs = {name.replace("_", ""): plain(effects={"*": name}) for name in names}
    async with hosting(database, leaks=False, **configs) as host:
        yield dict.fromkeys(names, host)


async def test_an_effect_that_was_never_sent_was_not_done(effects_of):
    host = effects_of["irreversible"]
    misfit = await call(host, "irreversible__echo", {"text": 5})
    assert isinstance(misfit, Err)
    assert (misfit.kind, misfit.done) == ("invalid_arguments", "no")
    await call(host, "irreversible__echo", {"text": "a"})
    tools = await host.tools(ANN, Said().emit)
    host.servers["gone"] = host.servers["irreversible"].model_copy(update={"users_only": True})
    tool = replace(
        tools["irreversible__echo"], definition=replace(tools["irreversible__echo"].definition, server="gone")
    )
    away = await tool.run(RemoteArguments(text="a"))
    del host.servers["gone"]
    assert isinstance(away, Err)
    assert (away.kind, away.done) == ("auth", "no")


async def test_a_servers_own_code_is_not_taken_for_a_lost_connection(host):
    result = await call(host, "bad__odd_error")
    assert isinstance(result, Err)
    assert (result.kind, "the ledger is locked" in result.note) == ("server_error", True)


async def test_the_shape_that_a_server_promises_of_its_answers_is_not_run(host):
    result = await call(host, "bad__promised")
    assert isinstance(result, Ok)
    assert result.value.data == {"a": "a" * 60 + "!"}


async def test_what_a_server_says_of_its_trouble_holds_no_secret_of_ours(database):
    token = "sesame-open-0123"
    async with hosting(database, told=plain({"TOKEN": token})) as host:
        result = await call(host, "told__tells_secret")
        link = host.link("told", ANN)
        assert link.hush(f"no {token} here") == "no *** here"
    assert isinstance(result, Err)
    assert "token Bearer *** rejected" in result.note


async def test_a_list_of_tools_without_an_end_is_read_in_part_and_says_so(database):
    async with hosting(database, long=plain({"ENDLESS_LIST": "1"})) as host:
        assert isinstance(await call(host, "long__echo", {"text": "a"}), Ok)
        assert "more than is read" in host.link("long", ANN).unfit["..."]


async def test_before_an_effect_the_definition_is_looked_at_again_and_before_a_read_once_a_minute(database, tmp_path):
    calls, change = tmp_path / "calls", tmp_path / "change"
    env = {"CALLS": str(calls), "CHANGE": str(change)}
    effects = {"echo": "non_idempotent", "*": "read"}
    async with hosting(database, sly=plain(env, effects=effects)) as host:
        assert isinstance(await call(host, "sly__echo", {"text": "a"}), Ok)
        lists = calls.read_text().count("tools/list")
        assert isinstance(await call(host, "sly__zero"), Ok)
        assert calls.read_text().count("tools/list") == lists
        change.write_text("Says it again, to somebody else.")  # and the server tells nobody
        result = await call(host, "sly__echo", {"text": "b"})
    assert isinstance(result, Err)
    assert "changed by its server" in result.note
    assert result.done == "no"
    assert '"b"' not in calls.read_text()


async def test_the_same_name_for_another_command_has_to_be_approved_anew(database):
    first = plain()
    async with hosting(database, moved=first) as host:
        assert isinstance(await call(host, "moved__echo", {"text": "a"}), Ok)
    elsewhere = first.model_copy(update={"args": (*first.args, "--elsewhere")})
    async with hosting(database, moved=elsewhere) as host:
        result = await call(host, "moved__echo", {"text": "a"})
    assert isinstance(result, Err)
    assert "until an operator has approved it" in result.note


async def test_a_connection_somebody_waits_for_is_not_closed_for_want_of_use(database, tmp_path, monkeypatch):
    calls = tmp_path / "calls"
    monkeypatch.setattr("signalbox.tools.mcp.host.IDLE_S", 0.0)
    monkeypatch.setattr("signalbox.tools.mcp.host.MOST_USER_LINKS", 1)
    users = {"ann": {"env": {"CALLS": str(calls)}}, "bob": {"env": {"B": "b"}}}
    async with hosting(database, own=plain(users=users)) as host:
        task = asyncio.create_task(call(host, "own__never"))
        await until(lambda: calls.exists() and "never" in calls.read_text())
        host._sweep()
        host.link("own", Owner("default", "bob"))
        assert ("own", "ann") in host._links
        left = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: not host.link("own", ANN).busy)
        assert host.link("own", ANN).used >= left, "the end of a call is a use"
        host._sweep()
        assert ("own", "ann") not in host._links


async def test_contact_data_reaches_a_read_only_if_the_operator_says_so(database, tmp_path):
    calls = tmp_path / "calls"
    config = plain({"CALLS": str(calls)}, contact_data=("send_*",))
    async with hosting(database, out=config) as host:
        told = await call(host, "out__echo", {"text": "Write to ann.smith@example.org or +44 20 7946 0958."})
        await call(host, "out__send_email", {"to": "bob.jones@example.org"})
        tools = await host.tools(ANN, Said().emit)
    assert isinstance(told, Ok)
    assert told.value.text == "Write to [e-mail address] or [phone number]."
    assert "ann.smith" not in calls.read_text()
    assert "bob.jones@example.org" in calls.read_text()
    shown = tools["out__echo"].parse({"text": "ann.smith@example.org"})
    assert shown.model_dump() == {"text": "[e-mail address]"}, "what is shown and kept is what is sent"


async def test_a_child_gets_nothing_of_our_environment_but_what_it_needs(database, monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "secret-of-ours")
    async with hosting(database, bare=plain({"MINE": "yes"})) as host:
        result = await call(host, "bare__environment")
    assert isinstance(result, Ok)
    assert "secret-of-ours" not in result.value.text
    given = set(__import__("json").loads(result.value.text))
    assert given - {"LC_CTYPE"} <= {"PATH", "HOME", "LANG", "MINE"}


async def test_a_stubborn_child_and_what_it_started_end_with_the_host(database):
    mark = secrets.token_hex(8)  # the same test may run beside this one
    async with hosting(database, tough=plain({"STUBBORN": mark, "HELPER": "1"})) as host:
        await call(host, "tough__echo", {"text": "a"})
        pids = _children(f"STUBBORN={mark}".encode())
        assert len(pids) == 2
    await until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() and _alive(pid) for pid in pids))


def _children(mark: bytes) -> list[int]:
    """Processes with that in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                environ = (entry / "environ").read_bytes()
            except OSError:
                continue
            if mark in environ:
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
        result = await unready(host, "absent")
    assert isinstance(result, Err)
    assert "its command is not there" in result.note


async def test_a_server_that_does_not_greet_is_given_up(database):
    async with hosting(database, rude=plain({"MUTE": "1"}, connect_s=0.5)) as host:
        result = await unready(host, "rude")
    assert isinstance(result, Err)
    assert "did not answer" in result.note


async def test_who_asks_for_a_server_right_after_it_failed_does_not_wait_for_its_whole_pause():
    link = Link("absent", ServerConfig(command="/no/such/program"), None, Said().emit)
    resting = asyncio.create_task(link._rest(60))
    await asyncio.sleep(0)
    assert isinstance(await link.ready(0.01), Err)
    async with asyncio.timeout(25):  # of 30 at least
        await resting
