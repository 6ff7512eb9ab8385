"""Kill and starve things in mid-run: every reader still ends right, and nobody hangs."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import httpx
import psutil
import pytest
from redis.asyncio import Redis

from live import Live, ask, finished, live, parse, read_all, read_until
from signalbox.db import migrate
from signalbox.embedded import embedded_servers
from signalbox.settings import load_settings
from signalbox.stream.writer import RunWriter

SECRET = "only-for-tests-only-for-tests"


@pytest.fixture(scope="module")
def folder(data_dir):
    path = Path(tempfile.mkdtemp(prefix="sbf-"))
    if (data_dir / "models").is_dir():  # the intent model is the same: no need to train it again
        shutil.copytree(data_dir / "models", path / "models")
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
async def own(folder):
    """Servers that may be killed."""
    async with embedded_servers(folder, lambda _: None) as servers:
        await migrate(servers.database_url)
        yield servers


@pytest.fixture
async def server(own, folder):
    await asyncio.to_thread(own.ensure)
    settings = load_settings(
        data_dir=folder, database_url=own.database_url, redis_url=own.redis_url, model="scripted",
        secret_key=SECRET, heartbeat_s=0.5, lease_s=3, grace_s=1,
    )  # fmt: skip
    async with live(settings) as running:
        yield running


@pytest.fixture
async def user(server: Live):
    async with server.user() as client:
        await client.get("/v1/conversations")
        yield client


def processes(name: str, folder: Path) -> list[psutil.Process]:
    """The embedded server's main process on this folder."""
    found = []
    for process in psutil.process_iter(["name", "cmdline", "ppid"]):
        line = " ".join(process.info["cmdline"] or ())
        if name in (process.info["name"] or "") and str(folder) in line:
            found.append(process)
    return found


def kill(name: str, folder: Path, how: int = signal.SIGKILL) -> None:
    victims = processes(name, folder)
    assert victims, f"no {name} on {folder}"
    for victim in victims:
        victim.send_signal(how)
    if how == signal.SIGKILL:
        psutil.wait_procs(victims, timeout=30)


def check(events, status: str = "succeeded") -> None:
    assert [e.type for e in events].count("complete") == 1
    assert events[-1].type == "complete"
    assert events[-1].data["status"] == status


def shown_text(events) -> str:
    """What a reader who applies gap and snapshot ends up with."""
    start = max((i for i, e in enumerate(events) if e.type == "gap"), default=0)
    return "".join(e.data["content"] for e in events[start:] if e.type == "chunk")


async def kill_valkey(own, folder, _redis):
    kill("valkey", folder)
    await asyncio.to_thread(own.ensure)


async def flush_all(_own, _folder, redis: Redis):
    await redis.flushall()


async def freeze_valkey(_own, folder, _redis):
    kill("valkey", folder, signal.SIGSTOP)
    await asyncio.sleep(1.5)
    kill("valkey", folder, signal.SIGCONT)


@pytest.mark.parametrize("fault", [kill_valkey, flush_all, freeze_valkey])
async def test_valkey_trouble_in_mid_run_ends_right_for_every_reader(own, folder, user, fault):
    run = await ask(user, "/ticks 100 20 0")
    readers = [asyncio.create_task(read_all(user, run["events_url"])) for _ in range(3)]
    await read_until(user, run["events_url"], b"@000020@")
    redis = Redis.from_url(own.redis_url)
    await fault(own, folder, redis)
    await redis.aclose()
    async with asyncio.timeout(90):
        for reader in readers:
            found = await reader
            check(found.events)
            whole = next(e.data["content"] for e in found.events if e.type == "message")
            assert whole.count("@") == 200
            assert shown_text(found.events) == whole
            if "gap" in found.types:
                assert found.types[found.types.index("gap") + 1] == "snapshot"
    late = await read_all(user, run["events_url"])
    check(late.events)
    assert late.text == whole
    assert (await finished(user, run["run_id"]))["status"] == "succeeded"


async def test_a_run_goes_on_when_valkey_is_back_however_long_that_took(own, folder, user, monkeypatch):
    """Longer than a run waits for it: nobody is told that the answer failed, since nothing is wrong with it."""
    monkeypatch.setitem(RunWriter.__init__.__kwdefaults__, "patience_s", 1)
    run = await ask(user, "/ticks 30 50 0")
    reading = asyncio.create_task(read_all(user, run["events_url"]))
    await read_until(user, run["events_url"], b"@000005@")
    kill("valkey", folder)
    try:
        await asyncio.sleep(4)
        assert (await user.get(f"/v1/runs/{run['run_id']}")).json()["status"] in {"pending", "running"}
    finally:
        await asyncio.to_thread(own.ensure)
    async with asyncio.timeout(90):
        found = await reading
    check(found.events)
    whole = next(e.data["content"] for e in found.events if e.type == "message")
    assert whole.count("@") == 60
    assert "error" not in found.types
    row = await finished(user, run["run_id"])
    assert (row["status"], row["attempt"]) == ("succeeded", 1)


async def test_a_run_that_is_over_is_told_from_the_store_while_valkey_is_away(own, folder, server, user):
    run = await ask(user, "/ticks 5 0 30")
    reading = asyncio.create_task(read_all(user, run["events_url"]))
    await read_until(user, run["events_url"], b"@000004@")
    kill("valkey", folder)
    try:
        # As another worker would have left it that could not say so any more.
        await server.services.db.execute(
            "UPDATE run SET status = 'succeeded', finished_at = now(), lease_token = lease_token + 1 WHERE run_id = %s",
            (run["run_id"],),
        )
        async with asyncio.timeout(90):
            found = await reading
    finally:
        await asyncio.to_thread(own.ensure)
    assert found.types[-3:] == ["gap", "snapshot", "complete"]
    assert found.events[-1].data["status"] == "succeeded"
    assert [m["role"] for m in found.events[-2].data["messages"]] == ["user"]


async def written(own) -> None:
    """All that Valkey holds is in its append-only file, which it syncs about every second."""
    async with Redis.from_url(own.redis_url) as redis, asyncio.timeout(60):
        await asyncio.sleep(1.2)
        while (told := await redis.info("persistence"))["aof_buffer_length"] or told["aof_pending_bio_fsync"]:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def test_a_restarted_valkey_still_has_finished_runs(own, folder, user):
    run = await ask(user, "/ticks 5 0 0")
    whole = (await read_all(user, run["events_url"])).events
    await written(own)
    await kill_valkey(own, folder, None)
    again = (await read_all(user, run["events_url"], headers={"Last-Event-ID": whole[3].id})).events
    assert [e.data for e in again] == [e.data for e in whole[4:]]


async def test_postgres_killed_in_mid_run_ends_in_success_or_a_clean_error(own, folder, user):
    run = await ask(user, "/ticks 50 20 0")
    readers = [asyncio.create_task(read_all(user, run["events_url"])) for _ in range(3)]
    await read_until(user, run["events_url"], b"@000010@")
    kill("postgres", folder)
    refused = await user.post("/v1/chat", json={"message": "hello"})
    assert refused.status_code == 503
    assert refused.json()["code"] == "store_unavailable"
    assert (await user.get("/readyz")).json()["missing"] == ["database"]
    assert (await user.get("/healthz")).status_code == 200
    await asyncio.sleep(1)
    await asyncio.to_thread(own.ensure)
    async with asyncio.timeout(120):
        for reader in readers:
            check((await reader).events)
    assert (await finished(user, run["run_id"]))["status"] == "succeeded"
    assert (await user.post("/v1/chat", json={"message": "/ticks 1 0 0"})).status_code == 202


async def test_a_search_without_a_database_says_it_could_not_look_and_never_that_there_is_nothing(
    own, folder, server, user
):
    reached, go = asyncio.Event(), asyncio.Event()
    classifier = server.services.runner._orchestrator._router._classifier

    class Waiting:
        async def of(self, text, recent):
            verdict = await classifier.of(text, recent)
            reached.set()
            await go.wait()
            return verdict

    server.services.runner._orchestrator._router._classifier = Waiting()
    nothing = await ask(user, "find me remote rust jobs on Mars")
    await reached.wait()
    go.set()
    empty = await read_all(user, nothing["events_url"])
    reached.clear()
    go.clear()
    run = await ask(user, "find me remote rust jobs on Mars")
    reading = asyncio.create_task(read_all(user, run["events_url"]))
    await reached.wait()
    kill("postgres", folder)
    go.set()
    await asyncio.sleep(6)
    await asyncio.to_thread(own.ensure)
    failed = await reading
    assert next(e.data["status"] for e in empty.events if e.type == "tool_result") == "empty"
    assert next(e.data["status"] for e in failed.events if e.type == "tool_result") == "error"
    assert {s["status"] for e in failed.events if e.type == "jobs_data" for s in e.data["sources"]} == {"error"}
    check(empty.events)
    check(failed.events)
    assert empty.text != failed.text
    assert "could not" in failed.text.lower()
    assert "could not" not in empty.text.lower()
    assert "found nothing" not in failed.text.lower()


# -- whole processes


class Process:
    """``signalbox serve`` as a user runs it."""

    def __init__(self, own, folder: Path, port: int, **more: str) -> None:
        urls = {"SIGNALBOX_DATABASE_URL": own.database_url, "SIGNALBOX_REDIS_URL": own.redis_url} if own else {}
        env = {
            **os.environ, **urls, "SIGNALBOX_DATA_DIR": str(folder), "SIGNALBOX_MODEL": "scripted",
            "SIGNALBOX_SECRET_KEY": SECRET,
            "SIGNALBOX_HEARTBEAT_S": "0.5", "SIGNALBOX_LEASE_S": "60", "SIGNALBOX_GRACE_S": "1", **more,
        }  # fmt: skip
        program = Path(sys.executable).parent / "signalbox"
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([program, "serve", "--port", str(port)], env=env, stderr=subprocess.PIPE)

    async def ready(self) -> None:
        async with asyncio.timeout(240), httpx.AsyncClient() as client:
            while True:
                assert self.process.poll() is None, self.process.stderr.read()
                try:
                    if (await client.get(f"{self.url}/readyz")).status_code == 200:
                        return
                except httpx.TransportError:
                    await asyncio.sleep(0.1)

    async def ended(self, within: float) -> int:
        return await asyncio.to_thread(self.process.wait, within)


@pytest.fixture
async def spawn(own, folder):
    await asyncio.to_thread(own.ensure)
    started: list[Process] = []

    async def start(port: int, **more: str) -> Process:
        process = Process(own, folder, port, **more)
        started.append(process)
        await process.ready()
        return process

    yield start
    for process in started:
        process.process.kill()
        process.process.wait()
        process.process.stderr.close()


async def cut_read(client: httpx.AsyncClient, url: str, begun: asyncio.Event) -> bytes:
    """Whatever comes until the connection ends, however it ends. ``begun``: there was an event."""
    raw = b""
    try:
        async with client.stream("GET", url) as response:
            async for chunk in response.aiter_raw():
                raw += chunk
                if b"id: " in raw and b"\n\n" in raw.partition(b"id: ")[2]:
                    begun.set()
    except httpx.TransportError:
        pass
    return raw[: raw.rfind(b"\n\n") + 2]


async def test_sigterm_sends_readers_away_and_they_resume_elsewhere_without_loss(spawn, free_port):
    first = await spawn(free_port(), SIGNALBOX_GRACE_S="5")  # for the short ones, on a busy machine
    async with httpx.AsyncClient(base_url=first.url, timeout=30) as client:
        await client.get("/v1/conversations")
        cookies = client.cookies
        done = await ask(client, "/ticks 60 5 0")
        run = await ask(client, "/ticks 20 40 0")
        long = await ask(client, "/ticks 10 1000 0")
        urls = [done["events_url"], run["events_url"], long["events_url"]]
        begun = [asyncio.Event() for _ in range(5 * len(urls))]
        reading = zip([url for url in urls for _ in range(5)], begun, strict=True)
        readers = [asyncio.create_task(cut_read(client, url, event)) for url, event in reading]
        await read_until(client, run["events_url"], b"@000003@")
        await asyncio.gather(*(event.wait() for event in begun))
        first.process.send_signal(signal.SIGTERM)
        code = await first.ended(within=60)
        parts = await asyncio.gather(*readers)
    assert code in {0, -signal.SIGTERM}
    second = await spawn(free_port())
    async with httpx.AsyncClient(base_url=second.url, timeout=30, cookies=cookies) as client:
        for url, raw in zip([u for u in urls for _ in range(5)], parts, strict=True):
            seen = parse(raw)
            last = [e.id for e in seen.events if e.id][-1]
            response = await client.get(url, headers={"Last-Event-ID": last})
            rest = parse(response.content).events if response.status_code == 200 else []
            if not rest:
                assert seen.events[-1].type == "complete"
            whole = (await read_all(client, url)).events
            assert [e.data for e in (*seen.events, *rest)] == [e.data for e in whole]
            assert whole[-1].data["status"] == "succeeded"
            # What was not done in the grace was given back, and went on where readers went on.
            assert [e.type for e in whole].count("rewind") == (url == long["events_url"])
            if seen.events[-1].type != "complete":
                assert len(seen.retry) == 2, "a reader is told when to come back"


async def test_a_killed_processs_run_goes_on_elsewhere(spawn, free_port):
    # Long enough that only the one that is killed loses its lease.
    first = await spawn(free_port(), SIGNALBOX_LEASE_S="6")
    second = await spawn(free_port(), SIGNALBOX_LEASE_S="6")
    async with httpx.AsyncClient(base_url=first.url, timeout=30) as one:
        await one.get("/v1/conversations")
        run = await ask(one, "/ticks 120 20 0")
        async with httpx.AsyncClient(base_url=second.url, timeout=30, cookies=one.cookies) as two:
            watching = asyncio.create_task(read_all(two, run["events_url"]))
            await read_until(two, run["events_url"], b"@000020@")
            first.process.kill()
            async with asyncio.timeout(90):
                found = await watching
            check(found.events)
            assert found.types.count("rewind") == 1
            taken_back = found.types.index("rewind")
            whole = next(e.data["content"] for e in found.events if e.type == "message")
            assert whole.count("@") == 240
            assert "".join(e.data["content"] for e in found.events[taken_back:] if e.type == "chunk") == whole
            row = await finished(two, run["run_id"])
            assert (row["status"], row["attempt"]) == ("succeeded", 2)
            again = await read_all(two, run["events_url"])
            assert [e.data for e in again.events] == [e.data for e in found.events]


async def test_a_lone_process_revives_its_dead_servers_and_stops_them_when_it_goes(server, folder, free_port):
    home = Path(tempfile.mkdtemp(prefix="sbf-"))
    shutil.copytree(folder / "models", home / "models")  # trained by the servers of this module
    process = Process(None, home, free_port())
    try:
        await process.ready()
        kill("valkey", home)
        kill("postgres", home)
        async with asyncio.timeout(120), httpx.AsyncClient(base_url=process.url, timeout=30) as client:
            while (await client.get("/readyz")).status_code != 200:  # noqa: ASYNC110 - as any monitor would
                await asyncio.sleep(0.25)
            run = await ask(client, "/ticks 3 0 0")
            assert (await finished(client, run["run_id"]))["status"] == "succeeded"
        process.process.send_signal(signal.SIGTERM)
        assert await process.ended(within=60) == 0
        assert processes("postgres", home) + processes("valkey", home) == []
    finally:
        process.process.kill()
        process.process.wait()
        process.process.stderr.close()
        shutil.rmtree(home, ignore_errors=True)


async def test_two_processes_share_every_run(spawn, free_port):
    first, second = await spawn(free_port()), await spawn(free_port())
    async with httpx.AsyncClient(base_url=first.url, timeout=30) as one:
        await one.get("/v1/conversations")
        run = await ask(one, "/ticks 100 10 0")
        async with httpx.AsyncClient(base_url=second.url, timeout=30, cookies=one.cookies) as two:
            here = asyncio.create_task(read_all(one, run["events_url"]))
            there = await read_all(two, run["events_url"])
            assert [e.data for e in there.events] == [e.data for e in (await here).events]
            long = await ask(one, "/ticks 5000 20 0")
            await read_until(two, long["events_url"], b"@000005@")
            asked = asyncio.get_running_loop().time()
            await two.post(f"/v1/runs/{long['run_id']}/cancel")
            assert (await finished(two, long["run_id"]))["status"] == "cancelled"
            assert asyncio.get_running_loop().time() - asked < 10, "it is told of it: it finds out by its lease later"
            # One conversation, both processes: answers never interleave.
            conversation = run["conversation_id"]
            runs = await asyncio.gather(
                *(ask((one, two)[n % 2], "/ticks 10 5 0", conversation_id=conversation) for n in range(6))
            )
            for each in runs:
                assert (await finished(two, each["run_id"]))["status"] == "succeeded"
            raw = await read_until(two, f"/v1/conversations/{conversation}/events", b": heartbeat")
            events = parse(raw).events
            assert [e.data["seq"] for e in events] == list(range(1, len(events) + 1))
            order = [e.data["run_id"] for e in events]
            assert sum(a != b for a, b in pairwise(order)) == 6
