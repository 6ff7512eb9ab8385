"""Questions about pay that lean on what was said before, and what is read from slips of the pen and addresses."""

import time
from datetime import date

import pytest
from stage import Canned, fact, hit, perform

from signalbox.agents.pay.ask import posting_meant, read_ask
from signalbox.agents.pay.places import mistyped_place, town_of
from signalbox.agents.pay.spelling import mended_role
from signalbox.agents.salary import SalaryAgent
from signalbox.agents.words.source_names import source_label
from signalbox.blocks import Job, JobsData, Salary, SalaryRange
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.facts.posting_pay import pay_of
from signalbox.retrieval.facts.wages import WageRow
from signalbox.retrieval.library import Passage, PassageHits
from signalbox.tools.find_wages import Wages
from signalbox.tools.pay_of_postings import RolePay, Step
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

NOTHING = Empty("no posting is for that role")
NO_OCCUPATION = Empty("they have no such occupation")
ANYWHERE = (Step("everywhere", "", level=False, matched=9, stated=9),)


def user(text, intent="salary"):
    return PastMessage(role="user", content=text, intent=intent)


def said(*blocks, agent="salary", text=""):
    return PastMessage(
        role="assistant", content=text, agent=agent, blocks=tuple(block.model_dump(mode="json") for block in blocks)
    )


def listed(*jobs):
    return JobsData(jobs=jobs, total=len(jobs), truncated=False, sources=())


def job(number, title, location=None, salary=None):
    return Job(job_id=f"j{number}", title=title, company=f"Firm {number}", location=location, salary=salary)


def told(role, place=None, currency="USD"):
    return SalaryRange(
        role=role, location=place, asked_location=place, n=9, currency=currency, period="year", p10=1, p25=2, p50=3,
        p75=4, p90=5,
    )  # fmt: skip


ELECTRICIANS = (
    user("apprentice electrician jobs new york", "job_search"),
    said(
        listed(
            job(1, "Apprentice Electrician", "New York, NY"),
            job(2, "Electrician", "30-30 Thomson Ave, Brooklyn, NY", Salary(min=60_000, currency="USD", period="year")),
        ),
        agent="job_search",
    ),
)
LABS = (
    user("lab jobs in leeds", "job_search"),
    said(
        listed(job(1, "Laboratory Technician", "Leeds"), job(2, "Senior Laboratory Technician", "Leeds")),
        agent="job_search",
    ),
)


def ask(message, history=(), profile=()):
    return read_ask(message, history, profile, packaged_vocabulary(), posting_meant(message, history))


@pytest.mark.parametrize(
    ("history", "message", "kind", "role", "place", "basis"),
    [
        (ELECTRICIANS, "whats it pay", "range", "apprentice electrician", "New York", "search"),
        (ELECTRICIANS, "and in Boston?", "range", "apprentice electrician", "Boston", "search"),
        (ELECTRICIANS, "ok 2nd one", "posting", "Electrician", "Brooklyn", "posting"),
        (ELECTRICIANS, "and the second one?", "posting", "Electrician", "Brooklyn", "posting"),
        (ELECTRICIANS, "how much does the first pay compared to market", "posting", "Apprentice Electrician",
         "New York", "posting"),
        (ELECTRICIANS, "is 70k good for the second one?", "fair", "Electrician", "Brooklyn", "posting"),
        (ELECTRICIANS, "which pays best?", "table", "apprentice electrician", "New York", "search"),
        (ELECTRICIANS, "which one pays the most", "table", "apprentice electrician", "New York", "search"),
        (ELECTRICIANS, "what does a plumber earn in Ohio?", "range", "plumber", "Ohio", "message"),
        (LABS, "what would I earn", "range", "laboratory technician", "Leeds", "search"),
        ((*ELECTRICIANS, user("plumber pay in the US"), said(told("plumber", "United States"))),
         "is 70k good for that?", "fair", "plumber", "United States", "pay"),
        ((user("data analyst pay"), said(told("data analyst"))), "and in Chicago?", "range", "data analyst", "Chicago",
         "pay"),
        ((user("softwere devs in new yrok", "job_search"), said(agent="job_search")), "what do they get?", "range",
         "softwere devs", "New York", "search"),
        ((user("60k fair?"), said(text="For which role, and where?")), "ok 2nd one", "range", None, None, "none"),
        ((), "nurse salary uk", "range", "nurse", "United Kingdom", "message"),
        ((), "US plumber pay in New York", "range", "plumber", "New York", "message"),
        ((user("what do thatchers earn in Ohio"), said()), "and in Boston?", "range", "thatchers", "Boston", "pay"),
        ((user("data analyst pay in Leeds"), said(told("data analyst", "Leeds", "GBP")), *ELECTRICIANS), "and the pay?",
         "range", "apprentice electrician", "New York", "search"),
    ],
)  # fmt: skip
def test_role_and_place_come_from_what_was_spoken_of_last(history, message, kind, role, place, basis):
    asked = ask(message, history)
    assert (asked.kind, asked.role, asked.location, asked.basis) == (kind, role, place, basis)


@pytest.mark.parametrize(
    ("block", "agent", "basis"),
    [
        ({"type": "skill_gap", "target": "data engineer"}, "skill_gap", "skills"),
        ({"type": "interview_questions", "role": "data engineer"}, "interview_prep", "interview"),
        ({"type": "cover_letter", "role": "data engineer"}, "cover_letter", "letter"),
    ],
)
def test_a_role_spoken_of_for_another_reason_is_taken_with_the_users_own_place(block, agent, basis):
    history = [PastMessage(role="assistant", content="", agent=agent, blocks=(block,))]
    asked = ask("what would I earn?", history, [fact("location", "Ghent"), fact("title", "welder")])
    assert (asked.role, asked.location, asked.basis) == ("data engineer", "Ghent", basis)


@pytest.mark.parametrize(
    ("message", "level", "years"),
    [
        ("and for juniors?", "junior", None),
        ("what about seniors", "senior", None),
        ("and for graduates?", "junior", None),
        ("and at entry level?", "junior", None),
        ("with 10 years experience?", "senior", 10),
        ("with three years of experience", "mid", 3),
        ("and with 1 year's experience?", "junior", 1),
    ],
)
def test_a_level_is_no_role(message, level, years):
    history = (user("product manager pay"), said(told("product manager")))
    asked = ask(message, history)
    assert (asked.role, asked.level, asked.years) == ("product manager", level, years)
    other = ask(message, (user("x"), said(told("principal product manager"))))
    assert other.role == "product manager"


def electrician(number, **changes):
    values = {
        "title": "Electrician", "currency": "USD", "salary_period": "year", "salary_year_min": 50_000.0 + number,
        "salary_year_max": 60_000.0 + number, "sample": False, "source": "nyc_open_data",
        "posted_at": date(2026, 10, 1),
    }  # fmt: skip
    return hit(number, **{**values, **changes})


def postings(*hits, role="electrician", steps=ANYWHERE):
    return Canned("pay_of_postings", Ok(RolePay(pay_of(role, hits, packaged_vocabulary()), steps)))


def wage(**changes):
    values = {
        "wage_id": "w_1", "source": "Survey", "occupation": "Electricians", "occupation_code": "47-2111",
        "area": "National", "country": "US", "currency": "USD", "period": "year", "employed": 1, "mean": 1.0,
        "p10": 40_000.0, "p25": 50_000.0, "p50": 60_000.0, "p75": 80_000.0, "p90": 99_000.0, "as_of": None, "url": None,
    }  # fmt: skip
    return Canned("find_wages", Ok(Wages("Electricians", "same", (WageRow(**{**values, **changes}),), ())))


def none_found():
    return [Canned("pay_of_postings", NOTHING), Canned("find_wages", NO_OCCUPATION)]


async def test_the_role_taken_from_the_search_is_said():
    tools = [postings(*map(electrician, range(9))), wage()]
    answer, _ = await perform(SalaryAgent(), "whats it pay", tools, history=ELECTRICIANS)
    assert answer.text.startswith(
        "You named no role, so this is for **apprentice electrician**, from your last search."
    )
    assert (tools[0].asked[0].role, tools[0].asked[0].location) == ("apprentice electrician", "New York")


async def test_a_posting_is_held_against_the_market_and_stays_in_focus():
    tools = [postings(*map(electrician, range(10, 19))), wage()]
    answer, recorder = await perform(SalaryAgent(), "ok 2nd one", tools, history=ELECTRICIANS)
    assert "2. Electrician at Firm 2 states **$60,000** a year." in answer.text
    assert "Its middle, $60,000 a year," in answer.text
    assert "above all of the 9 postings from NYC Open Data" in answer.text
    itself = [postings(*map(electrician, range(1, 6))), wage()]
    question = "how does the second one compare to the market?"
    held, _ = await perform(SalaryAgent(), question, itself, history=ELECTRICIANS)
    assert "4 postings in USD" in held.text, "a posting is no part of the market it is held against"
    assert [v.place for v in recorder.one("job_match").verdicts] == [2]
    silent, _ = await perform(SalaryAgent(), "what does the first one pay?", tools, history=ELECTRICIANS)
    assert "1. Apprentice Electrician at Firm 1 does not state its pay" in silent.text
    alone = [postings(electrician(2)), Canned("find_wages", NO_OCCUPATION)]
    only, _ = await perform(SalaryAgent(), "ok 2nd one", alone, history=ELECTRICIANS)
    assert "I have no other figures to hold that against." in only.text
    assert "I found no other posting for “Electrician”." in only.text


async def test_an_email_to_the_postings_shown_is_no_question_about_pay():
    answer, recorder = await perform(SalaryAgent(), "emial them for me", [], history=ELECTRICIANS)
    assert (answer.hand_over.to, answer.hand_over.message) == ("cold_email", "email them for me")
    assert recorder.types() == []


async def test_fictional_samples_never_decide_beside_real_figures():
    fiction = [electrician(n, sample=True, source="sample", currency="GBP") for n in range(9)]
    history = (user("plumber pay"), said(told("electrician", "New York")))
    answer, recorder = await perform(
        SalaryAgent(), "is 70k good for that?", [postings(*fiction), wage()], history=history
    )
    assert [event.basis for event in recorder.events if event.type == "salary_range"] == ["wage_table"]
    assert "$70,000 a year (reading 70k as USD)" in answer.text
    assert "£" not in answer.text
    assert "fictional samples, so I leave them out" in answer.text


async def test_only_figures_of_one_currency_judge_an_amount():
    mixed = [*map(electrician, range(9)), *(electrician(n, currency="GBP") for n in range(20, 29))]
    answer, recorder = await perform(
        SalaryAgent(), "is 70k ok for an electrician in New York?", [postings(*mixed), wage()]
    )
    assert {event.currency for event in recorder.events if event.type == "salary_range"} == {"USD"}
    assert "£" not in answer.text
    bare, _ = await perform(SalaryAgent(), "is 70k ok for an electrician?", [postings(*mixed), wage()])
    assert "I cannot judge" in bare.text


async def test_what_is_not_split_by_experience_is_said():
    tools = [postings(*map(electrician, range(9))), wage()]
    history = (user("electrician pay"), said(told("electrician")))
    answer, _ = await perform(SalaryAgent(), "with 10 years experience?", tools, history=history)
    assert "No figure here is split by years of experience" in answer.text
    assert "I read 10 years as senior level" in answer.text
    assert tools[0].asked[0].level == "senior"


async def test_the_question_for_a_role_fits_the_user_and_its_answer_is_understood():
    profile = [fact("skill", "Nursing"), fact("location", "Ghent")]
    answer, _ = await perform(SalaryAgent(), "60k fair?", [], profile=profile)
    assert "“registered nurse in Ghent”" in answer.text
    placed, _ = await perform(SalaryAgent(), "what can I earn in Boston?", [], profile=profile[:1])
    assert placed.text.startswith("For which role in Boston?")
    assert "Leeds" not in answer.text + placed.text
    history = (user("60k fair?"), said(text=answer.text))
    assert SalaryAgent().holds("electrician in Leeds", history)
    asked = ask("electrician in Leeds", history)
    assert (asked.role, asked.location) == ("electrician", "Leeds")


@pytest.mark.parametrize(
    ("message", "holds"),
    [
        ("and in Boston?", True), ("what about Chcago", True), ("and for juniors?", True),
        ("with 10 years experience?", True), ("and the interview?", False), ("write to them", False),
        ("find jobs in Boston", False),
    ],
)  # fmt: skip
def test_a_question_that_goes_on_stays(message, holds):
    history = (user("electrician pay"), said(told("electrician")))
    assert SalaryAgent().holds(message, history) is holds
    assert not SalaryAgent().holds(message, ())


async def test_advice_comes_before_figures():
    passage = Passage("p_1", "d_1", "Negotiating", "", "**How do I ask for more money?**\n\nName a figure.",
                      "guides", None, "n.md", "1", date(2026, 1, 1))  # fmt: skip
    guides = Canned("search_knowledge", Ok(PassageHits((passage,), ())))
    tools = [postings(*map(electrician, range(9))), wage(), guides]
    answer, _ = await perform(SalaryAgent(), "how do I ask for a raise", tools, profile=[fact("title", "electrician")])
    assert answer.text.index("Name a figure.") < answer.text.index("$")
    assert "from your profile" in answer.text


class Spelled:
    """Tools that know one role only."""

    effect = "read"
    timeout_s = 1.0

    def __init__(self, name, role, found):
        self.name, self.role, self.found = name, role, found
        self.asked = []

    async def run(self, arguments):
        self.asked.append(arguments)
        return self.found if arguments.role == self.role else NOTHING


async def test_slips_in_role_and_place_are_mended_and_said():
    found = Ok(RolePay(pay_of("software devs", [electrician(n, title="Software Developer") for n in range(9)],
                              packaged_vocabulary()), ANYWHERE))  # fmt: skip
    tools = [Spelled("pay_of_postings", "software devs", found), Canned("find_wages", NO_OCCUPATION)]
    answer, _ = await perform(SalaryAgent(), "what do softwere devs make in new yrok", tools)
    assert "I read “new yrok” as **New York**." in answer.text
    assert "I read “softwere devs” as **software devs**." in answer.text
    assert {each.location for each in tools[0].asked} == {"New York"}
    assert "9 postings" in answer.text


async def test_a_rare_role_or_a_failed_look_up_is_no_slip():
    answer, recorder = await perform(SalaryAgent(), "what do bankers earn", none_found())
    assert len([e for e in recorder.events if e.type == "tool_call"]) == 2
    assert "“bankers”" in answer.text
    away = Err("unavailable", "away")
    _, recorder = await perform(
        SalaryAgent(), "electricain salary", [Canned("pay_of_postings", away), Canned("find_wages", away)]
    )
    assert len([e for e in recorder.events if e.type == "tool_call"]) == 2


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("softwere devs", "software devs"), ("electricain", "electrician"), ("product manger", "product manager"),
        ("data analist", "data analyst"), ("wizard", None), ("nurse", None), ("banker", None), ("", None),
    ],
)  # fmt: skip
def test_a_role_with_a_slip_is_known(typed, meant):
    assert mended_role(typed) == meant


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("plumber pay in bostn", "Boston"), ("nurse pay lodnon", "London"), ("salary in Chcago?", "Chicago"),
        ("pay in general for nurses", None), ("salary in banking", None), ("nurse pay in Leeds", None), ("", None),
        ("what do nurses earn in marketing", None), ("how much does the first pay compared to market", None),
        ("electricians in Boston or bostn", None),
    ],
)  # fmt: skip
def test_a_place_with_a_slip_is_known(message, place):
    slip = mistyped_place(message)
    assert (slip[1] if slip else None) == place


@pytest.mark.parametrize(
    ("location", "town"),
    [
        ("30-30 Thomson Ave, Brooklyn, NY", "Brooklyn"), ("Berlin, Germany", "Berlin"), ("Leuven, Belgium", "Leuven"),
        ("9 Metrotech Center, Brooklyn N, New York, NY", "New York"), ("1 High Street, Nowhere", None),
        ("United States", "United States"), ("Remote", None), (None, None), ("", None),
    ],
)  # fmt: skip
def test_a_town_is_told_without_its_street(location, town):
    assert town_of(location) == town


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("nyc_open_data", "NYC Open Data"), ("usajobs", "USAJOBS"), ("BLS OEWS", "BLS OEWS"), ("feed", "feed"),
        ("boards.example.com", "boards.example.com"), ("", ""), ("___", ""),
    ],
)  # fmt: skip
def test_a_source_is_named_as_people_read_it(name, label):
    assert source_label(name) == label


@pytest.mark.parametrize(
    "message",
    ["£50k " * 3_000, "in " * 2_000, "at Acme 62k " * 400, "and for " * 900, "new yrok " * 900, "1 2 3 " * 2_000],
)
async def test_long_messages_are_read_in_time(message):
    started = time.process_time()
    tools = [*none_found(), Canned("search_knowledge", Empty("no"))]
    answer, _ = await perform(SalaryAgent(), message, tools, history=ELECTRICIANS * 10)
    assert answer.text or answer.hand_over
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    "when", ["the newest", "this week's", "last week's", "yesterday's", "jobs of the last 3 months"]
)
async def test_a_word_for_a_day_in_a_question_about_pay_is_read_like_any_other(when):
    """What a message says of days is read without a calendar here, whose first day has none before it."""
    history = [user(f"only {when} nursing jobs", "job_search"), said(text="None.", agent="job_search")]
    tools = [Canned("pay_of_postings", NOTHING), Canned("find_wages", NO_OCCUPATION)]
    for message, past in ((f"What do {when} nursing jobs pay?", ()), ("what does that pay?", history)):
        answer, _ = await perform(SalaryAgent(), message, tools, history=past)
        assert answer.text
