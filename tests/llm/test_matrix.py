"""Every fault of a provider at every point of an answer: exact text and calls, or one typed error, nothing left over.

The bodies are recordings where they are at hand, and answers written here; each fault is played in one-byte, seven-byte
and whole pieces. What a body should give is worked out by a second, much simpler reader.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import pytest
from asking import gather, model_at, text_of
from loopback import Loopback, Reply, chunk, data, failure, recorded

from signalbox import errors
from signalbox.llm.base import Finish, StreamItem, TextDelta, ToolRequest, Usage
from signalbox.llm.completion import CompletionReader
from signalbox.llm.groq import Deadlines
from signalbox.llm.sse_lines import SseReader

# Long enough for a busy machine; short for those who are silent on purpose.
PATIENT, SHORT = Deadlines(first_token=10, gap=10, total=20), Deadlines(first_token=4, gap=1, total=20)
PIECES = (1, 7, 0)
# In the session's loop, servers of other tests begin and end tasks as they like.
own_loop = pytest.mark.asyncio(loop_scope="function")
AT_ONCE = 16
CITY = '{"city": "Zürich 🙂", "days": [1, 2]}'
Expected = tuple[str, list[tuple[str, str]]]


def part(finish: str | None = None, **delta: object) -> bytes:
    """A chunk in few bytes: each of them is a read of its own when it is sent in one-byte pieces."""
    return data({"choices": [{"delta": delta, **({"finish_reason": finish} if finish else {})}]})


def call(*, index: int = 0, call_id: str = "", name: str = "", arguments: str = "") -> bytes:
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    entry = {"index": index, "function": function, **({"id": call_id, "type": "function"} if call_id else {})}
    return part(tool_calls=[entry])


# An answer in the parts that a fault can come between.
ROLE = data(chunk(""))
TEXT = [part(content="Grüße, "), part(content="日本語 🙂 "), part(content="there.")]
CALLS = [
    call(call_id="a", name="weather"),
    call(arguments=CITY[:14]),
    call(arguments=CITY[14:]),
    call(index=1, call_id="b", name="clock", arguments="{}"),
]
END = [part(finish="tool_calls"), data({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}})]
WHOLE = b"".join([ROLE, *TEXT, *CALLS, *END, data("[DONE]")])


@dataclass(frozen=True, slots=True)
class Point:
    """Where a fault comes: what was sent before it and what would have followed."""

    before: bytes
    after: bytes
    shown: str


def after_all(*parts: Iterable[bytes]) -> bytes:
    return b"".join(piece for part in parts for piece in part)


POINTS = {
    "before the first token": Point(ROLE, after_all(TEXT, CALLS, END), ""),
    "mid-text": Point(after_all([ROLE], TEXT[:2]), after_all(TEXT[2:], CALLS, END), "Grüße, 日本語 🙂 "),
    "mid-arguments": Point(after_all([ROLE], TEXT, CALLS[:2]), after_all(CALLS[2:], END), "Grüße, 日本語 🙂 there."),
    "after finish": Point(after_all([ROLE], TEXT, CALLS, END[:1]), after_all(END[1:]), "Grüße, 日本語 🙂 there."),
}
DONE = data("[DONE]")
ERROR = {"message": "secret words of the provider", "code": 503}
# What a fault sends at a point, and the error it is; None where the answer has to come whole all the same.
Fault = tuple[Callable[[Point], Reply], type[errors.ProviderError] | None]


def said(thing: bytes) -> Callable[[Point], Reply]:
    return lambda point: Reply(point.before + thing + point.after + DONE)


def ended(how: str, *, cut: bytes = b"") -> Callable[[Point], Reply]:
    # A moment before it: a reset would overtake what is not read yet.
    return lambda point: Reply(point.before + cut, end=how, end_delay_s=0.3)


FAULTS: dict[str, Fault] = {
    "an error object": (said(data({"error": ERROR})), errors.ProviderUnavailable),
    "an error event": (said(data({"error": ERROR}, event="error")), errors.ProviderUnavailable),
    "an error event of prose": (said(data('"overloaded"', event="error")), errors.ProviderUnavailable),
    "an error in a list": (said(data([{"error": {**ERROR, "code": 429}}])), errors.ProviderRateLimited),
    "a refused key in the stream": (said(data({"error": {"code": "invalid_api_key"}})), errors.ProviderAuth),
    "a rate limit in the stream": (
        said(data({"error": {"code": "rate_limit_exceeded", "message": "try again in 2s"}})),
        errors.ProviderRateLimited,
    ),
    "a window exceeded in the stream": (
        said(data({"error": {"code": "context_length_exceeded", "status_code": 400}})),
        errors.ProviderTooLong,
    ),
    "a failed tool call": (
        said(data({"error": {"code": "tool_use_failed", "status_code": 400}}, event="error")),
        errors.ProviderRejected,
    ),
    "an error as the reason": (said(data(chunk(finish="error"))), errors.ProviderUnavailable),
    "broken JSON": (said(data('{"choices": [{"delta": {"content": "x')), errors.ProviderUnavailable),
    "a cut event": (ended("done", cut=b'data: {"choices": [{"delta"'), errors.ProviderCut),
    "an early end": (ended("done"), errors.ProviderCut),
    "a closed connection": (ended("close"), errors.ProviderCut),
    "a reset connection": (ended("reset"), errors.ProviderCut),
    "silence": (ended("hold"), errors.ProviderTimeout),
    "silence under comments": (
        lambda point: replace(Reply(point.before + b": ping\n\n" * 3), end="hold"),
        errors.ProviderTimeout,
    ),
    "no choices": (said(data(chunk(choices=[])) + data({}) + data({"choices": None})), None),
    "reasoning": (said(data(chunk(choices=[{"delta": {"reasoning": "hm"}}]))), None),
    "reasoning of the other name": (said(data(chunk(choices=[{"delta": {"reasoning_content": "hm"}}]))), None),
    "inline reasoning": (said(data(chunk("<thi")) + data(chunk("nk>private</th")) + data(chunk("ink>"))), None),
    "comments and empty events": (said(b": ping\n\n\n\ndata:\n\nid: 7\nretry: 1\n\n"), None),
    "usage in the middle": (said(data(chunk(choices=[], usage={"prompt_tokens": 1, "completion_tokens": 1}))), None),
    "a mark at the start": (lambda point: Reply(b"\xef\xbb\xbf" + point.before + point.after + DONE), None),
    "CRLF": (lambda point: Reply((point.before + point.after + DONE).replace(b"\n", b"\r\n")), None),
    "CR": (lambda point: Reply((point.before + point.after + DONE).replace(b"\n", b"\r")), None),
    "mixed line ends": (lambda point: Reply(point.before.replace(b"\n", b"\r\n") + point.after + DONE), None),
    "labelled as JSON": (lambda point: Reply(WHOLE, content_type="application/json"), None),
    "labelled as text": (lambda point: Reply(WHOLE, content_type="text/plain"), None),
    "no [DONE]": (lambda point: Reply(point.before + point.after), None),
    "silence after [DONE]": (lambda point: Reply(WHOLE, end="hold"), None),
}
STATUSES: dict[str, tuple[Reply, type[errors.ProviderError]]] = {
    "400": (failure(400), errors.ProviderRejected),
    "401": (failure(401), errors.ProviderAuth),
    "404": (failure(404), errors.ProviderNoModel),
    "413": (failure(413), errors.ProviderTooLong),
    "429": (failure(429, retry_after="1"), errors.ProviderRateLimited),
    "429 by tokens": (
        failure(429, {"code": "rate_limit_exceeded", "message": "TPM: Limit 6, Used 5, Requested 2. Try again in 2s"}),
        errors.ProviderRateLimited,
    ),
    "500": (failure(500), errors.ProviderUnavailable),
    "503 without a body": (Reply(b"", status=503), errors.ProviderUnavailable),
    "529 as a page": (Reply(b"<html>", status=529, content_type="text/html"), errors.ProviderUnavailable),
    "tool_use_failed": (failure(400, {"code": "tool_use_failed", "message": "x"}), errors.ProviderRejected),
    "a page": (Reply(b"<html>", content_type="text/html"), errors.ProviderUnavailable),
    "an error in a 200": (
        Reply(json.dumps({"error": ERROR}).encode(), content_type="application/json"),
        errors.ProviderUnavailable,
    ),
    "nothing": (Reply(b""), errors.ProviderUnavailable),
    "no head": (Reply(head_delay_s=60), errors.ProviderTimeout),
}


async def played(reply: Reply, pieces: int, room: asyncio.Semaphore):
    """Items and error, after proof that the attempt was bounded and left no connection."""
    async with room, Loopback(replace(reply, pieces=pieces)) as provider:
        model = model_at(provider.url, deadlines=SHORT if waits(reply) else PATIENT)
        began = time.monotonic()
        items, error = await gather(model)
        assert time.monotonic() - began < 40, "all of an answer may take 20"
        await model.close()
        async with asyncio.timeout(30):
            while provider.open:  # noqa: ASYNC110 - the other side's end of a socket
                await asyncio.sleep(0.005)
        assert len(provider.requests) == provider.connections == 1
    return items, error


async def played_all(replies: Iterable[tuple[Reply, int]]):
    """Side by side, and then no task is left that was not there before. The silent ones go first: the
    others would keep the machine busy while the clock runs.
    """
    before, room = asyncio.all_tasks(), asyncio.Semaphore(AT_ONCE)
    replies = list(replies)
    outcomes: dict[int, tuple[list[StreamItem], errors.ProviderError | None]] = {}
    for silent in (True, False):
        batch = [at for at, (reply, _) in enumerate(replies) if waits(reply) is silent]
        outcomes |= zip(batch, await asyncio.gather(*(played(*replies[at], room) for at in batch)), strict=True)
    async with asyncio.timeout(30):
        while asyncio.all_tasks() - before:  # noqa: ASYNC110 - generators of the HTTP library end a turn later
            await asyncio.sleep(0.005)
    return [outcomes[at] for at in range(len(replies))]


def waits(reply: Reply) -> bool:
    return reply.end == "hold" or reply.head_delay_s > 0


def simply(body: bytes) -> Expected:
    """What a body says, by a reader that knows only well-formed answers: whole lines, calls by index."""
    text, calls = "", {}
    for line in body.decode().splitlines():
        if not line.startswith("data: {"):
            continue
        for choice in json.loads(line[6:]).get("choices") or []:
            delta = choice.get("delta") or {}
            text += delta.get("content") or ""
            for entry in delta.get("tool_calls") or []:
                name, arguments = calls.get(entry["index"], ("", ""))
                function = entry["function"]
                calls[entry["index"]] = (name + (function.get("name") or ""), arguments + function.get("arguments", ""))
    return text, [calls[index] for index in sorted(calls)]


def given(items) -> Expected:
    return text_of(items), [(item.name, item.arguments) for item in items if isinstance(item, ToolRequest)]


def assert_well_formed(items) -> None:
    """Deltas, then calls, then one usage, then one finish, and nothing after it."""
    order = [(TextDelta, ToolRequest, Usage, Finish).index(type(item)) for item in items]
    assert order == sorted(order)
    assert order[-2:] == [2, 3]
    assert order.count(2) == order.count(3) == 1


def test_the_simple_reader_reads_the_answer_as_it_was_written():
    assert simply(WHOLE) == ("Grüße, 日本語 🙂 there.", [("weather", CITY), ("clock", "{}")])


@own_loop
@pytest.mark.parametrize("where", POINTS)
async def test_every_fault_at_every_point_is_a_whole_answer_or_one_typed_error(where):
    point = POINTS[where]
    cases = [(name, pieces) for name in FAULTS for pieces in PIECES]
    outcomes = await played_all((FAULTS[name][0](point), pieces) for name, pieces in cases)
    for case, (items, error) in zip(cases, outcomes, strict=True):
        expected = None if where == "after finish" else FAULTS[case[0]][1]
        if expected is None:
            assert error is None, (case, error)
            assert given(items) == simply(WHOLE), case
            assert_well_formed(items)
        else:
            assert type(error) is expected, (case, error)
            assert given(items) == (point.shown, []), case


@own_loop
async def test_every_refusal_is_one_typed_error_at_any_split():
    cases = [(name, pieces) for name in STATUSES for pieces in PIECES]
    outcomes = await played_all((STATUSES[name][0], pieces) for name, pieces in cases)
    for case, (items, error) in zip(cases, outcomes, strict=True):
        assert type(error) is STATUSES[case[0]][1], (case, error)
        assert items == [], case


@own_loop
@pytest.mark.parametrize("path", recorded())
async def test_a_recorded_body_gives_exactly_what_it_holds_at_any_split(path):
    body = path.read_bytes()
    # Longer ones are read byte by byte below, without the cost of a socket.
    sizes = PIECES if len(body) < 10_000 else PIECES[1:] if len(body) < 30_000 else PIECES[2:]
    for items, error in await played_all((Reply(body), pieces) for pieces in sizes):
        assert given(items)[0] == simply(body)[0]
        if b'"error":' in body:
            assert type(error) is errors.ProviderRejected
            assert (error.again, error.cooler) == (True, True)
        else:
            assert error is None
            assert given(items)[1] == simply(body)[1]
            assert_well_formed(items)


@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize("path", recorded())
def test_a_recorded_body_in_pieces_of_any_size_holds_the_same_calls(path, size):
    body = path.read_bytes()
    lines, reader = SseReader(), CompletionReader()
    pieces = (body[at : at + size] for at in range(0, len(body), size))
    text = "".join(reader.take(event) for piece in pieces for event in lines.feed(piece) if event.name != "error")
    calls = [(made.name, made.arguments) for made in reader.calls()]
    assert (text + reader.end(), calls) == simply(body)


@own_loop
@pytest.mark.parametrize("path", [case for case in recorded() if not case.id.startswith("model_thinking")])
async def test_a_recorded_body_cut_anywhere_is_never_taken_for_a_whole_one(path):
    """Cut inside each tenth of it: what came is the beginning of what it holds, and then one typed error."""
    body = path.read_bytes()
    whole = simply(body)
    ends = [len(body) * tenth // 10 + tenth for tenth in range(1, 9)]
    finish = max(body.find(b'"finish_reason":"'), body.find(b'"finish_reason": "'))
    replies = [Reply(body[:end], end="close", end_delay_s=0.05) for end in ends]
    for end, (items, error) in zip(ends, await played_all((reply, 0) for reply in replies), strict=True):
        if error is None:
            assert 0 < finish < end
            assert given(items) == whole
        else:
            assert isinstance(error, errors.ProviderError)
            assert whole[0].startswith(text_of(items))
            assert given(items)[1] == []


@own_loop
@pytest.mark.parametrize("path", recorded("*.json"))
async def test_a_recorded_body_that_is_not_streamed_is_read_whole_or_refused(path):
    body = path.read_bytes()
    told = json.loads(body)
    status = 400 if "error" in told else 200
    reply = Reply(body, status=status, content_type="application/json")
    for items, error in await played_all((reply, pieces) for pieces in PIECES):
        if status == 400:
            assert (type(error), error.cooler) == (errors.ProviderRejected, True)
            continue
        message = told["choices"][0]["message"]
        calls = [(c["function"]["name"], c["function"]["arguments"]) for c in message.get("tool_calls") or []]
        assert error is None
        assert given(items)[1] == calls
        if "<think>" not in (message.get("content") or ""):
            assert given(items)[0] == (message.get("content") or "")
        assert_well_formed(items)
