"""Words of self-harm, plain and indirect, and everyday words that only sound like them.

The messages of the files "held_out" were written before the rule, or before it was widened, and not looked at then.
"""

import time
from pathlib import Path

import pytest

from signalbox.agents.talk.care import in_crisis
from signalbox.agents.talk.small_talk import topic_of
from signalbox.memory.reading import MAX_READ_CHARS


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


@pytest.mark.parametrize("words", ["i want to ", "no point ", "they would be ", "i could just ever ", "suicide risk "])
def test_no_message_takes_long_to_read(words):
    started = time.perf_counter()
    in_crisis((words * MAX_READ_CHARS)[:MAX_READ_CHARS])
    assert time.perf_counter() - started < 2
