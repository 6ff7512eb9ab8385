"""Postings that stand in the message itself."""

from datetime import date

import pytest

from signalbox.agents.matching.pasted import pasted_before, pasted_posting
from signalbox.memory.conversation import PastMessage
from signalbox.tools.vocabulary import packaged_vocabulary

TODAY = date(2026, 11, 30)
LONG = """Am I a fit for this?

Senior Data Engineer at Northwind Traders
Berlin, Germany (hybrid, 2 days a week in the office)
€80,000 - €95,000 a year

About the role
You will build pipelines in Python and Airflow.

Requirements
- 5+ years of experience with Python and SQL
- Kubernetes is a plus
"""
PROSE = (
    "Acme Health is hiring a Registered Nurse in Leeds. £18 - £20 per hour. You have at least 2 years of experience on "
    "acute wards, an NMC registration and a driving licence. Nights and weekends. We offer free parking and 30 days of "
    "holiday. Apply by 30 January 2027. The team is friendly, the ward is new and the hospital is well connected. "
    "Essential: safeguarding level 2."
)


def read(message):
    return pasted_posting(message, packaged_vocabulary(), today=TODAY)


def test_a_pasted_advert_is_read_field_by_field():
    pasted = read(LONG)
    hit = pasted.hit
    assert (hit.title, hit.company, hit.location, hit.country) == (
        "Senior Data Engineer", "Northwind Traders", "Berlin, hybrid", "DE",
    )  # fmt: skip
    assert (hit.salary_min, hit.salary_max, hit.currency, hit.seniority) == (80_000, 95_000, "EUR", "senior")
    assert {"Python", "SQL", "Apache Airflow", "Kubernetes"} <= set(hit.skills)
    assert hit.remote is False
    assert pasted.question.strip() == "Am I a fit for this?"


def test_an_advert_in_running_text_is_read_too():
    hit = read(PROSE).hit
    assert (hit.title, hit.company, hit.location) == ("Registered Nurse", "Acme Health", "Leeds")
    assert (hit.salary_year_min, hit.salary_year_max, hit.currency) == (37_440, 41_600, "GBP")


@pytest.mark.parametrize(
    ("message", "title", "company"),
    [
        ("is this wrth applying 4?? barber chair, croydon, 2yrs exp min. i got 1", "barber chair", "Company not named"),
        ("Am I a match for this one: trainee optician, Specsavers, Hull.", "trainee optician", "Specsavers"),
        (
            'How close am I to this?\n"Housekeeping supervisor, 120 rooms, 2+ yrs leading a team, Opera PMS a plus"',
            "Housekeeping supervisor",
            "Company not named",
        ),
        (
            "Does this suit me? Job description: As Laboratory Technician (m/f/d) you prepare samples and run HPLC.",
            "Laboratory Technician",
            "Company not named",
        ),
        ("Title: Welder\nCompany: Ironside Ltd\nLocation: Cork\nRequirements: coded welder", "Welder", "Ironside Ltd"),
    ],
)
def test_a_line_can_be_an_advert(message, title, company):
    pasted = read(message)
    assert (pasted.hit.title, pasted.hit.company) == (title, company)


ONE_LINE = (
    "Here is a job ad: Senior Accountant, Brightwater Ltd, Manchester. ACCA qualified, 5+ years, Excel, SAP, month-end "
    "close. £48,000-£55,000. Am I a fit? I'm an ACCA accountant with 6 years and Excel."
)


def test_an_advert_of_one_line_ends_where_the_user_speaks_again():
    pasted = read(ONE_LINE)
    hit = pasted.hit
    assert (hit.title, hit.company, hit.location) == ("Senior Accountant", "Brightwater Ltd", "Manchester")
    assert (hit.salary_min, hit.salary_max, hit.currency) == (48_000, 55_000, "GBP")
    assert {"ACCA", "Excel", "SAP"} <= set(hit.skills)
    assert pasted.text.startswith("Senior Accountant, Brightwater Ltd")
    assert pasted.text.endswith("£48,000-£55,000.")
    assert "I'm an ACCA accountant with 6 years" in pasted.question
    assert (pasted.job.job_id, pasted.job.title, pasted.job.salary.max) == ("pasted", "Senior Accountant", 55_000)


@pytest.mark.parametrize(
    ("message", "title", "company", "place"),
    [
        (
            "I'm a nurse with 4 years. Here's an ad - Staff Nurse, St Mary's, Leeds, nights, £32k. Should I apply?",
            "Staff Nurse", "St Mary's", "Leeds",
        ),
        (
            "Senior Accountant, Brightwater Ltd, Manchester. ACCA qualified, 5+ years. £48,000. Am I a fit?",
            "Senior Accountant", "Brightwater Ltd", "Manchester",
        ),
        (
            "is this for me? Lorry driver, Haldvik Freight, Hull; HGV licence, 2 years min, £15 an hour",
            "Lorry driver", "Haldvik Freight", "Hull",
        ),
        (
            "Would I suit this: Data Analyst | Contoso | London | SQL, Tableau, 3 years | £45k",
            "Data Analyst", "Contoso", "London",
        ),
        (
            "Saw this job. Barista, Bean There, Bristol, 20 hours a week, £11.50 per hour. worth it?",
            "Barista", "Bean There", "Bristol",
        ),
        (
            "Would this suit me?\nCook, Fathom Foods, Leeds. Night shifts, £12.50 an hour, no experience needed.",
            "Cook", "Fathom Foods", "Leeds",
        ),
        (
            "Judge this posting - QA Tester at Northwind, Berlin, Selenium and Java, 2+ years, 45.000 EUR",
            "QA Tester", "Northwind", "Berlin",
        ),
    ],
)  # fmt: skip
def test_adverts_of_one_line_come_in_many_forms(message, title, company, place):
    hit = read(message).hit
    assert (hit.title, hit.company, hit.location) == (title, company, place)


def test_an_advert_of_an_earlier_message_is_found_again_with_its_text():
    history = (
        PastMessage(role="user", content="Is this for me? Cook, Acme, Leeds, £30k, nights"),
        PastMessage(role="assistant", content="…"),
        PastMessage(role="user", content=f"/job_match {ONE_LINE}"),
        PastMessage(role="user", content="thanks"),
    )
    found = pasted_before(history, packaged_vocabulary(), today=TODAY)
    assert found.hit.company == "Brightwater Ltd"
    assert found.text.endswith("£48,000-£55,000.")
    assert pasted_before(history[1:2], packaged_vocabulary(), today=TODAY) is None


@pytest.mark.parametrize(
    "message",
    [
        "My skills: Python, SQL, Excel and Tableau. Which fits me best?",
        "Compare these for me: first, second and third",
        "I have two offers: one at Acme 62k in Dublin, one at Globex 58k remote with 30 days holiday. Which one?",
        "Find me accountant jobs: Manchester, remote, 50k",
        "what about the third one: remote, well paid, near Leeds?",
        "which of these is best: the nurse, the chef, or the driver?",
        "I know SQL, Excel, Tableau and Python, 5 years. Am I a fit?",
        "Am I a fit for the Data Engineer job?",
        "Which of these pays best?",
        "compare the first, the second and the third: which is best?",
        "The ad asks for 5 years and I've got 3. Worth applying?",
        "Startup or ministry: both have offered me a post, where would I do better?",
        "You showed me four jobs earlier: the fintech startup, the council and the university. Which one?",
        "",
        "?" * 500,
        "a" * 5_000,
    ],
)
def test_a_question_is_no_advert(message):
    assert read(message) is None


@pytest.mark.parametrize(
    "message", ["\x00" + LONG, LONG * 50, "Requirements:\n" * 400, "“" * 400 + LONG, "Salary: £" + "9" * 400 + LONG]
)
def test_no_text_is_too_odd_to_be_looked_at(message):
    pasted = read(message)
    assert pasted is None or pasted.hit.job_id == "pasted"
