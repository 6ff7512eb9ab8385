"""Every exception that a tool may raise has a kind."""

from typing import get_args

import httpx
import psycopg
import pytest

from signalbox import errors
from signalbox.errors import SignalboxError
from signalbox.tools.failures import classified, lasting, of_status
from signalbox.tools.result import KIND_WORDS, ErrKind

REQUEST = httpx.Request("GET", "https://board.example/jobs?app_key=s3cr3t")


def answered(status):
    return httpx.HTTPStatusError("x", request=REQUEST, response=httpx.Response(status, request=REQUEST))


@pytest.mark.parametrize(
    ("exc", "kind"),
    [
        (TimeoutError(), "timeout"),
        (httpx.ReadTimeout("s3cr3t", request=REQUEST), "timeout"),
        (httpx.PoolTimeout("s3cr3t", request=REQUEST), "timeout"),
        (psycopg.errors.QueryCanceled(), "timeout"),
        (answered(408), "timeout"),
        (answered(504), "timeout"),
        (errors.ProviderTimeout(), "timeout"),
        (httpx.ConnectError("s3cr3t", request=REQUEST), "connection"),
        (httpx.RemoteProtocolError("s3cr3t", request=REQUEST), "connection"),
        (ConnectionResetError(), "connection"),
        (OSError("s3cr3t"), "connection"),
        (answered(429), "rate_limit"),
        (errors.ProviderRateLimited(), "rate_limit"),
        (errors.TooManyWaiting(), "rate_limit"),
        (answered(401), "auth"),
        (answered(403), "auth"),
        (errors.ProviderAuth(), "auth"),
        (errors.Unauthorized(), "auth"),
        (answered(404), "not_found"),
        (answered(410), "not_found"),
        (errors.NotFound(), "not_found"),
        (answered(400), "invalid_arguments"),
        (answered(422), "invalid_arguments"),
        (errors.BadRequest(), "invalid_arguments"),
        (errors.Conflict(), "invalid_arguments"),
        (psycopg.DataError("s3cr3t"), "invalid_arguments"),
        (answered(500), "server_error"),
        (answered(503), "server_error"),
        (errors.ProviderUnavailable(), "server_error"),
        (answered(302), "unavailable"),
        (errors.StoreUnavailable(), "unavailable"),
        (errors.LogUnavailable(), "unavailable"),
        (psycopg.OperationalError("s3cr3t"), "unavailable"),
        (httpx.InvalidURL("s3cr3t"), "unavailable"),
        (KeyError("s3cr3t"), "bug"),
        (ValueError("s3cr3t"), "bug"),
        (psycopg.ProgrammingError("s3cr3t"), "bug"),
        (AssertionError(), "bug"),
        (RecursionError(), "bug"),
    ],
)
def test_an_exception_has_its_kind_and_tells_no_secret(exc, kind):
    err = classified(exc)
    assert err.kind == kind
    assert err.note
    assert "s3cr3t" not in err.note
    if not isinstance(exc, SignalboxError):
        assert err.retryable is not lasting(err.kind)


def every(kind):
    yield kind
    for below in kind.__subclasses__():
        yield from every(below)


def test_each_of_our_own_errors_has_a_kind_and_none_is_a_bug():
    ours = [kind for kind in every(SignalboxError) if kind.__module__ == errors.__name__]
    assert len(ours) > 20
    for kind in ours:
        exc = kind.__new__(kind)
        SignalboxError.__init__(exc)
        err = classified(exc)
        assert err.kind in get_args(ErrKind)
        assert err.kind != "bug"
        assert err.retryable is kind.retry or kind is errors.StoreUnavailable


def test_every_kind_has_words_and_every_status_a_kind():
    assert set(KIND_WORDS) == set(get_args(ErrKind))
    assert {of_status(status) for status in range(300, 600)} <= set(get_args(ErrKind))
    assert all(of_status(status) in {"server_error", "timeout"} for status in range(500, 600))
