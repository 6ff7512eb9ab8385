"""The crew of a chaos test: its processes on the session's stores, ended whatever happens."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from chaos_crew import Crew

from signalbox.db import Database
from signalbox.embedded import EmbeddedServers


@pytest.fixture
async def crew(servers: EmbeddedServers, database: Database) -> AsyncIterator[Crew]:
    folder = Path(tempfile.mkdtemp(prefix="sbc-"))
    keys = ",".join(f"key-of-{user}:{user}" for user in ("alice", "bob"))
    settings = {
        "data_dir": folder,
        "database_url": servers.database_url,
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
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    """A user of all API processes; ``alice`` unless a request says otherwise."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    headers = {"Authorization": "Bearer key-of-alice"}
    async with httpx.AsyncClient(headers=headers, timeout=30, limits=limits) as client:
        yield client
