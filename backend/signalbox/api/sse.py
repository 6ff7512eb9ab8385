"""One SSE read: replay and live are the same loop over a cursor. Decides framing, filters, gaps and endings.

The loop never trusts the log alone: on every idle heartbeat it asks the store whether the run is over.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

import structlog
from sse_starlette import EventSourceResponse
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from signalbox.encoding import MAX_EVENT_BYTES
from signalbox.envelope import Event
from signalbox.errors import BadRequest, LogUnavailable, NotFound, StoreUnavailable
from signalbox.events import EVENT_TYPES, Complete, Gap, LostReason
from signalbox.memory.profile import Owner
from signalbox.runs.records import RunRow, StartedRun, final_status
from signalbox.services import Services
from signalbox.stream.hub import Beat, Draining, Item, Live, Lost, Reader, Start
from signalbox.stream.log import Cursor, Entry, Page
from signalbox.stream.tail import Block
from signalbox.stream.writer import stamp

logger = structlog.get_logger(__name__)

# A filter never hides what tells a reader where it stands.
ALWAYS: Final = frozenset({"gap", "snapshot", "complete"})
# The cursor of a reader that has the stored state of a conversation whose log is gone.
STORED: Final = Cursor("00000000", 0)
# It goes to one reader once, not into the log.
MAX_SNAPSHOT_BYTES: Final = 64 * 1024 * 1024
STORE_PAUSE_S: Final = 1.0
LIFETIME_S: Final = 3_600.0
DIRECT_SEND: Final = "signalbox.send"
HEARTBEAT: Final = b": heartbeat\n\n"
# How a ``complete`` after which more may come is spelled in the log: see ``encoding``.
WAITING: Final = '"status":"waiting"'


@dataclass(frozen=True, slots=True)
class Ask:
    """What a reader wants: a conversation, or the one run of it; from a cursor; some types or all."""

    owner: Owner
    conversation_id: str
    run: RunRow | None
    cursor: Cursor | None
    types: frozenset[str] | None

    @classmethod
    def of(cls, owner: Owner, run: StartedRun | RunRow, types: frozenset[str] | None) -> "Ask":
        """The whole of a run that was just asked for."""
        row = RunRow.of(run) if isinstance(run, StartedRun) else run
        return cls(owner, row.conversation_id, row, None, types)

    def wants(self, entry: Entry) -> bool:
        if self.run is not None and entry.run_id != self.run.run_id:
            return False
        return self.types is None or entry.type in self.types or entry.type in ALWAYS


def cursor_of(request: Request) -> Cursor | None:
    """``Last-Event-ID``, else ``?lastEventId``; an empty one counts as none. Raises ``BadCursor``."""
    text = request.headers.get("last-event-id") or request.query_params.get("lastEventId") or ""
    return Cursor.parse(text) if text else None


def types_of(request: Request) -> frozenset[str] | None:
    """``?types=chunk,jobs_data``. Raises ``BadRequest`` for a type that does not exist."""
    from_query = request.query_params.get("types", "")
    wanted = frozenset(name.strip() for name in from_query.split(",") if name.strip())
    if not wanted:
        return None
    unknown = wanted - EVENT_TYPES
    if unknown:
        known = ", ".join(sorted(EVENT_TYPES))
        raise BadRequest(f"There is no such event type in 'types'. Known: {known}.")
    return wanted


class Follow:
    """A reader's life. ``begin`` looks everything up while an error can still be an HTTP status;
    ``next`` is the stream. Not reusable.
    """

    def __init__(self, services: Services, ask: Ask) -> None:
        self._services = services
        self._ask = ask
        self._asked = (ask.run.run_id if ask.run else "", ask.types)
        self._first: list[Item] = []
        self._reader: Reader | None = None
        self._greeted = False
        self._finished = False
        self._quiet = False
        self._end_of_life = time.monotonic() + LIFETIME_S * random.uniform(0.8, 1.0)  # noqa: S311 - jitter

    def begin_with(self, start: Start) -> None:
        """Read a run that this very request started, from its first event on, with no look at the stores."""
        self._reader = self._services.hub.open(self._ask.conversation_id, None, start)

    async def begin(self) -> bool:
        """Find the place to read from. False: nothing more will ever come."""
        ask, hub = self._ask, self._services.hub
        start = self._here()
        if start is not None and hub.holds(ask.conversation_id, start):
            self._reader = hub.open(ask.conversation_id, start)
            return True
        run_id = ask.run.run_id if ask.run else ""
        after = ask.cursor.offset if ask.cursor else None if ask.run else 0
        page = await self._services.hub.page(ask.conversation_id, after, run_id=run_id)
        if page is not None and ask.run is not None and _rests(ask.run) and (page.run is None or not page.run.closed):
            page = await self._close_run(page, after)
        if page is None:
            return self._without_log()
        if self._has_all(page):
            return False
        await self._place(page, after)
        return True

    def _here(self) -> Cursor | None:
        """Where to begin in a run that goes on in this process."""
        run, cursor = self._ask.run, self._ask.cursor
        first = self._services.runner.beginning(run.run_id) if run is not None else None
        if first is None or cursor is None:
            return first
        return cursor if cursor.epoch == first.epoch and cursor.offset >= first.offset else None

    def _without_log(self) -> bool:
        rests = self._ask.run is not None and _rests(self._ask.run)
        if rests and self._ask.cursor == STORED:
            return False
        cursor = self._ask.cursor
        self._reader = self._services.hub.open(self._ask.conversation_id, None)
        if rests or cursor not in {None, STORED}:
            self._first.append(Lost("expired" if cursor is None else "unknown_epoch"))
        return True

    def _has_all(self, page: Page) -> bool:
        """The run is over or waits, and a cursor of this epoch shows that its reader was told so."""
        run, cursor = self._ask.run, self._ask.cursor
        if run is None or cursor is None or not _rests(run) or cursor.epoch != page.epoch:
            return False
        return cursor.offset <= page.last and (page.run is None or 0 < page.run.closed <= cursor.offset)

    async def _place(self, page: Page, after: int | None) -> None:
        """Open the reader where the asked-for events begin and take the page that was already read."""
        start = self._ask.cursor or Cursor(page.epoch, after or 0)
        if page.run is not None and start.epoch == page.epoch and start.offset < page.run.first - 1:
            start = Cursor(page.epoch, page.run.first - 1)  # nothing of this run lies before
        elif self._ask.run is not None and page.run is None and self._ask.cursor is None:
            start = Cursor(page.epoch, page.last)
        self._reader = self._services.hub.open(self._ask.conversation_id, start)
        if page.entries and page.entries[0].offset != start.offset + 1 and not page.missing(start.offset):
            return  # read from elsewhere: let the reader take its own page
        item = self._reader.take(page)
        if self._ask.run is not None and _rests(self._ask.run) and page.run is None:
            item = Lost("expired")
        if item is not None:
            self._first.append(item)

    async def _close_run(self, page: Page | None, after: int | None) -> Page | None:
        """The run is over or waits, but its stream does not say so (a crash between commit and append): say it."""
        run = self._ask.run
        assert run is not None
        orphan = await self._services.store.orphan(run.run_id)
        if orphan is None:
            raise NotFound("There is no run under that id.")
        if page is None or page.run is None or orphan.status in {"pending", "running"}:
            return page
        await self._services.runner.close_stream(orphan)
        return await self._services.hub.page(run.conversation_id, after, run_id=run.run_id)

    # -- the stream

    @property
    def reader(self) -> Reader:
        assert self._reader is not None
        return self._reader

    def close(self) -> None:
        self._services.hub.close(self.reader)

    async def next(self) -> bytes | None:
        """The next SSE bytes, waiting for them; None once the stream is over. ``retry`` comes first."""
        if not self._greeted:
            self._greeted = True
            return f"retry: {random.randint(500, 1_500)}\n\n".encode()  # noqa: S311 - spreads reconnects
        while not self._finished:
            try:
                item = self._first.pop(0) if self._first else await self.reader.next()
                if chunk := await self._told(item):
                    return chunk
            except LogUnavailable:
                return await self._without_the_log()
            except StoreUnavailable:
                # What this item needs is in the database: keep the connection and try again.
                self._first.insert(0, item)
                await asyncio.sleep(STORE_PAUSE_S)
                return b": waiting for the database\n\n"
            except NotFound:
                self._finished = True  # the conversation was deleted while it was read
        return None

    async def _without_the_log(self) -> bytes:
        """The log is out of reach: a run that is over, or waits, is told from the store; others may yet be heard."""
        ask = self._ask
        with contextlib.suppress(StoreUnavailable):
            row = await self._services.store.run(ask.owner, ask.run.run_id) if ask.run else None
            if row is not None and _rests(row):
                snapshot = await self._services.conversations.snapshot(ask.owner, ask.conversation_id)
                self._finished = True
                return (
                    self._frame(Gap(reason="unknown_epoch"), STORED, with_id=False)
                    + self._frame(snapshot, STORED)
                    + self._frame(Complete(status=final_status(row.status)), STORED)
                )
        if self._services.hub.draining:
            self._finished = True
            return b"retry: 5000\n: the event log cannot be reached\n\n"
        await asyncio.sleep(STORE_PAUSE_S)
        return b": waiting for the event log\n\n"

    async def now(self) -> tuple[bytes, str]:
        """What the stream would say at once, as a JSON array, and the cursor to ask from next time.

        For clients that poll. Bounded: a long backlog comes in several pages.
        """
        try:
            frames, looked = b"", self._ask.run is None
            while not self._finished and len(frames) < MAX_EVENT_BYTES:
                if not self._first:
                    self._first += await self._ready()
                if not self._first and not looked:
                    # Who polls may know from the store that the run is over, a moment before its worker says so.
                    looked = True
                    await self._recheck()
                if not self._first:
                    break
                frames += await self._told(self._first.pop(0))
            cursor = self.reader.cursor or STORED
            data = [line[6:] for line in frames.split(b"\n") if line.startswith(b"data: ")]
            return b"[" + b",".join(data) + b"]", str(cursor)
        finally:
            self.close()

    async def _ready(self) -> list[Item]:
        """The next item if the log holds one already."""
        cursor = self.reader.cursor
        if cursor is None:
            return []
        page = await self._services.hub.page(self._ask.conversation_id, cursor.offset)
        item = self.reader.take(page) if page is not None else None
        return [] if item is None else [item]

    async def _told(self, item: Item) -> bytes:
        match item:
            case Live(epoch, entries):
                self._quiet = False
                return await self._live(epoch, entries)
            case Lost(reason):
                return await self._recover(reason)
            case Beat():
                if time.monotonic() > self._end_of_life:
                    self._finished = True
                elif self._quiet or self.reader.doubted:
                    self.reader.doubted = False
                    await self._recheck()
                self._quiet = True
                return HEARTBEAT
            case Draining():
                self._finished = True
                # Spread the return of a whole fleet over a few seconds.
                return f"retry: {random.randint(500, 5_000)}\n: this server is stopping\n\n".encode()  # noqa: S311
            case _:
                assert_never(item)

    async def _live(self, epoch: str, entries: Sequence[Entry]) -> bytes:
        tail, found = self.reader.tail, self.reader.tail.block
        key = (epoch, entries[0].offset, entries[-1].offset, self._asked)
        if found is None or (found.epoch, found.first, found.last, found.asked) != key:
            found = self._block(epoch, entries)
            tail.block = found
        self._finished = found.ends or (found.rests_at > 0 and await self._rests_there(epoch, found.rests_at))
        return found.frames

    def _block(self, epoch: str, entries: Sequence[Entry]) -> Block:
        """The frames of ``entries``, and where among them the run said that it waits, if it has said nothing since."""
        ask, tail = self._ask, self.reader.tail
        frames: list[bytes] = []
        ends, rests_at = False, 0
        for entry in entries:
            if ask.run is not None and entry.run_id == ask.run.run_id:
                waits = entry.type == "complete" and WAITING in entry.data
                rests_at = entry.offset if waits else 0
                ends = entry.type == "complete" and not waits
            if ask.wants(entry):
                frames.append(tail.frame(epoch, entry))
            if ends:
                break
        return Block(epoch, entries[0].offset, entries[-1].offset, self._asked, b"".join(frames), ends, rests_at)

    async def _rests_there(self, epoch: str, offset: int) -> bool:
        """Whether the run, which said at ``offset`` that it waits, still does.

        One that was taken up goes on in this very stream: a reader who comes late gets all of it. The store alone is
        not enough, since the run may wait for the second time by now.
        """
        run = self._ask.run
        assert run is not None
        try:
            state = await self._services.store.status(run.run_id)
            if state is not None and state[0] != "waiting":
                return False
            page = await self._services.log.position(self._ask.conversation_id, run_id=run.run_id)
        except (StoreUnavailable, LogUnavailable):
            return True  # to be asked again with the cursor, when they can tell
        return page is None or page.epoch != epoch or page.run is None or page.run.closed == offset

    async def _recover(self, reason: LostReason) -> bytes:
        """Say that events are missing, give the stored state instead, and go on with what the log still has."""
        ask = self._ask
        run_id = ask.run.run_id if ask.run else ""
        # The log first: what it gains while the store is read comes after the snapshot, never before.
        page = await self._services.log.position(ask.conversation_id, run_id=run_id)
        resume = Cursor(page.epoch, page.oldest - 1 if page.oldest else page.last) if page else STORED
        snapshot = await self._services.conversations.snapshot(ask.owner, ask.conversation_id)
        self.reader.seek(resume if page else None)
        frames = self._frame(Gap(reason=reason), resume, with_id=False) + self._frame(snapshot, resume)
        if ask.run is None:
            return frames
        row = await self._services.store.run(ask.owner, run_id)
        still_to_come = page is not None and page.run is not None and 0 < page.oldest <= page.run.closed
        if _rests(row) and not still_to_come:
            end = Cursor(page.epoch, page.last) if page else STORED
            frames += self._frame(Complete(status=final_status(row.status)), end)
            self._finished = True
        return frames

    async def _recheck(self) -> None:
        """Nothing came for a whole heartbeat: make sure that something still can."""
        ask = self._ask
        try:
            if ask.run is None:
                await self._services.conversations.get(ask.owner, ask.conversation_id)
                return
            row = await self._services.store.run(ask.owner, ask.run.run_id)
        except StoreUnavailable:
            return  # asked again at the next heartbeat
        if not _rests(row):
            return
        after = self.reader.cursor.offset if self.reader.cursor else 0
        page = await self._services.hub.page(ask.conversation_id, after, run_id=row.run_id)
        page = await self._close_run(page, after)
        if page is not None and page.run is not None and self.reader.cursor == Cursor(page.epoch, page.last):
            self._finished = 0 < page.run.closed <= page.last  # it came with the end already
            return
        item = self.reader.take(page) if page is not None and page.run is not None else Lost("expired")
        if item is not None:
            self._first.append(item)

    def _frame(self, event: Event, at: Cursor, *, with_id: bool = True) -> bytes:
        kind, data = stamp(event, MAX_SNAPSHOT_BYTES)
        run_id = self._ask.run.run_id if self._ask.run else ""
        frame = Entry(at.offset, kind, run_id, data).frame(self._ask.conversation_id, at.epoch)
        return frame if with_id else frame.replace(f"id: {at}\n".encode(), b"", 1)


def _rests(run: RunRow) -> bool:
    """Nothing comes of it by itself: it is over, or waits for a human."""
    return run.over or run.status == "waiting"


class EventStream(EventSourceResponse):
    """sse-starlette's response with one task per reader: heartbeats come from the hub's wheel, several events
    go out in one send, and the send timeout covers heartbeats too.
    """

    def __init__(self, follow: Follow, *, headers: dict[str, str] | None = None) -> None:
        super().__init__(
            content=iter(()),
            headers={"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no", **(headers or {})},
            sep="\n",
        )
        self._follow = follow

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start: Any = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        try:
            await send(start)
            await self._body(scope, receive, send)
        finally:
            self._follow.close()

    async def _body(self, scope: Scope, receive: Receive, send: Send) -> None:
        # From here on nothing above has a say in what is sent, and each layer would cost every event a call.
        send = scope.get(DIRECT_SEND, send)
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        await self._stream(Request(scope, receive), send)

    async def _stream(self, request: Request, send: Send) -> None:
        reader = self._follow.reader
        task = asyncio.current_task()
        assert task is not None
        timed_out = False

        def give_up() -> None:
            nonlocal timed_out
            timed_out = True
            reader.sending_since = 0.0
            task.cancel()

        reader.guard = give_up
        try:
            while (chunk := await self._follow.next()) is not None:
                reader.sending_since = time.monotonic()
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                reader.sending_since = 0.0
                if chunk is HEARTBEAT and await request.is_disconnected():
                    return
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except asyncio.CancelledError:
            if not timed_out:
                raise
            # A client that takes nothing loses its connection, never the run; it can resume.
            task.uncancel()
            logger.info("a reader that took no bytes was dropped")
        except Exception as exc:  # the SSE boundary: headers are out, so all that is left is to end the stream
            logger.exception("a stream broke", error=type(exc).__name__)
