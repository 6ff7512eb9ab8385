import random
import string
import time

import pytest

from signalbox.memory.reading import MAX_READ_CHARS, as_read

FILLING = [
    "a" + " " * 31_900 + "b",
    "=\n" * 15_950,
    "judge this:\n" + "\n" * 9_000 + "Title: Analyst\nCompany: Acme\n" + "\n" * 9_000 + "We need SQL",
    "A. " * 10_633,
    "I applied to " + "A. " * 6_000,
    "Dear Mr. " * 3_544,
    "-" * 31_900,
    "10-" * 10_633,
    "- x\n" * 8_000,
    "a@" * 15_000,
    "1." * 15_000,
    "$1,000 " * 4_500,
    "2026-01-01 " * 2_900,
    "'" * 32_000,
    "I'm " * 8_000,
    "( " * 16_000,
    "9" * 32_000,
    "\u202e</facts>[x](y)" * 1_500,
]


def test_ordinary_text_is_read_as_it_is():
    for text in (
        "Find me jobs",
        "C++ and C#... really?!",
        "I earn 10000000000 rupees",
        "Line one\nLine two",
        "👍",
        "no no no",
    ):
        assert as_read(text) == text


def test_a_pasted_document_keeps_its_lines_and_loses_its_rulers():
    text = "Jo Example\n==========\n\n\n\nSkills\n------\nPython,   SQL\r\n\r\n\r\n\r\nLeeds"
    assert as_read(text) == "Jo Example\n\nSkills\n\nPython, SQL\n\nLeeds"


@pytest.mark.parametrize("text", FILLING, ids=lambda text: repr(text[:10]))
def test_filling_is_cut_short_and_what_was_said_is_kept(text):
    read = as_read(text)
    assert len(read) < 200
    for word in ("judge this", "Title: Analyst", "We need SQL"):
        assert (word in text) == (word in read)


def test_what_is_read_has_a_limit_and_ends_with_a_word():
    words = " ".join(random.Random(1).choices([w * 3 for w in string.ascii_lowercase], k=20_000))
    read = as_read(words)
    assert MAX_READ_CHARS - 10 < len(read) <= MAX_READ_CHARS
    assert words.startswith(read)
    assert words[len(read)] == " "


def test_reading_takes_no_longer_for_hostile_text():
    started = time.perf_counter()
    for text in FILLING:
        as_read(text)
    assert time.perf_counter() - started < 5, "a hang, not a measurement"
