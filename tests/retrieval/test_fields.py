"""What is ruled out of a search: each of several things, and a field of work by the words that postings use of it."""

from datetime import date

import pytest

from signalbox.blocks import ProfileFact
from signalbox.retrieval.fields import IT, field_or_pronoun, words_of_field
from signalbox.retrieval.query import parse_query
from signalbox.tools.candidate import candidate_of
from signalbox.tools.vocabulary import packaged_vocabulary


@pytest.mark.parametrize(
    ("message", "excluded"),
    [
        ("find me jobs but no night shifts and nothing in sales", ("night shifts", "sales")),
        ("jobs with no nights and nothing in retail", ("nights", "retail")),
        ("find me jobs but nothing in sales", ("sales",)),
        ("jobs with no travel and nothing with weekends", ("travel", "weekends")),
        ("find remote jobs that are not in IT", (IT,)),
        ("find jobs that are not in it", (IT,)),
        ("jobs not in IT or retail", (IT, "retail")),
        ("jobs not in sales or IT", ("sales", IT)),
        ("jobs, no IT please", (IT,)),
        ("jobs but not it", ()),
    ],
)
def test_each_thing_that_is_ruled_out_is_ruled_out(message, excluded):
    query = parse_query(message, date(2026, 3, 2), packaged_vocabulary())
    assert query.exclude == excluded
    assert query.text == ""


@pytest.mark.parametrize(
    ("thing", "said", "meant"),
    [
        ("IT", "no IT", IT), ("it", "not in it", IT), ("it", "don't want to work in it", IT),
        ("it", "don't show it", None),
        ("IT", "NOT IT", None), ("sales", "not in sales", "sales"),
    ],
)  # fmt: skip
def test_it_is_the_field_in_capitals_or_behind_in_and_else_a_pronoun(thing, said, meant):
    assert field_or_pronoun(thing, said) == meant


def test_a_field_is_told_by_the_words_of_its_postings_and_any_other_term_by_itself():
    assert {"backend", "software engineer", "it support"} <= set(words_of_field("IT"))
    assert words_of_field("sales") == ("sales",)


def test_a_rule_against_the_field_rules_out_its_postings_and_not_the_pronoun():
    rule = ProfileFact(fact_id="f", kind="constraint", key="exclude_term", value=IT)
    words = candidate_of([rule]).excluded_terms
    assert "backend" in words
    assert "developers" in words
    assert "it" not in words
