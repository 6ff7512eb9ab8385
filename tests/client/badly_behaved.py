"""A server on 127.0.0.1 that speaks the stream over a raw socket, byte by byte and as badly as told.

async with Wire(lambda asked: Answer(sse(...), end="cut")) as wire:
    async with wire.client() as client: ...
"""

import asyncio
import json
import random
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from signalbox.client import Client
from signalbox.envelope import Event
from signalbox.events import Chunk, Complete, Message, RunStarted

EPOCH = "0a1b2c3d"
CONVERSATION = "c_1"


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def after(self) -> int:
        """The offset of the cursor that was sent; 0 for none."""
        return int(self.headers.get("last-event-id", f"{EPOCH}-0").partition("-")[2])


@dataclass(frozen=True, slots=True)
class Answer:
    """``pieces``: writes, one by one, as they come. ``end``: "done" ends the body properly, "cut" closes the socket
    in the middle of it, "hold" is silent until the client leaves, "mute" sends nothing at all, not even a status.
    """

    pieces: Sequence[bytes] | AsyncIterable[bytes] = ()
    status: int = 200
    content_type: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)
    end: Literal["done", "cut", "hold", "mute"] = "done"


class Wire:
    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        self._answer = answer
        self.asked: list[Asked] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._held: list[asyncio.Event] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def client(self, **more: Any) -> Client:
        """A client in a hurry."""
        return Client(
            self.url, **{"api_key": "k", "backoff_s": 0.001, "backoff_cap_s": 0.02, "give_up_after": 30, **more}
        )

    def hang_up(self) -> None:
        """End all connections that are being held."""
        held, self._held = self._held, []
        for event in held:
            event.set()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client hung up
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        method, path, _ = head[0].split(" ")
        asked = Asked(method, path, headers, body)
        self.asked.append(asked)
        answer = self._answer(asked)
        if answer.end != "mute":
            await self._send(writer, answer)
        if answer.end in {"hold", "mute"}:
            over = asyncio.Event()
            self._held.append(over)
            gone = asyncio.create_task(reader.read(1))
            await asyncio.wait([gone, asyncio.create_task(over.wait())], return_when=asyncio.FIRST_COMPLETED)
        return answer.end == "done"

    async def _send(self, writer: asyncio.StreamWriter, answer: Answer) -> None:
        fields = {"content-type": answer.content_type, **answer.headers}
        if answer.status != 204:
            fields["transfer-encoding"] = "chunked"
        lines = [f"HTTP/1.1 {answer.status} Wire", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        writer.write("\r\n".join(lines).encode())
        async for piece in _one_by_one(answer.pieces):
            if piece:
                writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                await writer.drain()
                await asyncio.sleep(0)  # a write of its own
        if answer.end == "done" and answer.status != 204:
            writer.write(b"0\r\n\r\n")
        await writer.drain()


async def _one_by_one(pieces: Sequence[bytes] | AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    if isinstance(pieces, AsyncIterable):
        async for piece in pieces:
            yield piece
    else:
        for piece in pieces:
            yield piece


def data(event: Event, *, seq: int, run_id: str = "r_1") -> str:
    body = event.model_dump(mode="json") | {"seq": seq, "run_id": run_id, "conversation_id": CONVERSATION}
    return json.dumps(body, ensure_ascii=False)


def frame(event: Event, *, seq: int, run_id: str = "r_1", epoch: str = EPOCH, with_id: bool = True) -> bytes:
    kind = event.type  # type: ignore[attr-defined]
    mark = f"id: {epoch}-{seq}\n" if with_id else ""
    return f"event: {kind}\n{mark}data: {data(event, seq=seq, run_id=run_id)}\n\n".encode()


def run_of(*texts: str, answer_id: str = "m_2") -> list[Event]:
    """The events of a run that says ``texts``."""
    chunks = [Chunk(message_id=answer_id, agent="general", content=text) for text in texts]
    whole = Message(message_id=answer_id, agent="general", content="".join(texts))
    return [RunStarted(attempt=1, user_message_id="m_1"), *chunks, whole, Complete(status="succeeded")]


def frames(events: Sequence[Event]) -> list[bytes]:
    return [frame(event, seq=seq) for seq, event in enumerate(events, 1)]


def split(body: bytes, rng: random.Random, pieces: int = 30) -> list[bytes]:
    cuts = sorted(rng.sample(range(1, len(body)), min(pieces, len(body) - 1)))
    return [body[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]


def problem(status: int, code: str, detail: str = "No.", *, retry: bool = False) -> Answer:
    body = json.dumps({"status": status, "code": code, "detail": detail, "retry": retry}).encode()
    return Answer([body], status=status, content_type="application/problem+json")


def as_json(value: object, status: int = 200, **headers: str) -> Answer:
    return Answer([json.dumps(value).encode()], status=status, content_type="application/json", headers=headers)
