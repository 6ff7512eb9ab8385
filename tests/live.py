"""A real server for tests: the app under uvicorn on a free port, and a byte-level SSE reader."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import uvicorn

from signalbox.app import create_app
from signalbox.llm.base import Model
from signalbox.services import Services, open_services
from signalbox.serving import DrainingServer, http_protocol
from signalbox.settings import Settings


@dataclass
class Live:
    url: str
    port: int
    services: Services
    server: DrainingServer

    def user(self, **headers: str) -> httpx.AsyncClient:
        """A client of its own: its first answer makes it a new anonymous user."""
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=30, verify=False)


@asynccontextmanager
async def live(settings: Settings, *, model: Model | None = None) -> AsyncIterator[Live]:
    async with open_services(settings, model=model) as services, serving(settings, services) as running:
        yield running


@asynccontextmanager
async def serving(settings: Settings, services: Services) -> AsyncIterator[Live]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        create_app(settings, services),
        log_level="warning",
        http=http_protocol(settings.send_timeout_s),
        timeout_graceful_shutdown=2,
        timeout_keep_alive=75,
    )
    server = DrainingServer(config, services)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not task.done():  # noqa: ASYNC110 - uvicorn has a flag, not an event
        await asyncio.sleep(0.01)
    port = listener.getsockname()[1]
    try:
        yield Live(f"http://127.0.0.1:{port}", port, services, server)
    finally:
        server.should_exit = True
        await task


@dataclass
class Event:
    type: str
    id: str | None
    data: dict[str, Any]


@dataclass
class Parsed:
    events: list[Event] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    retry: list[int] = field(default_factory=list)

    @property
    def types(self) -> list[str]:
        return [event.type for event in self.events]

    @property
    def text(self) -> str:
        return "".join(event.data["content"] for event in self.events if event.type == "chunk")


def parse(raw: bytes) -> Parsed:
    """Whole frames only, by the letter: LF framing, one data line of strict JSON."""
    assert b"\r" not in raw
    found = Parsed()
    for block in raw.split(b"\n\n")[:-1]:
        fields = {"event": "message"}
        for line in block.decode().split("\n"):
            if line.startswith(":"):
                found.comments.append(line[1:].strip())
                continue
            name, _, value = line.partition(": ")
            assert name not in fields or name == "event", f"two {name} lines in {block!r}"
            fields[name] = value
        if "retry" in fields:
            found.retry.append(int(fields["retry"]))
        if "data" in fields:
            data = json.loads(fields["data"], parse_constant=_refuse)
            assert data["type"] == fields["event"]
            found.events.append(Event(fields["event"], fields.get("id"), data))
    return found


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


async def read_all(client: httpx.AsyncClient, url: str, *, timeout: float = 120, **kwargs: Any) -> Parsed:
    """The whole stream, until the server ends it. Heartbeats would keep one that is never ended open for ever."""
    async with asyncio.timeout(timeout), client.stream("GET", url, **kwargs) as response:
        assert response.status_code == 200, await response.aread()
        return parse(await response.aread())


async def read_until(
    client: httpx.AsyncClient, url: str, stop: bytes, *, method: str = "GET", timeout: float = 60, **kwargs: Any
) -> bytes:
    """Raw bytes up to and including the first frame that holds ``stop``."""
    raw = b""
    async with asyncio.timeout(timeout), client.stream(method, url, **kwargs) as response:
        assert response.status_code == 200, await response.aread()
        async for chunk in response.aiter_raw():
            raw += chunk
            if stop in raw and raw.endswith(b"\n\n"):
                break
    return raw


async def ask(client: httpx.AsyncClient, message: str, **body: Any) -> dict[str, Any]:
    response = await client.post("/v1/chat", json={"message": message, **body})
    assert response.status_code == 202, response.text
    return response.json()


async def finished(client: httpx.AsyncClient, run_id: str, timeout: float = 60) -> dict[str, Any]:
    """The run's row once it is over in the store; its worker may still have to say so, and to tidy up after it."""
    async with asyncio.timeout(timeout):
        while True:
            row = (await client.get(f"/v1/runs/{run_id}")).json()
            if row["status"] not in {"pending", "running"}:
                return row
            await asyncio.sleep(0.02)


async def left(services: Services, run_id: str, timeout: float = 60) -> None:
    """Until the run's worker, which is this process, has done all that follows from the run's end."""
    async with asyncio.timeout(timeout):
        while run_id in services.runner._tasks:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)
