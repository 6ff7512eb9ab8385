"""Hard limits: what breaks one is never ranked, and what cannot be told is counted."""

from dataclasses import replace

import pytest
from test_rerank import HIT, QUERY, TODAY

from signalbox.retrieval.fit.limits import LIMIT_WORDS, office_days
from signalbox.retrieval.rerank import Candidate, rerank

BREAKS, HOLDS, UNKNOWN = "breaks", "holds", "unknown"


def outcome(person, sizes=None, **changes):
    ranking = rerank([replace(HIT, **changes)], person, QUERY, today=TODAY, sizes=sizes or {})
    if ranking.jobs:
        return UNKNOWN if ranking.unknown else HOLDS
    assert set(ranking.removed) <= set(LIMIT_WORDS)
    return BREAKS


SMALL = {"lanternfish analytics": (11, 50)}
LARGE = {"lanternfish analytics": (201, 1000)}
OVER = {"lanternfish analytics": (1000, None)}
STRADDLING = {"lanternfish analytics": (1, 200)}

BY_THE_HOUR = {"salary_period": "hour", "salary_min": 30, "salary_max": 40}


@pytest.mark.parametrize(
    ("person", "changes", "expected"),
    [
        (Candidate(remote_only=True), {"remote": None}, BREAKS),
        (Candidate(remote_only=True), {"remote": True}, HOLDS),
        (Candidate(on_site_only=True), {"remote": True}, BREAKS),
        (Candidate(on_site_only=True), {"remote": False}, HOLDS),
        (Candidate(salary_min=90_000, currency="EUR"), {}, BREAKS),
        (Candidate(salary_min=75_000, currency="EUR"), {}, HOLDS),
        (Candidate(salary_min=75_000, currency="USD"), {}, UNKNOWN),
        (Candidate(salary_min=75_000), {"salary_year_min": None, "salary_year_max": None}, UNKNOWN),
        # A rate for part-time work: a year's pay at full-time hours is more than it pays.
        (Candidate(salary_min=75_000, currency="EUR"), {"employment_type": "part-time", **BY_THE_HOUR}, UNKNOWN),
        (Candidate(salary_min=75_000, currency="EUR"), {"title": "Clerk (part-time)", **BY_THE_HOUR}, UNKNOWN),
        (Candidate(salary_min=90_000, currency="EUR"), {"employment_type": "part-time", **BY_THE_HOUR}, BREAKS),
        (Candidate(salary_min=75_000, currency="EUR"), BY_THE_HOUR, HOLDS),
        # Level.
        (Candidate(level_min="lead"), {}, BREAKS),
        (Candidate(level_min="senior"), {}, HOLDS),
        (Candidate(level_min="senior"), {"seniority": None, "title": "Clerk"}, HOLDS),
        (Candidate(excluded_levels=("senior",)), {}, BREAKS),
        (Candidate(excluded_levels=("junior",)), {"description": "You mentor junior colleagues."}, HOLDS),
        # Kind of employment.
        (Candidate(employment=("part-time",)), {"employment_type": "part-time"}, HOLDS),
        (Candidate(employment=("part-time",)), {}, BREAKS),
        (Candidate(employment=("part-time",)), {"employment_type": None}, BREAKS),
        (Candidate(employment=("full-time",)), {"employment_type": None}, UNKNOWN),
        (Candidate(excluded_employment=("contract",)), {"employment_type": "contract"}, BREAKS),
        (Candidate(excluded_employment=("contract",)), {"title": "Python Developer (contract)"}, BREAKS),
        (Candidate(excluded_employment=("contract",)), {"description": "Contract management."}, HOLDS),
        # Place.
        (Candidate(only_in=("Germany",)), {}, BREAKS),
        (Candidate(only_in=("Portugal",)), {}, HOLDS),
        (Candidate(only_in=("Germany", "Portugal")), {}, HOLDS),
        (Candidate(only_in=("Lisbon",)), {}, BREAKS),
        (Candidate(only_in=("Porto",)), {}, HOLDS),
        (Candidate(only_in=("Porto",)), {"location": "Portugal"}, UNKNOWN),
        (Candidate(only_in=("Porto",)), {"remote": True, "location": "Remote", "country": None}, HOLDS),
        (Candidate(only_in=("Porto",)), {"remote": True, "location": "Remote, USA", "country": "US"}, BREAKS),
        (Candidate(only_in=("Texas",)), {"location": "Austin, TX, US", "country": "US"}, HOLDS),
        (Candidate(only_in=("Germany",)), {"location": None, "country": None}, UNKNOWN),
        (Candidate(home=("Porto",)), {}, HOLDS),
        (Candidate(home=("Leeds",)), {}, BREAKS),
        (Candidate(home=("Leeds",)), {"location": "London", "country": "GB"}, BREAKS),
        (Candidate(home=("Leeds",)), {"location": "Little Nowhere", "country": "GB"}, UNKNOWN),
        (Candidate(home=("Leeds",)), {"remote": True, "location": "Remote", "country": None}, HOLDS),
        # Days in the office.
        (Candidate(office_days_max=2), {}, BREAKS),
        (Candidate(office_days_max=2), {"description": "Hybrid: three days a week in the office."}, BREAKS),
        (Candidate(office_days_max=3), {"description": "Hybrid: three days a week in the office."}, HOLDS),
        (Candidate(office_days_max=3), {"description": "Hybrid working."}, UNKNOWN),
        (Candidate(office_days_max=3), {"remote": True}, HOLDS),
        (Candidate(office_days_max=1), {"remote": True, "description": "2 days per week on site."}, BREAKS),
        # Agencies, companies, words.
        (Candidate(no_agencies=True), {"company": "Harbour Recruitment Ltd"}, BREAKS),
        (Candidate(no_agencies=True), {"description": "Our client is a bank in Porto."}, BREAKS),
        (Candidate(no_agencies=True), {"description": "You look after our clients."}, HOLDS),
        (Candidate(excluded_companies=("lanternfish",)), {}, BREAKS),
        (Candidate(excluded_terms=("travel",)), {}, HOLDS),
        (Candidate(excluded_terms=("travel",)), {"description": "Some travel. No travel at weekends."}, BREAKS),
        (Candidate(excluded_terms=("travel",)), {"description": "Travel is not required."}, HOLDS),
        (Candidate(excluded_terms=("sales",)), {"description": "No experience in sales needed."}, BREAKS),
    ],
)
def test_a_limit_breaks_holds_or_cannot_be_told(person, changes, expected):
    assert outcome(person, **changes) == expected


@pytest.mark.parametrize(
    ("least", "most", "sizes", "expected"),
    [
        (50, None, SMALL, BREAKS),
        (50, None, LARGE, HOLDS),
        (50, None, OVER, HOLDS),
        (50, None, STRADDLING, UNKNOWN),
        (50, None, {}, UNKNOWN),
        (None, 200, LARGE, BREAKS),
        (None, 200, SMALL, HOLDS),
        (None, 200, OVER, BREAKS),
        (None, 100, STRADDLING, UNKNOWN),
    ],
)
def test_a_company_known_to_be_too_small_or_too_large_is_ruled_out(least, most, sizes, expected):
    assert outcome(Candidate(company_size_min=least, company_size_max=most), sizes) == expected


def test_what_is_not_known_is_shown_and_counted_by_limit():
    person = Candidate(company_size_min=50, salary_min=50_000, currency="USD")
    ranking = rerank([HIT, replace(HIT, job_id="2", company="Northwind")], person, QUERY, today=TODAY)
    assert ranking.unknown == {"company_size": 2, "salary_min": 2}
    assert ranking.uncompared == 2
    assert {limit.reason for limit in ranking.jobs[0].unknown} == {
        "the company's size is not known",
        "it pays in EUR, which is not compared with your least pay",
    }


def test_limits_alone_make_no_score_but_hold():
    person = Candidate(no_agencies=True)
    assert person.has_limits
    assert not person.is_blank
    assert not Candidate(skills=("SQL",), titles=("Clerk",), years=3).has_limits


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("You come in 2 days a week in the office", 2),
        ("two days per week at our Leeds office", 2),
        ("hybrid (3 days)", 3),
        ("office-based 4 days", 4),
        ("hybrid, 2 days from home", None),
        ("30 days of holiday", None),
        ("Reply within 3 days", None),
    ],
)
def test_days_in_the_office_are_read(text, days):
    assert office_days(text) == days
