import random
import string
import time

import pytest

from signalbox.memory.reading import END_CHARS, MAX_READ_CHARS, as_read

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


def written(words: int) -> str:
    return " ".join(random.Random(1).choices([w * 3 for w in string.ascii_lowercase], k=words))


def test_what_is_read_has_a_limit_and_is_the_beginning_and_the_end_in_whole_words():
    words = written(20_000)
    read = as_read(words)
    assert MAX_READ_CHARS - 20 < len(read) <= MAX_READ_CHARS
    beginning, end = read.split("\n\n…\n\n")
    assert words.startswith(beginning + " ")
    assert words.endswith(" " + end)
    assert END_CHARS - 10 < len(end) <= END_CHARS


def test_what_is_asked_below_a_long_paste_is_read():
    read = as_read(f"{written(20_000)}\n\nPlease write a cover letter for this.")
    assert read.endswith("\n\nPlease write a cover letter for this.")


def test_no_more_of_a_book_is_looked_at_than_of_a_long_letter():
    took = {}
    for words in (40_000, 400_000):
        book = written(words)
        started = time.thread_time()
        assert len(as_read(book)) <= MAX_READ_CHARS
        took[words] = time.thread_time() - started
    assert took[400_000] < 3 * took[40_000]


def test_a_letter_without_a_space_has_a_limit_too():
    assert len(as_read("".join(random.Random(2).choices(string.ascii_lowercase, k=50_000)))) <= MAX_READ_CHARS


def test_reading_takes_no_longer_for_hostile_text():
    started = time.thread_time()
    for text in FILLING:
        as_read(text)
    assert time.thread_time() - started < 5, "a hang, not a measurement"
