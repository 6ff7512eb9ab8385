"""A server behind a URL: its answers are bounded, also once unpacked, and whose call it is stands in one header."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
import uvicorn
from hosting import ANN, call, hosting
from web_server import built, web

from signalbox.memory.profile import Owner
from signalbox.tools.mcp.config import ServerConfig
from signalbox.tools.mcp.stdio import MAX_LINE_BYTES
from signalbox.tools.mcp.web import Packed, TooLarge, _Bounded
from signalbox.tools.result import Ok


@asynccontextmanager
async def answering(body: bytes, **headers: str) -> AsyncIterator[tuple[str, list[dict[bytes, bytes]]]]:
    asked: list[dict[bytes, bytes]] = []

    async def app(scope, receive, send):
        if scope["type"] == "http":
            asked.append(dict(scope["headers"]))
            told = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
            await send({"type": "http.response.start", "status": 200, "headers": told})
            await send({"type": "http.response.body", "body": body})

    running = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    task = asyncio.create_task(running.serve())
    while not running.started:  # noqa: ASYNC110 - uvicorn has a flag, not an event
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}/", asked
    finally:
        running.should_exit = True
        await task


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_an_answer_that_grows_when_it_is_unpacked_is_refused(kind):
    body = gzip.compress(b"x" * (2 * MAX_LINE_BYTES))
    async with (
        answering(body, content_type=kind, content_encoding="gzip") as (url, asked),
        httpx2.AsyncClient(transport=_Bounded(lambda: None), trust_env=False) as client,
    ):
        with pytest.raises(Packed):
            await client.post(url)
    assert asked[0][b"accept-encoding"] == b"identity"


async def test_an_answer_that_is_too_large_as_it_comes_is_refused():
    async with (
        answering(b"x" * (MAX_LINE_BYTES + 1), content_type="application/json") as (url, _),
        httpx2.AsyncClient(transport=_Bounded(lambda: None), trust_env=False) as client,
    ):
        with pytest.raises(TooLarge):
            await client.post(url)


async def test_a_users_calls_carry_their_own_credentials_and_nobody_elses(database):
    users = {"ann": {"headers": {"authorization": "Bearer of-ann"}}}
    async with web(built()) as port:
        config = ServerConfig(
            url=f"http://127.0.0.1:{port}/mcp",
            headers={"Authorization": "Bearer of-all"},
            users=users,
            trust_first_use=True,
            effects={"*": "read"},
        )
        async with hosting(database, whose=config) as host:
            anns = await call(host, "whose__greet", {"name": "Ann"}, owner=ANN)
            bobs = await call(host, "whose__greet", {"name": "Bob"}, owner=Owner("default", "bob"))
    assert isinstance(anns, Ok)
    assert isinstance(bobs, Ok)
    assert anns.value.text == "Hello Ann, you come with Bearer of-ann."
    assert bobs.value.text == "Hello Bob, you come with Bearer of-all."
