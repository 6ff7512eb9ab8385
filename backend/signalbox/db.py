"""PostgreSQL: one pool of autocommit connections, one error for 'cannot be asked now', migrations.

It knows connections and transactions; what is stored is the business of the modules above.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, LiteralString

import psycopg
from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout
from sqlalchemy.exc import OperationalError as SqlAlchemyOperationalError

from signalbox.errors import ConfigurationError, StoreUnavailable

Params = Sequence[Any] | Mapping[str, Any]

# Long enough for one attempt to reconnect.
DOWN_WAIT_S: Final = 1.0

# Said where the database is well and only our own connections to it are all taken.
BUSY: Final = "The server is busy: too much is asked of it at once. Nothing was lost; please try again in a moment."

# For background work that has to go on whatever the database says to one statement.
STORE_TROUBLE: Final = (StoreUnavailable, psycopg.Error)

_LOST = (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout, PoolClosed, OSError)
# The connection is well, but the statement could not be done now; the same one may pass later.
_NOT_NOW = (
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
    psycopg.errors.LockNotAvailable,
    psycopg.errors.ReadOnlySqlTransaction,
)


class Connection(psycopg.AsyncConnection[DictRow]):
    """As the driver's, with ``Database``'s short forms: a statement can be part of a transaction or stand alone."""

    async def fetch(self, sql: LiteralString, params: Params = ()) -> list[DictRow]:
        return await (await self.execute(sql, params)).fetchall()

    async def fetch_one(self, sql: LiteralString, params: Params = ()) -> DictRow | None:
        return await (await self.execute(sql, params)).fetchone()


class Database:
    """Statements over a pool. Every method raises ``StoreUnavailable`` when PostgreSQL cannot be reached, and with the
    words ``BUSY`` when it can and every connection was in use for ``wait_s``.

    ``wait_s`` bounds how long a caller waits for a connection; a statement that was cut in the middle is
    never sent again from here, since only the caller knows whether that is safe.
    """

    def __init__(self, dsn: str, *, size: int = 8, wait_s: float = 15.0) -> None:
        self.dsn = dsn
        self._down = False
        self._lent = 0
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            dsn,
            min_size=size,
            max_size=size,
            timeout=wait_s,
            open=False,
            kwargs={
                "autocommit": True,
                "row_factory": dict_row,
                "prepare_threshold": 2,
                "connect_timeout": 5,
                "application_name": "signalbox",
            },
            connection_class=Connection,
            reconnect_timeout=0,
            check=None,
        )

    async def open(self) -> None:
        await self._pool.open(wait=False)

    async def close(self) -> None:
        await self._pool.close(timeout=2)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        try:
            # A burst may queue for long; but once the server is known to be away, nobody should wait for it.
            async with self._pool.connection(timeout=DOWN_WAIT_S if self._down else None) as conn:
                self._lent += 1
                try:
                    yield conn
                finally:
                    self._lent -= 1
            self._down = False
        except psycopg.errors.QueryCanceled:
            raise
        except _NOT_NOW as exc:
            raise StoreUnavailable from exc
        except PoolTimeout as exc:
            # Connections at work say that the server is there; one that was lost has been noted by who used it.
            if self._lent and not self._down:
                raise StoreUnavailable(BUSY) from exc
            await self._note_loss()
            raise StoreUnavailable from exc
        except _LOST as exc:
            await self._note_loss()
            raise StoreUnavailable from exc

    async def _note_loss(self) -> None:
        if not self._down:
            self._down = True
            await self._drop_dead()

    async def _drop_dead(self) -> None:
        """After one lost connection the others are likely lost, too: find out now, not request by request."""
        if self._pool.closed:
            return
        with contextlib.suppress(TimeoutError, *_LOST):
            await asyncio.wait_for(self._pool.check(), DOWN_WAIT_S)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        async with self.connection() as conn, conn.transaction():
            yield conn

    async def fetch(self, sql: LiteralString, params: Params = ()) -> list[DictRow]:
        async with self.connection() as conn:
            return await conn.fetch(sql, params)

    async def fetch_one(self, sql: LiteralString, params: Params = ()) -> DictRow | None:
        async with self.connection() as conn:
            return await conn.fetch_one(sql, params)

    async def execute(self, sql: LiteralString, params: Params = ()) -> int:
        """Rows affected."""
        async with self.connection() as conn:
            cursor = await conn.execute(sql, params)
            return cursor.rowcount


def _config(dsn: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["dsn"] = dsn
    return config


def migrate_sync(dsn: str) -> None:
    """Bring the schema to this version's. Safe to run from several processes at once (an advisory lock)."""
    try:
        command.upgrade(_config(dsn), "head")
    except (SqlAlchemyOperationalError, psycopg.OperationalError) as exc:
        raise StoreUnavailable from exc
    except CommandError as exc:
        raise ConfigurationError(f"The database schema cannot be migrated: {exc}") from exc


async def migrate(dsn: str) -> None:
    await asyncio.to_thread(migrate_sync, dsn)
