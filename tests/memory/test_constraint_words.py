"""A hard constraint goes or changes only by what the user plainly says of the search; what is plainly said is heard."""

import time

import pytest
from tests.memory.constraint_table import (
    CHANGED,
    HEARD,
    INNOCENT,
    LONDON,
    NIGHTS,
    NOT_HEARD,
    PAY,
    REMOTE,
    TAKEN_BACK,
)

from signalbox.memory.own_words import MAX_CHARS, MOST_SENTENCES, sentences_of_own
from signalbox.memory.summarising import Said, by_rules
from signalbox.memory.summary import ConversationSummary, Noted
from signalbox.retrieval.skills import SkillVocabulary


@pytest.fixture(scope="module")
def vocabulary() -> SkillVocabulary:
    return SkillVocabulary.load()


@pytest.fixture(scope="module")
def after(vocabulary):
    """The hard constraints of a conversation in which the user says these things."""

    def constraints(*messages: str) -> tuple[Noted, ...]:
        said = [Said(f"m{number}", "user", message) for number, message in enumerate(messages, 1)]
        return by_rules(ConversationSummary(), said, vocabulary).hard_constraints

    return constraints


@pytest.mark.parametrize(("stated", "later"), TAKEN_BACK)
def test_what_is_plainly_taken_back_goes(after, stated, later):
    assert after(stated)
    assert not after(stated, later)


@pytest.mark.parametrize(("stated", "later", "value"), CHANGED)
def test_what_is_plainly_corrected_counts_from_then_on(after, stated, later, value):
    (before,) = after(stated)
    held = after(stated, later)
    assert value in [each for note in held for _, each in note.means]
    assert not set(before.means) & {means for note in held for means in note.means}


@pytest.mark.parametrize(("stated", "later"), INNOCENT)
def test_what_is_not_plainly_of_the_search_leaves_the_rule_in_force(after, stated, later):
    (before,) = after(stated)
    held = next(note for note in after(stated, later) if set(before.means) <= set(note.means))
    assert held.text in {stated, f"{stated} → {later}"}


@pytest.mark.parametrize("said", HEARD)
def test_a_plain_constraint_is_heard_however_it_is_put(after, said):
    assert after(said)


@pytest.mark.parametrize("said", NOT_HEARD)
def test_questions_and_the_words_of_others_state_none(after, said):
    assert not after(said)


def test_of_everything_only_what_is_named_stays(after):
    held = after(PAY, REMOTE, NIGHTS, "Forget all my constraints except the remote one.")
    assert [note.text for note in held] == [REMOTE]


def test_one_rule_goes_and_the_others_stay(after):
    held = after(PAY, REMOTE, LONDON, "Forget the salary floor.", "Leeds, not London.")
    assert [note.text for note in held] == [REMOTE, f"{LONDON} → Leeds, not London."]


def test_what_is_said_under_a_condition_or_loosely_stands_beside_the_rule(after):
    (note,) = after(LONDON, "Manchester is fine too.")
    assert (note.text, note.means) == (f"{LONDON} → Manchester is fine too.", (("location", "London"),))
    (note,) = after(REMOTE, "Hybrid is fine if it's two days.")
    assert note.text == f"{REMOTE} → Hybrid is fine if it's two days."
    assert note.means == (("remote", "only"),)


DENSE = [
    "I applied to Acme Ltd and Beta Co, I can do hybrid but not nights, I said 50k, make that 60k, no 70k. ",
    "forget the rule and drop the remote limit and ignore what i said about the pay, also scrap the no nights rule. ",
    *("drop the the the ", "i said, ", "actually, ", "nights and nights and ", "no-", "i'd also also ", "London, not "),
]


@pytest.mark.parametrize("dense", DENSE)
def test_a_long_dense_message_costs_little_whatever_is_in_force(vocabulary, dense):
    names = [Said(f"e{number}", "user", f"Never show me Company{number} Ltd.") for number in range(90)]
    held = by_rules(ConversationSummary(), [*names, Said("m0", "user", f"{REMOTE} {PAY} {NIGHTS}")], vocabulary)
    assert len(held.hard_constraints) == 93
    message = Said("m1", "user", (dense * 2_000)[: 2 * MAX_CHARS])
    begun = time.thread_time()
    by_rules(held, [message], vocabulary)
    assert time.thread_time() - begun < 2


def test_of_a_long_message_the_first_sentences_are_read():
    assert len(list(sentences_of_own("I like it. " * 5_000))) == MOST_SENTENCES
    assert not any("end" in sentence for sentence in sentences_of_own(f"{'word ' * (MAX_CHARS // 5)} the end."))
