from dataclasses import fields
from datetime import date

import pytest

from signalbox.retrieval.locations import located
from signalbox.retrieval.pay import find_pay, guess_period, yearly
from signalbox.retrieval.query import JobQuery, parse_query, role_query

TODAY = date(2026, 11, 30)

CASES = {
    "find me remote Python jobs": {"text": "Python", "skills": ("Python",), "remote": True},
    "security engineer jobs in New York over 100k": {
        "text": "security engineer",
        "words": ("security", "engineer"),
        "locations": ("New York",),
        "salary_min": 100_000,
    },
    "remote rust jobs on Mars": {"text": "rust", "skills": ("Rust",), "remote": True, "locations": ("Mars",)},
    "nursing jobs near Leeds paying at least £35,000": {
        "text": "nursing",
        "skills": ("Nursing",),
        "locations": ("Leeds",),
        "salary_min": 35_000,
        "currency": "GBP",
    },
    "part-time bookkeeping work in Galway, posted this month": {
        "text": "bookkeeping",
        "skills": ("Bookkeeping",),
        "locations": ("Galway",),
        "posted_after": date(2026, 11, 1),
        "employment_type": "part-time",
    },
    "senior data analyst, Berlin, 60k+, no travel": {
        "text": "data analyst",
        "skills": ("Data Analysis",),
        "locations": ("Berlin",),
        "salary_min": 60_000,
        "seniority": "senior",
        "exclude": ("travel",),
    },
    "jobs that don't need a degree": {"exclude": ("degree",)},
    "€50/hour contract": {"salary_min": 104_000, "currency": "EUR", "employment_type": "contract"},
    "jobs in new york": {"locations": ("New York",)},
    "chef jobs in atlantis": {"text": "chef", "skills": ("Culinary Arts",), "locations": ("atlantis",)},
    "jobs near hogsmeade": {"locations": ("hogsmeade",)},
    "jobs in Narnia, Westeros or Leeds": {"locations": ("Narnia", "Westeros", "Leeds")},
    "lorry driver wanted, Ballybofey": {
        "text": "lorry driver",
        "skills": ("HGV Driving",),
        "locations": ("Ballybofey",),
    },
    "FIND PYTHON JOBS IN LEEDS": {"text": "PYTHON", "skills": ("Python",), "locations": ("Leeds",)},
    "jobs for us in the US": {"locations": ("United States",)},
    "Reading teacher": {"text": "Reading teacher", "words": ("Reading",), "skills": ("Teaching",)},
    "teacher in Reading": {"text": "teacher", "skills": ("Teaching",), "locations": ("Reading",)},
    "jobs in finance": {"text": "finance", "words": ("finance",)},
    "nurses wanted in Sydney over $90k": {
        "text": "nurses",
        "skills": ("Nursing",),
        "locations": ("Sydney",),
        "salary_min": 90_000,
        "currency": "AUD",
    },
    "software engineer in San Francisco or remote": {
        "text": "software engineer",
        "skills": ("Software Development",),
        "locations": ("San Francisco", "Remote"),
    },
    "show me 5 go developer roles in Austin, TX": {
        "text": "go developer",
        "words": ("developer",),
        "skills": ("Go",),
        "locations": ("Austin",),
        "limit": 5,
    },
    "jobs at Stripe": {"companies": ("Stripe",)},
    "on-site welding": {"text": "welding", "skills": ("Welding",), "remote": False},
    "contract manager": {"text": "contract manager", "words": ("contract", "manager")},
    "warehouse work, no experience needed": {
        "text": "warehouse",
        "skills": ("Warehouse Operations",),
        "entry_level": True,
    },
    "truck driver without nights or weekends in Texas": {
        "text": "truck driver",
        "skills": ("HGV Driving",),
        "locations": ("Texas",),
        "exclude": ("nights", "weekends"),
    },
    "latest kubernetes jobs since 2026-11-20": {
        "text": "kubernetes",
        "skills": ("Kubernetes",),
        "posted_after": date(2026, 11, 20),
    },
    "C++ / .NET (remote)?": {"text": "C++ .NET", "skills": ("C++", ".NET"), "remote": True},
    "remote sensing scientist": {
        "text": "remote sensing scientist",
        "words": ("scientist",),
        "skills": ("Remote Sensing",),
    },
    "python jobs not in Berlin and not at Quillmark": {
        "text": "python",
        "skills": ("Python",),
        "not_locations": ("Berlin",),
        "not_companies": ("Quillmark",),
    },
    "jobs not at quillmark": {"not_companies": ("quillmark",)},
    "python jobs but not in London or Leeds": {
        "text": "python",
        "skills": ("Python",),
        "not_locations": ("London", "Leeds"),
    },
    "jobs outside London": {"not_locations": ("London",)},
    "no jobs in London": {"not_locations": ("London",)},
    "Exclude jobs with Java": {"exclude": ("java",)},
    "no Java": {"exclude": ("java",)},
    "no Java and not PHP": {"exclude": ("java", "php")},
    "without the python ones": {"exclude": ("python",)},
    "without the senior ones": {"not_seniority": ("senior",)},
    "nursing jobs, no seniors": {"text": "nursing", "skills": ("Nursing",), "not_seniority": ("senior",)},
    "no senior or lead roles": {"not_seniority": ("senior", "lead")},
    "not remote": {"remote": False},
    "without the remote ones": {"remote": False},
    "don't show me remote jobs": {"remote": False},
    "no on-site jobs": {"remote": True},
    "not only remote jobs": {"remote": True},
    "": {},
    "AND OR NOT ( * \" '": {},
}


@pytest.mark.parametrize(("message", "said"), CASES.items())
def test_a_message_is_read_as_the_conditions_it_states_and_no_others(vocabulary, message, said):
    query = parse_query(message, TODAY, vocabulary)
    blank = JobQuery()
    differs = {
        each.name: getattr(query, each.name)
        for each in fields(query)
        if getattr(query, each.name) != getattr(blank, each.name)
    }
    assert differs == said


@pytest.mark.parametrize(
    "message",
    [
        "\x00",
        "\ud800",
        "😀" * 500,
        "no " * 3_000,
        "in New " * 3_000,
        "1," * 5_000,
        "9" * 5_000,
        "$" * 900,
        "A-" * 4_000,
    ],
)
def test_no_text_raises(vocabulary, message):
    assert parse_query(message, TODAY, vocabulary).limit > 0


def test_a_date_before_the_calendar_is_no_error(vocabulary):
    assert parse_query("jobs from the last 9999 months", date.min, vocabulary).posted_after == date.min
    assert parse_query("jobs since 2024-99-99", TODAY, vocabulary).posted_after is None


@pytest.mark.parametrize(
    ("message", "minimum", "maximum", "currency"),
    [
        ("over 100k", 100_000, None, None),
        ("between 60k and 80k", 60_000, 80_000, None),
        ("60-80k a year", 60_000, 80_000, None),
        ("up to $50k", None, 50_000, "USD"),
        ("60.000 €", 60_000, None, "EUR"),
        ("£500 a day", 130_000, None, "GBP"),
        ("paying 4000 a month", 48_000, None, None),
        ("100 thousand dollars", 100_000, None, "USD"),
        ("CHF 120'000", 120_000, None, "CHF"),
    ],
)
def test_pay_is_read_per_year(message, minimum, maximum, currency):
    wish = find_pay(message)
    assert wish is not None
    assert (wish.minimum, wish.maximum, wish.currency) == (minimum, maximum, currency)


@pytest.mark.parametrize(
    "message", ["a 401k plan", "5 years of experience", "35 hours a week", "top 3 jobs", "10k followers"]
)
def test_other_numbers_are_not_pay(message):
    assert find_pay(message) is None


def test_periods_come_from_the_size_where_none_is_stated():
    assert [guess_period(amount) for amount in (25, 400, 4_000, 40_000)] == ["hour", "day", "month", "year"]
    assert yearly(50, "hour") == 104_000


def test_a_role_is_searched_without_its_level(vocabulary):
    assert role_query("Senior Data Engineer", vocabulary).skills == ("Data Engineering",)
    assert role_query("Senior Data Engineer", vocabulary).seniority is None


def test_hours_are_counted_as_the_days_they_reach_into(vocabulary):
    assert parse_query("jobs from the last 24 hours", TODAY, vocabulary).posted_after == date(2026, 11, 29)
    assert parse_query("jobs from the last 30 hours", TODAY, vocabulary).posted_after == date(2026, 11, 28)


@pytest.mark.parametrize(
    ("message", "locations"),
    [
        ("jobs in London", ("London",)),
        ("jobs in London, Ontario", ("London, Canada",)),
        ("jobs in London, ON", ("London, Canada",)),
        ("jobs in London, UK", ("London",)),
        ("jobs in Cambridge MA or Leeds", ("Cambridge, United States", "Leeds")),
        ("jobs in London or Paris", ("London", "Paris")),
        ("London IT jobs", ("London",)),
    ],
)
def test_a_state_or_country_behind_a_town_says_which_of_that_name(vocabulary, message, locations):
    assert parse_query(message, TODAY, vocabulary).locations == locations


def test_of_towns_of_one_name_the_one_at_home_is_meant_but_not_of_famous_ones():
    assert [located("London", home).countries for home in (None, "GB", "CA", "DE")] == [
        ("GB",),
        ("GB",),
        ("CA",),
        ("GB",),
    ]
    assert located("Paris", "US").countries == ("FR",)
    assert located("London, Canada", "GB").countries == ("CA",)
    assert located("Hogsmeade, Scotland") is None
