"""A database apart from the session's: servers of other tests take every run that waits in theirs."""

from collections.abc import AsyncIterator

import psycopg
import pytest

from signalbox.db import Database, migrate
from signalbox.embedded import EmbeddedServers


@pytest.fixture(scope="session")
async def apart(servers: EmbeddedServers) -> AsyncIterator[Database]:
    async with await psycopg.AsyncConnection.connect(servers.database_url, autocommit=True) as conn:
        await conn.execute("CREATE DATABASE apart")
    url = servers.database_url.replace("/postgres?", "/apart?")
    await migrate(url)
    db = Database(url, size=2)
    await db.open()
    yield db
    await db.close()
