"""The embedded servers against the real thing: real processes, killed for real."""

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
import redis

from signalbox.embedded import EmbeddedServers, embedded_servers, installed_binaries
from signalbox.errors import ConfigurationError

pytestmark = pytest.mark.skipif(installed_binaries().postgres is None, reason="the extra 'embedded' is absent")

NOTHING: dict[str, list[int]] = {"postgres": [], "valkey-server": []}
APP = """
import sys, pathlib
from signalbox.embedded import EmbeddedServers
servers = EmbeddedServers(pathlib.Path(sys.argv[1]), lambda line: None)
servers.open()
print(servers.database_url, flush=True)
sys.stdin.read()
servers.close()
"""


def quiet(line: str) -> None:
    del line


def running(folder: Path) -> dict[str, list[int]]:
    """The server processes whose command line names the folder; not their children, which bear it until they have put
    on a title of their own.
    """
    named: dict[int, dict[str, Any]] = {}
    for process in psutil.process_iter(["name", "cmdline", "status", "ppid"]):
        if process.info["name"] not in NOTHING or process.info["status"] == psutil.STATUS_ZOMBIE:
            continue
        # Valkey's title is one string.
        if any(word.startswith(str(folder)) for word in " ".join(process.info["cmdline"]).split(" ")):
            named[process.pid] = process.info
    return {
        program: [pid for pid, info in named.items() if info["name"] == program and info["ppid"] not in named]
        for program in NOTHING
    }


def launch_app(folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", APP, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def wait_until_ready(app: "subprocess.Popen[str]") -> None:
    assert app.stdout is not None
    assert app.stdout.readline().startswith("postgresql://")


def leave(app: "subprocess.Popen[str]") -> None:
    app.communicate("", timeout=60)
    assert app.returncode == 0


@contextmanager
def opened(folder: Path, **options) -> Iterator[EmbeddedServers]:
    servers = EmbeddedServers(folder, quiet, **options)
    servers.open()
    try:
        yield servers
    finally:
        servers.close()


def remember(servers: EmbeddedServers) -> int:
    """Commits a new number to both servers and returns it."""
    number = random.getrandbits(30)
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS memory (number int)")
        connection.execute("INSERT INTO memory VALUES (%s)", [number])
    with redis.Redis.from_url(servers.redis_url) as client:
        client.sadd("memory", number)
    return number


def remembers(servers: EmbeddedServers, number: int) -> bool:
    with psycopg.connect(servers.database_url) as connection:
        row = connection.execute("SELECT FROM memory WHERE number = %s", [number]).fetchone()
    with redis.Redis.from_url(servers.redis_url) as client:
        return row is not None and bool(client.sismember("memory", number))


@contextmanager
def swept(path: Path) -> Iterator[None]:
    """Fails the test that leaves a server running under the path, and ends that server."""
    yield
    left = [pid for pids in running(path).values() for pid in pids]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


@pytest.fixture
def fresh() -> Iterator[Path]:
    """A data folder that does not exist yet."""
    path = Path(tempfile.mkdtemp(prefix="sb", dir="/tmp")).resolve()
    try:
        with swept(path):
            yield path / "data"
    finally:
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="sb", dir="/tmp")).resolve()
    yield path / "data"
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def folder(made) -> Iterator[Path]:
    """The data folder that these tests share, since making a database takes a second."""
    with swept(made):
        yield made


async def test_a_start_tells_its_steps_and_what_was_written_survives_a_restart(fresh):
    leftover = fresh / "postgres.new.x"  # of a first start that was killed
    leftover.mkdir(parents=True)
    (leftover / "PG_VERSION").write_text("18\n")
    steps: list[str] = []
    async with embedded_servers(fresh, steps.append) as servers:
        number = await asyncio.to_thread(remember, servers)
    assert running(fresh) == NOTHING
    assert not leftover.exists()
    assert steps == ["creating the database folder ...", "starting PostgreSQL ...", "starting Valkey ..."]
    async with embedded_servers(fresh, steps.append) as servers:
        assert await asyncio.to_thread(remembers, servers, number)
    assert steps[3:] == ["starting PostgreSQL ...", "starting Valkey ..."]


def test_the_vector_extension_is_there(folder):
    with opened(folder) as servers, psycopg.connect(servers.database_url) as connection:
        connection.execute("CREATE EXTENSION vector")
        assert connection.execute("SELECT '[1,2]'::vector <-> '[1,3]'::vector").fetchone() == (1.0,)


def test_servers_are_children_in_sessions_of_their_own_that_listen_on_no_port_and_see_no_keys(folder, monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "gsk-private")
    with opened(folder):
        (valkey,) = running(folder)["valkey-server"]
        assert "GROQ_API_KEY" not in psutil.Process(valkey).environ()
        for (pid,) in running(folder).values():
            process = psutil.Process(pid)
            assert process.ppid() == os.getpid()
            assert os.getsid(pid) == pid
            assert process.net_connections("inet") == []


def test_processes_that_start_at_once_share_one_pair_and_the_last_out_stops_it(fresh):
    apps = [launch_app(fresh) for _ in range(2)]
    with opened(fresh):
        for app in apps:
            wait_until_ready(app)
        shared = running(fresh)
        assert [len(pids) for pids in shared.values()] == [1, 1]
        for app in apps:
            leave(app)
        assert running(fresh) == shared
    assert running(fresh) == NOTHING


def test_the_servers_of_a_killed_app_are_taken_over_and_stopped_by_the_next(folder):
    app = launch_app(folder)
    wait_until_ready(app)
    before = running(folder)
    app.kill()
    app.communicate()
    with opened(folder) as servers:
        assert running(folder) == before
        remember(servers)
    assert running(folder) == NOTHING


def test_killed_servers_come_back_with_all_that_was_committed(folder):
    with opened(folder) as servers:
        number = remember(servers)
        for (pid,) in running(folder).values():
            os.kill(pid, signal.SIGKILL)
        servers.ensure()
        assert remembers(servers, number)
        assert [len(pids) for pids in running(folder).values()] == [1, 1]


def test_a_start_after_app_and_servers_were_killed_recovers(folder):
    app = launch_app(folder)
    wait_until_ready(app)
    with opened(folder) as servers:
        number = remember(servers)
        for pid in (app.pid, *(pid for pids in running(folder).values() for pid in pids)):
            os.kill(pid, signal.SIGKILL)
        app.communicate()
    with opened(folder) as servers:
        assert remembers(servers, number)


def test_a_killed_server_that_its_parent_never_asks_for_is_replaced(folder):
    app = launch_app(folder)
    wait_until_ready(app)
    with opened(folder) as servers:
        number = remember(servers)
        os.kill(app.pid, signal.SIGSTOP)  # so that the dead stay zombies
        for (pid,) in running(folder).values():
            os.kill(pid, signal.SIGKILL)
        servers.ensure()
        assert remembers(servers, number)
        os.kill(app.pid, signal.SIGCONT)
        leave(app)
        assert remembers(servers, number)


def test_servers_that_hang_are_replaced_and_nothing_is_lost(folder):
    with opened(folder, patience_s=0.5) as servers:
        number = remember(servers)
        hung = running(folder)
        for (pid,) in hung.values():
            os.kill(pid, signal.SIGSTOP)
        servers.ensure()
        assert remembers(servers, number)
        for program, pids in running(folder).items():
            assert len(pids) == 1
            assert pids != hung[program]


def test_any_folder_name_will_do(fresh):
    folder = fresh / 'it\'s a "quoted" folder, 100% ü'
    with opened(folder) as servers:
        number = remember(servers)
        sockets = (folder / "run").resolve()
        with opened(folder) as second:
            assert remembers(second, number)
    assert not sockets.exists()


@pytest.mark.parametrize("names", [("long" * 40, "copy" * 40), ("long" * 40, "copy"), ("original", "copy" * 40)])
def test_a_copy_of_a_folder_gets_servers_of_its_own_however_long_the_paths_are(folder, fresh, names):
    original, copy = (fresh / name for name in names)
    fresh.mkdir(mode=0o711)
    with opened(folder):
        pass
    subprocess.run(["cp", "-a", folder, original], check=True)
    with opened(original) as servers:
        number = remember(servers)
    subprocess.run(["cp", "-a", original, copy], check=True)
    with opened(original) as servers, opened(copy) as others:
        assert servers.database_url != others.database_url
        assert remembers(servers, number)
        assert remembers(others, number)
        assert not remembers(servers, remember(others))


def test_only_the_server_whose_url_is_missing_is_started(folder):
    with opened(folder, database_url="postgresql://elsewhere/db") as servers:
        assert servers.database_url == "postgresql://elsewhere/db"
        assert running(folder)["postgres"] == []
        assert len(running(folder)["valkey-server"]) == 1


def test_with_both_urls_the_folder_is_not_touched(fresh):
    with opened(fresh, database_url="postgresql://a/b", redis_url="redis://c"):
        assert not fresh.exists()


@pytest.mark.parametrize(
    ("lacking", "variable"), [("postgres", "SIGNALBOX_DATABASE_URL"), ("valkey", "SIGNALBOX_REDIS_URL")]
)
def test_without_the_wheel_the_error_names_the_variable_and_the_extra(fresh, lacking, variable):
    binaries = replace(installed_binaries(), **{lacking: None})
    with pytest.raises(ConfigurationError) as caught:
        EmbeddedServers(fresh, quiet, binaries=binaries).open()
    assert variable in str(caught.value)
    assert "signalbox[embedded]" in str(caught.value)
    assert not fresh.exists()


def test_a_folder_that_cannot_be_made_is_named(fresh):
    fresh.write_text("a file")
    with pytest.raises(ConfigurationError, match="cannot be used") as caught:
        EmbeddedServers(fresh / "data", quiet).open()
    assert str(fresh / "data") in str(caught.value)


def test_a_start_that_fails_says_why_and_leaves_nothing_running(fresh):
    (fresh / "valkey" / "appendonlydir").mkdir(parents=True)
    (fresh / "valkey" / "appendonlydir" / "appendonly.aof.manifest").write_text("nonsense\n")
    with pytest.raises(ConfigurationError, match=r"Valkey did not start[\s\S]*manifest"):
        EmbeddedServers(fresh, quiet, database_url="postgresql://elsewhere/db").open()
    assert running(fresh) == NOTHING


def test_a_database_of_another_version_is_left_alone(fresh):
    (fresh / "postgres").mkdir(parents=True)
    (fresh / "postgres" / "PG_VERSION").write_text("16\n")
    with pytest.raises(ConfigurationError, match="made by PostgreSQL 16"):
        EmbeddedServers(fresh, quiet).open()


def test_a_pid_file_that_names_another_program_is_stale(folder):
    with opened(folder) as servers:
        number = remember(servers)
    (folder / "postgres" / "postmaster.pid").write_text(f"{os.getpid()}\n{folder / 'postgres'}\n")
    with opened(folder) as servers:
        assert remembers(servers, number)


def test_a_user_whose_folder_was_moved_away_does_not_stop_the_servers_of_the_new_one(fresh):
    options = {"database_url": "postgresql://elsewhere/db", "patience_s": 0.5}
    first = EmbeddedServers(fresh, quiet, **options)
    first.open()
    fresh.rename(fresh.with_name("moved"))
    with opened(fresh, **options):
        new = running(fresh)
        assert len(new["valkey-server"]) == 1
        first.close()
        assert running(fresh) == new


async def test_a_cancelled_start_is_undone(folder):
    started = threading.Event()

    async def use() -> None:
        async with embedded_servers(folder, lambda line: started.set()):
            await asyncio.Event().wait()

    task = asyncio.create_task(use())
    await asyncio.to_thread(started.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert running(folder) == NOTHING


def test_looking_after_healthy_servers_leaves_them_alone(folder):
    with opened(folder) as servers:
        before = running(folder)
        servers.ensure()
        assert running(folder) == before
