"""A model behind Groq's API, or any server compatible with OpenAI's, over the ``groq`` SDK.

The SDK makes the HTTP call; its own retries are off and its stream parser is not used, because that loses the first
event behind a byte order mark, cannot tell a cut stream from a finished one and waits for the body after ``[DONE]``.
"""

import asyncio
import math
import random
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import groq
import httpx
import structlog

from signalbox.encoding import clean_text
from signalbox.errors import ConfigurationError
from signalbox.llm.base import Finish, ModelRequest, StreamItem, TextDelta
from signalbox.llm.completion import CompletionReader, FaultInStream, is_whole
from signalbox.llm.provider_faults import FAILURES, Fault, cut, fault_of, garbled
from signalbox.llm.sse_lines import EventTooLargeError, SseEvent, SseReader

GROQ_URL: Final = "https://api.groq.com"
# A provider that has said why it finished owes at most a usage chunk: nobody waits long for that.
_TAIL_S = 2.0
_DRAIN_S = 0.05
_FIRST_BACKOFF_S, _MAX_BACKOFF_S = 0.5, 8.0
_MAX_JSON_BYTES = 4 * 1024 * 1024
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to post, and which of the two dialects is spoken there."""

    url: str
    limit_field: str
    ask_usage: bool


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds: ``first_token`` until the first text or reasoning, ``gap`` between two events after it, ``total`` for
    one whole answer. Time the reader of the stream takes does not count as a gap.
    """

    first_token: float = 20.0
    gap: float = 15.0
    total: float = 120.0


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a request is made before its first text, and within how many seconds, waits included.

    A wait is what the provider asked for, else full jitter over 0.5, 1, 2, ... seconds. A wait that does not fit
    into the budget fails at once.
    """

    attempts: int = 3
    budget: float = 20.0


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
    """A ``Model`` at ``base_url``. The caller who made it closes it."""

    instructable = True

    def __init__(
        self,
        model: str,
        *,
        api_key: str,
        base_url: str = GROQ_URL,
        deadlines: Deadlines | None = None,
        retries: Retries | None = None,
        connect_timeout: float = 5.0,
        max_connections: int = 1000,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.name = model
        self._endpoint = endpoint_of(base_url)
        self._deadlines = deadlines or Deadlines()
        self._retries = retries or Retries()
        self._sleep = sleep
        self._chance = chance
        # Reading has no timeout here: our deadlines tell silence before the first token from silence after it.
        timeout = httpx.Timeout(None, connect=connect_timeout)
        self._client = groq.AsyncGroq(
            api_key=_checked_key(api_key),
            base_url=self._endpoint.url,
            max_retries=0,
            timeout=timeout,
            http_client=groq.DefaultAsyncHttpxClient(
                timeout=timeout,
                limits=httpx.Limits(
                    max_connections=max_connections, max_keepalive_connections=20, keepalive_expiry=30.0
                ),
            ),
        )

    async def close(self) -> None:
        await self._client.close()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        """See ``Model``. Failures before the first text are retried within ``Retries``; later ones are raised."""
        loop = asyncio.get_running_loop()
        budget_end = loop.time() + self._retries.budget
        for attempt in range(1, self._retries.attempts + 1):
            shown = False
            try:
                async with aclosing(self._attempt(request, budget_end)) as items:
                    async for item in items:
                        shown = True
                        yield item
            except FaultInStream as carried:
                fault = carried.fault
            except FAILURES as failure:
                fault = fault_of(failure)
            else:
                return
            wait = self._wait(fault, attempt)
            if shown or not fault.again or attempt == self._retries.attempts or loop.time() + wait >= budget_end:
                # Outside of the handler, so that the provider's own words are in no chain of exceptions.
                raise fault.error from fault.cause
            _log.warning(
                "provider_retry", model=self.name, attempt=attempt, wait_s=round(wait, 3), cause=str(fault.cause)
            )
            await self._sleep(wait)
            if fault.cooler:
                request = replace(request, temperature=request.temperature / 2)

    async def _attempt(self, request: ModelRequest, budget_end: float) -> AsyncGenerator[StreamItem, None]:
        now = asyncio.get_running_loop().time()
        first = min(now + self._deadlines.first_token, budget_end)
        total = now + self._deadlines.total
        async with asyncio.timeout_at(min(first, total)):
            response = await self._post(request)
        try:
            reader = CompletionReader()
            async with aclosing(self._texts(response, reader, first, total)) as texts:
                async for text in texts:
                    yield TextDelta(text)
            yield reader.usage(self.name, request.messages)
            yield Finish(reader.finish or "other", reader.request_id)
        finally:
            await response.aclose()

    async def _post(self, request: ModelRequest) -> httpx.Response:
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": each.role, "content": clean_text(each.content)} for each in request.messages],
            self._endpoint.limit_field: request.max_tokens,
            "temperature": request.temperature,
            "stream": True,
        }
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
        deadline = first
        async with aclosing(_sse_body(response)) as pieces:
            while not reader.done:
                piece = await _next_piece(pieces, min(deadline, total), answered=reader.finish is not None)
                events = _completed(sse, piece)
                for event in events:
                    if not reader.done and (text := reader.take(event)):
                        yield text
                if piece is None:
                    break
                deadline = self._next_deadline(reader, deadline, moved=bool(events))
            if reader.done:
                await _drain(pieces)
        if reader.finish is None and not reader.done:
            raise FaultInStream(cut())
        if text := reader.end():
            yield text

    def _next_deadline(self, reader: CompletionReader, deadline: float, *, moved: bool) -> float:
        now = asyncio.get_running_loop().time()
        if reader.finish is not None:
            return now + _TAIL_S
        return now + self._deadlines.gap if moved and reader.begun else deadline

    def _wait(self, fault: Fault, attempt: int) -> float:
        if fault.wait is not None:
            # A little spread: many runs are told the same second.
            return fault.wait + self._chance() * min(0.5, 0.1 + fault.wait / 10)
        return self._chance() * min(_MAX_BACKOFF_S, math.ldexp(_FIRST_BACKOFF_S, attempt - 1))


async def _sse_body(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The body's bytes; a plain JSON answer of a server that ignores ``stream`` comes as one event."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/html":
        raise FaultInStream(garbled("HTTP 200 with a web page instead of a stream"))
    if kind != "application/json":
        async for piece in response.aiter_bytes():
            yield piece
        return
    whole = bytearray()
    async for piece in response.aiter_bytes():
        whole += piece
        if len(whole) > _MAX_JSON_BYTES:
            raise FaultInStream(garbled("a JSON body beyond any answer's size"))
    yield b"data: " + bytes(whole).replace(b"\r", b" ").replace(b"\n", b" ") + b"\n\n"


async def _next_piece(pieces: AsyncGenerator[bytes, None], deadline: float, *, answered: bool) -> bytes | None:
    """The next bytes, None at the end. Once the answer is whole, a failure only ends its tail."""
    with suppress(*(FAILURES if answered else ())):
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


def _checked_key(api_key: str) -> str:
    # An HTTP library quotes an illegal header in its error: a key with a line end would be in the log.
    key = api_key.strip()
    if not re.fullmatch(r"[!-~]+", key):
        raise ConfigurationError("The model's API key must be printable ASCII without spaces.")
    return key
