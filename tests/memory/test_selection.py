"""Which facts a prompt is told: never without the needed ones, the same each time, the fitting ones first."""

import random
from datetime import date

import pytest

from signalbox.blocks import ProfileFact
from signalbox.memory.selection import is_needed, select_facts

TODAY = date(2026, 6, 1)


def fact(number: int, key: str, value: str, kind: str = "fact", **more) -> ProfileFact:
    return ProfileFact(fact_id=f"f{number}", kind=kind, key=key, value=value, **{"noted_on": TODAY, **more})


PROFILE = (
    fact(0, "name", "Ada"),
    fact(1, "title", "Data Engineer"),
    fact(2, "exclude_term", "night shifts", "constraint"),
    fact(3, "note", "I have two dogs", pinned=True),
    fact(4, "note", "I am allergic to latex"),
    *(fact(10 + n, "skill", name) for n, name in enumerate(["Python", "Rust", "Excel", "Kafka", "dbt", "Airflow"])),
    fact(30, "salary_min", "60000", "preference"),
    fact(31, "note", "worked in Oslo for a while", noted_on=date(2020, 1, 1)),
)


def ids(facts) -> list[str]:
    return [each.fact_id for each in facts]


@pytest.mark.parametrize("most", [0, 1, 3, 100])
@pytest.mark.parametrize("message", ["", "hi", "find jobs with Kafka"])
def test_rules_pinned_and_safety_facts_are_always_told(most, message):
    chosen = ids(select_facts(PROFILE, message, TODAY, most))
    assert {"f2", "f3", "f4"} <= set(chosen)
    assert len(chosen) <= max(most, 3)


def test_the_rest_goes_by_what_the_message_is_about():
    assert "f13" in ids(select_facts(PROFILE, "Which Kafka jobs are there?", TODAY, 5))
    assert "f13" not in ids(select_facts(PROFILE, "hello", TODAY, 5))
    assert "f30" in ids(select_facts(PROFILE, "what pay could I ask for", TODAY, 6))
    assert {"f0", "f1"} <= set(ids(select_facts(PROFILE, "hello", TODAY, 6)))


def test_what_is_newer_and_surer_goes_first():
    old = fact(1, "skill", "Perl", noted_on=date(2020, 1, 1))
    new = fact(2, "skill", "Ruby")
    guessed = fact(3, "skill", "Elm", confidence=0.6, origin="extracted")
    assert ids(select_facts((old, new, guessed), "hello", TODAY, 1)) == ["f2"]
    assert ids(select_facts((guessed, new), "hello", TODAY, 1)) == ["f2"]


def test_the_order_is_the_profiles_and_the_choice_is_always_the_same():
    rng = random.Random(3)
    for _ in range(50):
        most = rng.randrange(15)
        message = rng.choice(["Kafka and Rust", "my salary", "", "where do I live"])
        first = select_facts(PROFILE, message, TODAY, most)
        assert first == select_facts(PROFILE, message, TODAY, most)
        assert [PROFILE.index(each) for each in first] == sorted(PROFILE.index(each) for each in first)


def test_a_profile_of_an_older_version_is_taken_as_well():
    bare = ProfileFact.model_validate({"fact_id": "f", "kind": "fact", "key": "skill", "value": "Go"})
    assert select_facts((bare,), "Go", TODAY, 5) == (bare,)
    assert not is_needed(bare)
