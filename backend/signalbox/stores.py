"""PostgreSQL and Redis as every command finds them: those the settings name, else embedded ones in the data folder."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from signalbox.db import Database, migrate
from signalbox.embedded import embedded_servers
from signalbox.settings import Settings

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Stores:
    """PostgreSQL and Redis, reachable and migrated; what commands other than ``serve`` need."""

    db: Database
    redis_url: str
    revive: Callable[[], bool] | None = None


@asynccontextmanager
async def open_stores(settings: Settings, progress: Progress) -> AsyncIterator[Stores]:
    """Start what is missing (embedded), migrate an embedded database, open the pool."""
    async with AsyncExitStack() as stack:
        database_url = settings.database_url.get_secret_value() if settings.database_url else None
        redis_url = settings.redis_url.get_secret_value() if settings.redis_url else None
        revive: Callable[[], bool] | None = None
        if database_url is None or redis_url is None:
            servers = await stack.enter_async_context(
                embedded_servers(settings.data_dir, progress, database_url=database_url, redis_url=redis_url)
            )
            if database_url is None:
                await migrate(servers.database_url)
            database_url, redis_url, revive = servers.database_url, servers.redis_url, servers.revive
        db = Database(database_url)
        await db.open()
        stack.push_async_callback(db.close)
        yield Stores(db, redis_url, revive)
