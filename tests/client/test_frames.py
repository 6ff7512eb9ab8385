"""The framing holds for any split of the bytes and for everything the standard allows."""

import random

import pytest
from badly_behaved import split

from signalbox import frames
from signalbox.frames import Frame, FrameReader, FrameTooLargeError

STREAM = (
    "\ufeff: hello\r\n\r\nretry: 1500\n\n"
    'event: chunk\nid: e-1\ndata: {"content":"line\u2028two\x0cthree\x85 — 漢字 🙂"}\n\n'
    "data: a\rdata:b\r\ndata:  c\r\r"
    "id: e-2\n\n"
    "event: ignored\n\n"
    "id\ndata\n\n"
    "data: last\n"
).encode()
EXPECTED = [
    Frame("e-1", "chunk", '{"content":"line\u2028two\x0cthree\x85 — 漢字 🙂"}'),
    Frame(None, "", "a\nb\n c"),
    Frame("e-2", "", None),
    Frame("", "", ""),
]


def test_only_the_standards_three_line_ends_end_a_line_and_a_cut_off_block_is_discarded():
    reader = FrameReader()
    assert reader.feed(STREAM) == EXPECTED
    assert reader.retry_ms == 1500


@pytest.mark.parametrize("seed", range(40))
def test_any_split_of_the_bytes_gives_the_same_frames(seed: int):
    reader = FrameReader()
    rng = random.Random(seed)
    assert [frame for piece in split(STREAM, rng) for frame in reader.feed(piece)] == EXPECTED


def test_one_byte_at_a_time_gives_the_same_frames():
    reader = FrameReader()
    assert [frame for byte in STREAM for frame in reader.feed(bytes([byte]))] == EXPECTED


def test_a_frame_is_there_as_soon_as_its_blank_line_is_even_if_that_line_may_still_grow():
    reader = FrameReader()
    assert reader.feed(b"data: x\r\n\r") == [Frame(None, "", "x")]
    assert reader.feed(b"\ndata: y\n\n") == [Frame(None, "", "y")]


def test_a_second_mark_is_text():
    reader = FrameReader()
    assert reader.feed("\ufeffdata: x\n\n\ufeffdata: y\n\n".encode()) == [Frame(None, "", "x")]


@pytest.mark.parametrize("line", ["retry: soon", "retry: -5", "retry: ٣", "retry: 1.5", "retry:", "retry: 99999999999"])
def test_a_retry_that_is_no_sane_number_is_ignored(line: str):
    reader = FrameReader()
    reader.feed(f"retry: 20\n{line}\n\n".encode())
    assert reader.retry_ms == 20


def test_an_id_with_a_nul_is_ignored():
    assert FrameReader().feed(b"id: a\0b\ndata: x\n\n") == [Frame(None, "", "x")]


def test_a_line_that_grows_byte_by_byte_costs_no_more_than_its_length():
    reader = FrameReader()
    for _ in range(60_000):  # quadratic work would take minutes
        assert reader.feed(b"x" * 20) == []


def test_a_frame_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(frames, "MAX_FRAME_BYTES", 1_000)
    reader = FrameReader()
    for _ in range(18):
        reader.feed(b"data: " + b"x" * 50 + b"\n")
    with pytest.raises(FrameTooLargeError):
        reader.feed(b"data: " + b"x" * 200)


def test_only_comments_that_say_so_are_heartbeats_however_they_are_split():
    text = b": heartbeat\n\n: waiting for the database\n\n:heartbeat\n\nheartbeat: x\n\n: heartbeat\n\n"
    for pieces in ([text], [text[i : i + 1] for i in range(len(text))]):
        reader = FrameReader()
        assert [frame for piece in pieces for frame in reader.feed(piece)] == []
        assert reader.beats == 3
