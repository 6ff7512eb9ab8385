"""A server behind a URL: streamable HTTP with the operator's headers, and answers of bounded size."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http import HTTPStatus
from typing import Any, Final, cast

import httpx2
from mcp.client.streamable_http import streamable_http_client

from signalbox.tools.mcp.stdio import MAX_LINE_BYTES, Streams

CONNECT_S: Final = 10.0
# Between two pieces of an answer; how long a call may take in all is the caller's business.
SILENCE_S: Final = 3_600.0
# For a server to hear that its session is over; nobody needs its answer.
LEAVING_S: Final = 2.0
_SESSION: Final = "mcp-session-id"


class TooLarge(httpx2.StreamError):
    """More than a message may have."""


class Packed(httpx2.StreamError):
    """An answer that was compressed, though none was asked for: how large it becomes nobody knows before."""


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > MAX_LINE_BYTES:
                raise TooLarge(f"the answer is larger than {MAX_LINE_BYTES:,} bytes")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Bounded(httpx2.AsyncHTTPTransport):
    """An event stream may go on for as long as it likes: the SDK bounds each event of it. ``lost`` is called when the
    server knows our session no more; it says so by the status, and in the body whatever it likes.
    """

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(retries=0)
        self._lost = lost

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["accept-encoding"] = "identity"
        leaving = request.method == "DELETE"
        if leaving:
            request.extensions["timeout"] = httpx2.Timeout(LEAVING_S).as_dict()
        response = await super().handle_async_request(request)
        if response.status_code == HTTPStatus.NOT_FOUND and _SESSION in request.headers and not leaving:
            self._lost()
        if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            await response.aclose()
            raise Packed("the answer is compressed")
        if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            response.stream = _Counted(cast("httpx2.AsyncByteStream", response.stream))
        return response


@asynccontextmanager
async def asking(url: str, headers: Mapping[str, str], lost: Callable[[], None]) -> AsyncIterator[Streams]:
    """The two streams of a session at ``url``. Nothing is sent before the first message; ``lost`` is called if the
    server ends the session.
    """
    async with httpx2.AsyncClient(
        headers=dict(headers),
        timeout=httpx2.Timeout(CONNECT_S, read=SILENCE_S),
        transport=_Bounded(lost),
        trust_env=False,
    ) as client:
        streams = cast(
            "AbstractAsyncContextManager[Any]",
            streamable_http_client(url, http_client=client, max_sse_event_size=MAX_LINE_BYTES),
        )
        async with streams as pair:
            yield pair
