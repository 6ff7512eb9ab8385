"""Leaves a failing model alone for a while: a circuit breaker per provider and model, shared by all processes.

It decides whether a model may be asked now. It knows neither requests nor vendors, only how calls ended.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeVar

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from signalbox.errors import ProviderAuth, ProviderError, ProviderRateLimited, ProviderRejected
from signalbox.llm.plan import ModelRef

T = TypeVar("T")

# While another process tries the model, its verdict is a first token away.
PROBED_AGAIN_S: Final = 0.25
# Providers may ask for hours; what they ask for is believed this far, then one call finds out.
LONGEST_PAUSE_S: Final = 300.0
# A failure counts as one of a row this long after the one before.
ROW_S: Final = 600.0
# How long a model that failed is remembered as one to be tried with a single call first.
WARY_S: Final = 3_600.0
# How long a store may take before we go on without it; one that is late twice in a row, or refuses, is asked again
# only after AWAY_S. A busy machine makes anybody late once.
PATIENCE_S: Final = 0.03
LATE: Final = 2
AWAY_S: Final = 2.0

_log = structlog.get_logger(__name__)


class Marks(Protocol):
    """Marks by key that many processes share. Every verb is atomic, and every mark expires by itself (seconds)."""

    async def count(self, key: str, expiry: float) -> int:
        """One more; how many that makes."""

    async def hold(self, key: str, expiry: float) -> None:
        """Set the mark, or keep it longer; never shorter."""

    async def take(self, key: str, owner: str, expiry: float) -> bool:
        """Set the mark for ``owner`` if nobody has it; whether it did."""

    async def free(self, key: str, owner: str) -> None:
        """Remove the mark if it is ``owner``'s."""

    async def left(self, *keys: str) -> tuple[float, ...]:
        """How long each mark will last; 0 for none."""

    async def drop(self, *keys: str) -> None:
        """Remove the marks."""


class MemoryMarks:
    """``Marks`` of one process: its own memory while the shared ones are away, and their double in tests."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._marks: dict[str, tuple[float, int | str]] = {}

    async def count(self, key: str, expiry: float) -> int:
        before = self._get(key)
        number = (before if isinstance(before, int) else 0) + 1
        self._marks[key] = (self._clock() + expiry, number)
        return number

    async def hold(self, key: str, expiry: float) -> None:
        until = self._marks[key][0] if self._get(key) is not None else -math.inf
        self._marks[key] = (max(until, self._clock() + expiry), 1)

    async def take(self, key: str, owner: str, expiry: float) -> bool:
        if self._get(key) is not None:
            return False
        self._marks[key] = (self._clock() + expiry, owner)
        return True

    async def free(self, key: str, owner: str) -> None:
        if self._get(key) == owner:
            del self._marks[key]

    async def left(self, *keys: str) -> tuple[float, ...]:
        now = self._clock()
        return tuple(self._marks[key][0] - now if self._get(key) is not None else 0.0 for key in keys)

    async def drop(self, *keys: str) -> None:
        for key in keys:
            self._marks.pop(key, None)

    def _get(self, key: str) -> int | str | None:
        until, value = self._marks.get(key, (-math.inf, 0))
        if until > self._clock():
            return value
        self._marks.pop(key, None)
        return None


class RedisMarks:
    """``Marks`` in Redis or Valkey. The expiry is the server's, so no two clocks are compared."""

    _HOLD: Final = (
        "if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], 1, 'PX', ARGV[1]) end"
    )
    _FREE: Final = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def count(self, key: str, expiry: float) -> int:
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.incr(key)
            pipe.pexpire(key, _ms(expiry))
            number, _ = await pipe.execute()
        return int(number)

    async def hold(self, key: str, expiry: float) -> None:
        await self._redis.eval(self._HOLD, 1, key, str(_ms(expiry)))

    async def take(self, key: str, owner: str, expiry: float) -> bool:
        return bool(await self._redis.set(key, owner, nx=True, px=_ms(expiry)))

    async def free(self, key: str, owner: str) -> None:
        await self._redis.eval(self._FREE, 1, key, owner)

    async def left(self, *keys: str) -> tuple[float, ...]:
        async with self._redis.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.pttl(key)
            return tuple(max(0, left) / 1000 for left in await pipe.execute())

    async def drop(self, *keys: str) -> None:
        await self._redis.delete(*keys)


class SharedMarks:
    """``shared`` ones as long as they answer within ``patience_s``, else this process's ``own``. Never raises.

    While the shared ones are away, each process learns by itself; what it learned is not carried back.
    """

    def __init__(
        self,
        shared: Marks,
        own: Marks,
        clock: Callable[[], float] = time.monotonic,
        *,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._patience_s = patience_s
        self._shared = shared
        self._own = own
        self._clock = clock
        self._away_until = -math.inf
        self._late = 0

    async def count(self, key: str, expiry: float) -> int:
        return await self._either(lambda marks: marks.count(key, expiry))

    async def hold(self, key: str, expiry: float) -> None:
        await self._either(lambda marks: marks.hold(key, expiry))

    async def take(self, key: str, owner: str, expiry: float) -> bool:
        # A late answer may have been a yes, and our own marks would say so to another one, too.
        return await self._either(lambda marks: marks.take(key, owner, expiry), late=False)

    async def free(self, key: str, owner: str) -> None:
        await self._either(lambda marks: marks.free(key, owner))

    async def left(self, *keys: str) -> tuple[float, ...]:
        return await self._either(lambda marks: marks.left(*keys))

    async def drop(self, *keys: str) -> None:
        await self._either(lambda marks: marks.drop(*keys))

    async def _either(self, verb: Callable[[Marks], Awaitable[T]], *, late: T | None = None) -> T:
        """``late``: what is told where the shared ones are late, if not what the own ones say."""
        if self._clock() >= self._away_until:
            try:
                async with asyncio.timeout(self._patience_s):
                    told = await verb(self._shared)
            except (RedisError, OSError) as exc:  # a TimeoutError is an OSError
                self._late = self._late + 1 if isinstance(exc, TimeoutError) else LATE
                if self._late >= LATE:
                    self._away_until = self._clock() + AWAY_S
                    _log.warning("the shared breaker is away: this process keeps its own", error=type(exc).__name__)
                if late is not None and isinstance(exc, TimeoutError):
                    return late
            else:
                self._late = 0
                return told
        return await verb(self._own)


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a model may be asked now.

    "probe": yes, as the one call that finds out whether it works again. "failing" and "limited": no, for ``wait_s``
    seconds; the latter because the provider asked for a pause.
    """

    state: Literal["closed", "probe", "failing", "limited"]
    wait_s: float = 0.0
    owner: str = ""

    @property
    def granted(self) -> bool:
        return self.state in {"closed", "probe"}


class Breaker:
    """Closed until ``failures`` calls in a row were not answered, then open for ``open_s`` seconds, then half open: one
    call of all processes probes, for ``probe_s`` seconds at most (``slow``: longer, by provider). If it is answered the
    breaker closes, else it opens again. A provider's own request to wait opens it for that long, and nobody has to
    probe afterwards.

    Whoever was admitted says how it went: ``answered``, ``failed``, or ``given_up`` when that is not known.

    Its weakness: it counts failures in a row, so a model that fails every other call never opens it, and of many calls
    at once the failures of one bad second are already a row. A rate of failures over a sliding window would tell both
    apart, for a window's worth of memory in the store; with chains of two or three models a needless half minute on the
    next one costs less than that.
    """

    def __init__(
        self,
        marks: Marks,
        *,
        failures: int = 5,
        open_s: float = 30.0,
        probe_s: float = 20.0,
        slow: Mapping[str, float] | None = None,
    ) -> None:
        self._slow = slow or {}
        self._marks = marks
        self._failures = failures
        self._open_s = open_s
        self._probe_s = probe_s
        self._probes = 0
        self._name = f"{time.time_ns():x}-{id(self):x}"

    async def admit(self, ref: ModelRef) -> Admission:
        limited, failing, wary = await self._marks.left(_key(ref, "limited"), _key(ref, "open"), _key(ref, "wary"))
        if limited:
            return Admission("limited", limited)
        if failing:
            return Admission("failing", failing)
        if not wary:
            return Admission("closed")
        self._probes += 1
        owner = f"{self._name}-{self._probes}"
        probe = Admission("probe", owner=owner)
        try:
            if await self._marks.take(_key(ref, "probe"), owner, self._slow.get(ref.provider, self._probe_s)):
                return probe
        except asyncio.CancelledError:
            await self.given_up(ref, probe)
            raise
        return Admission("failing", PROBED_AGAIN_S)

    async def answered(self, ref: ModelRef, admission: Admission) -> None:
        marks = ("failures", "open", "wary", "probe") if admission.state == "probe" else ("failures",)
        await self._marks.drop(*(_key(ref, mark) for mark in marks))

    async def failed(self, ref: ModelRef, admission: Admission, error: ProviderError) -> None:
        """A refused key and a refused request say nothing of whether the model can be reached."""
        if isinstance(error, ProviderAuth | ProviderRejected):
            await self.given_up(ref, admission)
        elif isinstance(error, ProviderRateLimited) and error.wait:
            await self._marks.hold(_key(ref, "limited"), min(error.wait, LONGEST_PAUSE_S))
            await self.given_up(ref, admission)
        elif admission.state == "probe" or await self._marks.count(_key(ref, "failures"), ROW_S) >= self._failures:
            await self._trip(ref, type(error).code)

    async def given_up(self, ref: ModelRef, admission: Admission) -> None:
        if admission.state == "probe":
            await self._marks.free(_key(ref, "probe"), admission.owner)

    async def _trip(self, ref: ModelRef, code: str) -> None:
        # Wary first: between the two, whoever asks is at worst told to wait for a probe.
        await self._marks.hold(_key(ref, "wary"), self._open_s + WARY_S)
        await self._marks.hold(_key(ref, "open"), self._open_s)
        await self._marks.drop(_key(ref, "failures"), _key(ref, "probe"))
        _log.warning("breaker_open", provider=ref.provider, model=ref.name, seconds=self._open_s, code=code)


def _key(ref: ModelRef, mark: str) -> str:
    return f"sb:breaker:{{{ref}}}:{mark}"


def _ms(seconds: float) -> int:
    return max(1, math.ceil(seconds * 1000))
