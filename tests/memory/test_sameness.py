"""What says the same is kept once; opposites, other numbers and other names are never taken for the same."""

import pytest

from signalbox.blocks import ProfileFact
from signalbox.memory.extraction import Operation, accepted, tells_of_writer
from signalbox.memory.near_duplicates import near_duplicates
from signalbox.memory.sameness import says_same

SAME = (
    ("note", "likes small teams", "I like small teams"),
    ("note", "I like small teams.", "i  like small  teams"),
    ("note", "has managed teams of 12", "I have managed teams of 12"),
    ("note", "has managed teams of 12", "managed teams of 12"),
    ("note", "does not want to commute", "I don't want to commute"),
    ("note", "is allergic to latex", "I’m allergic to latex!"),
    ("note", "has a part-time contract", "I have a part time contract"),
    ("note", "can't lift heavy things", "cannot lift heavy things"),
    ("note", "really likes “quiet” rooms", "likes “quiet” rooms"),
    ("exclude_term", "night-shifts", "night shifts"),
    ("exclude_term", "the night shifts", "Night shifts"),
    ("location", "Stratford-upon-Avon", "Stratford upon Avon"),
    ("location", "New  York", "new york."),
    ("name", "Sean O’Brien", "Sean O'Brien"),
    ("skill", "Ｐｙｔｈｏｎ", "python"),
)
OTHER = (
    ("skill", "C", "C++"),
    ("skill", "C", "C#"),
    ("skill", ".NET", "NET"),
    ("skill", "Java", "JavaScript"),
    ("skill", "R", "Go"),
    ("language", "English", "the English"),
    ("location", "York", "New York"),
    ("exclude_term", "sales", "sales engineering"),
    ("note", "knows C", "knows C++"),
    ("note", "wants to manage people", "does not want to manage people"),
    ("note", "wants to manage people", "I don't want to manage people"),
    ("note", "likes working with children", "likes working without children"),
    ("note", "never likes sales", "likes sales"),
    ("note", "used to like sales", "likes sales"),
    ("note", "No, remote is fine", "No remote is fine"),
    ("note", "has managed teams of 12", "has managed teams of 2"),
    ("note", "has managed teams of 12", "has managed teams of 1.2"),
    ("note", "wants £50k", "wants $50k"),
    ("note", "wants 50k", "wants 60k"),
    ("note", "can start in 3 weeks", "can start in 3 months"),
    ("note", "can stand -5 degrees", "can stand 5 degrees"),
    ("note", "prefers Leeds to York", "prefers York to Leeds"),
    ("note", "can work in Leeds and not York", "can not work in Leeds and York"),
    ("note", "works at night", "worked at night"),
    ("note", "has a dog", "had a dog"),
    ("note", "can work nights", "can work nights only in Leeds"),
    ("note", "likes managers", "likes managing"),
    ("note", "is a manager's assistant", "is a manager and assistant"),
)


@pytest.mark.parametrize(("key", "one", "other"), SAME)
def test_what_says_the_same_is_told_as_the_same_both_ways(key, one, other):
    assert says_same(key, one, other)
    assert says_same(key, other, one)


@pytest.mark.parametrize(("key", "one", "other"), OTHER)
def test_what_differs_in_anything_that_counts_is_never_the_same(key, one, other):
    assert not says_same(key, one, other)
    assert not says_same(key, other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("works well in teams of 12 people in busy hospitals", "works well in teams of 2 people in busy hospitals"),
        ("would like to manage people in a big company", "would not like to manage people in a big company"),
        ("would like to manage people in a big company", "wouldn't like to manage people in a big company"),
        ("can work nights in the hospitals of Leeds", "can only work nights in the hospitals of Leeds"),
        ("would work for £500 a day in London or Leeds", "would work for $500 a day in London or Leeds"),
        ("skill: C", "skill: C++"),
        ("No, remote work is fine with me", "No remote work is fine with me"),
    ],
)
def test_a_prompt_never_loses_what_only_a_number_or_a_negation_tells_apart(one, other):
    assert list(near_duplicates([one, other], 0.5)) == []


def proposed(quote: str, value: str, kind: str = "fact", key: str = "note") -> Operation:
    return Operation(action="ADD", kind=kind, key=key, value=value, quote=quote, confidence=0.9)


@pytest.mark.parametrize(
    ("known", "message", "value", "news"),
    [
        ("I like small teams", "I do like small teams a lot", "likes small teams", False),
        ("does not like small teams", "I do like small teams a lot", "likes small teams", True),
        ("has managed teams of 5 people", "I managed teams of 12 people", "has managed teams of 12 people", True),
        ("managed teams of 12 people", "I managed teams of 12 people", "has managed teams of 12 people", False),
    ],
)
def test_a_model_adds_what_is_new_and_not_what_is_known_in_other_words(known, message, value, news):
    profile = (ProfileFact(fact_id="f1", kind="fact", key="note", value=known, source_message_id="m_old"),)
    told = accepted([proposed(message, value)], tells_of_writer(message), profile, message_id="m_now")
    assert [fact.value for fact in told.add] == ([value] if news else [])
    assert told.refused == (() if news else ("known already",))
