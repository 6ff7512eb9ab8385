"""Every hard limit a profile can hold, from the sentence that states it to what the ranking is given."""

from dataclasses import fields

import pytest

from signalbox.blocks import ProfileFact
from signalbox.memory.statements import read
from signalbox.retrieval.rerank import Candidate
from signalbox.tools.candidate import candidate_of
from signalbox.tools.vocabulary import packaged_vocabulary


def limits_of(*sentences):
    """What the limits set are, after these messages one by one."""
    profile = []
    for sentence in sentences:
        profile += [
            ProfileFact(fact_id=f"f{len(profile)}_{n}", kind=f.kind, key=f.key, value=f.value)
            for n, f in enumerate(read(sentence, profile, packaged_vocabulary()).add)
        ]
    person, bare = candidate_of(profile), Candidate()
    return {
        each.name: value for each in fields(person) if (value := getattr(person, each.name)) != getattr(bare, each.name)
    }


NIGHTS = ("night shift", "night shifts", "nights", "night work", "overnight")
TRAVEL = ("travel", "travels", "travelling", "traveling", "business trips")


@pytest.mark.parametrize(
    ("sentence", "limits"),
    [
        ("remote only", {"remote_only": True}),
        ("on-site only", {"on_site_only": True}),
        (">= 120k", {"salary_min": 120_000.0}),
        ("at least £50k", {"salary_min": 50_000.0, "currency": "GBP"}),
        ("no startups under 50 people", {"company_size_min": 50}),
        ("max 200 employees", {"company_size_max": 200}),
        ("Only companies with 50 to 500 people", {"company_size_min": 50, "company_size_max": 500}),
        ("never show me jobs at Acme", {"excluded_companies": ("Acme",)}),
        ("no travel", {"excluded_terms": TRAVEL}),
        ("I can't travel", {"excluded_terms": TRAVEL}),
        ("no night shifts", {"excluded_terms": NIGHTS}),
        ("day shifts only", {"excluded_terms": NIGHTS}),
        ("max 3 days in the office", {"office_days_max": 3}),
        ("permanent only", {"excluded_employment": ("contract", "temporary", "internship")}),
        ("no contract roles", {"excluded_employment": ("contract",)}),
        ("part-time only", {"employment": ("part-time",)}),
        ("Germany only", {"locations": ("Germany",), "only_in": ("Germany",)}),
        ("max Leeds", {"locations": ("Leeds",), "only_in": ("Leeds",)}),
        ("only in Munich, Germany", {"locations": ("Munich", "Germany"), "only_in": ("Munich",)}),
        ("nothing below senior", {"level_min": "senior"}),
        ("no junior roles", {"excluded_levels": ("junior",)}),
        ("no internships", {"excluded_employment": ("internship",)}),
        ("no agencies", {"no_agencies": True}),
        ("no recruitment agencies", {"no_agencies": True}),
        ("no call centres", {"excluded_terms": ("call centres", "call centre")}),
        # Wishes are no limits.
        ("I'd prefer four days a week", {}),
        ("I'd rather work from home", {}),
        ("I'd like to earn 55k", {}),
    ],
)
def test_a_sentence_becomes_the_limit_it_states(sentence, limits):
    assert limits_of(sentence) == limits


def test_who_will_not_move_is_held_to_where_they_live():
    assert limits_of("I live in Leeds", "I'm not relocating") == {"locations": ("Leeds",), "home": ("Leeds",)}
    assert limits_of("I'm not relocating") == {}


def test_of_a_limit_said_twice_the_last_holds():
    assert limits_of("at least 50 employees", "at least 200 employees")["company_size_min"] == 200


def test_a_wished_title_stands_before_the_held_one():
    profile = [
        ProfileFact(fact_id="1", kind="fact", key="title", value="Waiter"),
        ProfileFact(fact_id="2", kind="preference", key="title", value="Sommelier"),
        ProfileFact(fact_id="3", kind="fact", key="years", value="6"),
    ]
    person = candidate_of(profile)
    assert (person.titles, person.years) == (("Sommelier", "Waiter"), 6)
