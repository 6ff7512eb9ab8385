import asyncio, time, socket
import httpx, uvicorn
from contextlib import asynccontextmanager
from live import ask, read_all, parse
from wire import *
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from signalbox.app import create_app

class StreamProtocol(HttpToolsProtocol):
    def connection_made(self, transport):
        super().connection_made(transport)
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 2_000)
    def _start_asgi_task(self, cycle, app):
        if cycle.scope["http_version"] == "1.0":
            app = unchunked(cycle, app)
        super()._start_asgi_task(cycle, app)

def unchunked(cycle, app):
    async def old(scope, receive, send):
        sized = False
        async def plain(message):
            nonlocal sized
            if message["type"] == "http.response.start":
                sized = any(name.lower() == b"content-length" for name, _ in message.get("headers", ()))
                cycle.chunked_encoding = None if sized else False
            elif not sized:
                cycle.expected_content_length = len(message.get("body", b""))
            await send(message)
        await app(scope, receive, plain)
    return old

@asynccontextmanager
async def second(server):
    listener = socket.socket(); listener.bind(("127.0.0.1", 0))
    app = create_app(server.services.settings, server.services)
    srv = uvicorn.Server(uvicorn.Config(app, log_level="warning", http=StreamProtocol, timeout_graceful_shutdown=2))
    task = asyncio.create_task(srv.serve(sockets=[listener]))
    while not srv.started: await asyncio.sleep(0.01)
    yield srv, listener.getsockname()[1]
    srv.should_exit = True
    await task

async def test_leak(server, user):
    async with second(server) as (srv, port):
        base = server.services.hub.readers
        run = await ask(user, "/ticks 18000 0 0")
        stuck = await open_stream(port, get_request(user, run["events_url"]), small=True)
        await read_all(user, run["events_url"])
        await readers_back_to(server, base, timeout=15)
        for i in range(8):
            await asyncio.sleep(1)
            print("\nafter", i+1, [(c.transport.get_write_buffer_size(), c.transport.is_closing()) for c in srv.server_state.connections])
        stuck.close()
        run = await ask(user, "/ticks 5 0 0")
        for t in (run["events_url"], "/v1/conversations", "/v1/runs/x", "/healthz"):
            status, head, body = await exchange(port, get_request(user, t, version=b"1.0").replace(b"Host: test\r\n", b""))
            print(status, b"chunked" in head, body[:60], body[-60:])
        print(parse((await exchange(port, get_request(user, run["events_url"], version=b"1.0")))[2]).types)
