"""Limits on company size, level and place as people type them."""

import pytest

from signalbox.agents.words.profile_words import how_to_forget, profile_lines
from signalbox.blocks import ProfileFact
from signalbox.memory.statements import read
from signalbox.tools.vocabulary import packaged_vocabulary


def said(message):
    return [(fact.kind, fact.key, fact.value) for fact in read(message, (), packaged_vocabulary()).add]


@pytest.mark.parametrize(
    ("message", "key", "value"),
    [
        ("no startups under 50 people", "company_size_min", "50"),
        ("no startups with fewer than 50 employees", "company_size_min", "50"),
        ("nothing smaller than 200 employees", "company_size_min", "200"),
        ("I don't want to work at a startup with less than 20 people", "company_size_min", "20"),
        ("Only companies with at least 100 people", "company_size_min", "100"),
        ("I only want to work for companies with 50+ people", "company_size_min", "50"),
        ("companies with more than 1,000 employees only", "company_size_min", "1000"),
        ("no companies over 5000 people", "company_size_max", "5000"),
        ("max 200 employees", "company_size_max", "200"),
        ("only small companies, under 100 people", "company_size_max", "100"),
        ("nothing below senior", "seniority_min", "senior"),
        ("senior or above", "seniority_min", "senior"),
        ("at least senior level", "seniority_min", "senior"),
        ("only senior positions", "seniority_min", "senior"),
        ("lead or higher only", "seniority_min", "lead"),
        ("nothing junior", "exclude_term", "junior"),
        ("Germany only", "location", "Germany"),
        ("jobs in Germany or Austria only", "location", "Germany, Austria"),
        ("nothing outside Leeds", "location", "Leeds"),
        ("only in Leeds, Manchester or York", "location", "Leeds, Manchester, York"),
        ("Leeds, Manchester or York only", "location", "Leeds, Manchester, York"),
        ("only Leeds or remote", "location", "Leeds"),
        ("I'm not relocating", "relocation", "no"),
        ("not willing to move", "relocation", "no"),
        ("permanent only", "work_time", "permanent"),
        ("I can't travel", "exclude_term", "travel"),
    ],
)
def test_a_limit_is_kept_as_a_hard_rule_and_nothing_else(message, key, value):
    assert said(message) == [("constraint", key, value)]


@pytest.mark.parametrize(
    "message",
    [
        "We had fewer than 50 people at my last startup",
        "I worked at a company with 200 people",
        "I led a team of more than 50 people",
        "I have at least senior level experience",
        "I can't travel today",
        "Python only",
    ],
)
def test_what_only_sounds_like_a_limit_is_none(message):
    assert [fact for fact in said(message) if fact[0] == "constraint"] == []


def test_a_wish_for_size_is_a_preference():
    assert said("I like companies under 100 people") == [("preference", "company_size_max", "100")]


def test_several_limits_in_one_breath_are_all_kept():
    facts = said("London only, max 2 days in the office, at least £70k, no startups under 50 people, no agencies")
    assert set(facts) == {
        ("constraint", "location", "London"),
        ("constraint", "office_days", "2 at most"),
        ("constraint", "salary_min", "70000"),
        ("fact", "currency", "GBP"),
        ("constraint", "company_size_min", "50"),
        ("constraint", "exclude_term", "agencies"),
    }


def test_limits_are_shown_in_words_and_can_be_taken_back_by_name():
    fact = ProfileFact(fact_id="1", kind="constraint", key="company_size_min", value="1000")
    assert profile_lines([fact]) == ["- **Least company size:** 1,000 people (a hard rule)"]
    assert how_to_forget(fact) == "forget my company size"
