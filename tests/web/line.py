"""The wire between a browser and a server, which can be cut, go dead without a word, and be mended.

DevTools' offline switch tells the page and refuses new requests, but lets a stream that is open go on: only a cut line
takes a reader's stream away as a tunnel, a lift or a changed network does.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Line:
    def __init__(self, port: int) -> None:
        self._to = port
        self._open: set[asyncio.StreamWriter] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self._refuses = False
        self.url = ""
        self.connections = 0

    def cut(self) -> None:
        """Connections are reset, and new ones too, until it is mended."""
        self._refuses = True
        for writer in list(self._open):
            writer.transport.abort()

    def hush(self) -> None:
        """Nothing comes through any more, and nobody is told."""
        self._flows.clear()

    def mend(self) -> None:
        """New connections work; those that went dead stay so, as after a change of networks."""
        if not self._flows.is_set():
            self._open, dead = set(), self._open
            self._dead = dead
            self._flows = asyncio.Event()
            self._flows.set()
        self._refuses = False

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses:
            writer.transport.abort()
            return
        self.connections += 1
        flows = self._flows
        with suppress(OSError):
            there, back = await asyncio.open_connection("127.0.0.1", self._to)
            self._open |= {writer, back}
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pass_on(reader, back, flows))
                both.create_task(self._pass_on(there, writer, flows))

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, flows: asyncio.Event) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await flows.wait()
                writer.write(data)
                await writer.drain()
        self._open.discard(writer)
        writer.close()


@asynccontextmanager
async def line_to(port: int) -> AsyncIterator[Line]:
    line = Line(port)
    server = await asyncio.start_server(line._connected, "127.0.0.1", 0)
    line.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        server.close()
        line.cut()
