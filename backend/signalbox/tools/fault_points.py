"""Where faults on purpose strike below a tool: in the HTTP client of job boards, and in the embedder of searches.

Both pass everything through untouched unless the call they serve is to meet a fault.
"""

from collections.abc import AsyncIterator, Sequence
from contextvars import ContextVar
from typing import Any, Final

import httpx

from signalbox.llm.embedding import Embedder, Vectors

# The kind of fault that the call in hand is to meet, for whoever it asks.
INSIDE: Final[ContextVar[str | None]] = ContextVar("fault_inside", default=None)

_STATUS: Final = {"server_error": 500, "rate_limit": 429, "auth": 401, "not_found": 404}


class InjectedBug(RuntimeError):
    """A tool's own mistake, made on purpose."""


class FaultyTransport(httpx.AsyncBaseTransport):
    """What a board's server does to us when it is to fail; else ``inner``'s answer."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        kind = INSIDE.get()
        match kind:
            case "timeout":
                raise httpx.ReadTimeout("a fault on purpose", request=request)
            case "connection":
                raise httpx.ConnectError("a fault on purpose", request=request)
            case "server_error" | "rate_limit" | "auth" | "not_found":
                return httpx.Response(_STATUS[kind], request=request)
            case "partial" if request.url.params.get("page", "1") == "1":
                return await self._inner.handle_async_request(request)  # the first page comes, the others do not
            case "partial":
                return httpx.Response(500, request=request)
            case "truncated":
                response = await self._inner.handle_async_request(request)
                response.stream = _Cut(response.stream)
                return response
            case _:
                return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Cut(httpx.AsyncByteStream):
    """A body whose connection breaks after its first piece."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            yield piece[: len(piece) // 2]
            raise httpx.RemoteProtocolError("a fault on purpose")

    async def aclose(self) -> None:
        await self._inner.aclose()


class FaultyEmbedder(Embedder):
    """No vectors come where a call is to be answered in part: what is near in meaning cannot be searched then."""

    def __init__(self, inner: Embedder) -> None:
        self._whole = inner
        self.layers = inner.layers

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if INSIDE.get() == "partial":
            raise InjectedBug("a fault on purpose")
        return await self._whole.embed(texts)

    def embed_sync(self, texts: Sequence[str]) -> Vectors:
        if INSIDE.get() == "partial":
            raise InjectedBug("a fault on purpose")
        return self._whole.embed_sync(texts)

    async def close(self) -> None:
        await self._whole.close()
