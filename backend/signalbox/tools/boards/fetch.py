"""One bounded look at a public API: size, time, redirects and form are all held, and every failure is an ``Err``."""

import asyncio
import email.utils
import json
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import httpx
import orjson

from signalbox.tools.failures import classified, of_status
from signalbox.tools.fault_points import FaultyTransport
from signalbox.tools.result import Err, Ok

MAX_BYTES: Final = 10 * 1024 * 1024
MAX_REDIRECTS: Final = 3
# Boards that ask for longer are asked again after this: a wrong header must not silence one for a day.
LONGEST_WAIT_S: Final = 3_600.0
_USUAL_WAIT_S: Final = 60.0
_PIECE: Final = 64 * 1024
_SEVERAL: Final = 300
_HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "gzip"}


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked. ``secret`` parameters are sent and told to nobody, and not part of what makes requests equal."""

    url: str
    params: tuple[tuple[str, str], ...] = ()
    secret: tuple[tuple[str, str], ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why there is no payload, and for how many seconds it is useless or impolite to ask again, if the board says."""

    err: Err
    wait_s: float | None = None


class _Problem(Exception):
    def __init__(self, err: Err, wait_s: float | None = None) -> None:
        super().__init__(err.note)
        self.refused = Refused(err, wait_s)


def board_client(contact: str = "https://github.com/signalbox/signalbox", *, faulty: bool = False) -> httpx.AsyncClient:
    """The one client of all boards: it says who asks, and holds few connections. Close it with the process.
    ``faulty``: faults on purpose reach down to it.
    """
    limits = httpx.Limits(max_connections=20, max_keepalive_connections=10, keepalive_expiry=30)
    return httpx.AsyncClient(
        headers={"User-Agent": f"signalbox (+{contact})"},
        limits=limits,
        timeout=httpx.Timeout(30),
        transport=FaultyTransport(httpx.AsyncHTTPTransport(limits=limits)) if faulty else None,
    )


async def fetch_json(http: httpx.AsyncClient, request: Request, *, timeout_s: float) -> Ok[Any] | Refused:
    """The parsed JSON of a GET, or why not. ``timeout_s`` bounds all of it, however slowly bytes drip in."""
    try:
        async with asyncio.timeout(timeout_s):
            body = await _body(http, request)
            return Ok(await asyncio.to_thread(_parsed, body))
    except (TimeoutError, httpx.TimeoutException):
        return Refused(Err("timeout", f"no answer within {timeout_s:.2g} seconds"))
    except _Problem as problem:
        return problem.refused
    except (ValueError, RecursionError):
        return Refused(Err("unavailable", "its answer is not valid JSON"))
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as exc:
        return Refused(Err(classified(exc).kind, _plain(exc)))


async def _body(http: httpx.AsyncClient, request: Request) -> bytes:
    url = httpx.URL(request.url, params=[*request.params, *request.secret])
    for _ in range(MAX_REDIRECTS + 1):
        async with http.stream("GET", url, headers=_HEADERS, follow_redirects=False) as response:
            if not response.is_redirect:
                return await _read(response)
            url = _redirected(url, response.headers.get("location", ""))
    raise _Problem(Err("unavailable", f"it redirected more than {MAX_REDIRECTS} times"))


def _parsed(body: bytes) -> Any:
    """JSON as the fast reader takes it, or else as the lenient one does: half a surrogate pair in one description
    must not cost all the others.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return json.loads(body)


def _redirected(url: httpx.URL, location: str) -> httpx.URL:
    """Where to go on. Never to another host: a board must not send us, or the key in the query, elsewhere."""
    target = url.join(location)
    if target.scheme not in {"http", "https"} or (url.scheme == "https" and target.scheme != "https"):
        raise _Problem(Err("unavailable", "it redirected to an address that is not secure", retryable=False))
    if _site(target.host) != _site(url.host) or (target.port != url.port and url.scheme == target.scheme):
        raise _Problem(Err("unavailable", "it redirected to another host, which is not followed", retryable=False))
    return target


def _site(host: str) -> str:
    return host.lower().removeprefix("www.")


async def _read(response: httpx.Response) -> bytes:
    _check(response)
    body = bytearray()
    async for piece in _decoded(response):
        body += piece
        if len(body) > MAX_BYTES:
            raise _Problem(Err("unavailable", f"its answer is larger than {MAX_BYTES // 1024**2} MB"))
    return bytes(body)


def _check(response: httpx.Response) -> None:
    """Raises what the status and the headers say is wrong."""
    status = response.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS:
        wait = _wait(response.headers.get("retry-after", ""))
        raise _Problem(Err("rate_limit", f"it asks to be left alone for {wait:.0f} seconds"), wait)
    if status in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
        raise _Problem(Err("auth", f"it refused us (status {status}); check the key", retryable=False), 300.0)
    if status in {httpx.codes.NOT_FOUND, httpx.codes.GONE}:
        raise _Problem(Err("not_found", "there is no such board", retryable=False), 300.0)
    if not status < _SEVERAL:
        asked = response.headers.get("retry-after")
        raise _Problem(Err(of_status(status), f"it answered with status {status}"), _wait(asked) if asked else None)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if "json" not in kind:
        raise _Problem(Err("unavailable", f"it answered with {kind or 'no content type'} instead of JSON"))


async def _decoded(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body in small pieces. Unpacked here, since the client would unpack a bomb's every piece to its full size."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"gzip", "x-gzip", "identity", ""}:
        raise _Problem(Err("unavailable", f"its answer is packed in a way we do not read ({encoding[:20]})"))
    if "gzip" not in encoding:
        async for raw in response.aiter_raw():
            yield raw
        return
    unpack = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        async for raw in response.aiter_raw():
            rest = raw
            while rest and not unpack.eof:
                yield unpack.decompress(rest, _PIECE)
                rest = unpack.unconsumed_tail
        yield unpack.flush(_PIECE)
    except zlib.error as exc:
        raise _Problem(Err("unavailable", "its packed answer is damaged")) from exc
    if not unpack.eof:
        raise _Problem(Err("unavailable", "its answer was cut off"))


def _wait(header: str) -> float:
    """Seconds a ``Retry-After`` asks for, as a number or as a date; a minute where it says nothing we can read."""
    text = header.strip()
    if text.isascii() and text.isdigit():
        return min(float(text), LONGEST_WAIT_S)
    try:
        until = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return _USUAL_WAIT_S
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(1.0, min((until - datetime.now(UTC)).total_seconds(), LONGEST_WAIT_S))


def _plain(exc: Exception) -> str:
    """What went wrong in words without the address: its query may hold a key."""
    match exc:
        case httpx.ConnectError():
            return "it cannot be reached"
        case httpx.RemoteProtocolError() | httpx.ReadError():
            return "its answer was cut off"
        case _:
            return f"the connection failed ({type(exc).__name__})"
