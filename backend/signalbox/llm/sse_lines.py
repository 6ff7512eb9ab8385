"""An incremental reader of Server-Sent Events, from bytes in any split to whole events.

It exists because a provider's stream must survive what common readers do not: a byte order mark, U+2028 or a form
feed inside a line, a character split over two reads, and a last event without its blank line.
"""

import re
from dataclasses import dataclass

MAX_EVENT_BYTES = 4 * 1024 * 1024
# The standard's three line ends and no other: https://html.spec.whatwg.org/multipage/server-sent-events.html
_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class SseEvent:
    name: str
    data: str


class EventTooLargeError(ValueError):
    """An event passed ``MAX_EVENT_BYTES`` without an end: no chat completion chunk does."""


class SseReader:
    """``feed`` bytes as they arrive, take the events they completed; ``end`` gives one left without a blank line."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._scanned = 0
        self._at_start = True
        self._after_cr = False
        self._name = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, piece: bytes) -> list[SseEvent]:
        self._rest += piece
        if self._at_start and not self._strip_mark():
            return []
        if self._after_cr and self._rest:
            # The CR ended its line at once; an LF that a later read brings belongs to it.
            self._after_cr = False
            if self._rest.startswith(b"\n"):
                del self._rest[:1]
        events: list[SseEvent] = []
        begin = 0
        for match in _LINE_END.finditer(self._rest, self._scanned):
            self._take(bytes(self._rest[begin : match.start()]), events)
            begin = match.end()
        self._after_cr = self._after_cr or (begin == len(self._rest) and self._rest.endswith(b"\r"))
        del self._rest[:begin]
        self._scanned = len(self._rest)  # a line that grows byte by byte is not searched again from its start
        if self._size + len(self._rest) > MAX_EVENT_BYTES:
            raise EventTooLargeError
        return events

    def end(self) -> SseEvent | None:
        """What was still open at the end of the body; its last line may be incomplete."""
        events: list[SseEvent] = []
        if self._rest:
            self._take(bytes(self._rest), events)
        self._take(b"", events)
        return events[0] if events else None

    def _strip_mark(self) -> bool:
        if _BOM.startswith(self._rest):
            if len(self._rest) < len(_BOM):
                return False
            self._rest.clear()
        elif self._rest.startswith(_BOM):
            del self._rest[: len(_BOM)]
        self._at_start = False
        return True

    def _take(self, line: bytes, events: list[SseEvent]) -> None:
        if not line:
            if self._data:
                events.append(SseEvent(self._name, "\n".join(self._data)))
            self._name, self._data, self._size = "", [], 0
            return
        field, _, value = line.partition(b":")
        if field == b"data":
            self._size += len(value)
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        elif field == b"event":
            self._name = value.removeprefix(b" ").decode("utf-8", "replace")
