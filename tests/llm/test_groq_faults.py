"""The Groq adapter when things go wrong: the right error, few enough tries, no secret told, no connection left."""

import asyncio
import contextlib
import email.utils
import inspect
import logging
import time

import groq
import httpx
import pytest
import structlog
from asking import KEY, REQUEST, SECRET, Naps, answer, ask, assert_no_secret, body_of, fails, model_at, text_of
from loopback import Loopback, Reply, chunk, data, failure, sse

from signalbox import errors
from signalbox.llm.base import TextDelta
from signalbox.llm.groq import Deadlines, Retries
from signalbox.llm.provider_faults import ERROR_CLASSES, fault_of, retry_after

# What goes wrong, and what it is called


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, errors.ProviderRejected),
        (401, errors.ProviderAuth),
        (403, errors.ProviderAuth),
        (404, errors.ProviderRejected),
        (413, errors.ProviderRejected),
        (422, errors.ProviderRejected),
    ],
)
async def test_a_refusal_fails_at_once(status, error):
    shown, raised, provider = await fails(failure(status, {"message": f"{SECRET} {KEY}", "code": KEY.lower()}))
    assert type(raised) is error
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
        (529, errors.ProviderUnavailable),
    ],
)
async def test_a_passing_trouble_is_tried_three_times(status, error):
    _, raised, provider = await fails(failure(status))
    assert type(raised) is error
    assert len(provider.requests) == 3


async def test_a_second_try_answers_as_if_the_first_had_not_been():
    assert text_of(await answer(failure(500), Reply(sse("a", "b")))) == "ab"


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("2", (2, 2.5)),
        ("0", (0, 0.5)),
        ("-1", (0, 0.5)),
        ("abc", (0, 0.5)),
        ("nan", (0, 0.5)),
        ("inf", (0, 0.5)),
        (None, (0, 0.5)),
    ],
)
async def test_retry_after_is_honoured_or_ignored(header, wait):
    naps = Naps()
    limited = failure(429, **({"retry_after": header} if header else {}))
    assert text_of(await answer(limited, Reply(sse("a")), sleep=naps)) == "a"
    assert wait[0] <= naps.taken[0] <= wait[1]


async def test_a_wait_beyond_the_budget_fails_at_once_and_says_how_long():
    _, raised, provider = await fails(failure(429, retry_after="3600"))
    assert isinstance(raised, errors.ProviderRateLimited)
    assert len(provider.requests) == 1
    assert "60 minutes" in raised.public


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Please try again in 7.66s.", 7.66),
        ("try again in 1m2.5s", 62.5),
        ("Try again in 850ms", 0.85),
        ("later", None),
    ],
)
def test_a_wait_stands_in_the_text_when_no_header_has_it(message, seconds):
    response = httpx.Response(429, request=httpx.Request("POST", "http://x"))
    failure_ = groq.RateLimitError("x", response=response, body={"error": {"message": message}})
    assert fault_of(failure_).wait == (pytest.approx(seconds) if seconds else None)


def test_retry_after_may_be_a_date():
    soon = email.utils.formatdate(time.time() + 5, usegmt=True)
    past = email.utils.formatdate(time.time() - 5, usegmt=True)
    assert retry_after({"retry-after": soon}) == pytest.approx(5, abs=1.5)
    assert retry_after({"retry-after": past}) == 0
    assert retry_after({"retry-after": "Thu, 99 Foo 2026"}) is None
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25


async def test_a_failed_tool_call_is_tried_again_cooler_and_never_shown():
    error = {"message": SECRET, "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": SECRET}
    for reply in (failure(400, error), Reply(data({"error": {**error, "status_code": 400}}, event="error"))):
        shown, raised, provider = await fails(reply)
        assert isinstance(raised, errors.ProviderRejected)
        assert shown == ""
        temperatures = [request.body["temperature"] for request in provider.requests]
        assert temperatures == [0.3, 0.15, 0.075]
        assert text_of(await answer(reply, Reply(sse("Plain")))) == "Plain"


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
    assert len(provider.requests) == (1 if kind is errors.ProviderAuth else 3)
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


async def test_nothing_is_asked_again_after_the_first_text_was_shown():
    shown, _, provider = await fails(Reply(body_of(chunk("one")), end="close"), Reply(sse("two")))
    assert (shown, len(provider.requests)) == ("one", 1)


async def test_a_stream_that_breaks_before_any_text_is_asked_again():
    for first in (Reply(end="close"), Reply(end="reset"), Reply(b""), Reply(data("{broken")), Reply(data(chunk("")))):
        assert text_of(await answer(first, Reply(sse("a")))) == "a"


async def test_a_web_page_instead_of_a_stream_is_not_an_answer():
    page = Reply(f"<html>{SECRET}</html>".encode(), content_type="text/html; charset=utf-8")
    _, raised, provider = await fails(page)
    assert (type(raised), len(provider.requests)) == (errors.ProviderUnavailable, 3)


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
    with caplog.at_level(logging.DEBUG), structlog.testing.capture_logs() as lines:
        await fails(
            failure(429, error), Reply(data({"error": error})), Reply(f"<p>{SECRET}".encode(), content_type="text/html")
        )
    assert [line["event"] for line in lines] == ["provider_retry"] * 2
    assert caplog.records
    for secret in (KEY, SECRET):
        assert secret not in caplog.text + repr(lines)


# Silence, budgets and cancellation


@pytest.mark.parametrize(
    "reply",
    [
        Reply(head_delay_s=60),
        Reply(end="hold"),
        Reply(body_of(chunk("")), end="hold"),
        Reply(b": hi\n\n" * 500, pieces=6, delay_s=0.01),
    ],
    ids=["no head", "no body", "only a role", "only comments"],
)
async def test_silence_before_the_first_token_times_out_within_the_budget(reply):
    began = time.monotonic()
    deadlines = Deadlines(first_token=0.2, gap=5, total=10)
    shown, raised, provider = await fails(reply, deadlines=deadlines, retries=Retries(attempts=3, budget=0.5))
    assert (shown, type(raised)) == ("", errors.ProviderTimeout)
    assert 1 <= len(provider.requests) <= 3
    assert time.monotonic() - began < 1.5


async def test_a_model_that_thinks_aloud_is_not_silent():
    thought = data(chunk(choices=[{"delta": {"reasoning": "hm"}}]))
    body = thought * 10 + sse("Answer")
    deadlines = Deadlines(first_token=0.3, gap=0.3, total=10)
    assert text_of(await answer(Reply(body, pieces=len(thought), delay_s=0.05), deadlines=deadlines)) == "Answer"


async def test_silence_in_mid_stream_times_out_even_under_comments():
    body = body_of(chunk("a"), b": still here\n\n" * 200)
    for reply in (Reply(body_of(chunk("a")), end="hold"), Reply(body, pieces=15, delay_s=0.02)):
        shown, raised, _ = await fails(reply, deadlines=Deadlines(first_token=1, gap=0.2, total=10))
        assert (shown, type(raised)) == ("a", errors.ProviderTimeout)


async def test_an_endless_answer_ends_at_the_total_deadline():
    body = body_of(*(chunk("a") for _ in range(1000)))
    shown, raised, _ = await fails(
        Reply(body, pieces=len(data(chunk("a"))), delay_s=0.02), deadlines=Deadlines(first_token=1, gap=1, total=0.3)
    )
    assert type(raised) is errors.ProviderTimeout
    assert set(shown) == {"a"}


async def test_a_slow_reader_is_not_mistaken_for_a_silent_provider():
    body = body_of(*(chunk("a") for _ in range(4)), chunk(finish="stop"))
    async with Loopback(Reply(body, pieces=len(data(chunk("a"))), delay_s=0.01)) as provider:
        model = model_at(provider.url, deadlines=Deadlines(first_token=1, gap=0.15, total=10))
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
        await asyncio.wait_for(provider.left.wait(), 1)
        await model.close()


async def test_an_answer_that_is_refused_unread_leaves_no_connection():
    async with Loopback(Reply(b"<html>", content_type="text/html", end="hold")) as provider:
        model = model_at(provider.url, retries=Retries(attempts=1))
        with pytest.raises(errors.ProviderUnavailable):
            await ask(model)
        await asyncio.wait_for(provider.left.wait(), 1)
        await model.close()


async def test_leaving_the_loop_closes_the_providers_connection():
    async with Loopback(Reply(body_of(chunk("a")), end="hold")) as provider:
        model = model_at(provider.url)
        async with contextlib.aclosing(model.stream(REQUEST)) as items:
            assert await anext(items) == TextDelta("a")
        await asyncio.wait_for(provider.left.wait(), 1)
        await model.close()


async def test_cancelling_works_while_waiting_for_the_next_try():
    async with Loopback(failure(429, retry_after="15")) as provider:
        model = model_at(provider.url, sleep=asyncio.sleep)
        task = asyncio.create_task(ask(model))
        await provider.started.wait()
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 1)
        assert len(provider.requests) == 1
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
