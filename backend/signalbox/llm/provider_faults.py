"""Turns whatever a model provider does wrong into one ``Fault``: our error, which says whether to ask again and when.

The only place that knows the exception classes of the ``groq`` SDK and of ``httpx``. No text of the provider leaves it:
a body may quote the prompt, the failed generation or the key.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import groq
import httpx

from signalbox.errors import (
    ProviderAuth,
    ProviderCut,
    ProviderError,
    ProviderNoModel,
    ProviderRateLimited,
    ProviderRejected,
    ProviderTimeout,
    ProviderTooLong,
    ProviderUnavailable,
)
from signalbox.llm.provider_waits import spoken, wait_in_headers, wait_in_text


class VendorError(Exception):
    """What the provider did, for the log: status, its short error code, request id. Never its body."""


@dataclass(frozen=True, slots=True)
class Fault:
    """``error`` says whether the request may pass another time (``again``), after how many seconds (``wait``), and
    whether at a lower temperature (``cooler``); ``cause`` is for its ``__cause__``.
    """

    error: ProviderError
    cause: VendorError


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
    groq.NotFoundError: ProviderNoModel,
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
    402: ProviderRateLimited,
    403: ProviderAuth,
    404: ProviderNoModel,
    408: ProviderTimeout,
    409: ProviderUnavailable,
    413: ProviderTooLong,
    425: ProviderUnavailable,
    429: ProviderRateLimited,
    498: ProviderRateLimited,  # Groq: flex tier over capacity
    504: ProviderTimeout,
}
# Error objects often carry a word instead of a status, or one that says more: quota hides behind a plain 429, a
# prompt beyond the window behind a plain 400.
_WORDS: Final[Mapping[str, type[ProviderError]]] = {
    "authentication_error": ProviderAuth,
    "context_length_exceeded": ProviderTooLong,
    "exceed_context_size_error": ProviderTooLong,  # llama.cpp
    "insufficient_quota": ProviderRateLimited,
    "invalid_api_key": ProviderAuth,
    "invalid_request_error": ProviderRejected,
    "model_decommissioned": ProviderNoModel,
    "model_not_found": ProviderNoModel,
    "overloaded_error": ProviderUnavailable,
    "permission_error": ProviderAuth,
    "rate_limit_error": ProviderRateLimited,
    "rate_limit_exceeded": ProviderRateLimited,
    "request_too_large": ProviderTooLong,
    "string_above_max_length": ProviderTooLong,
    "timeout": ProviderTimeout,
    "tool_use_failed": ProviderRejected,
}
_NO_CREDIT: Final = "The language model's account has no credit left. The operator must check it."
_PUBLIC: Final[Mapping[str, str]] = {
    "insufficient_quota": _NO_CREDIT,
}
_CODE = re.compile(r"[a-z][a-z0-9_]{0,39}")
_REQUEST_ID = re.compile(r"req_[a-z0-9]{1,40}")
# How servers that have no code for it say that a prompt is too long.
_TOO_LONG = re.compile(
    r"context (?:length|size|window)|prompt is too long|reduce the length of"
    r"|input token count|too many (?:input )?tokens|request too large",
    re.IGNORECASE,
)
# How servers that answer with 400 say that they have no such model.
_GONE = re.compile(
    r"\bmodel\b.{0,120}\b(?:does not exist|not found|decommissioned)|not a valid model", re.IGNORECASE | re.DOTALL
)
# "... on tokens per minute (TPM): Limit 6000, Used 0, Requested 9000": no wait makes that fit.
_NEVER_FITS = re.compile(r"limit:? ([\d,]{1,12})\b.{0,60}?requested:? ([\d,]{1,12})\b", re.IGNORECASE | re.DOTALL)


def fault_of(failure: BaseException) -> Fault:
    """The fault behind an exception of the SDK, of its HTTP client, or of one of our own deadlines."""
    if isinstance(failure, groq.APIStatusError):
        return _fault_of_status(failure)
    return _fault(_class_of(failure), _names(failure))


def fault_of_object(error: object) -> Fault:
    """The fault behind an error object inside a stream or body that came with status 200."""
    fields: Mapping[str, Any] = error if isinstance(error, dict) else {"message": error}
    status, code = _status_in(fields), _code_in(fields)
    what = f"error object in the stream: status {status or 'none'}, code {code or 'none'}"
    by_status = _class_of_status(status) if status else ProviderUnavailable
    kind = by_status if by_status is ProviderTooLong else _class_of_words(fields) or by_status
    return _fault(_as_said(kind, fields), what, code=code, status=status, wait=wait_in_text(fields.get("message")))


def cut() -> Fault:
    return _fault(ProviderCut, "the body ended without a finish reason and without [DONE]")


def garbled(what: str) -> Fault:
    """The provider, or a proxy before it, sent something that is not a chat completion."""
    return _fault(ProviderUnavailable, what)


def _fault_of_status(failure: groq.APIStatusError) -> Fault:
    status, headers, fields = failure.status_code, failure.response.headers, _fields_of(failure.body)
    code = _code_in(fields)
    request_id = _REQUEST_ID.fullmatch(headers.get("x-request-id", ""))
    what = f"HTTP {status}, code {code or 'none'}, request {request_id.group() if request_id else 'unknown'}"
    wait = wait_in_headers(headers)
    if wait is None:
        wait = wait_in_text(fields.get("message"))
    by_status = _class_of_status(status)
    # Some servers answer a bad key or a model that is gone with 400: then their word decides.
    said = _class_of_words(fields)
    kind = said if said in {ProviderAuth, ProviderNoModel} else _as_said(by_status, fields)
    stubborn = headers.get("x-should-retry") == "false"
    return _fault(kind, what, code=code, status=status, wait=wait, stubborn=stubborn)


def _fault(
    kind: type[ProviderError],
    what: str,
    *,
    code: str = "",
    status: int = 0,
    wait: float | None = None,
    stubborn: bool = False,
) -> Fault:
    public = _PUBLIC.get(code) or {402: _NO_CREDIT}.get(status)
    cooler = code == "tool_use_failed"
    hopeless = issubclass(kind, ProviderAuth | ProviderRejected) or public == _NO_CREDIT or stubborn
    if public is None and kind is ProviderRateLimited and wait is not None and 1 < wait <= 86_400:
        public = f"The language model is over its rate limit. Please try again in {spoken(wait)}."
    return Fault(kind(public, again=cooler or not hopeless, wait=wait, cooler=cooler), VendorError(what))


def _class_of(failure: BaseException) -> type[ProviderError]:
    return next((ERROR_CLASSES[c] for c in type(failure).__mro__ if c in ERROR_CLASSES), ProviderUnavailable)


def _class_of_status(status: int) -> type[ProviderError]:
    rejected = 400 <= status < 500
    return _STATUSES.get(status, ProviderRejected if rejected else ProviderUnavailable)


def _class_of_words(fields: Mapping[str, Any]) -> type[ProviderError] | None:
    words = (_code(fields.get("code")), _code(fields.get("type")))
    return next((_WORDS[word] for word in words if word in _WORDS), None)


def _as_said(kind: type[ProviderError], fields: Mapping[str, Any]) -> type[ProviderError]:
    """``kind``, or what the words of a refusal say: that only less could pass, or that the model is gone."""
    if kind not in {ProviderRejected, ProviderRateLimited}:
        return kind
    if _class_of_words(fields) is ProviderTooLong:
        return ProviderTooLong
    message = fields.get("message")
    message = message[:2_000] if isinstance(message, str) else ""
    if kind is ProviderRateLimited:
        found = _NEVER_FITS.search(message)
        limit, requested = (int(number.replace(",", "") or 0) for number in found.groups()) if found else (0, 0)
        return ProviderTooLong if requested > limit else kind
    if _TOO_LONG.search(message):
        return ProviderTooLong
    return ProviderNoModel if _GONE.search(message) else kind


def _names(failure: BaseException) -> str:
    """Class names along the chain of causes. Their texts stay behind: a protocol error quotes the body it met."""
    names: list[str] = []
    link: BaseException | None = failure
    while link is not None and len(names) < 8:
        number = getattr(link, "errno", None)
        names.append(type(link).__name__ + (f"({number})" if isinstance(number, int) else ""))
        link = link.__cause__ or link.__context__
    return " < ".join(names)


def _fields_of(body: object) -> Mapping[str, Any]:
    """The error object of a body: under ``error``, the body itself, or the first of a list of either."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return {}
    error = body.get("error")
    if isinstance(error, str):
        return {**body, "message": error}
    return error if isinstance(error, dict) else body


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
