"""Real servers for all tests: one embedded PostgreSQL and Valkey a session, started from the wheels."""

import asyncio
import functools
import gc
import inspect
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import structlog
from redis.asyncio import Redis

from signalbox.db import Database, migrate
from signalbox.embedded import EmbeddedServers, embedded_servers
from signalbox.llm.embedding import Embedder
from signalbox.settings import Settings, load_settings
from signalbox.telemetry import configure_logging

MOST_GROWTH_BYTES = 400_000_000
# Longer than any test takes on a busy machine, with a model to train first: one that hangs says where, and the others
# go on.
TEST_LIMIT_S = 600
# Whole processes that are killed and waited for: begun first, so that no process is left alone with them at the end.
LONGEST = (
    *("test_failures.py", "test_kills.py", "test_page_recovery.py", "test_page_restart.py", "test_page_access.py"),
    *("test_worker.py", "test_takeover.py", "test_three_turns.py"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
    for item in items:
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            item.obj = _limited(item.obj, getattr(item.module, "TEST_LIMIT_S", TEST_LIMIT_S))


def _limited(test: Callable[..., Any], limit_s: float) -> Callable[..., Any]:
    """The test, cancelled where it hangs. Only so is it really over: the loop is the session's, and goes on."""

    @functools.wraps(test)
    async def limited(*given: Any, **named: Any) -> None:
        async with asyncio.timeout(limit_s):
            await test(*given, **named)

    return limited


@pytest.fixture(scope="session")
def shared() -> Path:
    """Public data beside the checkout; tests that need it skip where it is absent."""
    path = Path(os.environ.get("SIGNALBOX_SHARED", Path(__file__).parents[2] / "shared"))
    if not path.is_dir():
        pytest.skip(f"no shared data at {path}; set SIGNALBOX_SHARED")
    return path


@pytest.fixture(scope="session")
def data_dir(testrun_uid: str) -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="sb-"))  # short: a socket's path has room for 100 bytes
    # Test processes side by side train the intent model once: the second one waits for the first one's file.
    models = Path(tempfile.gettempdir()) / f"sb-models-{testrun_uid}"
    models.mkdir(exist_ok=True)
    (path / "models").symlink_to(models)
    yield path
    shutil.rmtree(path, ignore_errors=True)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(models, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def _plain_logs() -> Iterator[None]:
    """No logger keeps the configuration of its first use: it would be deaf to a ``capture_logs`` after another one."""
    configure = structlog.configure
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structlog, "configure", lambda **given: configure(**given | {"cache_logger_on_first_use": False}))
        configure_logging("info", as_json=True)
        yield


@pytest.fixture(autouse=True)
def _same_logs() -> Iterator[None]:
    """A command that a test runs in this process sets up logging of its own."""
    before = structlog.get_config()
    yield
    if structlog.get_config() != before:
        structlog.configure(**before)


@pytest.fixture(autouse=True)
def _light(collected_at: list[int]) -> Iterator[None]:
    """A server that was closed leaves rings of large objects, which the collector takes for small ones."""
    yield
    if memory_bytes() - collected_at[0] > MOST_GROWTH_BYTES:
        gc.collect()
        collected_at[0] = memory_bytes()


@pytest.fixture(scope="session")
def collected_at() -> list[int]:
    """How many bytes this process had when its garbage was collected last."""
    return [0]


def memory_bytes() -> int:
    """0 where the system does not tell."""
    told = Path("/proc/self/statm")
    return int(told.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if told.is_file() else 0


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside() -> None:
    for name in [name for name in os.environ if name.startswith("SIGNALBOX_") and name != "SIGNALBOX_SHARED"]:
        del os.environ[name]
    os.environ.pop("GROQ_API_KEY", None)


@pytest.fixture(scope="session")
async def servers(data_dir: Path) -> AsyncIterator[EmbeddedServers]:
    async with embedded_servers(data_dir, lambda _: None) as running:
        yield running


@pytest.fixture(scope="session")
async def database(servers: EmbeddedServers) -> AsyncIterator[Database]:
    await migrate(servers.database_url)
    db = Database(servers.database_url)
    await db.open()
    yield db
    await db.close()


@pytest.fixture
async def redis(servers: EmbeddedServers) -> AsyncIterator[Redis]:
    client = Redis.from_url(servers.redis_url)
    yield client
    await client.aclose()


@pytest.fixture(scope="session")
async def embedder() -> AsyncIterator[Embedder]:
    model = Embedder()
    yield model
    await model.close()


@pytest.fixture
async def _nothing_waits(database: Database) -> None:
    """What other tests left in the session's database is over: the server of this one would go on with it."""
    await database.execute(
        "UPDATE run SET status = 'cancelled', finished_at = now(), told = true, lease_until = NULL "
        "WHERE status IN ('pending', 'running', 'waiting')"
    )


@pytest.fixture
def settings(servers: EmbeddedServers, _nothing_waits: None, data_dir: Path) -> Settings:
    """Settings of a server on the session's stores, with the samples loaded by nobody."""
    return load_settings(
        data_dir=data_dir,
        database_url=servers.database_url,
        redis_url=servers.redis_url,
        model="scripted",
        secret_key="only-for-tests-only-for-tests",
        heartbeat_s=0.5,
        lease_s=10,
        grace_s=2,
        port=0,
    )


@pytest.fixture(scope="session")
def free_port() -> Callable[[], int]:
    """A port that nobody listens on now."""

    def find() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
            return port

    return find


@pytest.fixture(scope="session")
async def apart(servers: EmbeddedServers) -> AsyncIterator[Database]:
    """A database apart from the session's: servers of other tests take every run that waits in theirs."""
    async with await psycopg.AsyncConnection.connect(servers.database_url, autocommit=True) as conn:
        await conn.execute("CREATE DATABASE apart")
    url = servers.database_url.replace("/postgres?", "/apart?")
    await migrate(url)
    db = Database(url, size=2)
    await db.open()
    yield db
    await db.close()
