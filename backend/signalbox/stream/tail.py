"""The newest events of one conversation, held once per process and lent to all its readers there."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from signalbox.stream.log import Entry

TAIL_EVENTS: Final = 512
TAIL_BYTES: Final = 512 * 1024


class Sleeper(Protocol):
    """Whoever waits for news of the tail."""

    def wake(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Block:
    """The SSE bytes of some consecutive entries under one filter: readers side by side send the same.

    ``ends``: the run that was asked for is over. ``rests_at``: where it said that it waits, 0 if it went on or did not.
    """

    epoch: str
    first: int
    last: int
    asked: object
    frames: bytes
    ends: bool
    rests_at: int = 0


@dataclass(slots=True, eq=False)
class Tail:
    """The newest events of a conversation, contiguous: offsets ``last - len(entries) + 1 .. last``."""

    conversation_id: str
    epoch: str | None = None
    last: int = 0
    entries: deque[Entry] = field(default_factory=deque)
    size: int = 0
    readers: set[Sleeper] = field(default_factory=set)
    writers: int = 0
    subscribed: bool = False
    frames: dict[int, bytes] = field(default_factory=dict)
    block: "Block | None" = None
    version: int = 0

    @property
    def first(self) -> int:
        return self.last - len(self.entries) + 1

    def restart(self, epoch: str | None, last: int) -> None:
        self.epoch, self.last, self.size = epoch, last, 0
        self.version += 1
        self.entries.clear()
        self.frames.clear()
        self.block = None

    def extend(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self.entries.append(entry)
            self.size += len(entry.data)
        self.last = entries[-1].offset
        self.version += 1
        while self.entries and (len(self.entries) > TAIL_EVENTS or self.size > TAIL_BYTES):
            gone = self.entries.popleft()
            self.size -= len(gone.data)
            self.frames.pop(gone.offset, None)

    def frame(self, epoch: str, entry: Entry) -> bytes:
        """The entry's SSE frame, encoded once however many readers share it. The tail may be of another epoch."""
        if epoch != self.epoch:
            return entry.frame(self.conversation_id, epoch)
        frame = self.frames.get(entry.offset)
        if frame is None:
            frame = entry.frame(self.conversation_id, epoch)
            if len(self.readers) > 1 and entry.offset >= self.first:
                self.frames[entry.offset] = frame
        return frame

    def wake(self) -> None:
        for reader in self.readers:
            reader.wake()
