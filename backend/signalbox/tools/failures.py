"""What goes wrong while a tool runs, classified: the one place where an exception becomes an ``Err``.

timeout            TimeoutError, httpx.TimeoutException, ProviderTimeout, a statement the database cancelled
connection         ConnectionError and other OSErrors, httpx.TransportError
rate_limit         HTTP 429, ProviderRateLimited, TooManyWaiting
auth               HTTP 401 and 403, Unauthorized, ProviderAuth
not_found          HTTP 404 and 410, NotFound
invalid_arguments  HTTP 400 and 422, BadRequest, Conflict, what the database refuses to take
server_error       HTTP 5xx, other provider errors
unavailable        StoreUnavailable, LogUnavailable, the rest of our own errors, redirects and other HTTP errors
bug                everything else
"""

from typing import Final

import httpx
import psycopg

from signalbox.errors import (
    BadRequest,
    Conflict,
    NotFound,
    PayloadTooLarge,
    ProviderAuth,
    ProviderError,
    ProviderNoModel,
    ProviderRateLimited,
    ProviderRejected,
    ProviderTimeout,
    SignalboxError,
    StoreUnavailable,
    TooManyWaiting,
    Unauthorized,
)
from signalbox.tools.result import Err, ErrKind

# Ours by their class, the narrowest first; the note is the class's public text.
_OURS: Final[tuple[tuple[type[SignalboxError], ErrKind], ...]] = (
    (ProviderTimeout, "timeout"),
    (ProviderRateLimited, "rate_limit"),
    (TooManyWaiting, "rate_limit"),
    (ProviderAuth, "auth"),
    (Unauthorized, "auth"),
    (NotFound, "not_found"),
    (ProviderNoModel, "unavailable"),
    (ProviderRejected, "invalid_arguments"),
    (BadRequest, "invalid_arguments"),
    (Conflict, "invalid_arguments"),
    (PayloadTooLarge, "invalid_arguments"),
    (ProviderError, "server_error"),
    (SignalboxError, "unavailable"),
)
# Others' by their class, the narrowest first.
_THEIRS: Final[tuple[tuple[tuple[type[Exception], ...], ErrKind, str], ...]] = (
    (
        (StoreUnavailable, psycopg.errors.AdminShutdown, psycopg.errors.CannotConnectNow),
        "unavailable",
        "the database cannot be reached",
    ),
    ((TimeoutError, httpx.TimeoutException, psycopg.errors.QueryCanceled), "timeout", "it did not answer in time"),
    ((httpx.TransportError,), "connection", "the connection failed"),
    (
        (psycopg.DataError, psycopg.IntegrityError),
        "invalid_arguments",
        "the database does not take what was given",
    ),
    ((psycopg.OperationalError, psycopg.InterfaceError), "unavailable", "the database cannot be reached"),
    ((httpx.HTTPError, httpx.InvalidURL, httpx.StreamError), "unavailable", "it could not be asked"),
    ((OSError,), "connection", "it cannot be reached"),
)
_STATUSES: Final[dict[int, ErrKind]] = {
    400: "invalid_arguments",
    401: "auth",
    403: "auth",
    404: "not_found",
    408: "timeout",
    410: "not_found",
    413: "invalid_arguments",
    422: "invalid_arguments",
    429: "rate_limit",
    504: "timeout",
}
_LASTING: Final[frozenset[ErrKind]] = frozenset({"auth", "invalid_arguments", "not_found", "bug"})
_SERVER: Final = 500


def of_status(status: int) -> ErrKind:
    """The kind of an HTTP answer that is no success."""
    return _STATUSES.get(status, "server_error" if status >= _SERVER else "unavailable")


def lasting(kind: ErrKind) -> bool:
    """Whether the same call would fail the same way again."""
    return kind in _LASTING


def classified(exc: Exception) -> Err:
    """What ``exc`` says of a look-up. Never tells addresses, arguments or values: they may hold secrets."""
    if isinstance(exc, SignalboxError) and not isinstance(exc, StoreUnavailable):
        kind = next(kind for ours, kind in _OURS if isinstance(exc, ours))
        return Err(kind, exc.public, retryable=exc.retry)
    if isinstance(exc, httpx.HTTPStatusError):
        status = exc.response.status_code
        return _err(of_status(status), f"it answered with status {status}")
    found = next(((kind, note) for theirs, kind, note in _THEIRS if isinstance(exc, theirs)), None)
    if found is None:
        return _err("bug", f"an error of this program stopped the look-up ({type(exc).__name__})")
    return _err(*found)


def _err(kind: ErrKind, note: str) -> Err:
    return Err(kind, note, retryable=not lasting(kind))
