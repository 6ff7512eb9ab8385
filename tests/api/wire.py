"""What the tests of the HTTP edge share: the check of every failing answer, and requests by the byte."""

import asyncio
import json
import re
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from live import Live
from signalbox.db import Database


def check_problem(response: httpx.Response, status: int | None = None, code: str | None = None) -> dict:
    """RFC 9457 with a stable code, and no server error."""
    assert 400 <= response.status_code < 500, response.text
    assert status in {None, response.status_code}, response.text
    assert response.headers["content-type"] == "application/problem+json"
    return check_problem_body(response.content, response.status_code, code)


def check_problem_body(content: bytes, status: int, code: str | None = None) -> dict:
    body = json.loads(content)
    assert body["status"] == status
    assert re.fullmatch(r"[a-z_]+", body["code"])
    assert code in {None, body["code"]}
    assert all((body["type"], body["title"], body["detail"]))
    assert "Traceback" not in body["detail"]
    assert len(content) < 4_000
    return body


@asynccontextmanager
async def no_run(database: Database, client: httpx.AsyncClient) -> AsyncIterator[None]:
    """Nothing in the block starts a run or a conversation of this user."""
    owner = client.cookies["signalbox_user"].partition(".")[0]

    async def count() -> list[int]:
        tables = "SELECT (SELECT count(*) FROM run WHERE user_id = %s) AS runs, "
        tables += "(SELECT count(*) FROM conversation WHERE user_id = %s) AS conversations"
        return list((await database.fetch(tables, (owner, owner)))[0].values())

    before = await count()
    yield
    assert await count() == before


async def exchange(port: int, request: bytes, *, end: bool = False, timeout: float = 30) -> tuple[int, bytes, bytes]:
    """Send ``request`` as it is and read until the server closes: status, head, body. 0 if there was no answer."""
    async with asyncio.timeout(timeout):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(request)
            if end:
                writer.write_eof()
            raw = await reader.read(-1)
        except ConnectionResetError:
            raw = b""
        finally:
            writer.close()
    head, _, body = raw.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]) if head else 0, head, body


def get_request(client: httpx.AsyncClient, target: str | bytes, *headers: bytes, version: bytes = b"1.1") -> bytes:
    """The bytes of a GET by this user, with a target and headers no client library would send."""
    cookie = f"Cookie: signalbox_user={client.cookies['signalbox_user']}".encode()
    target = target.encode() if isinstance(target, str) else target
    lines = [b"GET " + target + b" HTTP/" + version, b"Host: test", b"Connection: close", cookie, *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n"


async def open_stream(port: int, request: bytes, *, small: bool = False) -> socket.socket:
    """A plain non-blocking socket on which ``request`` was sent. ``small``: it takes few bytes unread."""
    sock = socket.socket()
    sock.setblocking(False)
    if small:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(sock, ("127.0.0.1", port))
    await loop.sock_sendall(sock, request)
    return sock


def reset(sock: socket.socket) -> None:
    """Leave with an RST instead of a FIN, as a vanished mobile client's network does."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


async def readers_back_to(server: Live, base: int, timeout: float = 30) -> None:
    async with asyncio.timeout(timeout):
        while server.services.hub.readers > base:  # noqa: ASYNC110 - nothing tells when a reader is gone
            await asyncio.sleep(0.02)
