"""The writing side of the log: a run's buffer of events, and one appender per process that ships all buffers.

``emit`` is the hot path: encode once, remember, wake the appender. Batches form by themselves while the
previous round trip is under way.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final

import structlog

from signalbox.encoding import MAX_EVENT_BYTES, encode_body
from signalbox.envelope import Event
from signalbox.errors import Fenced, LogUnavailable, SignalboxError
from signalbox.events import Chunk, Complete
from signalbox.stream.hub import Hub
from signalbox.stream.log import (
    AlreadyClosed,
    Appended,
    AppendResult,
    Batch,
    Cursor,
    Entry,
    EventLog,
    FencedOff,
    LogLost,
    NotNow,
)

logger = structlog.get_logger(__name__)

MAX_PENDING: Final = 512
MAX_BATCH: Final = 256
MAX_BATCH_CHARS: Final = 1_000_000
# A message's text is resent in pieces of about this size if the log loses it.
MAX_JOINED_CHARS: Final = 16_000
# While events keep coming, fuller batches cost less. A loop that wakes us late is saturated: then CPU, not the
# wire, is what delays a token, and trips further apart halve what an event takes. A lone event is sent at once.
INTERVAL_S: Final = 0.004
INTERVALS_PER_LATENESS: Final = 4
LONGEST_INTERVAL_S: Final = 0.025


def stamp(event: Event, limit: int = MAX_EVENT_BYTES) -> tuple[str, str]:
    """An event as the log keeps it: its type, and its JSON less the opening brace and the ids."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    body = encode_body(event, limit)
    return event.type, f'"ts":"{now}",{body[1:].decode()}'  # type: ignore[attr-defined]


class RunWriter:
    """One attempt's events, in order. Not for concurrent use by unordered tasks that care about order.

    ``emit`` returns once the event is buffered (and waits while the buffer is full), ``flush`` once all
    is in the log. Both raise ``Fenced`` when a newer attempt took over and ``LogUnavailable`` when the
    log stayed out of reach for ``patience_s``.
    """

    def __init__(
        self,
        appender: "Appender",
        *,
        conversation_id: str,
        run_id: str,
        fence: int,
        floor: Cursor | None,
        patience_s: float = 30,
    ) -> None:
        self._appender = appender
        self.conversation_id = conversation_id
        self.run_id = run_id
        self._fence = fence
        self.floor = floor
        self._patience = patience_s
        self._pending: list[tuple[str, str]] = []
        self._number = 1
        self._closing = self._waits = False
        self._moved: asyncio.Future[None] | None = None
        self._failure: SignalboxError | None = None
        self._kept: list[Event | list[Chunk]] = []
        self._joined = 0
        self._settled = 0
        self._hush: asyncio.Future[None] | None = None
        self.queued = False
        self.registered = False
        self.epoch = ""
        self.first = 0
        self.last = 0

    def adopt(self, begun: Appended, said: Sequence[Event], *, settled: int, anew: bool) -> None:
        """Go on with a run whose log stands as ``begun`` tells and whose earlier attempts said ``said``, the first
        ``settled`` of them before its last step: the next one is to keep the rest.

        ``anew``: the log does not have it any more, so all of it is sent again.
        """
        self.epoch, self.first, self.last = begun.epoch, begun.run_first, begun.last
        self._kept = list(said)
        self._settled = settled
        if anew and said:
            self.first = 0
            self._pending = [stamp(event) for event in said]
            self._appender.queue(self)

    @asynccontextmanager
    async def settled(self) -> AsyncIterator[list[Event]]:
        """All that was said is in the log, and nobody speaks meanwhile. Yields what was said since the last time.

        For one task at a time. Raises what ``flush`` does.
        """
        self._hush = asyncio.get_running_loop().create_future()
        try:
            await self.flush()
            yield [_joined(item) if isinstance(item, list) else item for item in self._kept[self._settled :]]
            self._settled = len(self._kept)
        finally:
            hush, self._hush = self._hush, None
            hush.set_result(None)

    @property
    def place(self) -> Cursor | None:
        """The last offset that is in the log."""
        return Cursor(self.epoch, self.last) if self.epoch else None

    async def emit(self, event: Event) -> None:
        while self._hush is not None:
            await asyncio.shield(self._hush)
        if self._failure is not None:
            raise self._failure
        self._pending.append(stamp(event))
        self._keep(event)
        if not self.queued:
            self._appender.queue(self)
        if len(self._pending) >= MAX_PENDING:
            await self._until(MAX_PENDING // 2)

    async def close(self, event: Event) -> None:
        """Emit the attempt's last event, ``complete``, and wait until it is in the log."""
        self._closing, self._waits = True, isinstance(event, Complete) and event.status == "waiting"
        await self.emit(event)
        await self.flush()

    async def flush(self) -> None:
        await self._until(0)

    async def _until(self, room: int) -> None:
        try:
            async with asyncio.timeout(self._patience):
                while len(self._pending) > room:
                    if self._failure is not None:
                        raise self._failure
                    if self._moved is None:
                        self._moved = asyncio.get_running_loop().create_future()
                    await asyncio.shield(self._moved)
        except TimeoutError as exc:
            raise LogUnavailable from exc
        if self._failure is not None:
            raise self._failure

    # -- the appender's side

    def batch(self) -> Batch:
        """The next events to send; they stay pending until ``settle``."""
        size = number = 0
        for number, (_, data) in enumerate(self._pending[:MAX_BATCH], start=1):  # noqa: B007 - used below
            size += len(data)
            if size > MAX_BATCH_CHARS:
                break
        events = self._pending[:number]
        closes = self._closing and len(events) == len(self._pending)
        return Batch(
            conversation_id=self.conversation_id,
            run_id=self.run_id,
            fence=self._fence,
            number=self._number,
            epoch=self.epoch,
            floor=self.floor,
            events=events,
            closes=closes,
            waits=self._waits,
        )

    def settle(self, batch: Batch, result: AppendResult) -> Sequence[Entry]:
        """Take the log's answer; returns the entries that are now in the log."""
        entries: Sequence[Entry] = ()
        match result:
            case Appended(epoch, first, last, run_first):
                self.epoch, self.first, self.last = epoch, run_first, last
                self._number += len(batch.events)
                del self._pending[: len(batch.events)]
                applied = batch.events[len(batch.events) - (last - first + 1) :]
                entries = [Entry(first + i, kind, self.run_id, data) for i, (kind, data) in enumerate(applied)]
            case NotNow():
                return ()
            case AlreadyClosed():
                self._pending.clear()
            case FencedOff():
                self._failure = Fenced()
            case LogLost():
                # The log lost what it had: everything this run said so far goes into the new epoch,
                # so that a reader who starts there sees the whole answer.
                logger.warning("event log lost, sending this run's history anew", run_id=self.run_id)
                self.epoch, self.first, self.floor, self._number = "", 0, None, 1
                self._pending = [stamp(event) for event in self._history()]
        if self._moved is not None:
            self._moved.set_result(None)
            self._moved = None
        return entries

    def start(self) -> Cursor | None:
        """Just before the run's first event, once that is in the log; nothing of it is held anywhere before."""
        return Cursor(self.epoch, self.first - 1) if self.first else None

    @property
    def has_pending(self) -> bool:
        return bool(self._pending) and self._failure is None

    # -- what was said so far

    def _keep(self, event: Event) -> None:
        if not isinstance(event, Chunk):
            self._kept.append(event)
            return
        run = self._kept[-1] if self._kept else None
        fits = len(self._kept) > self._settled and self._joined < MAX_JOINED_CHARS
        if isinstance(run, list) and fits and run[-1].message_id == event.message_id:
            run.append(event)
            self._joined += len(event.content)
        else:
            if isinstance(run, list):
                run[:] = [_joined(run)]  # one string instead of hundreds of objects
            self._kept.append([event])
            self._joined = len(event.content)

    def _history(self) -> list[Event]:
        return [_joined(item) if isinstance(item, list) else item for item in self._kept]

    @property
    def said(self) -> list[Event]:
        """Every event so far, the chunks of a message joined into one."""
        return self._history()


def _joined(chunks: list[Chunk]) -> Chunk:
    return chunks[0].model_copy(update={"content": "".join(chunk.content for chunk in chunks)})


class Appender:
    """Ships every run's pending events, all runs in one pipeline. One task per process."""

    def __init__(self, log: EventLog, hub: Hub) -> None:
        self._log = log
        self._hub = hub
        self._queue: list[RunWriter] = []
        self._ready = asyncio.Event()

    def queue(self, writer: RunWriter) -> None:
        writer.queued = True
        self._queue.append(writer)
        self._ready.set()

    async def run(self) -> None:
        pause = 0.05
        due = late = 0.0
        while True:
            await self._ready.wait()
            wait = due - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
                late = max(0.0, time.monotonic() - due)
            self._ready.clear()
            writers, self._queue = self._queue, []
            batches = [writer.batch() for writer in writers]
            due = time.monotonic() + min(INTERVAL_S + INTERVALS_PER_LATENESS * late, LONGEST_INTERVAL_S)
            try:
                results = await self._log.append(batches)
            except LogUnavailable:
                # Kept and sent again: appends are idempotent, and writers bound their own patience.
                self._queue = writers + self._queue
                self._ready.set()
                await asyncio.sleep(pause)
                pause = min(pause * 2, 1.0)
                continue
            refused = next((result for result in results if isinstance(result, NotNow)), None)
            if refused is None:
                pause = 0.05
            else:
                logger.warning("the log takes no events for now", why=refused.why)
                due = max(due, time.monotonic() + pause)
                pause = min(pause * 2, 1.0)
            for writer, batch, result in zip(writers, batches, results, strict=True):
                entries = writer.settle(batch, result)
                if isinstance(result, Appended):
                    self._hub.feed(writer.conversation_id, result.epoch, entries)
                    if len(entries) < len(batch.events):
                        # An earlier try had been applied though its reply was lost: readers must fetch that part.
                        self._hub.catch_up(writer.conversation_id)
                writer.queued = False
                if writer.has_pending:
                    self.queue(writer)
