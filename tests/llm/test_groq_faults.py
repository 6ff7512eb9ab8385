"""The Groq adapter when things go wrong: the right error after one request, no secret told, no connection left."""

import asyncio
import contextlib
import email.utils
import inspect
import logging
import time
from datetime import UTC, datetime

import groq
import httpx
import pytest
import structlog
from asking import KEY, REQUEST, SECRET, answer, ask, assert_no_secret, body_of, fails, model_at, text_of
from loopback import Loopback, Reply, chunk, data, failure, sse

from signalbox import errors
from signalbox.llm.base import TextDelta
from signalbox.llm.groq import Deadlines
from signalbox.llm.provider_faults import ERROR_CLASSES, fault_of, fault_of_object
from signalbox.llm.provider_waits import wait_in_headers, wait_in_text

# What goes wrong, and what it is called


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, errors.ProviderRejected),
        (401, errors.ProviderAuth),
        (403, errors.ProviderAuth),
        (404, errors.ProviderNoModel),
        (413, errors.ProviderTooLong),
        (422, errors.ProviderRejected),
    ],
)
async def test_a_refusal_says_that_asking_again_is_no_use(status, error):
    shown, raised, provider = await fails(failure(status, {"message": f"{SECRET} {KEY}", "code": KEY.lower()}))
    assert (type(raised), raised.again, raised.cooler) == (error, False, False)
    assert (shown, len(provider.requests)) == ("", 1)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (408, errors.ProviderTimeout),
        (409, errors.ProviderUnavailable),
        (429, errors.ProviderRateLimited),
        (498, errors.ProviderRateLimited),
        (500, errors.ProviderUnavailable),
        (503, errors.ProviderUnavailable),
        (504, errors.ProviderTimeout),
        (529, errors.ProviderUnavailable),
    ],
)
async def test_a_passing_trouble_says_so_after_one_request(status, error):
    _, raised, provider = await fails(failure(status))
    assert (type(raised), raised.again, raised.wait) == (error, True, None)
    assert len(provider.requests) == 1


async def test_a_server_that_asks_not_to_be_tried_again_is_believed():
    _, raised, _ = await fails(failure(503, x_should_retry="false"))
    assert (type(raised), raised.again) == (errors.ProviderUnavailable, False)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (404, {"code": "model_not_found", "message": SECRET}),
        (400, {"code": "model_decommissioned", "message": SECRET}),
        (400, {"message": "The model `m` has been decommissioned and is no longer supported."}),
        (400, {"code": 400, "message": "m is not a valid model ID"}),
        (404, {"type": "api_error", "message": "model 'm' not found, try pulling it first"}),
    ],
)
async def test_a_model_that_is_gone_is_told_apart_from_a_request_that_is_refused(status, error):
    _, raised, _ = await fails(failure(status, error))
    assert (type(raised), raised.again) == (errors.ProviderNoModel, False)
    assert "operator must check its name" in raised.public


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, {"code": "context_length_exceeded", "message": SECRET}, errors.ProviderTooLong),
        (400, {"code": 400, "type": "exceed_context_size_error", "message": SECRET}, errors.ProviderTooLong),
        (400, {"type": "BadRequestError", "message": "maximum context length is 8 tokens"}, errors.ProviderTooLong),
        (400, {"message": "Please reduce the length of the messages or completion."}, errors.ProviderTooLong),
        (400, {"message": "prompt is too long: 9 tokens > 8 maximum"}, errors.ProviderTooLong),
        (413, {"code": "rate_limit_exceeded", "message": SECRET}, errors.ProviderTooLong),
        (
            429,
            {"code": "rate_limit_exceeded", "message": "tokens per min (TPM): Limit 30,000, Requested 40,000."},
            errors.ProviderTooLong,
        ),
        (
            429,
            {"message": "tokens per minute (TPM): Limit 6000, Used 5999, Requested 900. Please try again in 8.99s."},
            errors.ProviderRateLimited,
        ),
        (400, {"message": "temperature must be at most 2"}, errors.ProviderRejected),
        (400, {"code": "invalid_api_key", "message": SECRET}, errors.ProviderAuth),
    ],
)
async def test_a_prompt_that_is_too_long_is_told_from_other_refusals(status, error, kind):
    _, raised, _ = await fails(failure(status, error))
    assert type(raised) is kind
    _, raised, _ = await fails(Reply(data({"error": {**error, "status_code": status}})))
    assert type(raised) is kind
    assert raised.again is (kind is errors.ProviderRateLimited)


@pytest.mark.parametrize(
    "reply",
    [failure(402), failure(429, {"code": "insufficient_quota", "message": SECRET}, retry_after="2")],
    ids=["402", "quota"],
)
async def test_an_account_without_credit_is_no_rate_limit_to_wait_for(reply):
    _, raised, _ = await fails(reply)
    assert (type(raised), raised.again) == (errors.ProviderRateLimited, False)
    assert "credit" in raised.public


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry_after": "2"}, 2),
        ({"retry_after": "0"}, 0),
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after": "1m30s"}, 90),
        ({"retry_after_ms": "250", "retry_after": "9"}, 0.25),
        ({"retry_after": "-1"}, None),
        ({"retry_after": "abc"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "inf"}, None),
        ({"retry_after": "Thu, 99 Foo 2026"}, None),
        ({"x_ratelimit_remaining_tokens": "0", "x_ratelimit_reset_tokens": "7.66s"}, 7.66),
        ({"x_ratelimit_remaining_requests": "0", "x_ratelimit_reset_requests": "2m59.5s"}, 179.5),
        ({"x_ratelimit_remaining_requests": "4", "x_ratelimit_reset_requests": "2m59.5s"}, None),
        ({}, None),
    ],
)
async def test_a_rate_limit_carries_the_wait_of_its_headers(headers, wait):
    _, raised, _ = await fails(failure(429, **headers))
    assert isinstance(raised, errors.ProviderRateLimited)
    assert raised.wait == wait


async def test_a_long_wait_is_told_to_the_reader():
    _, raised, _ = await fails(failure(429, retry_after="3600"))
    assert "60 minutes" in raised.public


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Please try again in 7.66s.", 7.66),
        ("try again in 1m2.5s", 62.5),
        ("Try again in 850ms", 0.85),
        ("Please try again in 1h0m1s. Visit the page.", 3_601),
        ("Please retry after 6 seconds.", 6),
        ("retry in 2 minutes and 3 secs", 123),
        ("try again in 2 months", None),
        ("later", None),
        (None, None),
    ],
)
def test_a_wait_stands_in_the_text_when_no_header_has_it(message, seconds):
    response = httpx.Response(429, request=httpx.Request("POST", "http://x"))
    for body in ({"error": {"message": message}}, [{"error": {"message": message}}], {"message": message}):
        failure_ = groq.RateLimitError("x", response=response, body=body)
        assert fault_of(failure_).error.wait == (pytest.approx(seconds) if seconds else None)
    assert wait_in_text(message) == fault_of_object({"message": message, "code": 429}).error.wait


def test_retry_after_may_be_a_date():
    soon, past = (email.utils.formatdate(time.time() + seconds, usegmt=True) for seconds in (5, -5))
    assert wait_in_headers({"retry-after": soon}) == pytest.approx(5, abs=1.5)
    assert wait_in_headers({"retry-after": past}) == 0
    now = datetime(1994, 11, 6, 8, 49, 30, tzinfo=UTC)
    for form in ("Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"):
        assert wait_in_headers({"retry-after": form}, now) == 7


async def test_a_failed_tool_call_may_pass_again_cooler_and_is_never_shown():
    error = {"message": SECRET, "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": SECRET}
    for reply in (failure(400, error), Reply(data({"error": {**error, "status_code": 400}}, event="error"))):
        shown, raised, _ = await fails(reply)
        assert (shown, type(raised)) == ("", errors.ProviderRejected)
        assert (raised.again, raised.cooler) == (True, True)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": SECRET, "code": 429}, errors.ProviderRateLimited),
        ({"message": SECRET, "code": "500"}, errors.ProviderUnavailable),
        ({"message": SECRET, "code": "rate_limit_exceeded"}, errors.ProviderRateLimited),
        ({"message": SECRET, "status_code": 401}, errors.ProviderAuth),
        ({"message": SECRET}, errors.ProviderUnavailable),
        (SECRET, errors.ProviderUnavailable),
    ],
)
@pytest.mark.parametrize("event", [None, "error"])
async def test_an_error_object_in_the_stream_is_typed_wherever_it_stands(error, kind, event):
    thing = data({"error": error}, event=event)
    shown, raised, provider = await fails(Reply(thing))
    assert (shown, type(raised)) == ("", kind)
    assert raised.again is (kind is not errors.ProviderAuth)
    for text, body in {
        "01234": body_of(*(chunk(str(n)) for n in range(5)), thing, chunk("late"), "[DONE]"),
        "a": body_of(chunk("a"), thing),
    }.items():
        shown, raised, provider = await fails(Reply(body))
        assert (shown, type(raised), len(provider.requests)) == (text, kind, 1)


async def test_an_error_in_groqs_own_field_is_one_too():
    _, raised, _ = await fails(Reply(body_of(chunk("a"), chunk(x_groq={"error": "over_capacity"}))))
    assert type(raised) is errors.ProviderUnavailable


@pytest.mark.parametrize("end", ["done", "close", "reset"])
async def test_a_stream_without_reason_and_mark_is_cut(end):
    body = body_of(chunk("a"), chunk("b"))
    shown, raised, provider = await fails(Reply(body, end=end, delay_s=0.01))
    assert (type(raised), len(provider.requests)) == (errors.ProviderCut, 1)
    assert shown == "ab"


async def test_a_stream_cut_inside_an_event_is_cut():
    whole = sse("a", "b")
    shown, raised, _ = await fails(Reply(whole, stop_at=whole.index(b'"b"') + 2))
    assert (shown, type(raised)) == ("a", errors.ProviderCut)


async def test_a_web_page_instead_of_a_stream_is_not_an_answer():
    for kind in ("text/html; charset=utf-8", "text/event-stream"):
        _, raised, _ = await fails(Reply(f"\n<html>{SECRET}</html>".encode(), content_type=kind))
        assert (type(raised), raised.again) == (errors.ProviderUnavailable, True)


@pytest.mark.parametrize("body", [b"", b" \n\n", b"upstream connect error"], ids=["none", "blanks", "prose"])
async def test_a_body_without_a_single_event_is_not_an_answer(body):
    _, raised, _ = await fails(Reply(body, content_type="text/plain"))
    assert (type(raised), raised.again) == (errors.ProviderUnavailable, True)


async def test_broken_json_after_text_is_an_error():
    shown, raised, _ = await fails(Reply(body_of(chunk("a"), f'{{"x": {SECRET}', chunk("b"))))
    assert (shown, type(raised)) == ("a", errors.ProviderUnavailable)


async def test_a_refused_connection_and_a_failed_handshake_are_unavailable():
    async with Loopback(Reply()) as provider:
        pass
    for url in (provider.url, provider.url.replace("http:", "https:")):
        model = model_at(url)
        with pytest.raises(errors.ProviderUnavailable) as caught:
            await ask(model)
        assert_no_secret(caught.value)
        await model.close()


async def test_an_event_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("signalbox.llm.sse_lines.MAX_EVENT_BYTES", 10_000)
    _, raised, _ = await fails(Reply(b"data: " + b"x" * 20_000))
    assert type(raised) is errors.ProviderUnavailable


async def test_no_log_line_holds_the_key_or_the_providers_words(caplog):
    error = {"message": f"{SECRET} {KEY}", "code": "rate_limit_exceeded"}
    page = Reply(f"<p>{SECRET}".encode(), content_type="text/html")
    with caplog.at_level(logging.DEBUG), structlog.testing.capture_logs() as lines:
        for reply in (failure(429, error), Reply(data({"error": error})), page):
            await fails(reply)
    assert caplog.records
    for secret in (KEY, SECRET):
        assert secret not in caplog.text + repr(lines)


# Silence, deadlines and cancellation


@pytest.mark.parametrize(
    "reply",
    [
        Reply(head_delay_s=60),
        Reply(end="hold"),
        Reply(body_of(chunk("")), end="hold"),
        Reply(b": hi\n\n" * 5_000, pieces=6, delay_s=0.01),
    ],
    ids=["no head", "no body", "only a role", "only comments"],
)
async def test_silence_before_the_first_token_times_out(reply):
    began = time.monotonic()
    deadlines = Deadlines(first_token=1, gap=60, total=60)
    shown, raised, provider = await fails(reply, deadlines=deadlines)
    assert (shown, type(raised)) == ("", errors.ProviderTimeout)
    assert len(provider.requests) == 1
    assert time.monotonic() - began < 45


async def test_a_model_that_thinks_aloud_is_not_silent():
    thought = data(chunk(choices=[{"delta": {"reasoning": "hm"}}]))
    body = thought * 15 + sse("Answer")
    deadlines = Deadlines(first_token=1, gap=1, total=60)
    assert text_of(await answer(Reply(body, pieces=len(thought), delay_s=0.1), deadlines=deadlines)) == "Answer"


async def test_silence_in_mid_stream_times_out_even_under_comments():
    body = body_of(chunk("a"), b": still here\n\n" * 200)
    for reply in (Reply(body_of(chunk("a")), end="hold"), Reply(body, pieces=15, delay_s=0.02)):
        shown, raised, _ = await fails(reply, deadlines=Deadlines(first_token=20, gap=0.2, total=60))
        assert (shown, type(raised)) == ("a", errors.ProviderTimeout)


async def test_an_endless_answer_ends_at_the_total_deadline():
    body = body_of(*(chunk("a") for _ in range(1000)))
    shown, raised, _ = await fails(
        Reply(body, pieces=len(data(chunk("a"))), delay_s=0.02), deadlines=Deadlines(first_token=20, gap=20, total=2)
    )
    assert type(raised) is errors.ProviderTimeout
    assert set(shown) == {"a"}


async def test_a_slow_reader_is_not_mistaken_for_a_silent_provider():
    body = body_of(*(chunk("a") for _ in range(4)), chunk(finish="stop"))
    async with Loopback(Reply(body, pieces=len(data(chunk("a"))), delay_s=0.01)) as provider:
        model = model_at(provider.url, deadlines=Deadlines(first_token=20, gap=0.15, total=60))
        seen = []
        async for item in model.stream(REQUEST):
            await asyncio.sleep(0.2)
            seen.append(item)
        await model.close()
    assert text_of(seen) == "aaaa"


@pytest.mark.parametrize(
    "reply",
    [Reply(head_delay_s=60), Reply(end="hold"), Reply(body_of(chunk("a")), end="hold")],
    ids=["before the head", "before the body", "after text"],
)
async def test_cancelling_closes_the_providers_connection(reply):
    async with Loopback(reply) as provider:
        model = model_at(provider.url, deadlines=Deadlines(first_token=30, gap=30, total=30))
        task = asyncio.create_task(ask(model))
        await provider.started.wait()
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(provider.left.wait(), 30)
        await model.close()


async def test_an_answer_that_is_refused_unread_leaves_no_connection():
    async with Loopback(Reply(b"<html>", content_type="text/html", end="hold")) as provider:
        model = model_at(provider.url)
        with pytest.raises(errors.ProviderUnavailable):
            await ask(model)
        await asyncio.wait_for(provider.left.wait(), 30)
        await model.close()


async def test_leaving_the_loop_closes_the_providers_connection():
    async with Loopback(Reply(body_of(chunk("a")), end="hold")) as provider:
        model = model_at(provider.url)
        async with contextlib.aclosing(model.stream(REQUEST)) as items:
            assert await anext(items) == TextDelta("a")
        await asyncio.wait_for(provider.left.wait(), 30)
        await model.close()


# The map of vendor errors


def test_every_exception_class_of_the_sdk_is_mapped():
    classes = {
        thing
        for module in (groq, groq._exceptions)
        for _, thing in inspect.getmembers(module, inspect.isclass)
        if issubclass(thing, groq.GroqError)
    }
    assert len(classes) >= 14
    assert classes <= set(ERROR_CLASSES)


def test_every_exception_of_the_http_client_has_a_class():
    for _, thing in inspect.getmembers(httpx, inspect.isclass):
        if issubclass(thing, httpx.TransportError):
            assert issubclass(type(fault_of(thing("x")).error), errors.ProviderError)
    assert isinstance(fault_of(httpx.ReadError("x")).error, errors.ProviderCut)
    assert isinstance(fault_of(httpx.ReadTimeout("x")).error, errors.ProviderTimeout)
    assert isinstance(fault_of(httpx.ConnectError("x")).error, errors.ProviderUnavailable)
