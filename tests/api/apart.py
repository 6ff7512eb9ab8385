"""A database of one's own on the session's servers: no other test's server takes the runs that wait in it."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg

from signalbox.db import Database, migrate
from signalbox.embedded import EmbeddedServers


@asynccontextmanager
async def own_database(servers: EmbeddedServers) -> AsyncIterator[str]:
    """Its URL. Dropped in the end."""
    name = f"apart_{secrets.token_hex(4)}"
    url = urlunsplit(urlsplit(servers.database_url)._replace(path=f"/{name}"))
    async with await psycopg.AsyncConnection.connect(servers.database_url, autocommit=True) as conn:
        await conn.execute(f"CREATE DATABASE {name}")
    try:
        await migrate(url)
        yield url
    finally:
        async with await psycopg.AsyncConnection.connect(servers.database_url, autocommit=True) as conn:
            await conn.execute(f"DROP DATABASE {name} WITH (FORCE)")


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Database]:
    db = Database(url)
    await db.open()
    yield db
    await db.close()
