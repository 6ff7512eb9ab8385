"""The wire between a browser and a server, which can be cut, go dead without a word, and be mended.

DevTools' offline switch tells the page and refuses new requests, but lets a stream that is open go on: only a cut line
takes a reader's stream away as a tunnel, a lift or a changed network does.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass(eq=False)
class Connection:
    """``dead``: nothing comes through, and who writes into it is told so as soon as the line is mended."""

    ends: tuple[asyncio.StreamWriter, asyncio.StreamWriter]
    dead: bool = False

    def reset(self) -> None:
        for end in self.ends:
            end.transport.abort()


@dataclass
class Line:
    port: int
    url: str = ""
    _open: set[Connection] = field(default_factory=set)
    _refuses: bool = False
    _mended: asyncio.Event = field(default_factory=asyncio.Event)

    def cut(self) -> None:
        """Connections are reset, and new ones too, until it is mended."""
        self._refuses = True
        for connection in list(self._open):
            connection.reset()

    def hush(self) -> None:
        """Nothing comes through any more, and nobody is told."""
        self._mended.clear()
        for connection in self._open:
            connection.dead = True

    def mend(self) -> None:
        """New connections work; those that went dead stay so, as after a change of networks."""
        self._refuses = False
        self._mended.set()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses:
            writer.transport.abort()
            return
        with suppress(OSError):
            there, back = await asyncio.open_connection("127.0.0.1", self.port)
            connection = Connection((writer, back))
            self._open.add(connection)
            await asyncio.gather(self._up(reader, connection), self._down(there, connection))
            self._open.discard(connection)

    async def _up(self, reader: asyncio.StreamReader, connection: Connection) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                if connection.dead:
                    await self._mended.wait()
                    connection.reset()
                    break
                connection.ends[1].write(data)
                await connection.ends[1].drain()
        connection.ends[1].close()

    async def _down(self, reader: asyncio.StreamReader, connection: Connection) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                if not connection.dead:
                    connection.ends[0].write(data)
                    await connection.ends[0].drain()
        if not connection.dead:
            connection.ends[0].close()


@asynccontextmanager
async def line_to(port: int) -> AsyncIterator[Line]:
    line = Line(port)
    server = await asyncio.start_server(line.connected, "127.0.0.1", 0)
    line.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        server.close()
        line.mend()
        line.cut()
