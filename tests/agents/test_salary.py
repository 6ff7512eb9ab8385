import json
import time
from datetime import date

import pytest
from stage import Canned, fact, hit, perform, searched

from signalbox.agents.pay.ask import guide_question, read_ask
from signalbox.agents.pay.facts import SalaryFacts, asked_fact, with_postings, with_wages
from signalbox.agents.pay.figures import figures_in
from signalbox.agents.pay.offers import compare, conversion_text, convert, offers_text
from signalbox.agents.pay.role import role_of
from signalbox.agents.salary import SalaryAgent, compose, offers_of, table_facts
from signalbox.agents.words.guides import excerpt, section_on
from signalbox.blocks import Job, JobsData, Salary
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.facts.posting_pay import pay_of
from signalbox.retrieval.facts.wages import WageRow
from signalbox.retrieval.library import Passage, PassageHits
from signalbox.tools.find_wages import Wages
from signalbox.tools.pay_of_postings import RolePay, Step
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

TODAY = date(2026, 11, 30)
NOTHING = Empty("no posting is for that role")
NO_TABLE = Empty("no wage table is loaded")


def ask(message, history=(), profile=(), job=None):
    return read_ask(message, history, profile, packaged_vocabulary(), job)


def nurse(number, **changes):
    low = 30_000.0 + 1_000 * number
    values = {
        "title": "Staff Nurse", "currency": "GBP", "salary_period": "year", "salary_year_min": low,
        "salary_year_max": low + 4_000, "sample": False, "source": "feed", "posted_at": date(2026, 10, 1),
    }  # fmt: skip
    return hit(number, **{**values, **changes})


IN_LEEDS = (Step("place", "Leeds", level=False, matched=9, stated=9),)


def pay(*hits, steps=IN_LEEDS):
    return Ok(RolePay(pay_of("nurse", hits, packaged_vocabulary()), steps))


def wage(**changes):
    values = {
        "wage_id": "w_1", "source": "Survey", "occupation": "Registered Nurses", "occupation_code": "29-1141",
        "area": "National", "country": "GB", "currency": "GBP", "period": "year", "employed": 300_000, "mean": 40_000.0,
        "p10": 30_000.0, "p25": 35_000.0, "p50": 40_000.0, "p75": 45_000.0, "p90": 50_000.0, "as_of": date(2025, 5, 1),
        "url": "https://survey.example",
    }  # fmt: skip
    return WageRow(**{**values, **changes})


def wages(*rows, closeness="same", others=()):
    return Ok(Wages(rows[0].occupation if rows else None, closeness, tuple(rows), tuple(others)))


def tools(postings=NOTHING, table=NO_TABLE, guides=None):
    return [
        Canned("pay_of_postings", postings),
        Canned("find_wages", table),
        Canned("search_knowledge", guides or NOTHING),
    ]


@pytest.mark.parametrize(
    ("message", "kind", "role", "place"),
    [
        ("Is 45k fair for a nurse in Leeds?", "fair", "nurse", "Leeds"),
        ("What does a senior data engineer earn in Berlin?", "range", "senior data engineer", "Berlin"),
        ("nurse pay Ireland?", "range", "nurse", "Ireland"),
        ("payrange for softwear tester in krakow??", "range", "softwear tester", "Kraków"),
        ("Hey, me again. What would a lab manager in Leuven earn?", "range", "lab manager", "Leuven"),
        ("cuánto gana un electricista en Texas, per hour?", "range", "electricista en", "Texas"),
        ("How do I negotiate a sign-on bonus?", "advice", None, None),
        ("What does “competitive salary” mean in adverts?", "advice", None, None),
        ("they lowballed me hard lol", "advice", None, None),
        ("What take-home would I have on 3,200 gross a month in Belgium?", "net", None, "Belgium"),
        ("what is $35 an hour per year?", "convert", None, None),
        ("Offer A is £50k, offer B is £52k", "offers", None, None),
        ("60k fair?", "fair", None, None),
        ("", "range", None, None),
    ],
)
def test_the_question_is_read_from_the_message(message, kind, role, place):
    asked = ask(message)
    assert (asked.kind, asked.role, asked.location) == (kind, role, place)


def test_an_employers_pay_is_a_question_about_the_company():
    assert ask("Does Trade Republic pay well?").company == "Trade Republic"
    assert ask("Do nurses pay well?").company is None


def test_what_the_message_leaves_open_comes_from_the_last_question_then_from_the_profile():
    block = {"type": "salary_range", "role": "nurse", "asked_location": "Leeds"}
    history = [PastMessage(role="assistant", content="", agent="salary", blocks=(block,))]
    assert (ask("and in Zurich?", history).role, ask("and in Zurich?", history).location) == ("nurse", "Zurich")
    assert ask("and for a chef?", history).location == "Leeds"
    profile = [fact("title", "welder"), fact("location", "Ghent")]
    assert (ask("what could I earn?", (), profile).role, ask("what could I earn?", (), profile).location) == (
        "welder", "Ghent",
    )  # fmt: skip


def test_figures_keep_their_words_and_equity_is_no_base_pay():
    figures = figures_in("Base £95k, bonus 10%, RSUs 40k over four years, or 18/hr")
    assert [(f.yearly, f.currency, f.extra, f.hourly) for f in figures] == [
        (95_000, "GBP", False, False), (40_000, None, True, False), (37_440, None, False, True),
    ]  # fmt: skip
    assert figures_in("what is 45k per hour")[0].yearly == 45_000


async def test_an_amount_is_held_against_postings_and_the_wage_table_with_events_before_the_text():
    answer, recorder = await perform(
        SalaryAgent(), "Is 45k fair for a nurse in Leeds?", tools(pay(*map(nurse, range(9))), wages(wage()))
    )
    kinds = [kind for kind in recorder.types() if not kind.startswith("tool_")]
    assert kinds == ["salary_range", "salary_range", "chunk", "usage", "message", "suggestions"]
    posted, table = [event for event in recorder.events if event.type == "salary_range"]
    assert (posted.n, posted.currency, posted.period, posted.p50, posted.asked_share) == (9, "GBP", "year", 36_000, 1.0)
    assert (posted.p10, posted.p90, posted.sample, posted.small_sample) == (32_800, 39_200, False, False)
    assert (table.basis, table.occupation, table.asked, table.source_id) == (
        "wage_table", "Registered Nurses", 45_000, "w_1",
    )  # fmt: skip
    assert "£45,000 a year (reading 45k as GBP)" in answer.text
    assert "above all of the 9 postings from feed, so it is on the high side" in answer.text
    assert "between the 75th and the 90th percentile" in answer.text
    assert "May 2025" in answer.text
    assert (answer.citations[0].id, answer.citations[0].as_of) == ("w_1", date(2025, 5, 1))
    assert {c.id for c in answer.citations[1:]} == {figure.job_id for figure in posted.figures} == {"j3", "j4", "j5"}


async def test_samples_are_never_mixed_with_real_postings_and_are_called_fictional():
    real = list(map(nurse, range(9)))
    fiction = [nurse(n, sample=True, source="sample") for n in range(20, 30)]
    mixed, recorder = await perform(SalaryAgent(), "nurse salary", tools(pay(*real, *fiction)))
    assert recorder.one("salary_range").sample is False
    assert "ictional" not in mixed.text
    only, recorder = await perform(SalaryAgent(), "nurse salary", tools(pay(*fiction)))
    assert recorder.one("salary_range").sample is True
    assert "**fictional samples**" in only.text
    judged, _ = await perform(SalaryAgent(), "is £90k ok for a nurse?", tools(pay(*fiction)))
    assert "do not rest a decision on it" in judged.text


async def test_few_postings_are_shown_one_by_one_with_their_dates_and_citations():
    answer, recorder = await perform(
        SalaryAgent(), "nurse salary", tools(pay(nurse(1), nurse(2, posted_at=date(2019, 1, 1), salary_period="hour")))
    )
    event = recorder.one("salary_range")
    assert (event.n, event.small_sample, event.p50, event.converted) == (2, True, None, 1)
    assert [figure.job_id for figure in event.figures] == ["j2", "j1"]
    assert "too few for percentiles" in answer.text
    assert "2,080 hours" in answer.text
    assert "1 January 2019" in answer.text
    assert {c.id for c in answer.citations} == {"j1", "j2"}


async def test_old_postings_and_unstated_pay_are_said():
    old = [nurse(n, posted_at=date(2015, 1, 1)) for n in range(9)]
    silent = nurse(30, salary_year_min=None, salary_year_max=None)
    answer, _ = await perform(SalaryAgent(), "nurse salary", tools(pay(*old, silent)))
    assert "pay has likely moved since" in answer.text
    assert "1 of which states no pay" in answer.text


@pytest.mark.parametrize(
    ("postings", "table", "says", "never"),
    [
        (NOTHING, NO_TABLE, ("the catalogue has none", "no wage table is loaded"), "could not"),
        (
            Err("timeout", "slow"), Err("unavailable", "away"),
            ("look at the postings just now", "look at the wage tables just now"), "none",
        ),
        (NOTHING, Empty("they cover the United States only"), ("they cover the United States only",), "could not"),
        (NOTHING, wages(others=("Data Scientists",)), ("It may be counted as “Data Scientists”",), "median"),
        (NOTHING, wages(wage(), closeness="near"), ("the nearest to “nurse”", "not the same"), "could not"),
    ],
)  # fmt: skip
async def test_nothing_found_and_could_not_look_are_told_apart(postings, table, says, never):
    answer, _ = await perform(SalaryAgent(), "nurse salary", tools(postings, table))
    for part in says:
        assert part in answer.text
    assert never not in answer.text


async def test_pay_by_the_hour_is_given_beside_the_year_with_the_hours_it_counts():
    answer, _ = await perform(
        SalaryAgent(), "what does a nurse earn per hour?", tools(pay(*map(nurse, range(9))), wages(wage()))
    )
    assert "£36,000** a year (£17.31 an hour at 2,080 hours)" in answer.text
    assert "£40,000** a year (£19.23 an hour at 2,080 hours)" in answer.text


async def test_another_currency_is_not_converted_to_judge_an_amount():
    answer, _ = await perform(SalaryAgent(), "is €45k ok for a nurse?", tools(pay(*map(nurse, range(9)))))
    assert "are in GBP, and I convert no currencies" in answer.text
    assert "above" not in answer.text


async def test_a_widened_search_is_said_and_the_event_names_where_the_figures_are_from():
    steps = (Step("place", "Leeds", level=False, matched=1, stated=0),
             Step("country", "United Kingdom", level=False, matched=9, stated=9))  # fmt: skip
    answer, recorder = await perform(
        SalaryAgent(), "nurse salary in Leeds", tools(pay(*map(nurse, range(9)), steps=steps))
    )
    event = recorder.one("salary_range")
    assert (event.location, event.asked_location) == ("United Kingdom", "Leeds")
    assert "I looked wider, since no posting in Leeds states pay" in answer.text


async def test_without_a_role_it_asks_with_roles_to_choose_from():
    answer, recorder = await perform(SalaryAgent(), "60k fair?", tools(), profile=[fact("skill", "Nursing")])
    assert answer.text.startswith("For which role")
    assert recorder.one("suggestions").suggestions[0].message == "What does a registered nurse earn?"
    assert "tool_call" not in recorder.types()


async def test_advice_comes_from_a_guide_with_its_citation_or_is_said_to_be_missing():
    passage = Passage("p_1", "d_1", "Negotiating", "", "Intro.\n\n**How do I ask for more money?**\n\nName a figure.",
                      "guides", None, "n.md", "1", date(2026, 1, 1))  # fmt: skip
    answer, _ = await perform(
        SalaryAgent(), "how do i get em to cough up more dosh", tools(guides=Ok(PassageHits((passage,), ())))
    )
    assert answer.text == "**How do I ask for more money?** (Negotiating)\n\nName a figure."
    assert [c.id for c in answer.citations] == ["p_1"]
    nothing, _ = await perform(SalaryAgent(), "how do I negotiate", tools(guides=Empty("no")))
    assert "say nothing on this" in nothing.text
    failed, _ = await perform(SalaryAgent(), "how do I negotiate", tools(guides=Err("timeout", "slow")))
    assert "could not look into the guides" in failed.text


def test_a_question_is_put_as_a_guide_puts_it():
    assert "more time" in guide_question("is it ok to ask for a week")
    assert guide_question("what is a collective agreement") == "what is a collective agreement"
    assert section_on("ask for more time", "Top", "**How do I ask for more time?**\n\nPolitely.\n\n**Other**\n\nX")[
        0
    ] == ("How do I ask for more time?")


def test_what_a_guide_quotes_stands_in_quotation_marks():
    assert (
        excerpt("Ask.\n\n> Thank you.\n> Is there room?\n\nThen wait.") == "Ask. “Thank you. Is there room?” Then wait."
    )
    assert excerpt("- one\n- two") == "one two"


def test_two_offers_are_compared_per_year_and_per_hour():
    message = "one is a charity, 31k, 35 hours, pension 10%. other is an agency, 36k, 42 hours, pension 3%, hybrid"
    facts = compare(message, figures_in(message))
    first, second = facts.offers
    assert (first.total, first.per_hour, second.total, second.per_hour) == (34_100, 17.03, 37_080, 16.48)
    text = offers_text(facts)
    assert "**Offer 2 pays 2,980 more a year.**" in text
    assert "For each hour worked, though, **Offer 1** pays better" in text
    assert "Not in these sums: remote work" in text


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("€60k or $70k?", "I do not convert currencies"),
        ("Offer A is £50k with 5% bonus, offer B is £52k", "**Offer A pays £500 more a year.**"),
        ("£50k or £50k?", "pay the same a year"),
    ],
)
def test_offers_that_cannot_be_compared_are_not(message, says):
    assert says in offers_text(compare(message, figures_in(message)))


def test_pay_is_brought_to_another_period_with_the_hours_it_counts():
    assert "**$72,800 a year**" in conversion_text(convert(figures_in("$35 an hour")[0]))
    assert "2,080 hours" in conversion_text(convert(figures_in("£45k")[0]))


def _shown(*jobs):
    block = JobsData(jobs=jobs, total=len(jobs), truncated=False, sources=())
    return [PastMessage(role="assistant", content="", agent="job_search", blocks=(block.model_dump(mode="json"),))]


def _job(number, salary=None):
    return Job(job_id=f"j{number}", title=f"Role {number}", company=f"Firm {number}", salary=salary)


async def test_the_best_paid_posting_on_the_table_is_named_and_silent_ones_are_too():
    jobs = (
        _job(1, Salary(min=40_000, max=50_000, currency="GBP", period="year")),
        _job(2, Salary(min=30, currency="GBP", period="hour")),
        _job(3),
    )  # fmt: skip
    answer, recorder = await perform(SalaryAgent(), "which of these pays best?", tools(), history=_shown(*jobs))
    event = recorder.one("job_match")
    assert (event.criterion, event.best) == ("pay", "j2")
    assert [(v.place, v.verdict) for v in event.verdicts] == [(2, "strong"), (1, "partial"), (3, "unknown")]
    assert "**Role 2 at Firm 2 pays best**" in answer.text
    assert "No pay stated: 3. Role 3." in answer.text
    assert "2,080 hours" in answer.text
    mixed = table_facts(SalaryFacts(outcome="told"), (jobs[0], _job(4, Salary(min=1, currency="EUR", period="year"))))
    assert mixed.table_best is None
    assert "different currencies" in compose(mixed)


async def test_a_question_about_one_employers_pay_is_handed_over():
    answer, recorder = await perform(SalaryAgent(), "Does Trade Republic pay well?", tools())
    assert answer.hand_over.to == "company_research"
    assert recorder.types() == []


def test_quick_replies_lead_somewhere():
    facts = with_wages(SalaryFacts(outcome="told", role="nurse", location="Leeds"), wages(others=("Nurses", "Aides")))
    facts = with_postings(facts, pay(*map(nurse, range(9))), TODAY)
    assert [(message, to) for _, message, to in offers_of(facts)][:2] == [
        ("What do “Nurses” earn in Leeds?", "salary"), ("What do “Aides” earn in Leeds?", "salary"),
    ]  # fmt: skip
    for _, message, to in offers_of(facts):
        if to == "salary":
            assert ask(message).kind in {"range", "advice"}
            assert ask(message).role or ask(message).advice


async def test_every_figure_of_the_text_stands_in_the_facts():
    """The template adds no number of its own beside the hours and days it counts a year with."""
    import re

    facts = SalaryFacts(outcome="told", role="nurse", location="Leeds", asked=asked_fact(figures_in("45k")[0], "Leeds"))
    facts = with_wages(with_postings(facts, pay(*map(nurse, range(9))), TODAY), wages(wage()))
    known = json.dumps(facts.model_dump(mode="json"))
    allowed = {"2080", "260", "10", "25", "50", "75", "90", "100"}
    numbers = set(re.findall(r"\d+", re.sub(r"(?<=\d),(?=\d)", "", compose(facts))))
    assert {n for n in numbers if n not in known} - allowed == set()


@pytest.mark.parametrize(
    "message",
    ["", "\x00", "£" * 500, "£50k " * 6_000, "9" * 3_000, "salary " * 800, "🤑 for a", "is 1e9k fair for a x?"],
)
async def test_no_message_breaks_it(message):
    started = time.process_time()
    answer, _ = await perform(SalaryAgent(), message, tools(pay(*map(nurse, range(9))), wages(wage())))
    assert answer.text
    assert time.process_time() - started < 2


def test_a_role_is_no_word_for_money():
    for message in (
        "how much money",
        "What do jobs pay in my field?",
        "what about my salary expectations",
        "negotiate the offer",
        "45k fair",
        "45k for a grad job",
    ):
        assert role_of(message, packaged_vocabulary()) is None
    assert role_of("What do “Bus Drivers, School” earn in Dallas?", packaged_vocabulary()) == "Bus Drivers, School"


async def test_this_job_is_looked_up_by_its_title():
    postings, table, guides = tools(pay(*map(nurse, range(9))))
    await perform(
        SalaryAgent(), "Is £40k fair for the second job?", [postings, table, guides], history=searched("data jobs")
    )
    assert postings.asked[0].role == "Data Analyst"
