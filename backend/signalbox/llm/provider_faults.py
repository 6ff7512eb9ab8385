"""Turns whatever a model provider does wrong into one ``Fault``: our error, whether to ask again, and how soon.

The only place that knows the exception classes of the ``groq`` SDK and of ``httpx``. No text of the provider leaves it:
a body may quote the prompt, the failed generation or the key.
"""

import email.utils
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import groq
import httpx

from signalbox.errors import (
    ProviderAuth,
    ProviderCut,
    ProviderError,
    ProviderRateLimited,
    ProviderRejected,
    ProviderTimeout,
    ProviderUnavailable,
)


class VendorError(Exception):
    """What the provider did, for the log: status, its short error code, request id. Never its body."""


@dataclass(frozen=True, slots=True)
class Fault:
    """``again``: the request may pass; ``wait``: seconds the provider asked for; ``cooler``: lower the temperature."""

    error: ProviderError
    cause: VendorError
    again: bool
    wait: float | None = None
    cooler: bool = False


# Errors that carry an HTTP status stand here too, so that a test can hold the table equal to the SDK; what decides
# for them is the status.
ERROR_CLASSES: Final[Mapping[type[BaseException], type[ProviderError]]] = {
    groq.GroqError: ProviderUnavailable,
    groq.APIError: ProviderUnavailable,
    groq.APIResponseValidationError: ProviderUnavailable,
    groq.APIConnectionError: ProviderUnavailable,
    groq.APITimeoutError: ProviderTimeout,
    groq.APIStatusError: ProviderUnavailable,
    groq.BadRequestError: ProviderRejected,
    groq.AuthenticationError: ProviderAuth,
    groq.PermissionDeniedError: ProviderAuth,
    groq.NotFoundError: ProviderRejected,
    groq.ConflictError: ProviderUnavailable,
    groq.UnprocessableEntityError: ProviderRejected,
    groq.RateLimitError: ProviderRateLimited,
    groq.InternalServerError: ProviderUnavailable,
    httpx.HTTPError: ProviderUnavailable,
    httpx.TimeoutException: ProviderTimeout,
    httpx.NetworkError: ProviderCut,
    httpx.ConnectError: ProviderUnavailable,
    httpx.RemoteProtocolError: ProviderCut,
    TimeoutError: ProviderTimeout,
}
# What a reader of the provider's stream has to catch.
FAILURES: Final = (groq.GroqError, httpx.HTTPError, TimeoutError)

_STATUSES: Final[Mapping[int, type[ProviderError]]] = {
    401: ProviderAuth,
    403: ProviderAuth,
    408: ProviderTimeout,
    409: ProviderUnavailable,
    425: ProviderUnavailable,
    429: ProviderRateLimited,
    498: ProviderRateLimited,  # Groq: flex tier over capacity
    504: ProviderTimeout,
}
# Error objects inside a stream often carry a word instead of a status.
_WORDS: Final[Mapping[str, type[ProviderError]]] = {
    "authentication_error": ProviderAuth,
    "context_length_exceeded": ProviderRejected,
    "insufficient_quota": ProviderRateLimited,
    "invalid_api_key": ProviderAuth,
    "invalid_request_error": ProviderRejected,
    "model_not_found": ProviderRejected,
    "permission_error": ProviderAuth,
    "rate_limit_error": ProviderRateLimited,
    "rate_limit_exceeded": ProviderRateLimited,
    "timeout": ProviderTimeout,
    "tool_use_failed": ProviderRejected,
}
_NO_MODEL: Final = "The configured language model does not exist at the provider. The operator must check its name."
_CODE = re.compile(r"[a-z][a-z0-9_]{0,39}")
_REQUEST_ID = re.compile(r"req_[a-z0-9]{1,40}")
_TRY_AGAIN = re.compile(
    r"try again in (?:(\d{1,5})h)?(?:(\d{1,5})m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?)(ms|s))?", re.IGNORECASE
)


def fault_of(failure: BaseException) -> Fault:
    """The fault behind an exception of the SDK, of its HTTP client, or of one of our own deadlines."""
    if isinstance(failure, groq.APIStatusError):
        return _fault_of_status(failure)
    return _fault(_class_of(failure), _names(failure))


def fault_of_object(error: object) -> Fault:
    """The fault behind an error object inside a stream or body that came with status 200."""
    fields: Mapping[str, Any] = error if isinstance(error, dict) else {"message": error}
    status = _status_in(fields)
    code = _code_in(fields)
    word = next((w for w in (code, _code(fields.get("type"))) if w in _WORDS), "")
    # A word says more than a status: quota and tool failures hide behind a plain 429 or 400.
    kind = _WORDS[word] if word else _class_of_status(status) if status else ProviderUnavailable
    what = f"error object in the stream: status {status or 'none'}, code {code or word or 'none'}"
    return _fault(kind, what, code=code, wait=_wait_in_text(fields.get("message")))


def cut() -> Fault:
    return _fault(ProviderCut, "the body ended without a finish reason and without [DONE]")


def garbled(what: str) -> Fault:
    """The provider, or a proxy before it, sent something that is not a chat completion."""
    return _fault(ProviderUnavailable, what)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait by ``retry-after-ms`` or ``retry-after`` (a number or an HTTP date), or None if unusable."""
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    return _until_date(value, now or datetime.now(UTC)) if value and "," in value else _seconds(value)


def _fault_of_status(failure: groq.APIStatusError) -> Fault:
    status = failure.status_code
    body = failure.body if isinstance(failure.body, dict) else {}
    error = body.get("error")
    fields: Mapping[str, Any] = error if isinstance(error, dict) else body
    headers = failure.response.headers
    code = _code_in(fields)
    request_id = _REQUEST_ID.fullmatch(headers.get("x-request-id", ""))
    what = f"HTTP {status}, code {code or 'none'}, request {request_id.group() if request_id else 'unknown'}"
    wait = retry_after(headers)
    if wait is None:
        wait = _wait_in_text(fields.get("message"))
    kind = ERROR_CLASSES.get(type(failure))
    if kind is None or type(failure) in {groq.APIStatusError, groq.InternalServerError}:
        kind = _class_of_status(status)
    return _fault(kind, what, code=code, wait=wait, public=_NO_MODEL if status == 404 else None)


def _fault(
    kind: type[ProviderError], what: str, *, code: str = "", wait: float | None = None, public: str | None = None
) -> Fault:
    if kind is ProviderRateLimited and wait is not None and 1 < wait <= 86_400:
        public = f"The language model is over its rate limit. Please try again in {_spoken(wait)}."
    cooler = code == "tool_use_failed"
    again = cooler or (kind not in {ProviderAuth, ProviderRejected} and code != "insufficient_quota")
    return Fault(kind(public), VendorError(what), again, wait, cooler)


def _class_of(failure: BaseException) -> type[ProviderError]:
    return next((ERROR_CLASSES[c] for c in type(failure).__mro__ if c in ERROR_CLASSES), ProviderUnavailable)


def _class_of_status(status: int) -> type[ProviderError]:
    rejected = 400 <= status < 500
    return _STATUSES.get(status, ProviderRejected if rejected else ProviderUnavailable)


def _names(failure: BaseException) -> str:
    """Class names along the chain of causes. Their texts stay behind: a protocol error quotes the body it met."""
    names: list[str] = []
    link: BaseException | None = failure
    while link is not None and len(names) < 8:
        number = getattr(link, "errno", None)
        names.append(type(link).__name__ + (f"({number})" if isinstance(number, int) else ""))
        link = link.__cause__ or link.__context__
    return " < ".join(names)


def _status_in(fields: Mapping[str, Any]) -> int:
    for name in ("status_code", "status", "code"):
        value = fields.get(name)
        if isinstance(value, str) and re.fullmatch(r"[1-5]\d\d", value):
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600:
            return value
    return 0


def _code_in(fields: Mapping[str, Any]) -> str:
    return _code(fields.get("code")) or _code(fields.get("type"))


def _code(value: object) -> str:
    """A short error code as it may be logged; anything that could be prose or a secret becomes an empty text."""
    return value if isinstance(value, str) and _CODE.fullmatch(value) and not value.startswith(("gsk_", "sk_")) else ""


def _wait_in_text(message: object) -> float | None:
    match = _TRY_AGAIN.search(message) if isinstance(message, str) else None
    if match is None or not any(match.groups()):
        return None
    hours, minutes, number, unit = match.groups()
    seconds = float(number or 0) / (1000 if unit and unit.lower() == "ms" else 1)
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + seconds


def _seconds(value: str | None) -> float | None:
    return float(value) if value and re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", value) else None


def _until_date(value: str, now: datetime) -> float | None:
    with suppress(ValueError):
        date = email.utils.parsedate_to_datetime(value)
        return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds())
    return None


def _spoken(seconds: float) -> str:
    if seconds < 90:
        return f"{math.ceil(seconds)} seconds"
    return f"{math.ceil(seconds / 60)} minutes"
