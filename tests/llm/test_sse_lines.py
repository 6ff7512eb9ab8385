"""The event reader: the standard's framing in any split of the bytes."""

import random
import time

import pytest

from signalbox.llm.sse_lines import SseEvent, SseReader

BODY = (
    "\ufeff: comment\r\ndata: one\r\ndata: more\r\n\r\n"
    "event: error\ndata:two\u2028\u0085\x0b\x0c\x1c\ndata:  lines\n\n"
    "id: 7\rdata: 日本🙂\r\rretry: 5\n\nevent: lonely\n\ndata\n\ndata: last"
).encode()
EVENTS = [
    SseEvent("", "one\nmore"),
    SseEvent("error", "two\u2028\u0085\x0b\x0c\x1c\n lines"),
    SseEvent("", "日本🙂"),
    SseEvent("", ""),
    SseEvent("", "last"),
]


def read(pieces) -> list[SseEvent]:
    reader = SseReader()
    events = [event for piece in pieces for event in reader.feed(piece)]
    last = reader.end()
    return [*events, last] if last else events


@pytest.mark.parametrize("size", range(1, 12))
def test_events_do_not_depend_on_how_bytes_are_split(size):
    assert read(BODY[at : at + size] for at in range(0, len(BODY), size)) == EVENTS


def test_events_do_not_depend_on_random_splits_or_empty_reads():
    dice = random.Random(3)
    for _ in range(200):
        cuts = sorted(dice.choices(range(len(BODY) + 1), k=6))
        assert read(BODY[a:b] for a, b in zip([0, *cuts], [*cuts, len(BODY)], strict=True)) == EVENTS


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_an_event_is_given_as_soon_as_its_blank_line_is_there(end):
    assert SseReader().feed(b"data: x" + end + end) == [SseEvent("", "x")]


def test_broken_utf8_is_replaced_and_only_there():
    assert read([b"data: a\xff\xe6\x97b\n\n"]) == [SseEvent("", "a\ufffd\ufffdb")]


def test_only_the_first_mark_is_stripped():
    assert read([b"\xef\xbb\xbfdata: \xef\xbb\xbfx\n\n"]) == [SseEvent("", "\ufeffx")]


def test_a_long_line_that_grows_byte_by_byte_costs_linear_time():
    reader = SseReader()
    began = time.process_time()
    for _ in range(200_000):
        reader.feed(b"x")
    assert time.process_time() - began < 2
