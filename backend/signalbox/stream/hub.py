"""Fan-out: one tail per conversation and process, lent to any number of readers, each a cursor over the log.

The hub wakes readers and lends them the newest events; whatever the tail does not hold, a reader takes from
the log itself. It knows nothing of runs, users or SSE.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from signalbox.errors import LogUnavailable
from signalbox.events import LostReason
from signalbox.stream.log import Cursor, Entry, EventLog, Page
from signalbox.stream.tail import Tail

logger = structlog.get_logger(__name__)

PAGE: Final = 256
BEATS_AT_ONCE: Final = 50
CONTROL: Final = "sb:control"


@dataclass(frozen=True, slots=True)
class Live:
    """``entries`` follow the reader's cursor without a hole."""

    epoch: str
    entries: Sequence[Entry]


@dataclass(frozen=True, slots=True)
class Lost:
    """The reader's cursor cannot be honoured: events after it were handed out and are gone."""

    reason: LostReason


@dataclass(frozen=True, slots=True)
class Beat:
    """A heartbeat is due."""


@dataclass(frozen=True, slots=True)
class Draining:
    """The process is about to stop: tell the client to come back elsewhere."""


Item = Live | Lost | Beat | Draining
Start = Callable[[], Cursor | None]


class Reader:
    """A cursor over one conversation's log. Memory per reader is this object, whatever the client does.

    ``next()`` returns what there is for the cursor, waiting if there is nothing. Cancel-safe.
    """

    __slots__ = ("_beat_due", "_hub", "_start", "_waiter", "cursor", "doubted", "guard", "sending_since", "tail")

    def __init__(self, hub: "Hub", tail: Tail, cursor: Cursor | None, start: Start | None) -> None:
        self._hub = hub
        self.tail = tail
        self.cursor = cursor
        self._start = start
        self._waiter: asyncio.Future[None] | None = None
        self._beat_due = False
        # Whether more can come at all is to be looked up at the next beat.
        self.doubted = False
        # Set around a send; the hub's wheel calls ``guard`` when one lasts too long.
        self.sending_since = 0.0
        self.guard: Callable[[], object] | None = None

    def wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def beat(self) -> None:
        self._beat_due = True
        self.wake()

    def seek(self, cursor: Cursor | None) -> None:
        self.cursor = cursor

    async def next(self) -> Item:
        """Raises ``LogUnavailable`` if the log stays out of reach beyond a bounded wait."""
        while True:
            if self._hub.draining:
                return Draining()
            if self._beat_due:
                self._beat_due = False
                return Beat()
            seen = self.tail.version
            if self.cursor is None and self._start is not None:
                self.cursor = self._start()
            item: Item | None = self._lent()
            if item is None and self._behind():
                item = await self._from_log()
            if item is not None:
                return item
            if self.tail.version != seen or self._beat_due or self._hub.draining:
                continue  # it happened while the log was being read, when no waiter was there to be woken
            self._waiter = self._hub.loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None

    def _behind(self) -> bool:
        """Whether the log may hold something that the tail cannot lend."""
        tail, cursor = self.tail, self.cursor
        if tail.epoch is None or (cursor is None and self._start is not None):
            return False
        return cursor is None or cursor.epoch != tail.epoch or cursor.offset != tail.last

    def _lent(self) -> Live | None:
        tail, cursor = self.tail, self.cursor
        if tail.epoch is None or not tail.entries:
            return None
        if cursor is None and self._start is None and tail.first == 1:
            cursor = Cursor(tail.epoch, 0)
        if cursor is None or cursor.epoch != tail.epoch or not tail.first - 1 <= cursor.offset < tail.last:
            return None
        # From the right: a reader that keeps up wants the last few of hundreds.
        entries = [tail.entries[i] for i in range(cursor.offset - tail.last, 0)]
        self.cursor = Cursor(tail.epoch, tail.last)
        return Live(tail.epoch, entries)

    async def _from_log(self) -> Item | None:
        seen = self.tail.version
        page = await self._hub.page(self.tail.conversation_id, self.cursor.offset if self.cursor else 0)
        news = self.tail.version == seen  # else a feed overtook the look, and knows better
        if page is None:
            if news:
                # The log vanished: nothing is known to follow, and the writer's next batch starts a new epoch.
                self.tail.restart(None, 0)
            return None
        return self.take(page, news=news)

    def take(self, page: Page, *, news: bool = True) -> Item | None:
        """Advance over a page that was read from this reader's cursor; ``news``: the tail may learn from it."""
        cursor = self.cursor or Cursor(page.epoch, 0)
        if news:
            self._hub.sync(self.tail, page)
        if cursor.epoch != page.epoch or page.missing(cursor.offset):
            if cursor.epoch != page.epoch or cursor.offset > page.last:
                return Lost("unknown_epoch")
            return Lost("trimmed" if page.oldest else "expired")
        if not page.entries:
            self.cursor = cursor
            return None
        self.cursor = Cursor(page.epoch, page.entries[-1].offset)
        return Live(page.epoch, page.entries)


class Hub:
    """Owns the tails of this process, the wake-up subscription and the heartbeat wheel.

    ``run()`` must be a task for as long as there are readers.
    """

    def __init__(
        self, log: EventLog, redis: Redis, *, heartbeat_s: float, send_timeout_s: float, patience_s: float = 5
    ) -> None:
        self._log = log
        self._redis = redis
        self._heartbeat = heartbeat_s
        self._send_timeout = send_timeout_s
        self._patience = patience_s
        self._tails: dict[str, Tail] = {}
        self._stale: dict[str, Tail] = {}
        self._stale_event = asyncio.Event()
        self._channels: dict[bytes, Tail] = {}
        self._wanted: asyncio.Queue[tuple[bool, Tail]] = asyncio.Queue()
        self._due: dict[Reader, float] = {}
        # Asked for once: in CPython 3.11 every asyncio.get_running_loop() is a system call.
        self.loop = asyncio.get_running_loop()
        self.draining = False
        self.on_control: Callable[[bytes], None] | None = None

    # -- readers

    def open(self, conversation_id: str, cursor: Cursor | None, start: Start | None = None) -> Reader:
        """A reader after ``cursor``. Close it in the end.

        Without a cursor it begins where ``start`` says once that is known, or with the log's next epoch.
        """
        tail = self._tails.get(conversation_id)
        if tail is None:
            tail = self._tails[conversation_id] = Tail(conversation_id)
        reader = Reader(self, tail, cursor, start)
        tail.readers.add(reader)
        # The first beat comes early by chance, so that readers who came together do not beat together for ever.
        self._due[reader] = time.monotonic() + self._heartbeat * random.uniform(0.5, 1)  # noqa: S311
        self._follow(tail)
        return reader

    def holds(self, conversation_id: str, cursor: Cursor) -> bool:
        """Whether all after ``cursor`` is at hand without a look into the log: a run here feeds the tail."""
        tail = self._tails.get(conversation_id)
        return (
            tail is not None
            and tail.writers > 0
            and tail.epoch == cursor.epoch
            and tail.first - 1 <= cursor.offset <= tail.last
        )

    def close(self, reader: Reader) -> None:
        reader.tail.readers.discard(reader)
        self._due.pop(reader, None)
        self._follow(reader.tail)

    @property
    def readers(self) -> int:
        return len(self._due)

    def drain(self) -> None:
        """Let every reader end; clients come back with their cursor."""
        self.draining = True
        for tail in self._tails.values():
            tail.wake()

    def doubt(self, conversation_id: str) -> None:
        """The conversation may be gone: readers look it up at once."""
        tail = self._tails.get(conversation_id)
        for reader in [reader for reader in self._due if reader.tail is tail]:
            reader.doubted = True
            reader.beat()

    async def page(self, conversation_id: str, after: int | None, *, run_id: str = "") -> Page | None:
        """Read the log, waiting out a short outage. Raises ``LogUnavailable`` after ``patience_s``."""
        give_up = time.monotonic() + self._patience
        pause = 0.05
        while True:
            try:
                return await self._log.read(conversation_id, after, run_id=run_id, count=PAGE)
            except LogUnavailable:
                if time.monotonic() > give_up or self.draining:
                    raise
                await asyncio.sleep(pause)
                pause = min(pause * 2, 1.0)

    # -- local writers

    def writing(self, conversation_id: str) -> None:
        """A run of this process writes here: its events come by ``feed``, so no subscription is needed."""
        tail = self._tails.get(conversation_id)
        if tail is None:
            tail = self._tails[conversation_id] = Tail(conversation_id)
        tail.writers += 1
        self._follow(tail)

    def written(self, conversation_id: str) -> None:
        tail = self._tails.get(conversation_id)
        if tail is not None:
            tail.writers -= 1
            self._follow(tail)

    def feed(self, conversation_id: str, epoch: str, entries: Sequence[Entry]) -> None:
        """Events just appended by this process."""
        tail = self._tails.get(conversation_id)
        if tail is None or not entries:
            return
        if tail.epoch != epoch or entries[0].offset != tail.last + 1:
            tail.restart(epoch, entries[0].offset - 1)
        tail.extend(entries)
        tail.wake()

    def sync(self, tail: Tail, page: Page) -> None:
        """What a reader saw in the log is news to a tail that is behind or of another epoch."""
        if tail.epoch != page.epoch or (page.last > tail.last and not tail.writers):
            tail.restart(page.epoch, page.last)
            tail.wake()

    # -- remote writers

    def _follow(self, tail: Tail) -> None:
        """Subscribe while there are readers and no local writer; forget a tail that nobody uses."""
        want = bool(tail.readers) and tail.writers <= 0
        if want != tail.subscribed:
            tail.subscribed = want
            self._wanted.put_nowait((want, tail))
        if not tail.readers and tail.writers <= 0:
            self._tails.pop(tail.conversation_id, None)

    def catch_up(self, conversation_id: str) -> None:
        """The log has events here that no feed brought."""
        tail = self._tails.get(conversation_id)
        if tail is not None:
            self._mark_stale(tail)

    def _mark_stale(self, tail: Tail) -> None:
        self._stale[tail.conversation_id] = tail
        self._stale_event.set()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen())
            tasks.create_task(self._pull())
            tasks.create_task(self._wheel())

    async def _pull(self) -> None:
        """Bring stale tails up to date: one read per conversation and process, however many readers wait."""
        while True:
            await self._stale_event.wait()
            self._stale_event.clear()
            stale, self._stale = self._stale, {}
            for tail in stale.values():
                if not tail.readers:
                    continue
                try:
                    await self._catch_up(tail)
                except LogUnavailable:
                    self._stale[tail.conversation_id] = tail
            if self._stale:
                await asyncio.sleep(0.25)
                self._stale_event.set()

    async def _catch_up(self, tail: Tail) -> None:
        while True:
            seen = tail.version
            page = await self._log.read(tail.conversation_id, tail.last if tail.epoch else 0, count=PAGE)
            if page is None:
                return
            if tail.version != seen:
                continue  # a feed overtook the look
            if tail.epoch != page.epoch or page.missing(tail.last):
                tail.restart(page.epoch, page.last)
            elif page.entries and page.entries[0].offset == tail.last + 1:
                tail.extend(page.entries)
            tail.wake()
            if not page.entries or tail.last >= page.last:
                return

    async def _listen(self) -> None:
        while True:
            pubsub = self._redis.pubsub(ignore_subscribe_messages=False)
            try:
                await pubsub.subscribe(CONTROL, *self._channels)
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(self._subscribe(pubsub))
                    tasks.create_task(self._receive(pubsub))
            except* (RedisError, OSError) as group:
                logger.warning("wake-ups interrupted", error=type(group.exceptions[0]).__name__)
            finally:
                with contextlib.suppress(RedisError, OSError):
                    await pubsub.aclose()  # type: ignore[no-untyped-call]
            await asyncio.sleep(0.2)
            for tail in list(self._tails.values()):
                self._mark_stale(tail)

    async def _subscribe(self, pubsub: Any) -> None:
        while True:
            want, tail = await self._wanted.get()
            channel = EventLog.channel(tail.conversation_id).encode()
            if want and tail.subscribed:
                self._channels[channel] = tail
                await pubsub.subscribe(channel)
            elif not want and not tail.subscribed and self._channels.get(channel) is tail:
                del self._channels[channel]
                await pubsub.unsubscribe(channel)

    async def _receive(self, pubsub: Any) -> None:
        while True:
            message = await pubsub.get_message(timeout=None)
            if message is None:
                continue
            channel, kind = message["channel"], message["type"]
            if channel == CONTROL.encode():
                if kind == "message" and self.on_control is not None:
                    self.on_control(message["data"])
                continue
            tail = self._channels.get(channel)
            if tail is None:
                continue
            if kind == "subscribe":
                self._mark_stale(tail)  # what was appended before the subscription took hold
            elif kind == "message":
                epoch, _, offset = message["data"].decode().partition("-")
                if epoch != tail.epoch or int(offset) > tail.last:
                    self._mark_stale(tail)

    async def _wheel(self) -> None:
        """Heartbeats on the wall clock, send timeouts, and a position check of quiet tails, for all readers."""
        tick = min(1.0, self._heartbeat / 4, self._send_timeout / 4)
        check_due = time.monotonic() + self._heartbeat
        while True:
            await asyncio.sleep(tick)
            now = time.monotonic()
            for number, (reader, due) in enumerate(list(self._due.items())):
                if due <= now and reader in self._due:
                    self._due[reader] = max(due + self._heartbeat, now)
                    reader.beat()
                if reader.sending_since and now - reader.sending_since > self._send_timeout and reader.guard:
                    reader.guard()
                if number % BEATS_AT_ONCE == BEATS_AT_ONCE - 1:
                    await asyncio.sleep(0)  # a thousand heartbeats must not hold up anybody's next token
            if check_due <= now:
                check_due = now + self._heartbeat
                for tail in self._tails.values():
                    if tail.readers:
                        self._mark_stale(tail)
