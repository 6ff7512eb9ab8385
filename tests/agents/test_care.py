"""Words of self-harm, plain and indirect, and everyday words that only sound like them.

The messages of the files "held_out" were written before the rule, or before it was widened, and not looked at then.
"""

import random
import time
from pathlib import Path

import pytest

from signalbox.agents.talk.care import in_crisis
from signalbox.agents.talk.small_talk import topic_of
from signalbox.memory.reading import MAX_READ_CHARS, as_read


def messages(*names):
    folder = Path(__file__).parent / "care"
    return [line for name in names for line in (folder / f"{name}.txt").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("message", messages("cries", "cries_held_out"))
def test_words_of_self_harm_are_heard_however_they_are_put(message):
    assert in_crisis(message)
    assert topic_of(message) == "crisis"


@pytest.mark.parametrize("message", messages("everyday", "everyday_held_out"))
def test_everyday_words_are_none(message):
    assert not in_crisis(message)


def test_the_tables_are_large_enough_to_tell():
    for name in ("cries", "everyday"):
        assert len(messages(name)) >= 40
        assert len(messages(f"{name}_held_out")) >= 20


def test_a_cry_is_heard_in_capitals_over_two_lines_and_behind_a_command():
    for message in ("I WANT TO DIE", "I want\n  to\ndie", "/job_search I want to die", "Hi!I want to die"):
        assert topic_of(message) == "crisis"


def test_a_cry_at_the_end_of_a_long_message_is_heard():
    assert topic_of("I sent another application today. " * 300 + "I want to die.") == "crisis"


def letter(chars: int) -> str:
    """Words that say nothing of their writer, and do not come again and again."""
    words = ("team", "python", "leeds", "people", "data", "ship", "test", "design", "build", "train", "shop", "ward")
    return " ".join(random.Random(3).choices(words, k=chars // 5))[:chars]


@pytest.mark.parametrize("chars", [MAX_READ_CHARS - 100, MAX_READ_CHARS + 100, 31_900, 300_000])
def test_a_cry_is_heard_at_either_end_of_a_message_of_any_length(chars):
    filling = letter(chars)
    assert not in_crisis(filling)
    for message in (f"I want to die. {filling}", f"{filling}. I want to die"):
        assert in_crisis(message)
        assert topic_of(as_read(message)) == "crisis", "as the router and the agents read it"


@pytest.mark.parametrize("chars", [15_000, 31_000])
def test_a_cry_in_the_middle_of_what_may_be_sent_is_heard_by_who_reads_it_whole(chars):
    half = letter(chars // 2)
    assert in_crisis(f"{half}. I want to die. {half}")


def test_two_halves_that_were_far_apart_make_no_cry():
    before, after = f"{letter(15_990)} i want to", f"die. {letter(15_995)}"
    assert in_crisis(f"{before[-100:]} {after[:100]}")
    assert not in_crisis(f"{before} {letter(40_000)} {after}")


def test_a_book_takes_no_longer_to_read_than_a_long_letter():
    took = {}
    for chars in (32_000, 900_000):
        text = letter(chars)
        started = time.thread_time()
        in_crisis(text)
        took[chars] = time.thread_time() - started
    assert took[900_000] < 3 * took[32_000]


@pytest.mark.parametrize("words", ["i want to ", "no point ", "they would be ", "i could just ever ", "suicide risk "])
def test_no_message_takes_long_to_read(words):
    started = time.thread_time()
    in_crisis((words * MAX_READ_CHARS)[:MAX_READ_CHARS])
    assert time.thread_time() - started < 2
