"""A model behind Groq's API, or any server compatible with OpenAI's, over the ``groq`` SDK.

The SDK makes the HTTP call; its own retries are off and its stream parser is not used, because that loses the first
event behind a byte order mark, cannot tell a cut stream from a finished one and waits for the body after ``[DONE]``.
"""

import asyncio
import functools
import re
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, Final, cast

import groq
import httpx

from signalbox.errors import ConfigurationError
from signalbox.llm.base import Finish, ModelRequest, StreamItem, TextDelta
from signalbox.llm.chat_request import messages_of, tools_of
from signalbox.llm.completion import CompletionReader, FaultInStream, is_whole
from signalbox.llm.provider_faults import FAILURES, cut, fault_of, garbled
from signalbox.llm.sse_lines import EventTooLargeError, SseEvent, SseReader

GROQ_URL: Final = "https://api.groq.com"
_DRAIN_S = 0.05
_MAX_JSON_BYTES = 4 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to post, and which of the two dialects is spoken there."""

    url: str
    limit_field: str
    ask_usage: bool


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds: ``first_token`` until the first sign of an answer (text, reasoning, a tool call, or how much of a prompt
    is read), ``gap`` between two events after it, ``total`` for one whole answer. Time that the reader of the stream
    takes does not count as a gap. ``tail``: who has said why it finished owes at most a usage chunk.
    """

    first_token: float = 20.0
    gap: float = 15.0
    total: float = 120.0
    tail: float = 2.0


def endpoint_of(base_url: str) -> Endpoint:
    """The chat completions endpoint under a base URL as people write it.

    - ``https://api.groq.com`` or another URL without a version: ``/openai/v1/chat/completions`` is added, as the SDK
      does;
    - a URL that ends in a version, in ``/openai`` below one, or in ``/openai/v1``: ``/chat/completions`` is added, as
      clients of OpenAI-compatible servers expect (``http://localhost:11434/v1``);
    - a URL that ends in ``/chat/completions`` is used as it is.

    A query string is kept. Raises ``ConfigurationError`` for anything that is not an http(s) URL.
    """
    try:
        url = httpx.URL(base_url.strip())
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigurationError("The model's base URL must look like https://host/path.")
    path = url.path.rstrip("/")
    if not path.endswith("/chat/completions"):
        versioned = re.search(r"/v\d+(?:alpha|beta)?\d*(?:/openai)?$", path)
        path += "/chat/completions" if versioned else "/openai/v1/chat/completions"
    groq_dialect = path.endswith("/openai/v1/chat/completions")
    new_field = groq_dialect or url.host == "api.openai.com"
    return Endpoint(
        url=str(url.copy_with(path=path)),
        limit_field="max_completion_tokens" if new_field else "max_tokens",
        ask_usage=not groq_dialect,  # Groq reports usage in ``x_groq`` unasked
    )


class GroqModel:
    """A ``Model`` at ``base_url``: one attempt a stream, and no more. The caller who made it closes it.

    What it raises says whether to ask again (see ``ProviderError``); doing so is for who stands above. ``provider`` is
    what logs and books call it. ``max_idle`` connections are kept for the next request;
    ``extra_body`` holds fields of the request that only this server or model knows; ``reasoning_tokens`` are what the
    model may think unseen, beside what an answer may have.
    """

    instructable = True

    def __init__(
        self,
        model: str,
        *,
        api_key: str,
        base_url: str = GROQ_URL,
        provider: str = "groq",
        deadlines: Deadlines | None = None,
        connect_timeout: float = 5.0,
        max_connections: int = 1000,
        max_idle: int = 20,
        extra_body: Mapping[str, Any] | None = None,
        reasoning_tokens: int = 0,
    ) -> None:
        self.name = model
        self.provider = provider
        self._endpoint = endpoint_of(base_url)
        self._deadlines = deadlines or Deadlines()
        self._extra_body = dict(extra_body or {})
        self._reasoning_tokens = reasoning_tokens
        # Reading has no timeout here: our deadlines tell silence before the first token from silence after it.
        timeout = httpx.Timeout(None, connect=connect_timeout)
        self._client = groq.AsyncGroq(
            api_key=checked_key(api_key),
            base_url=self._endpoint.url,
            max_retries=0,
            timeout=timeout,
            http_client=groq.DefaultAsyncHttpxClient(
                timeout=timeout,
                verify=_tls(),
                limits=httpx.Limits(
                    max_connections=max_connections, max_keepalive_connections=max_idle, keepalive_expiry=30.0
                ),
            ),
        )

    async def close(self) -> None:
        await self._client.close()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        """See ``Model``."""
        try:
            async with aclosing(self._items(request)) as items:
                async for item in items:
                    yield item
        except FaultInStream as carried:
            fault = carried.fault
        except FAILURES as failure:
            fault = fault_of(failure)
        else:
            return
        # Outside of the handler, so that the provider's own words are in no chain of exceptions.
        raise fault.error from fault.cause

    async def _items(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        now = asyncio.get_running_loop().time()
        first, total = now + self._deadlines.first_token, now + self._deadlines.total
        async with asyncio.timeout_at(min(first, total)):
            response = await self._post(request)
        try:
            reader = CompletionReader()
            async with aclosing(self._texts(response, reader, first, total)) as texts:
                async for text in texts:
                    yield TextDelta(text)
            for call in reader.calls():
                yield call
            yield reader.usage(self.name, request)
            yield Finish(reader.reason(), reader.request_id)
        finally:
            await response.aclose()

    async def _post(self, request: ModelRequest) -> httpx.Response:
        body: dict[str, Any] = {
            "model": self.name,
            "messages": messages_of(request),
            self._endpoint.limit_field: request.max_tokens + self._reasoning_tokens,
            "temperature": request.temperature,
            "stream": True,
            **self._extra_body,
        }
        if request.tools:
            body["tools"] = tools_of(request)
        if self._endpoint.ask_usage:
            body["stream_options"] = {"include_usage": True}
        # ``post`` takes the address as it is; ``chat.completions.create`` would put "/openai/v1" below any base URL.
        response: httpx.Response = await self._client.post(
            self._endpoint.url, cast_to=httpx.Response, body=body, stream=True
        )
        return response

    async def _texts(
        self, response: httpx.Response, reader: CompletionReader, first: float, total: float
    ) -> AsyncGenerator[str, None]:
        """Shown texts until the answer is complete. Raises for an answer that is not."""
        sse = SseReader()
        deadline, spoke = first, False
        async with aclosing(_sse_body(response)) as pieces:
            while not reader.done:
                piece = await _next_piece(pieces, min(deadline, total), answered=reader.finish is not None)
                events = _completed(sse, piece)
                for event in events:
                    if not reader.done and (text := _taken(reader, event)):
                        yield text
                if piece is None:
                    break
                spoke = spoke or bool(events)
                deadline = self._next_deadline(reader, deadline, moved=bool(events))
            if reader.done:
                await _drain(pieces)
        if reader.finish is None and not reader.done:
            raise FaultInStream(cut() if spoke else garbled("a body without a single event"))
        if text := reader.end():
            yield text

    def _next_deadline(self, reader: CompletionReader, deadline: float, *, moved: bool) -> float:
        now = asyncio.get_running_loop().time()
        if reader.finish is not None:
            return now + self._deadlines.tail
        return now + self._deadlines.gap if moved and reader.begun else deadline


async def _sse_body(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The body's bytes; a plain JSON answer of a server that ignores ``stream`` comes as one event.

    The first byte decides which it is: servers and proxies label either as the other.
    """
    async with aclosing(cast("AsyncGenerator[bytes, None]", response.aiter_bytes())) as pieces:
        head = b""
        while not (start := head.removeprefix(_BOM).lstrip()) or _BOM.startswith(head):
            piece = await anext(pieces, None)
            if piece is None:
                break
            head += piece
            if len(head) > _MAX_JSON_BYTES:
                raise FaultInStream(garbled("a body of nothing but blanks"))
        if start.startswith(b"<"):
            raise FaultInStream(garbled("HTTP 200 with a web page instead of a stream"))
        if not start.startswith((b"{", b"[")):
            yield head
            async for piece in pieces:
                yield piece
            return
        whole = bytearray(start)
        async for piece in pieces:
            whole += piece
            if len(whole) > _MAX_JSON_BYTES:
                raise FaultInStream(garbled("a JSON body beyond any answer's size"))
    yield b"data: " + bytes(whole).replace(b"\r", b" ").replace(b"\n", b" ") + b"\n\n"


def _taken(reader: CompletionReader, event: SseEvent) -> str:
    """The event's text. Once the provider has said why it finished, a fault only spoils the tail."""
    answered = reader.finish is not None
    try:
        return reader.take(event)
    except FaultInStream:
        if not answered:
            raise
        return ""  # truth: the answer was whole, this is its tail


async def _next_piece(pieces: AsyncGenerator[bytes, None], deadline: float, *, answered: bool) -> bytes | None:
    """The next bytes, None at the end. Once the answer is whole, a failure only ends its tail."""
    with suppress(*(FAILURES if answered else ())):  # truth: the answer was whole, this is its tail
        async with asyncio.timeout_at(deadline):
            return await anext(pieces, None)
    return None


def _completed(sse: SseReader, piece: bytes | None) -> list[SseEvent]:
    """Events completed by ``piece``; with None, the one a body ended in without a blank line, if it is whole."""
    if piece is None:
        last = sse.end()
        return [last] if last is not None and is_whole(last.data) else []
    try:
        return sse.feed(piece)
    except EventTooLargeError:
        raise FaultInStream(garbled("an event beyond any chunk's size")) from None


async def _drain(pieces: AsyncGenerator[bytes, None]) -> None:
    """Read the end mark, all that should follow ``[DONE]``: a connection left before it is not used again."""
    with suppress(*FAILURES):
        async with asyncio.timeout(_DRAIN_S):
            async for _ in pieces:
                pass


@functools.cache
def _tls() -> ssl.SSLContext:
    """One for all clients: reading the trusted certificates takes tens of milliseconds."""
    return httpx.create_ssl_context()


def checked_key(api_key: str) -> str:
    """``api_key`` as it can be sent. Raises ``ConfigurationError``, which does not show it."""
    # An HTTP library quotes an illegal header in its error: a key with a line end would be in the log.
    key = api_key.strip()
    if not re.fullmatch(r"[!-~]+", key):
        raise ConfigurationError("The model's API key must be printable ASCII without spaces.")
    return key
