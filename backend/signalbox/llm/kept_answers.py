"""Where answers are kept for their users: in Redis, each user's by themselves, bounded in number, size and time.

It knows keys and bytes; what counts as the same question is for whoever asks.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

import numpy as np
import structlog
from pydantic import BaseModel, ConfigDict, ValidationError
from redis.asyncio import Redis
from redis.exceptions import RedisError

from signalbox.llm.base import Tier
from signalbox.llm.embedding import Vectors

T = TypeVar("T")

MOST_KEPT: Final = 100
LONGEST: Final = 20_000
PATIENCE_S: Final = 0.1
AWAY_S: Final = 2.0

logger = structlog.get_logger(__name__)


class CacheAwayError(Exception):
    """It could not be asked, or not in time. Whoever asks goes on as if there were none."""


class Kept(BaseModel):
    """An answer, who gave it, and ``heard``: where it was given last (a digest)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    provider: str
    model: str
    tier: Tier
    heard: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question's answer is: ``group`` are those whose answers may stand for each other, ``exact`` is its own
    name among them.
    """

    prefix: str
    group: str
    exact: str

    @property
    def name(self) -> str:
        return f"{self.group}:{self.exact}"

    @property
    def keys(self) -> tuple[str, str]:
        """The answers with their vectors, and when each is over."""
        return f"{self.prefix}answers", f"{self.prefix}answers:until"


class KeptAnswers:
    """Two keys a user, whose names begin with the user's prefix. What is over is not given, and goes with the next one
    that is kept; of more than ``MOST_KEPT`` the oldest go. Every method raises ``CacheAwayError`` within ``PATIENCE_S``
    seconds where Redis does not answer, and at once for the next ``AWAY_S``.
    """

    _KEEP: Final = """
        redis.call('HSET', KEYS[1], 'a:' .. ARGV[1], ARGV[2])
        if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'v:' .. ARGV[1], ARGV[3]) end
        redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
        local gone = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[5])
        for _, name in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1 - tonumber(ARGV[7]))) do table.insert(gone, name) end
        for _, name in ipairs(gone) do
            redis.call('HDEL', KEYS[1], 'a:' .. name, 'v:' .. name)
            redis.call('ZREM', KEYS[2], name)
        end
        redis.call('EXPIRE', KEYS[1], ARGV[6])
        redis.call('EXPIRE', KEYS[2], ARGV[6])
    """

    def __init__(self, redis: Redis, *, keep_s: int, clock: Callable[[], float] = time.time) -> None:
        self._redis = redis
        self._keep_s = keep_s
        self._clock = clock
        self._away_until = -math.inf

    async def find(self, place: Place, name: str = "") -> Kept | None:
        """The answer kept at ``place``, or under another ``name`` of its user."""
        answers, until = place.keys
        name = name or place.name

        async def look() -> tuple[bytes | None, float | None]:
            async with self._redis.pipeline(transaction=False) as pipe:
                pipe.hget(answers, f"a:{name}")
                pipe.zscore(until, name)
                told, over = await pipe.execute()
            return told, over

        told, over = await self._soon(look)
        if told is None or over is None or over <= self._clock():
            return None
        try:
            return Kept.model_validate_json(told)
        except ValidationError:
            logger.warning("a kept answer cannot be read: it was kept by another version")
            return None  # truth: unreadable is as good as not kept, it is asked and kept anew

    async def vectors(self, place: Place) -> dict[str, Vectors]:
        """The vectors of the group, by name."""
        answers, until = place.keys

        async def names() -> list[bytes]:
            return cast("list[bytes]", await self._redis.zrangebyscore(until, f"({self._clock()}", "+inf"))

        head = f"{place.group}:".encode()
        mine = [name for name in await self._soon(names) if name.startswith(head)]
        if not mine:
            return {}

        async def told() -> list[bytes | None]:
            return cast("list[bytes | None]", await self._redis.hmget(answers, [b"v:" + name for name in mine]))

        found = zip(mine, await self._soon(told), strict=True)
        return {name.decode(): _vector(packed) for name, packed in found if packed}

    async def keep(self, place: Place, kept: Kept, vector: Vectors | None = None) -> None:
        """Nothing is kept of an answer of more than ``LONGEST`` characters."""
        if len(kept.text) > LONGEST:
            return
        packed = b"" if vector is None else vector.astype("<f2").tobytes()
        now = self._clock()
        arguments: Sequence[Any] = (
            *(place.name, kept.model_dump_json().encode("utf-8", "replace"), packed),
            *(now + self._keep_s, now, self._keep_s, MOST_KEPT),
        )
        await self._soon(lambda: self._redis.eval(self._KEEP, 2, *place.keys, *arguments))

    async def heard(self, place: Place, name: str, kept: Kept) -> None:
        """Note where ``kept`` was given last; it is not kept any longer for that."""
        told = kept.model_dump_json().encode("utf-8", "replace")
        script = (
            "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end"
        )
        keys = place.keys[:1]
        await self._soon(lambda: self._redis.eval(script, 1, *keys, f"a:{name}", told))

    async def _soon(self, ask: Callable[[], Awaitable[T]]) -> T:
        now = asyncio.get_running_loop().time()
        if now < self._away_until:
            raise CacheAwayError
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await ask()
        except (RedisError, OSError) as exc:  # a TimeoutError is an OSError
            self._away_until = asyncio.get_running_loop().time() + AWAY_S
            logger.warning("kept answers cannot be had just now: models are asked", error=type(exc).__name__)
            raise CacheAwayError from exc


def _vector(packed: bytes) -> Vectors:
    return np.frombuffer(packed, "<f2").astype(np.float32)
