"""The hard rules of a profile go by the same words as the constraints of a conversation, and by no others."""

import pytest
from tests.memory.constraint_table import INNOCENT, ON_SITE, PART_TIME, REMOTE, TAKEN_BACK, VISA

from signalbox.blocks import ProfileFact
from signalbox.memory.statements import read
from signalbox.memory.taken_back import taken_back
from signalbox.tools.vocabulary import packaged_vocabulary

# "I need visa sponsorship" is a note in a profile, and goes as notes do.
OF_RULES = [(stated, later) for stated, later in TAKEN_BACK if stated != VISA]


def profile_of(*messages):
    said = [fact for message in messages for fact in read(message, (), packaged_vocabulary()).add]
    return tuple(
        ProfileFact(fact_id=f"f{at}", kind=fact.kind, key=fact.key, value=fact.value) for at, fact in enumerate(said)
    )


def means(facts):
    return {(fact.key, fact.value) for fact in facts}


@pytest.mark.parametrize(("stated", "later"), OF_RULES)
def test_what_is_plainly_taken_back_goes_from_the_profile_too(stated, later):
    profile = profile_of(stated)
    change = read(later, profile, packaged_vocabulary())
    rules = means(fact for fact in profile if fact.kind == "constraint")
    assert rules
    assert rules <= means(change.remove)
    assert not rules & means(change.add)


@pytest.mark.parametrize(("stated", "later"), INNOCENT)
def test_what_is_not_plainly_of_the_search_takes_no_rule_back(stated, later):
    assert taken_back(later, profile_of(stated)) == ()


@pytest.mark.parametrize(
    ("stated", "later"),
    [
        (REMOTE, "Please remove the job requirements from my CV."),
        (REMOTE, "Remove the remote section from my CV."),
        ("Only jobs in London.", "Forget the London photo in my CV."),
        (ON_SITE, "not remote after all"),
        (REMOTE, "remote is fine too"),
        (PART_TIME, "part-time is fine"),
        (REMOTE, "Is on-site fine?"),
        (REMOTE, "What if on-site was ok?"),
        (REMOTE, "The ad says 'on-site is fine now'"),
        (REMOTE, "on-site is fine if it's in Leeds"),
    ],
)
def test_a_rule_of_the_profile_outlives_words_about_something_else(stated, later):
    profile = profile_of(stated)
    change = read(later, profile, packaged_vocabulary())
    assert not means(fact for fact in profile if fact.kind == "constraint") & means(change.remove)


@pytest.mark.parametrize(
    ("stated", "later", "added", "gone"),
    [
        ("I only want part-time work", "I only want full-time work", {"full-time"}, {"part-time"}),
        ("I only want part-time work", "Full-time only from now on", {"full-time"}, {"part-time"}),
        ("I'm looking for full-time work", "I only want part-time work", {"part-time"}, {"full-time"}),
        ("I'm looking for full-time work", "part-time is fine too", {"part-time"}, set()),
        ("I only want part-time work", "I only want mornings", {"mornings"}, set()),
    ],
)
def test_of_two_working_times_that_cannot_both_be_the_newer_stands(stated, later, added, gone):
    change = read(later, profile_of(stated), packaged_vocabulary())
    assert {fact.value for fact in change.add if fact.key == "work_time"} == added
    assert {fact.value for fact in change.remove if fact.key == "work_time"} == gone


@pytest.mark.parametrize(
    ("later", "value"),
    [
        ("actually 45k would be enough", "45000"),
        ("Change the minimum to 55k", "55000"),
        ("Sorry, I meant 60k", "60000"),
    ],
)
def test_a_rule_with_another_figure_stays_a_rule(later, value):
    change = read(later, profile_of("I need at least £50k a year."), packaged_vocabulary())
    assert [(fact.kind, fact.key, fact.value) for fact in change.add if fact.key != "currency"] == [
        ("constraint", "salary_min", value)
    ]


def test_beside_a_rule_taken_back_the_rest_of_the_sentence_is_kept():
    profile = profile_of(REMOTE)
    change = read("The office is fine again, and I know SQL", profile, packaged_vocabulary())
    assert means(change.remove) == {("remote", "only")}
    assert means(change.add) == {("skill", "SQL")}
