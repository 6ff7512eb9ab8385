"""The crew of a chaos test: its processes on the session's stores, ended whatever happens."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import psycopg
import pytest
from chaos_crew import Crew

from signalbox.db import Database, migrate
from signalbox.embedded import EmbeddedServers


@pytest.fixture(scope="session")
async def database(servers: EmbeddedServers) -> AsyncIterator[Database]:
    """A database of their own: workers take every run that waits, whichever test left it."""
    async with await psycopg.AsyncConnection.connect(servers.database_url, autocommit=True) as conn:
        await conn.execute("CREATE DATABASE chaos")
    url = servers.database_url.replace("/postgres?", "/chaos?")
    await migrate(url)
    db = Database(url)
    await db.open()
    yield db
    await db.close()


@pytest.fixture
async def crew(servers: EmbeddedServers, database: Database) -> AsyncIterator[Crew]:
    folder = Path(tempfile.mkdtemp(prefix="sbc-"))
    keys = ",".join(f"key-of-{user}:{user}" for user in ("alice", "bob"))
    settings = {
        "data_dir": folder,
        "database_url": database.dsn,
        "redis_url": servers.redis_url,
        "secret_key": "only-for-tests-only-for-tests",
        "api_keys": keys,
        "heartbeat_s": 0.5,
        "lease_s": 1,
        "grace_s": 1,
    }
    crew = Crew(folder, settings)
    yield crew
    await crew.close()
    # What a test that failed has left is not to be worked on in the next one.
    await database.execute(
        "UPDATE run SET status = 'cancelled', finished_at = now() WHERE status IN ('pending', 'running', 'waiting')"
    )
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    """A user of all API processes; ``alice`` unless a request says otherwise."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    headers = {"Authorization": "Bearer key-of-alice"}
    async with httpx.AsyncClient(headers=headers, timeout=60, limits=limits) as client:
        yield client
