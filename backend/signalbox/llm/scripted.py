"""The shipped double: a model that does exactly what it is told, for tests, demonstrations and load measurements."""

import asyncio
import re
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from signalbox.encoding import clean_text
from signalbox.llm.base import (
    Finish,
    ModelRequest,
    StreamItem,
    TextDelta,
    Usage,
    last_user_message,
)

Script: TypeAlias = Mapping[str, Sequence[str | Exception | float]]

TICK_LENGTH: Final = 48
MAX_TICKS: Final = 1_000_000  # numbers stay six digits long
MAX_DELAY_MS: Final = 60_000
MAX_HOLD_S: Final = 3_600
TICKS_USAGE: Final = (
    "Usage: /ticks N [DELAY_MS [HOLD_S]] streams N numbered chunks of 48 characters, DELAY_MS apart, then stays open "
    f"HOLD_S seconds. Bounds: {MAX_TICKS:,} chunks, {MAX_DELAY_MS:,} ms, {MAX_HOLD_S:,} s."
)
_FILLER = " a chunk of text as a model would send it"[: TICK_LENGTH - len("@000000@")].ljust(40, ".")
_NUMBER = r"\s+([0-9]{1,5}(?:\.[0-9]{1,6})?)"
_TICKS = re.compile(rf"\s*/ticks\s+([0-9]{{1,7}})(?:{_NUMBER}(?:{_NUMBER})?)?\s*")


@dataclass(frozen=True, slots=True)
class Ticks:
    """What ``/ticks`` asks for. ``delay_s`` of 0 means no pause, only a turn for the other tasks."""

    count: int
    delay_s: float
    hold_s: float


class ScriptedModel:
    """A ``Model`` driven by the last user message.

    - ``/ticks N DELAY_MS HOLD_S``: N chunks, each ``@000000@``-numbered from 0, then an open, silent stream for HOLD_S.
    - A message that contains a key of ``script`` plays that key's sequence, the first key that fits: a text is a
      delta, a number a pause in seconds, an exception is raised. It plays anew for each request.
    - Anything else streams the draft word by word.

    ``requests`` keeps the last ones asked, for a test to look at. ``instructable``: whether it poses as a model that
    can be asked for other things than an answer; its script then has to hold what it says to those.
    """

    name = "scripted"

    def __init__(self, script: Script | None = None, *, instructable: bool = False) -> None:
        self._script: Script = script or {}
        self.instructable = instructable
        self.requests: deque[ModelRequest] = deque(maxlen=32)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        self.requests.append(request)
        asked = last_user_message(request)
        output = 0
        if asked.split(maxsplit=1)[:1] == ["/ticks"]:
            ticks = parse_ticks(asked)
            if ticks is None:
                yield TextDelta(TICKS_USAGE)
            else:
                # Not a generator of its own: this loop is what load measurements pay for.
                delay_s, output = ticks.delay_s, ticks.count
                for number in range(output):
                    yield TextDelta(f"@{number:06d}@{_FILLER}")
                    await asyncio.sleep(delay_s)
                await asyncio.sleep(ticks.hold_s)
        else:
            for piece in self._sequence(asked, request.draft):
                if isinstance(piece, Exception):
                    raise piece
                if not isinstance(piece, str):
                    await asyncio.sleep(piece)
                elif text := clean_text(piece):
                    output += 1
                    yield TextDelta(text)
                    await asyncio.sleep(0)
        yield Usage(self.name, 0, 0, output, estimated=False)
        yield Finish("stop")

    async def close(self) -> None:
        """Holds nothing."""

    def _sequence(self, asked: str, draft: str) -> Sequence[str | Exception | float]:
        for pattern, sequence in self._script.items():
            if pattern in asked:
                return sequence
        return re.findall(r"\S+\s*|\s+", draft)


def parse_ticks(message: str) -> Ticks | None:
    """The arguments of ``/ticks``, or None when they are not numbers within bounds. Delay and hold may be left out."""
    match = _TICKS.fullmatch(message)
    if match is None:
        return None
    count, delay_ms, hold_s = int(match[1]), float(match[2] or 0), float(match[3] or 0)
    if count > MAX_TICKS or delay_ms > MAX_DELAY_MS or hold_s > MAX_HOLD_S:
        return None
    return Ticks(count, delay_ms / 1000, hold_s)
