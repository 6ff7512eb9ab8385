"""What messages tell of applications, and what they must not be taken to tell."""

from datetime import date

import pytest

from signalbox.agents.tracking.letter_wish import letter_in, only_changes
from signalbox.agents.tracking.told import told_in

TODAY = date(2026, 11, 30)  # a Monday
KNOWN = ("Haldvik Freight", "St Brannoc's Hospital", "Willowmere Care", "Bolt & Sons")


def told(message):
    return [(one.company, one.title, one.status, one.applied_on or one.on) for one in told_in(message, TODAY, KNOWN)]


def day(number, month=11):
    return date(2026, month, number)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("applied at tesco for a night shift role last week", [("Tesco", "night shift", "applied", day(23))]),
        (
            "i applied to marks and spencer as a sales assistant yesterday",
            [("Marks and Spencer", "sales assistant", "applied", day(29))],
        ),
        (
            "I applied to Marks and Spencer and the Bank of England on Friday",
            [("Marks and Spencer", "", "applied", day(27)), ("Bank of England", "", "applied", day(27))],
        ),
        (
            "applied to The Guardian, Monzo and Wise yesterday",
            [("Guardian", "", "applied", day(29)), ("Monzo", "", "applied", day(29)), ("Wise", "", "applied", day(29))],
        ),
        ("I was turned down by Ernst & Young", [("Ernst & Young", "", "rejected", None)]),
        ("got a rejection from Sainsbury's today", [("Sainsbury's", "", "rejected", day(30))]),
        ("Monzo's recruiter rejected me", [("Monzo", "", "rejected", None)]),
        ("tesco rejected me", [("Tesco", "", "rejected", None)]),
        (
            "kindly note I have applied for the post of clerk in SBI on 3rd November",
            [("SBI", "clerk", "applied", day(3))],
        ),
        ("I have applied for fresher in Infosys on 12 Nov", [("Infosys", "fresher", "applied", day(12))]),
        ("My candidature got rejected at TCS", [("TCS", "", "rejected", None)]),
        (
            "sent my resume to Tata Consultancy Services on Nov 1st",
            [("Tata Consultancy Services", "", "applied", day(1))],
        ),
        ("I applied to the city council three weeks ago", [("the city council", "", "applied", day(9))]),
        ("interview with Sarah Jones at Acme on Friday", [("Acme", "", "interview", day(4, 12))]),
        ("I interviewed with Deloitte in London on Tuesday", [("Deloitte", "", "interview", day(24))]),
        ("Wise invited me to an interview on Thursday!", [("Wise", "", "interview", day(3, 12))]),
        ("the hospital offered me an interview next Tuesday", [("the hospital", "", "interview", day(1, 12))]),
        (
            "I applied to Acme as a planner and to Bolt & Sons as a welder on Friday",
            [("Acme", "planner", "applied", day(27)), ("Bolt & Sons", "welder", "applied", day(27))],
        ),
        (
            "I applied for data analyst at Acme and Monzo on Friday",
            [("Acme", "data analyst", "applied", day(27)), ("Monzo", "data analyst", "applied", day(27))],
        ),
        (
            "I got an interview invite from Bolt & Sons for 3 December and a rejection from Caldera",
            [("Bolt & Sons", "", "interview", day(3, 12)), ("Caldera", "", "rejected", None)],
        ),
        (
            "Revolut, Wise and Monzo rejected me",
            [("Revolut", "", "rejected", None), ("Wise", "", "rejected", None), ("Monzo", "", "rejected", None)],
        ),
        ("mark the Haldvik one as rejected", [("Haldvik Freight", "", "rejected", None)]),
        ("track Acme: data analyst, applied 3 November", [("Acme", "data analyst", "applied", day(3))]),
        ("I've accepted the offer from Wise", [("Wise", "", "accepted", None)]),
        ("I turned down the offer from Wise", [("Wise", "", "withdrawn", None)]),
        ("NHS Lothian offered me the Band 5 Nurse post", [("NHS Lothian", "Band 5 Nurse", "offer", None)]),
        ("Applied to Google a week ago, any updates?", [("Google", "", "applied", day(23))]),
        ("Applied to Ocado (driver) on Friday", [("Ocado", "driver", "applied", day(27))]),
        ("put Greggs on my tracker, applied today", [("Greggs", "", "applied", day(30))]),
        ("aplied at poundlnd 3 wks ago an nuthin", [("Poundlnd", "", "applied", day(9))]),
        (
            "I applied for the Python Developer, Geospatial job at Pinefold Labs today",
            [("Pinefold Labs", "Python Developer, Geospatial", "applied", day(30))],
        ),
        (
            "I applied for Cloud Engineer (Python, OpenStack) at Zephyr Cloudworks",
            [("Zephyr Cloudworks", "Cloud Engineer (Python, OpenStack)", "applied", None)],
        ),
        (
            "I've applied to Pinefold Labs as Staff Nurse, Intensive Care",
            [("Pinefold Labs", "Staff Nurse, Intensive Care", "applied", None)],
        ),
        (
            "I applied to Acme as a planner, Monzo and Wise rejected me",
            [("Acme", "planner", "applied", None), ("Monzo", "", "rejected", None), ("Wise", "", "rejected", None)],
        ),
    ],
)
def test_what_is_told_is_read(message, expected):
    assert told(message) == expected


def test_a_later_clause_adds_to_the_employer_named_before():
    (one,) = told_in("I applied to Acme on Friday and they rejected me yesterday", TODAY, KNOWN)
    assert (one.company, one.status, one.applied_on, one.on) == ("Acme", "rejected", day(27), day(29))


@pytest.mark.parametrize(
    "message",
    [
        "I hope Acme invites me to an interview",
        "if Bolt rejects me, what then?",
        "I haven't applied to Acme yet",
        "I want to apply to Acme",
        "Should I expect an interview at Acme?",
        "I'm waiting for an answer from Google",
        "have I heard back from anyone",
        "withdraw the Willowmere one",
        "Write a thank-you note to Acme after the interview",
        "I don't want to apply for anything else until I know what's going on with the Lufthansa application.",
        "",
    ],
)
def test_what_is_wished_feared_or_asked_is_not_told(message):
    assert told(message) == []


@pytest.mark.parametrize(
    "message",
    ["I applied to London", "I applied for a job in London", "Applied for Staff Nurse", "I applied on Friday"],
)
def test_a_town_a_title_or_a_day_is_no_employer(message):
    assert [one[0] for one in told(message)] == [""]


@pytest.mark.parametrize(
    ("message", "letter"),
    [
        ("chase Revolut", "chaser"),
        ("can you nudge them please", "chaser"),
        ("send me a chaser", "chaser"),
        ("write to them and ask for feedback", "feedback"),
        ("thank them for the interview", "thanks"),
        ("withdraw the Willowmere one", "withdrawal"),
        ("should I chase them?", None),
        ("which of them are due for a chaser?", None),
        ("I e-mailed them twice", None),
        ("got the rejection mail from HDFC Bank", None),
        ("I applied at Starbucks, no reply", None),
        ("I want a thank-you note after the interview", "thanks"),
        ("remind me what is open", None),
        ("don't write a letter, I already sent one", None),
    ],
)
def test_the_letter_asked_for(message, letter):
    assert letter_in(message) == letter


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("shorter", True),
        ("make it shorter and warmer", True),
        ("a bit friendlier please", True),
        ("too long", True),
        ("write a short chaser to Acme", False),
        ("make it happen", False),
    ],
)
def test_a_change_of_manner_alone(message, changes):
    assert only_changes(message) is changes
