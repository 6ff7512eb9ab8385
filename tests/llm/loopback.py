"""A model provider on 127.0.0.1 that speaks Groq's wire over a real socket, byte by byte if told to.

    async with Loopback(Reply(sse("Hello", " you"))) as provider:
        model = GroqModel("m", api_key="k", base_url=provider.url)

Each request takes the next reply; the last one repeats.
"""

import asyncio
import json
import os
import random
import socket
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import pytest

STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP response.

    ``pieces``: bytes a chunk of HTTP (0: all at once; a list: the cut points; a Random: random splits), ``delay_s``
    before each. ``head_delay_s``: silence before the status line. ``stop_at``: only that many bytes of the body are
    sent, and then ``end``: "done" ends the body properly, "close" closes without its end mark, "reset" sends a TCP
    reset, "hold" stays silent until the client leaves; ``end_delay_s`` before it.
    """

    body: bytes = b""
    status: int = 200
    content_type: str = STREAM
    headers: dict[str, str] = field(default_factory=dict)
    pieces: int | Sequence[int] | random.Random = 0
    delay_s: float = 0.0
    head_delay_s: float = 0.0
    end_delay_s: float = 0.0
    stop_at: int | None = None
    end: Literal["done", "close", "reset", "hold"] = "done"


@dataclass(frozen=True, slots=True)
class Received:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Loopback:
    """``requests`` holds what was asked, ``connections`` counts sockets, ``left`` is set when a client hung up, and
    ``open`` says how many connections a client keeps.
    """

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[Received] = []
        self.connections = 0
        self.started = asyncio.Event()
        self.left = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def open(self) -> int:
        return len(self._tasks)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = "http://127.0.0.1:%d" % self._server.sockets[0].getsockname()[1]  # noqa: UP031
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._answer_one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        finally:
            writer.close()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        self.requests.append(await _request(reader))
        self.started.set()
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        if not await self._stays(reader, reply.head_delay_s):
            return False
        head = {"content-type": reply.content_type, "transfer-encoding": "chunked", **reply.headers}
        lines = [f"HTTP/1.1 {reply.status} Loopback", *(f"{name}: {value}" for name, value in head.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        frames = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in split(reply.body[: reply.stop_at], reply.pieces)]
        # A reader of HTTP gets them one by one, though a single write brings them all.
        for frame in frames if reply.delay_s else [b"".join(frames)]:
            await writer.drain()
            if not await self._stays(reader, reply.delay_s):
                return False
            writer.write(frame)
        if reply.end == "done":
            writer.write(b"0\r\n\r\n")
        elif not await self._stays(
            reader, reply.end_delay_s or reply.delay_s
        ):  # a reset would overtake what is not read yet
            return False
        await writer.drain()
        if reply.end == "hold":
            await self._stays(reader, 3600)
        if reply.end == "reset":
            sock: socket.socket = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return reply.end == "done"

    async def _stays(self, reader: asyncio.StreamReader, seconds: float) -> bool:
        """Wait; False when the client hung up meanwhile."""
        if not seconds:
            return True
        try:
            async with asyncio.timeout(seconds):
                await reader.read(1)
        except TimeoutError:
            return True
        self.left.set()
        return False


async def _request(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(head[0].split(" ")[1], headers, json.loads(body))


def split(body: bytes, pieces: int | Sequence[int] | random.Random) -> Iterator[bytes]:
    if not body:
        return
    if isinstance(pieces, int):
        cuts = list(range(0, len(body), pieces or len(body)))
    elif isinstance(pieces, random.Random):
        cuts = [0, *sorted(pieces.sample(range(1, len(body)), min(len(body) - 1, 40)))]
    else:
        cuts = [0, *pieces]
    for begin, end in zip(cuts, [*cuts[1:], len(body)], strict=True):
        yield body[begin:end]


def chunk(text: str | None = None, *, finish: str | None = None, **extra: Any) -> dict[str, Any]:
    """A chat completion chunk; ``extra`` adds or replaces fields at its top."""
    delta = {} if text is None else {"content": text}
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **extra}


def data(value: Any, *, event: str | None = None) -> bytes:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (f"event: {event}\n" if event else "").encode() + b"data: " + text.encode() + b"\n\n"


def sse(*texts: str, finish: str | None = "stop", done: bool = True) -> bytes:
    """A whole answer in Groq's shape: role, texts, finish with usage, [DONE]."""
    usage = {"id": "req_1", "usage": {"prompt_tokens": 7, "completion_tokens": len(texts), "total_tokens": 7}}
    parts = [data(chunk("")), *(data(chunk(text)) for text in texts)]
    if finish:
        parts.append(data(chunk(finish=finish, x_groq=usage)))
    return b"".join(parts) + (data("[DONE]") if done else b"")


def failure(status: int, error: dict[str, Any] | None = None, **headers: str) -> Reply:
    """An error response in Groq's shape; underscores in header names become hyphens."""
    body = json.dumps({"error": error or {"message": "secret words of the provider", "type": "x", "code": "y"}})
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(body.encode(), status=status, content_type="application/json", headers=names)


def recorded_dir() -> Path:
    shared = os.environ.get("SIGNALBOX_SHARED") or Path(__file__).resolve().parents[3] / "shared"
    return Path(shared) / "data" / "groq_streams" / "bodies"


def recorded(pattern: str = "*.sse") -> list[Any]:
    """Parameters for every recorded provider body, or one that skips when the recordings are not here."""
    files = sorted(recorded_dir().glob(pattern))
    if not files:
        reason = "the recorded provider streams are not on this machine"
        return [pytest.param(None, id="none", marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(file, id=file.name) for file in files]
