"""One live server with the scripted model for the API tests."""

from collections.abc import AsyncIterator

import httpx
import pytest

from live import Live, live
from signalbox.embedded import EmbeddedServers
from signalbox.settings import load_settings


@pytest.fixture(scope="session")
async def server(servers: EmbeddedServers, database, data_dir) -> AsyncIterator[Live]:
    settings = load_settings(
        data_dir=data_dir,
        database_url=servers.database_url,
        redis_url=servers.redis_url,
        model="scripted",
        secret_key="only-for-tests-only-for-tests",
        heartbeat_s=0.5,
        send_timeout_s=2,
        lease_s=3,
        grace_s=2,
        max_message_chars=10_000,
        max_body_bytes=150_000,
        cors_origins="http://page.example",
    )
    async with live(settings) as running:
        yield running


@pytest.fixture
async def user(server: Live) -> AsyncIterator[httpx.AsyncClient]:
    """A new anonymous user."""
    async with server.user() as client:
        await client.get("/v1/conversations")
        yield client


@pytest.fixture
async def other(server: Live) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody else."""
    async with server.user() as client:
        await client.get("/v1/conversations")
        yield client
