"""Events that resume by themselves: one read over as many HTTP connections as it takes, each event once.

It decides when to reconnect and what is a duplicate; where the bytes come from is its caller's business.
"""

import asyncio
import json
import logging
import random
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, Literal, TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from signalbox.errors import SignalboxError
from signalbox.events import EVENT_TYPES, AnyEvent, Complete, Gap, Snapshot, event_adapter
from signalbox.frames import Frame, FrameReader, FrameTooLargeError

logger = logging.getLogger(__name__)

State = Literal["connecting", "live", "resuming", "offline", "ended"]
OnState = Callable[[State], object]
# Opens the stream with these headers; the body is still to be read.
Open = Callable[[dict[str, str | bytes]], Awaitable[httpx.Response]]
M = TypeVar("M")

_CURSOR: Final = re.compile(r"([0-9a-f]{8})-([0-9]{1,15})", re.ASCII)
_MAX_PROBLEM_BYTES: Final = 65_536
# Only a connection that delivered an event or stayed alive this long shows that the server is well again.
_SETTLED_S: Final = 10.0
_RECENT: Final = 3
_PATIENCE: Final = 3


class ApiError(SignalboxError):
    """The server refused, and asking again as it is would not help. ``code`` and ``detail`` are the server's.
    ``again``: an earlier try of the same call got no answer, and may have arrived.
    """

    again = False

    def __init__(self, code: str, status: int, detail: str, *, retry: bool) -> None:
        super().__init__(detail)
        self.detail = detail
        vars(self).update(code=code, status=status, retry=retry)  # per instance what the tree has per class


class ConnectionLost(SignalboxError):
    """No answer for ``give_up_after`` seconds. ``reason`` says what went wrong last; asking again may help."""

    code = "connection_lost"
    status = 503
    retry = True

    def __init__(self, reason: str) -> None:
        super().__init__(f"The server cannot be reached: {reason}")
        self.reason = reason


class Retries:
    """When to try again: exponential backoff with full jitter on top of what the server asked for, then an end.

    After https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/. All in seconds.
    """

    def __init__(self, *, first: float, cap: float, give_up_after: float) -> None:
        self._first = first
        self._cap = cap
        self._give_up_after = give_up_after
        self._failures = 0
        self._since: float | None = None
        self.floor = 0.0

    def succeeded(self) -> None:
        self._failures, self._since = 0, None

    async def wait(self, reason: str) -> None:
        """Sleep before the next try. Raises ``ConnectionLost`` once all tries together took too long."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        left = self._since + self._give_up_after - now
        if left <= 0:
            self.succeeded()
            raise ConnectionLost(reason)
        jitter = random.uniform(0, min(self._cap, self._first * 2 ** min(self._failures, 30)))  # noqa: S311
        self._failures += 1
        await asyncio.sleep(min(self.floor + jitter, self._cap, left))


class Rhythm:
    """How often a connection's heartbeats come, and how long, going by that, its silence may last. In seconds.

    One beat may come twice as late as the latest of ``_RECENT``; before there were as many, ``longest`` holds, as it
    does where they are rare. Beats that come together were held up on their way: they are one. One connection's:
    another one may lead to a server that beats otherwise.
    """

    def __init__(self, longest: float, *, shortest: float = 5, together: float = 0.5) -> None:
        self._longest = longest
        self._shortest = shortest
        self._together = together
        self._gaps: deque[float] = deque(maxlen=_RECENT)
        self._last: float | None = None

    def beat(self, at: float) -> None:
        """A heartbeat came, at this time of a clock that only goes on."""
        if self._last is not None:
            gap = at - self._last
            if gap < self._together:
                return
            self._gaps.append(gap)
        self._last = at

    @property
    def limit(self) -> float:
        """A connection that is silent for longer is dead."""
        if len(self._gaps) < _RECENT:
            return self._longest
        return min(self._longest, max(self._shortest, _PATIENCE * max(self._gaps)))


class EventStream(AsyncIterator[AnyEvent]):
    """Typed events, each once and in order, over as many connections as it takes.

    ``cursor`` is the place after the last event returned: store it with what you made of the events and pass it
    to ``Client.stream`` to go on in another process. A cancelled ``anext`` loses nothing. ``gap`` and ``snapshot``
    are events like others. Ends after a run's ``complete``, or when the server says that nothing more will come: also
    where a run waits for its user (``complete`` with ``waiting``); it goes on, after the decision, from ``cursor``.
    ``rhythm`` makes what tells for each connection how long it may be silent.
    """

    def __init__(
        self,
        connect: Open,
        retries: Retries,
        *,
        one_run: bool,
        cursor: str | None,
        on_state: OnState,
        rhythm: Callable[[], Rhythm],
    ) -> None:
        self.cursor = cursor
        self.state: State = "connecting"
        self._open = connect
        self._one_run = one_run
        self._on_state = on_state
        self._retries = retries
        self._new_rhythm = rhythm
        self._rhythm = rhythm()
        self._frames: deque[Frame] = deque()
        self._reader = FrameReader()
        self._response: httpx.Response | None = None
        self._pieces: AsyncIterator[bytes] | None = None
        self._opened = self._last_byte = 0.0
        self._over = False
        self._rests = False
        self._seen = _place(cursor) or ("", 0)
        on_state(self.state)

    async def __anext__(self) -> AnyEvent:
        """Raises ``ApiError`` (for good) and ``ConnectionLost`` (asking again tries again)."""
        while not self._over:
            while self._frames:
                event = self._take(self._frames.popleft())
                if event is not None:
                    ended = self._one_run and isinstance(event, Complete)
                    self._rests = ended and isinstance(event, Complete) and event.status == "waiting"
                    self._over = ended and not self._rests
                    return event
            try:
                if self._pieces is None:
                    await self._connect()
                else:
                    async with asyncio.timeout(self._rhythm.limit):
                        piece = await anext(self._pieces)
                    self._hear(piece)
            except StopAsyncIteration:
                if not self._rests:
                    await self._dropped("the connection ended")
                    continue
                # Most likely all there is, until somebody decides: ask at once, the answer tells.
                self._rests = False
                await self._hang_up()
            except (httpx.RequestError, FrameTooLargeError, TimeoutError) as exc:
                await self._dropped(reason_of(exc))
        await self.aclose()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Leave the stream; the run goes on without a reader."""
        self._over = True
        await self._hang_up()
        self._tell("ended")

    def _hear(self, piece: bytes) -> None:
        self._last_byte = time.monotonic()
        beats = self._reader.beats
        self._frames += self._reader.feed(piece)
        if self._reader.beats > beats:
            self._rhythm.beat(self._last_byte)

    async def _connect(self) -> None:
        headers: dict[str, str | bytes] = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
        if self.cursor:
            headers["Last-Event-ID"] = self.cursor.encode()
        response = await self._open(headers)
        if response.status_code == httpx.codes.OK and "text/event-stream" in response.headers.get("content-type", ""):
            self._response, self._pieces = response, response.aiter_bytes()
            retry_ms, self._reader = self._reader.retry_ms, FrameReader()
            self._reader.retry_ms = retry_ms  # holds until the server says another
            self._rhythm = self._new_rhythm()
            self._opened = self._last_byte = time.monotonic()
            self._tell("live")
            return
        try:
            refusal = problem(response, await _beginning(response))
        finally:
            await response.aclose()
        if response.status_code == httpx.codes.NO_CONTENT:
            self._over = True
            return
        # A success that is no event stream comes from something in between: a captive portal, a maintenance page.
        if not (refusal.retry or response.is_success or response.is_server_error):
            await self.aclose()
            raise refusal
        self._retries.floor = retry_after(response)
        self._tell("offline")
        await self._retries.wait(refusal.detail)

    async def _dropped(self, reason: str) -> None:
        was_live = self._response is not None
        if was_live and self._last_byte - self._opened >= _SETTLED_S:
            self._retries.succeeded()
        self._retries.floor = (self._reader.retry_ms or 0) / 1000
        await self._hang_up()
        self._tell("resuming" if was_live else "offline")
        await self._retries.wait(reason)

    async def _hang_up(self) -> None:
        response, self._response, self._pieces = self._response, None, None
        if response is not None:
            with suppress(httpx.RequestError):  # the connection may be broken already
                await response.aclose()

    def _tell(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self._on_state(state)

    def _take(self, frame: Frame) -> AnyEvent | None:
        """The frame's event, and the cursor moved past it; None for what was seen or is not understood."""
        event = None if frame.data is None else _event(frame.data)
        place = _place(frame.id)
        known = place is not None and place[0] == self._seen[0] and place[1] <= self._seen[1]
        if known and not isinstance(event, Gap | Snapshot):
            return None
        if frame.id is not None and frame.id.isprintable():
            self.cursor = frame.id or None
        if place is not None:
            # A snapshot stands for all up to its offset; the ``complete`` made up after it may have the same one.
            self._seen = (place[0], place[1] - 1) if isinstance(event, Snapshot) else place
        if frame.data is not None:
            self._retries.succeeded()
        return event


def _place(cursor: str | None) -> tuple[str, int] | None:
    match = _CURSOR.fullmatch(cursor or "")
    return (match[1], int(match[2])) if match else None


def _event(data: str) -> AnyEvent | None:
    """The event without fields that only a newer server has; None for one that this client cannot know."""
    try:
        return event_adapter.validate_json(data)
    except ValidationError:
        pass
    try:
        value = json.loads(data)
        kind = value.get("type") if isinstance(value, dict) else None
        if isinstance(kind, str) and kind not in EVENT_TYPES:
            logger.debug("an event of an unknown type was skipped")
            return None
        return lenient(event_adapter, value, tags=1)
    except (ValueError, RecursionError) as exc:  # no JSON, or not this type's shape
        logger.warning("an event was skipped: %s", type(exc).__name__)
        return None  # truth: an event that cannot be read is skipped and logged


def lenient(adapter: TypeAdapter[M], value: Any, *, tags: int = 0) -> M:
    """Validate without the fields this version does not know. ``tags``: how deep error paths name union members."""
    try:
        return adapter.validate_python(value)
    except ValidationError as exc:
        for fault in exc.errors(include_url=False, include_input=False):
            if fault["type"] != "extra_forbidden":
                raise
            node = value
            for step in fault["loc"][tags:-1]:
                node = node[step]
            del node[fault["loc"][-1]]
    return adapter.validate_python(value)


def problem(response: httpx.Response, body: bytes) -> ApiError:
    """The refusal in the server's words (RFC 9457), or in HTTP's when something else answered."""
    status = response.status_code
    passes = status in {408, 425, 429} or response.is_server_error
    try:
        said = json.loads(body)
    except ValueError:
        said = None  # truth: the answer has no words of its own; the refusal is raised from its status
    if isinstance(said, dict) and isinstance(said.get("code"), str):
        return ApiError(said["code"], status, str(said.get("detail", "")), retry=bool(said.get("retry", passes)))
    if response.has_redirect_location:
        return ApiError("redirected", status, f"The server is at {response.headers['location']}.", retry=False)
    return ApiError(f"http_{status}", status, f"The server answered {status} {response.reason_phrase}.", retry=passes)


async def _beginning(response: httpx.Response) -> bytes:
    body = b""
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _MAX_PROBLEM_BYTES:
            break
    return body


def retry_after(response: httpx.Response) -> float:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0.0


def reason_of(exc: Exception) -> str:
    if isinstance(exc, httpx.TimeoutException | TimeoutError):
        return "nothing came in time"
    return str(exc) or type(exc).__name__
