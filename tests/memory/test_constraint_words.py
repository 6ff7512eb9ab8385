"""A hard constraint goes or changes only by what the user plainly says of the search; what is plainly said is heard."""

import time

import pytest

from signalbox.memory.own_words import MAX_CHARS, MOST_SENTENCES, sentences_of_own
from signalbox.memory.summarising import Said, by_rules
from signalbox.memory.summary import ConversationSummary, Noted
from signalbox.retrieval.skills import SkillVocabulary
from tests.memory.constraint_table import CHANGED, HEARD, INNOCENT, NOT_HEARD, TAKEN_BACK


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
