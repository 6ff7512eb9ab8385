"""Server-Sent Events from bytes in any split: the framing only. It knows nothing of events, cursors or HTTP.

Standard: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

import re
from dataclasses import dataclass
from typing import Final

# A snapshot of a long conversation is the largest frame there is; beyond this it is no event stream of ours.
MAX_FRAME_BYTES: Final = 64 * 1024 * 1024
_BOM: Final = b"\xef\xbb\xbf"
# The standard's three line ends and no other: U+2028 and form feeds are ordinary characters of a line.
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Frame:
    """One dispatched block. ``id`` None: the block had none; '' resets it. ``data`` None: only the id counts."""

    id: str | None
    event: str
    data: str | None


class FrameTooLargeError(ValueError):
    """A block passed ``MAX_FRAME_BYTES`` without an end."""


class FrameReader:
    """``feed`` bytes as they arrive; it returns the frames they completed, in order.

    A block that the end of the stream cuts off is never returned. ``retry_ms`` is the last valid ``retry`` seen,
    ``beats`` counts heartbeats: comments of that name, as a server also says other things in comments.
    One reader per response: a byte order mark counts only at the very start.
    """

    def __init__(self) -> None:
        self.retry_ms: int | None = None
        self.beats = 0
        self._rest = bytearray()
        self._scanned = 0
        self._at_start = True
        self._after_cr = False
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, piece: bytes) -> list[Frame]:
        """Raises ``FrameTooLargeError``."""
        self._rest += piece
        if self._at_start and not self._past_mark():
            return []
        if self._after_cr and self._rest:
            # A CR ended its line at once; an LF that comes only now is the second half of that line end.
            self._after_cr = False
            if self._rest.startswith(b"\n"):
                del self._rest[:1]
        frames: list[Frame] = []
        begin = 0
        for end in _LINE_END.finditer(self._rest, self._scanned):
            self._line(bytes(self._rest[begin : end.start()]), frames)
            begin = end.end()
        self._after_cr = self._after_cr or (0 < begin == len(self._rest) and self._rest.endswith(b"\r"))
        del self._rest[:begin]
        self._scanned = len(self._rest)  # a line that grows byte by byte is not searched anew each time
        if self._size + len(self._rest) > MAX_FRAME_BYTES:
            raise FrameTooLargeError(f"A frame is larger than {MAX_FRAME_BYTES:,} bytes.")
        return frames

    def _past_mark(self) -> bool:
        if len(self._rest) < len(_BOM) and _BOM.startswith(self._rest):
            return False  # may still become a mark
        if self._rest.startswith(_BOM):
            del self._rest[: len(_BOM)]
        self._at_start = False
        return True

    def _line(self, line: bytes, frames: list[Frame]) -> None:
        if not line:
            if self._data or self._id is not None:
                frames.append(Frame(self._id, self._event, "\n".join(self._data) if self._data else None))
            self._id, self._event, self._data, self._size = None, "", [], 0
            return
        # Whole lines are decoded, so a character split over two reads is whole again here.
        field, _, raw = line.partition(b":")
        value = raw.removeprefix(b" ").decode("utf-8", "replace")
        if field == b"data":
            self._size += len(raw)
            self._data.append(value)
        elif field == b"event":
            self._event = value
        elif field == b"id" and "\0" not in value:
            self._id = value
        elif not field and value == "heartbeat":
            self.beats += 1
        elif field == b"retry" and value.isascii() and value.isdecimal() and len(value) < 10:
            self.retry_ms = int(value)
