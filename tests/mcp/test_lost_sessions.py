"""A session ends on either side: the server forgets it, in words of its own, or does not hear that we leave."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from hosting import call, hosting
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from signalbox.tools.mcp.config import ServerConfig
from signalbox.tools.result import Err, Ok

TOOL = {"name": "echo", "description": "Says it.", "inputSchema": {"type": "object", "properties": {}}}
GREETING = {
    "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"},
}  # fmt: skip
ANSWERS = {
    "initialize": GREETING,
    "tools/list": {"tools": [TOOL]},
    "tools/call": {"content": [{"type": "text", "text": "hi"}]},
}


class Forgetful:
    """A server with sessions, which it can be made to forget."""

    def __init__(self, words: dict | None) -> None:
        self.words = words
        self.session = 0
        self.left = asyncio.Event()
        self.app = Starlette(routes=[Route("/mcp", self.answer, methods=["GET", "POST", "DELETE"])])

    async def answer(self, request):
        if request.method == "DELETE":
            self.left.set()
            await asyncio.sleep(3_600)
        if request.method == "GET":
            return Response(status_code=405)
        asked = await request.json()
        if asked["method"] == "initialize":
            self.session += 1
        elif request.headers["mcp-session-id"] != f"s{self.session}":
            return Response(status_code=404) if self.words is None else JSONResponse(self.words, 404)
        if "id" not in asked:
            return Response(status_code=202)
        if asked["method"] not in ANSWERS:
            told = {"error": {"code": -32601, "message": "no such method"}}
        else:
            told = {"result": ANSWERS[asked["method"]]}
        return JSONResponse({"jsonrpc": "2.0", "id": asked["id"], **told}, headers={"mcp-session-id": self.mine})

    @property
    def mine(self) -> str:
        return f"s{self.session}"

    def forget(self) -> None:
        self.session += 1


@asynccontextmanager
async def forgetful(words: dict | None) -> AsyncIterator[tuple[Forgetful, ServerConfig]]:
    server = Forgetful(words)
    config = uvicorn.Config(
        server.app, port=0, log_level="critical", lifespan="off", timeout_graceful_shutdown=0, timeout_keep_alive=75
    )
    running = uvicorn.Server(config)
    task = asyncio.create_task(running.serve())
    while not running.started:  # noqa: ASYNC110 - uvicorn has a flag, not an event
        await asyncio.sleep(0.01)
    url = f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}/mcp"
    try:
        yield server, ServerConfig(url=url, trust_first_use=True, effects={"*": "read"}, timeout_s=30)
    finally:
        running.should_exit = True
        await task


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wordless", None),
        ("python", {"jsonrpc": "2.0", "id": "server-error", "error": {"code": -32600, "message": "Session not found"}}),
        ("typescript", {"jsonrpc": "2.0", "id": None, "error": {"code": -32001, "message": "Session not found"}}),
        ("other", {"detail": "Not Found"}),
    ],
)
async def test_a_session_that_the_server_forgot_is_opened_anew(database, name, words):
    async with forgetful(words) as (server, config), hosting(database, **{name: config}) as host:
        assert isinstance(await call(host, f"{name}__echo"), Ok)
        server.forget()
        told = await call(host, f"{name}__echo")
        assert isinstance(told, Err)
        assert told.kind == "connection"
        again = await call(host, f"{name}__echo")
        assert isinstance(again, Ok), again


async def test_a_server_that_does_not_hear_our_leaving_holds_up_nobody(database):
    async with forgetful(None) as (server, config):
        async with hosting(database, deaf=config) as host:
            assert isinstance(await call(host, "deaf__echo"), Ok)
        assert server.left.is_set(), "and the host has ended all the same"
