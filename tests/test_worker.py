"""A server that only takes messages, and workers that answer them: whole processes on one data folder."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from io import StringIO
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest
from psycopg.rows import dict_row
from pydantic import SecretStr
from rich.console import Console
from typer.testing import CliRunner

from live import ask, finished, live, parse, read_until
from signalbox.cli import app
from signalbox.embedded import installed_binaries
from signalbox.errors import ConfigurationError
from signalbox.graph.intent import IntentClassifier
from signalbox.process import place_of
from signalbox.settings import load_settings
from signalbox.working import _tell, work

whole_processes = pytest.mark.skipif(installed_binaries().postgres is None, reason="the extra 'embedded' is absent")

LEASE_S = 60  # nobody who lives loses a run by it, and nobody waits for it
TICKS = 120


class Fleet:
    """Processes that share a data folder, and with it embedded servers."""

    def __init__(self, folder: Path, port: int):
        self.folder = folder
        self.port = port
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def dsn(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder / 'run'}"

    def start(self, name: str, *words: str, grace_s: float = 1) -> None:
        env = {key: value for key, value in os.environ.items() if not key.startswith("SIGNALBOX_")}
        env |= {
            "SIGNALBOX_DATA_DIR": str(self.folder), "SIGNALBOX_MODEL": "scripted", "SIGNALBOX_LEASE_S": str(LEASE_S),
            "SIGNALBOX_GRACE_S": str(grace_s), "SIGNALBOX_HEARTBEAT_S": "0.5", "SIGNALBOX_LOG_JSON": "true",
        }  # fmt: skip
        with (self.folder / f"{name}.log").open("wb") as log:
            code = "from signalbox.cli import main; main()"
            command = [sys.executable, "-c", code, *words]
            self.processes[name] = subprocess.Popen(command, env=env, stdout=log, stderr=log, cwd=self.folder)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    async def until(self, condition, what: str, timeout: float = 240) -> None:
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                logs = "\n".join(f"--- {name}\n{self.log(name)[-2_000:]}" for name in self.processes)
                pytest.fail(f"{what} did not come in {timeout} s\n{logs}")
            await asyncio.sleep(0.05)

    async def ready(self, name: str, mark: str) -> None:
        await self.until(lambda: mark in self.log(name), f"{name}: {mark}")

    async def gone(self, name: str, timeout: float = 60) -> int:
        process = self.processes.pop(name)
        return await asyncio.to_thread(process.wait, timeout)

    def signal(self, name: str, number: int) -> None:
        self.processes[name].send_signal(number)

    def run(self, run_id: str) -> dict:
        with psycopg.connect(self.dsn, row_factory=dict_row) as connection:
            row = connection.execute("SELECT * FROM run WHERE run_id = %s", (run_id,)).fetchone()
        assert row is not None
        return row

    def worker_of(self, run_id: str) -> int:
        """The process id of who has the run, or had it last; 0 for nobody."""
        owner = self.run(run_id)["lease_owner"]
        return int(owner.rsplit("-", 2)[1]) if owner else 0

    def servers(self) -> list[int]:
        return [
            process.pid
            for process in psutil.process_iter(["name", "cmdline", "status"])
            if process.info["name"] in {"postgres", "valkey-server"}
            and process.info["status"] != psutil.STATUS_ZOMBIE
            and str(self.folder) in " ".join(process.info["cmdline"] or ())
        ]


@pytest.fixture(scope="module")
async def fleet(data_dir, embedder, free_port):
    folder = Path(tempfile.mkdtemp(prefix="sbw-"))
    # One training for all: side by side, each of the processes would do its own.
    await asyncio.to_thread(IntentClassifier.open, data_dir / "models", embedder)
    shutil.copytree(data_dir / "models", folder / "models")
    fleet = Fleet(folder, free_port())
    try:
        fleet.start("first", "worker", "--runs", "3")  # it starts the embedded servers
        await fleet.until((folder / "start.lock").exists, "the first worker")
        fleet.start("second", "worker", grace_s=600)
        fleet.start("api", "serve", "--api-only", "--port", str(fleet.port))
        await fleet.ready("first", "Worker is ready")
        await fleet.ready("second", "Worker is ready")
        await fleet.ready("api", "is ready")
        yield fleet
    finally:
        for process in fleet.processes.values():
            process.kill()
            process.wait()
        for pid in fleet.servers():
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def user(fleet):
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{fleet.port}", timeout=30) as client:
        await client.get("/v1/conversations")
        yield client


def check_whole(events, text_of: int = TICKS) -> None:
    """A reader who applies rewinds ends up with every tick once, by one `complete`."""
    assert [event.type for event in events].count("complete") == 1
    assert events[-1].data["status"] == "succeeded"
    offsets = [event.data["seq"] for event in events]
    assert offsets == list(range(1, len(events) + 1)), "nothing lost, nothing doubled"
    shown = ""
    for event in events:
        shown = {"rewind": "", "chunk": shown + event.data.get("content", "")}.get(event.type, shown)
    assert shown == next(event.data["content"] for event in events if event.type == "message")
    assert [f"@{number:06d}@" in shown for number in range(text_of)] == [True] * text_of
    assert shown.count("@") == 2 * text_of


@whole_processes
async def test_messages_taken_by_an_api_only_server_are_answered_by_workers(fleet, user):
    assert "up to 3 answers at once" in fleet.log("first")
    assert "up to 256 answers at once" in fleet.log("second")
    assert f"PostgreSQL: embedded, under {fleet.folder}" in fleet.log("first")
    assert "signalbox worker" in fleet.log("api")
    raw = await read_until(
        user, "/v1/chat", b"event: complete", method="POST", json={"message": f"/ticks {TICKS} 0 0"},
        headers={"Accept": "text/event-stream"},
    )  # fmt: skip
    events = parse(raw).events
    check_whole(events)
    workers = {fleet.processes[name].pid for name in ("first", "second")}
    assert fleet.worker_of(events[0].data["run_id"]) in workers
    body = (await user.get("/readyz")).json()
    assert (body["status"], body["queue"]["pending"], body["warnings"]) == ("ready", 0, [])


@whole_processes
async def test_a_worker_that_is_told_to_stop_hands_its_run_on_at_once(fleet, user):
    """The first worker also started the embedded servers: they stay up for the others."""
    fleet.signal("second", signal.SIGSTOP)  # so that the first has it
    run = await ask(user, f"/ticks {TICKS} 60 0")
    reading = asyncio.create_task(read_until(user, run["events_url"], b"event: complete", timeout=120))
    await read_until(user, run["events_url"], b"@000010@")
    assert fleet.worker_of(run["run_id"]) == fleet.processes["first"].pid
    fleet.signal("second", signal.SIGCONT)
    fleet.signal("first", signal.SIGTERM)
    assert await fleet.gone("first") == 0
    left = time.monotonic()
    await fleet.until(lambda: fleet.worker_of(run["run_id"]) == fleet.processes["second"].pid, "the second worker")
    assert time.monotonic() - left < LEASE_S / 2, "it did not wait for the lease to run out"
    events = parse(await reading).events
    check_whole(events)
    assert [event.type for event in events].count("rewind") <= 1
    assert [event.type for event in events].count("run_started") == 1
    assert fleet.run(run["run_id"])["attempt"] == 1, "a deploy is no failed attempt"
    assert len(fleet.servers()) >= 2


@whole_processes
async def test_a_second_signal_ends_the_grace_and_a_worker_that_comes_later_goes_on(fleet, user):
    run = await ask(user, f"/ticks {TICKS} 60 0")
    reading = asyncio.create_task(read_until(user, run["events_url"], b"event: complete", timeout=120))
    await read_until(user, run["events_url"], b"@000010@")
    fleet.signal("second", signal.SIGTERM)
    await fleet.ready("second", '"stopping"')
    assert fleet.run(run["run_id"])["status"] == "running", "600 seconds of grace"
    fleet.signal("second", signal.SIGTERM)
    assert await fleet.gone("second") == 0
    row = fleet.run(run["run_id"])
    assert (row["status"], row["lease_owner"]) == ("pending", None)
    assert (await user.get("/readyz")).json()["queue"]["pending"] == 1
    fleet.start("third", "worker")
    check_whole(parse(await reading).events)
    assert (await finished(user, run["run_id"]))["status"] == "succeeded"
    assert fleet.worker_of(run["run_id"]) == fleet.processes["third"].pid


@whole_processes
async def test_the_operators_shell_works_beside_them(fleet, user, monkeypatch):
    run = await ask(user, "find me remote Python jobs")
    await finished(user, run["run_id"])
    monkeypatch.setenv("SIGNALBOX_DATA_DIR", str(fleet.folder))
    shown = await asyncio.to_thread(CliRunner().invoke, app, ["runs", "show", run["run_id"], "--json"])
    kinds = [step["kind"] for step in json.loads(shown.stdout)["steps"]]
    assert kinds[0] == "decision"
    assert kinds[-1] == "model_turn"
    assert "tool_result" in kinds


@whole_processes
async def test_the_last_to_leave_stops_the_embedded_servers(fleet, user):
    fleet.signal("third", signal.SIGKILL)
    await fleet.gone("third")
    assert (await user.get("/readyz")).json()["status"] == "ready"
    assert fleet.servers()
    fleet.signal("api", signal.SIGTERM)
    assert await fleet.gone("api") == 0
    assert fleet.servers() == []


@whole_processes
async def test_a_start_that_is_given_up_undoes_itself(fleet):
    fleet.start("hasty", "worker")
    await fleet.ready("hasty", "starting PostgreSQL")
    fleet.signal("hasty", signal.SIGTERM)
    assert await fleet.gone("hasty") == 0
    assert "Traceback" not in fleet.log("hasty")
    assert fleet.servers() == []


async def test_a_server_gives_its_runs_back_at_a_second_signal(settings, apart):
    alone = settings.model_copy(update={"grace_s": 600, "database_url": SecretStr(apart.dsn)})
    async with live(alone) as server, server.user() as user:
        run = await ask(user, "/ticks 10 1 600")
        await read_until(user, run["events_url"], b"@000009@")
        server.server.handle_exit(signal.SIGTERM, None)
        await asyncio.sleep(0.3)
        assert server.services.runner.active == 1
        server.server.handle_exit(signal.SIGTERM, None)
        async with asyncio.timeout(60):
            while server.services.runner.active:  # noqa: ASYNC110 - as the shutdown itself sees it
                await asyncio.sleep(0.02)
        status, _ = await server.services.store.status(run["run_id"])
        assert status == "pending"
        await server.services.db.execute("UPDATE run SET status = 'cancelled' WHERE run_id = %s", (run["run_id"],))


def test_a_worker_that_may_do_nothing_says_what_to_set():
    with pytest.raises(ConfigurationError, match="--runs 64"):
        work(load_settings(max_runs=0), lambda _: None, None)


def test_first_words_name_the_servers_and_no_secret():
    said = StringIO()
    settings = load_settings(
        database_url="postgresql://ada:hush@db.example:5433/chat?password=hush", redis_url="rediss://:hush@[::1]/2"
    )
    _tell(settings, Console(file=said, width=80))
    assert "PostgreSQL: db.example:5433/chat\n" in said.getvalue()
    assert "Redis:      [::1]/2\n" in said.getvalue()
    assert "hush" not in said.getvalue()


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("postgresql://u:p@h/db", "h/db"),
        ("postgresql:///db?host=/run/postgres&password=p", "/db"),
        ("postgresql://?service=mine", "(as the URL's options say)"),
        ("unix:///run/valkey.sock?password=p", "/run/valkey.sock"),
        ("redis://h:6379", "h:6379"),
    ],
)
def test_a_place_is_where_without_who(url, place):
    assert place_of(url) == place
