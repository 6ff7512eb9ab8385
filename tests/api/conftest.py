"""One live server with the scripted model for the API tests."""

from collections.abc import AsyncIterator

import httpx
import pytest
from apart import own_database

from live import Live, live
from signalbox.db import Database
from signalbox.embedded import EmbeddedServers
from signalbox.settings import load_settings


@pytest.fixture(scope="session")
async def server(servers: EmbeddedServers, data_dir) -> AsyncIterator[Live]:
    """On a database of its own: it stays to the end, and would take the runs of every later test's server."""
    async with own_database(servers) as url:
        settings = load_settings(
            data_dir=data_dir,
            database_url=url,
            redis_url=servers.redis_url,
            model="scripted",
            secret_key="only-for-tests-only-for-tests",
            heartbeat_s=0.5,
            send_timeout_s=2,
            lease_s=10,  # it never runs out while a busy machine holds this process up
            grace_s=2,
            max_message_chars=10_000,
            max_body_bytes=150_000,
            cors_origins="http://page.example",
        )
        async with live(settings) as running:
            yield running


@pytest.fixture
def server_db(server: Live) -> Database:
    """Where ``server`` keeps what it is told."""
    return server.services.db


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
