"""One Redis connection of its own for a caller that always has the next command ready.

The library's pipeline takes a connection from a pool, checks it and sets a timer for each reply; for single
appends that is half of their cost.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError

REPLY_S: Final = 5.0

Command = Sequence[str | int | bytes]


class Lane:
    """Commands in, replies out, in order; calls queue. Made from a client's settings, apart from its pool."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._connection: AbstractConnection | None = None
        self._lock = asyncio.Lock()

    async def call(self, commands: Sequence[Command]) -> list[Any]:
        """All replies, errors the server answered among them as values.

        Raises ``RedisError``, ``OSError`` or ``TimeoutError`` when the outcome is unknown; the next call reconnects.
        """
        async with self._lock:
            connection = self._connection
            if connection is None:
                connection = self._connection = self._redis.connection_pool.make_connection()  # type: ignore[no-untyped-call]
            try:
                async with asyncio.timeout(REPLY_S):
                    await connection.connect()
                    await connection.send_packed_command(connection.pack_commands(commands), check_health=False)
                    return [await _reply(connection) for _ in commands]
            except BaseException:
                # Replies may still be on their way: nobody must ever take them for the next call's.
                await connection.disconnect(nowait=True)
                raise

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.disconnect()


async def _reply(connection: AbstractConnection) -> Any:
    try:
        return await connection.read_response()
    except ResponseError as exc:
        return exc
