"""The event log of a conversation over Redis: append a run's batch, read after a cursor. Nothing else.

One conversation is one Redis stream whose entry ids are the offsets, plus a small hash that outlives it.
"""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from redis.asyncio import Redis
from redis.exceptions import NoScriptError, RedisError, ResponseError

from signalbox.errors import BadCursor, LogUnavailable
from signalbox.stream.lane import Lane

META_TTL_S: Final = 30 * 86_400
# A run whose conversation is gone learns it when its lease is renewed, long before this.
DELETED_TTL_S: Final = 3_600
_CURSOR: Final = re.compile(r"([0-9a-f]{8})-(0|[1-9][0-9]{0,14})", re.ASCII)
_SCRIPTS: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a reader stands: it has everything up to and including ``offset`` of that ``epoch``."""

    epoch: str
    offset: int

    def __str__(self) -> str:
        return f"{self.epoch}-{self.offset}"

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        """Raises ``BadCursor`` unless ``text`` has the exact form ``<8 hex digits>-<offset>``."""
        match = _CURSOR.fullmatch(text)
        if match is None:
            raise BadCursor
        return cls(match[1], int(match[2]))


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of the log. ``data`` is its JSON without the envelope's ids, as the writer encoded it."""

    offset: int
    type: str
    run_id: str
    data: str

    def json(self, conversation_id: str) -> str:
        return f'{{"seq":{self.offset},"conversation_id":"{conversation_id}","run_id":"{self.run_id}",{self.data}'

    def frame(self, conversation_id: str, epoch: str) -> bytes:
        """The event as one SSE frame; ``data`` is a single line, so no line end in a text can end it early."""
        return (f"event: {self.type}\nid: {epoch}-{self.offset}\ndata: {self.json(conversation_id)}\n\n").encode()


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What the log knows of one run: its first offset, and that of its ``complete`` (0: not yet, or it went on)."""

    fence: int
    first: int
    closed: int


@dataclass(frozen=True, slots=True)
class Page:
    """The log as one look saw it. ``oldest`` is the first offset still held, 0 if none is.

    ``entries`` are contiguous and start right after the offset asked for, unless ``missing(after)``.
    """

    epoch: str
    last: int
    oldest: int
    run: RunRecord | None
    entries: tuple[Entry, ...]

    def missing(self, after: int) -> bool:
        """True if events after ``after`` were handed out but are no longer held, or ``after`` is ahead."""
        return after > self.last or (after < self.last and not 0 < self.oldest <= after + 1)


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive events of one attempt of one run; ``number`` is the first one's place in the attempt, from 1.

    ``number`` 0 closes a run whose writer is gone. ``epoch`` is '' until the writer knows it. ``closes``: the last
    event is the run's ``complete``; ``waits``: and says that it waits, so that a newer attempt may go on after it.
    ``retracts``: the run was taken back, and ``retracted`` is said even after its end, once.
    """

    conversation_id: str
    run_id: str
    fence: int
    number: int
    epoch: str
    floor: Cursor | None
    events: Sequence[tuple[str, str]]
    closes: bool
    waits: bool = False
    retracts: bool = False

    @property
    def ending(self) -> int:
        """As the script takes it."""
        if not self.closes:
            return 0
        return 3 if self.retracts else 2 if self.waits else 1


@dataclass(frozen=True, slots=True)
class Appended:
    """``first`` to ``last`` are new (a batch sent twice may bring none); ``run_first`` is the run's first of all."""

    epoch: str
    first: int
    last: int
    run_first: int


@dataclass(frozen=True, slots=True)
class AlreadyClosed:
    epoch: str
    offset: int


@dataclass(frozen=True, slots=True)
class FencedOff:
    """A newer attempt writes this run now."""


@dataclass(frozen=True, slots=True)
class LogLost:
    """The server no longer has what it acknowledged. Send the run's history anew under no epoch."""


@dataclass(frozen=True, slots=True)
class NotNow:
    """The server refused this batch for now (out of memory, loading); the others are not concerned."""

    why: str


AppendResult = Appended | AlreadyClosed | FencedOff | LogLost | NotNow


class EventLog:
    """Guarantees: offsets of a conversation are 1, 2, 3, ... in one epoch and never used twice; a batch sent
    again is applied once; a writer with an old fence is refused; nothing is appended after ``complete`` but one
    ``retracted``, for a run that was taken back later.

    ``buffer_ttl_s`` counts from the last event, ``buffer_events`` is per conversation. ``appends`` lends its
    settings to the connection that appends (no socket timeout: each append has one of its own).
    """

    def __init__(self, redis: Redis, *, buffer_ttl_s: float, buffer_events: int, appends: Redis | None = None) -> None:
        self._redis = redis
        self._lane = Lane(appends or redis)
        self._ttl = max(1, round(buffer_ttl_s))
        self._longest = buffer_events
        self._append = (_SCRIPTS / "append.lua").read_text()
        self._read = (_SCRIPTS / "read.lua").read_text()
        self._append_sha = ""
        self._read_sha = ""

    @staticmethod
    def keys(conversation_id: str) -> tuple[str, str]:
        """Meta and stream; the braces put both in one slot of a cluster."""
        return f"sb:{{{conversation_id}}}:meta", f"sb:{{{conversation_id}}}:events"

    @staticmethod
    def channel(conversation_id: str) -> str:
        return f"sb:{{{conversation_id}}}:wake"

    async def _load(self) -> None:
        self._append_sha = await self._redis.script_load(self._append)
        self._read_sha = await self._redis.script_load(self._read)

    async def append(self, batches: Sequence[Batch]) -> list[AppendResult]:
        """Append the batches in one round trip, each atomically; results in the same order.

        Raises ``LogUnavailable`` when the outcome is unknown: send the same batches again, nothing doubles.
        """
        try:
            if not self._append_sha:
                await self._load()
            for _ in range(2):
                replies = await self._lane.call(
                    [("EVALSHA", self._append_sha, 2, *self._arguments(batch)) for batch in batches]
                )
                if not any(isinstance(reply, NoScriptError) for reply in replies):
                    return [_append_result(reply) for reply in replies]
                await self._load()
        except (RedisError, OSError, TimeoutError) as exc:
            raise LogUnavailable from exc
        raise LogUnavailable

    async def take_over(self, conversation_id: str, run_id: str, fence: int, floor: Cursor | None) -> AppendResult:
        """Refuse older fences of the run from now on; says where the log stands. Raises ``LogUnavailable``."""
        batch = Batch(conversation_id, run_id, fence, 1, "", floor, (), closes=False)
        return (await self.append([batch]))[0]

    def _arguments(self, batch: Batch) -> list[str | int]:
        meta, stream = self.keys(batch.conversation_id)
        floor = batch.floor or Cursor("", 0)
        head: list[str | int] = [meta, stream, batch.run_id, batch.fence, batch.number, batch.epoch]
        new_epoch = "" if batch.epoch else secrets.token_hex(4)
        head += [new_epoch, floor.epoch, floor.offset, self._longest, self._ttl, META_TTL_S]
        head += [self.channel(batch.conversation_id), batch.ending]
        for pair in batch.events:
            head += pair
        return head

    async def read(self, conversation_id: str, after: int | None, *, run_id: str = "", count: int = 256) -> Page | None:
        """Up to ``count`` events after offset ``after`` (None: from ``run_id``'s first). None: no such log.

        Raises ``LogUnavailable``.
        """
        start = "run" if after is None else str(after)
        return await self._look(conversation_id, run_id, start, count)

    async def position(self, conversation_id: str, *, run_id: str = "") -> Page | None:
        """Where the log stands, without events."""
        return await self._look(conversation_id, run_id, "", 0)

    async def _look(self, conversation_id: str, run_id: str, start: str, count: int) -> Page | None:
        arguments = (*self.keys(conversation_id), run_id, start, str(count))
        try:
            if not self._read_sha:
                await self._load()
            try:
                reply = await cast("Any", self._redis.evalsha(self._read_sha, 2, *arguments))
            except NoScriptError:
                await self._load()
                reply = await cast("Any", self._redis.evalsha(self._read_sha, 2, *arguments))
        except (RedisError, OSError) as exc:
            raise LogUnavailable from exc
        return _page(reply) if reply else None

    async def touch(self, conversation_ids: Sequence[str]) -> None:
        """Keep the data of conversations whose run is alive but silent."""
        pipe = self._redis.pipeline(transaction=False)
        for conversation_id in conversation_ids:
            meta, stream = self.keys(conversation_id)
            pipe.expire(stream, self._ttl)
            pipe.expire(meta, META_TTL_S)
        try:
            await pipe.execute()
        except (RedisError, OSError) as exc:
            raise LogUnavailable from exc

    async def delete(self, conversation_id: str) -> None:
        """Forget the conversation's events. A marker refuses a writer that has not heard of it yet."""
        meta, stream = self.keys(conversation_id)
        pipe = self._redis.pipeline(transaction=True)
        pipe.delete(meta, stream)
        pipe.hset(meta, "e", "deleted")
        pipe.expire(meta, DELETED_TTL_S)
        try:
            await pipe.execute()
        except (RedisError, OSError) as exc:
            raise LogUnavailable from exc

    async def close(self) -> None:
        await self._lane.close()

    async def ping(self) -> None:
        try:
            await cast("Any", self._redis.ping())
        except (RedisError, OSError) as exc:
            raise LogUnavailable from exc


def _append_result(reply: Any) -> AppendResult:
    if isinstance(reply, ResponseError):
        return NotNow(str(reply).split(" ", 1)[0])
    match reply[0]:
        case b"ok":
            return Appended(reply[1].decode(), reply[2], reply[3], reply[4])
        case b"done":
            return AlreadyClosed(reply[1].decode(), reply[2])
        case b"fenced":
            return FencedOff()
        case _:
            return LogLost()


def _page(reply: list[Any]) -> Page:
    epoch, last, record, oldest, entries = reply
    run = None
    if record:
        fence, _, first, closed, *_ = map(int, record.split(b"|"))
        run = RunRecord(fence, first, closed)
    return Page(epoch.decode(), last, oldest, run, tuple(map(_entry, entries)))


def _entry(raw: list[Any]) -> Entry:
    # XADD keeps the order of fields, and append.lua writes t, r, d.
    key, fields = raw
    return Entry(int(key[:-2]), fields[1].decode(), fields[3].decode(), fields[5].decode())
