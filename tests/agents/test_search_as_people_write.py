"""Job search as people write to it: introductions, slips, other languages, "yes" and "undo", rules in passing."""

import time
from datetime import UTC, date, datetime, timedelta

import pytest
from stage import Canned, fact, hit, hits, perform, searched

from signalbox.agents.job_search import JobSearchAgent
from signalbox.agents.searching.conditions import conditions_of, subject_of
from signalbox.agents.searching.languages import other_language
from signalbox.agents.searching.rules import read_lasting
from signalbox.agents.searching.spelling import respelled
from signalbox.agents.searching.wish import read_wish
from signalbox.agents.words.postings import place_text
from signalbox.memory.conversation import PastMessage
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.update_profile import UpdatedProfile
from signalbox.tools.vocabulary import packaged_vocabulary

TODAY = date(2026, 3, 2)


def search_tool(result):
    return Canned("search_jobs", result)


def wish(message, history=(), profile=()):
    return read_wish(message, history, profile, None, today=TODAY, vocabulary=packaged_vocabulary())


def answered(message, text, *blocks, agent="job_search"):
    return (
        PastMessage(role="user", content=message, intent=agent),
        PastMessage(role="assistant", content=text, agent=agent, blocks=blocks),
    )


NONE_FOUND = {"type": "jobs_data", "jobs": [], "total": 0, "truncated": False, "sources": []}
OFFERED = answered("accountant jobs in Madrid", "Shall I drop the location condition and look again?", NONE_FOUND)


@pytest.mark.parametrize("yes", ["yes please", "yes", "ok do that", "sure", "Yes, drop it"])
def test_agreeing_to_drop_a_condition_drops_it_and_it_stays_dropped(yes):
    agreed = wish(yes, OFFERED)
    assert (subject_of(agreed.query), conditions_of(agreed.query)) == ("“accountant” postings", {})
    assert agreed.dropped == ("location",)
    after = wish("only the remote ones", (*OFFERED, *searched(yes)))
    assert conditions_of(after.query) == {"remote": "that are remote"}


def test_the_buttons_tell_the_offer_where_a_model_chose_other_words():
    button = {"message": "Search again without the pay condition", "label": "Without it", "id": "s"}
    history = answered(
        "nurse jobs over 90k", "Nothing there, alas.", NONE_FOUND, {"type": "suggestions", "suggestions": [button]}
    )
    assert conditions_of(wish("yes", history).query) == {}


async def test_after_a_dropped_condition_the_answer_names_it():
    tool = search_tool(Ok(hits(hit(1))))
    answer, _ = await perform(JobSearchAgent(), "yes please", [tool], history=OFFERED)
    assert answer.text.startswith("Without the location condition, **1 posting** fits")
    assert tool.asked[0].query.locations == ()


@pytest.mark.parametrize(
    ("message", "subject", "conditions"),
    [
        (
            "Hi, I'm a registered nurse in Leeds with 6 years in A&E. What jobs are there near me?",
            "“registered nurse” postings",
            {"location": "in Leeds"},
        ),
        (
            "lab technician sounds good, anything in new york?",
            "“lab technician” postings",
            {"location": "in New York"},
        ),
        (
            "what companies hire remote Go devs in Portugal?",
            "“Go devs” postings",
            {"remote": "that are remote", "location": "in Portugal"},
        ),
        ("barista jobs within 10 miles of York", "“barista” postings", {"location": "in York"}),
        ("I'm a nurse in Leeds. Any remote jobs?", "“nurse” postings", {"remote": "that are remote"}),
        ("who is hiring data engineers in Berlin?", "“data engineers” postings", {"location": "in Berlin"}),
        ("any jobs within an hour's drive?", "postings", {}),
        ("jobs posted within the last 24 hours", "postings", {"date": "posted since 1 March 2026"}),
        ("home care assistant jobs", "“home care assistant” postings", {}),
    ],
)
def test_what_a_message_says_around_its_request_is_not_searched_for(message, subject, conditions):
    found = wish(message)
    assert (subject_of(found.query), conditions_of(found.query)) == (subject, conditions)


@pytest.mark.parametrize("message", ["any engineer jobs nearby?", "engineer jobs near me", "engineer jobs in my area"])
def test_near_me_is_where_the_profile_says_that_one_lives(message):
    assert wish(message, profile=[fact("location", "Leeds, United Kingdom")]).query.locations == ("Leeds",)
    assert wish(message).request.homeless


async def test_a_company_size_in_a_search_holds_for_that_search_and_is_no_text():
    message = "Senior backend engineer, Go and Postgres, remote only, at least 120k, no startups under 50 people"
    found = wish(message)
    assert found.query.exclude == ()
    assert conditions_of(found.query, found.limits)["size"] == "at companies of at least 50 people"
    tools = [
        search_tool(Ok(hits(hit(1, company="Big"), hit(2, company="Small")))),
        Canned("company_sizes", Ok({"big": (200, 500), "small": (2, 10)})),
    ]
    answer, recorder = await perform(JobSearchAgent(), "python jobs, no startups under 50 people", tools)
    assert [job.company for job in recorder.one("jobs_data").jobs] == ["Big"]
    assert "1 at a company of a size you ruled out" in answer.text


def test_a_size_limit_goes_on_with_the_search_and_can_be_dropped():
    before = searched("python jobs at companies with more than 500 employees")
    refined = wish("only the remote ones", before)
    assert set(conditions_of(refined.query, refined.limits)) == {"remote", "size"}
    dropped = wish("Search again without the size condition", before)
    assert conditions_of(dropped.query, dropped.limits) == {}


PROFILE = [fact("exclude_term", "agencies", "constraint"), fact("title", "nurse")]
UPDATED = UpdatedProfile((PROFILE[0],), (), tuple(PROFILE))


async def test_a_rule_for_good_in_a_search_is_stored_and_holds_at_once():
    tools = [
        search_tool(Ok(hits(hit(1), hit(2, company="Hays Recruitment")))),
        Canned("update_profile", Ok(UPDATED)),
    ]
    answer, recorder = await perform(JobSearchAgent(), "find me python jobs, never show me agencies", tools)
    assert [statement.value for statement in tools[1].asked[0].add] == ["agencies"]
    assert recorder.one("profile_updated").added == (PROFILE[0],)
    assert [job.job_id for job in recorder.one("jobs_data").jobs] == ["j1"]
    assert tools[0].asked[0].query.text == "python"
    assert "I will keep to this from now on" in answer.text


async def test_a_rule_that_cannot_be_stored_holds_for_the_search_and_says_so():
    tools = [
        search_tool(Ok(hits(hit(1), hit(2, company="Hays Recruitment")))),
        Canned("update_profile", Err("unavailable", "no database")),
    ]
    answer, recorder = await perform(
        JobSearchAgent(), "no agencies either", tools, history=searched("python jobs in Berlin")
    )
    assert [job.job_id for job in recorder.one("jobs_data").jobs] == ["j1"]
    assert (tools[0].asked[0].query.text, tools[0].asked[0].query.exclude) == ("python", ())
    assert "could not store it" in answer.text


@pytest.mark.parametrize("message", ["never show me agencies", "forget the salary rule", "undo", "undo that please"])
async def test_what_is_about_the_profile_alone_is_handed_to_its_agent(message):
    tool = search_tool(Ok(hits(hit(1))))
    answer, _ = await perform(JobSearchAgent(), message, [tool])
    assert answer.hand_over is not None
    assert answer.hand_over.to == "profile_update"
    assert tool.asked == []


def test_undo_after_a_refinement_takes_the_refinement_back():
    history = (*searched("nurse jobs in Leeds"), *searched("only the remote ones"))
    assert conditions_of(wish("undo", history).query) == {"location": "in Leeds"}


def test_forgetting_a_condition_that_is_no_rule_drops_it_from_the_search():
    dropped = wish("forget the salary rule", searched("python jobs in Berlin over 60k"))
    assert conditions_of(dropped.query) == {"location": "in Berlin"}


def test_more_goes_on_with_the_whole_search_whoever_spoke_in_between():
    search = (
        *searched("nurse jobs in Leeds paying at least £30k"),
        *(turn for text in ("only on-site ones", "not at Quillmark", "no nights", "senior") for turn in searched(text)),
    )
    between = answered("what does a nurse earn?", "About £37,000.", agent="salary")
    assert wish("show more", (*search, *between)).query == wish("keep looking", search).query
    assert set(conditions_of(wish("show more", (*search, *between)).query)) == {
        "remote", "location", "pay", "level", "exclusion",
    }  # fmt: skip


def test_more_of_a_search_that_another_intent_brought_here_is_more_of_it():
    asked, shown = searched("nurse jobs in Leeds")
    handed_over = (asked.model_copy(update={"intent": "general"}), shown)
    assert wish("show more", handed_over).query.locations == ("Leeds",)


def test_more_of_what_is_like_a_posting_is_more_of_the_same_kind():
    history = (*searched("jobs in Berlin"), *searched("more like the second one"))
    assert wish("show more", history).query.skills == ("Data Analysis",)


@pytest.mark.parametrize(
    ("block", "role"),
    [
        ({"type": "skill_gap", "target": "nursing"}, "nursing"),
        ({"type": "salary_range", "role": "welder"}, "welder"),
        ({"type": "interview_questions", "role": "Chef"}, "Chef"),
    ],
)
@pytest.mark.parametrize("message", ["ok find me jobs for that", "what jobs can I do with that?"])
def test_that_is_the_role_the_last_answer_was_about(message, block, role):
    history = (*searched("senior python jobs in Berlin"), *answered("tell me", "So.", block, agent="other"))
    found = wish(message, history)
    assert (found.lent, subject_of(found.query), conditions_of(found.query)) == (role, f"“{role}” postings", {})


def test_something_is_something_in_ones_own_line_of_work():
    found = wish("find me something", profile=[fact("title", "data engineer")])
    assert found.by_profile
    assert found.query.text == "data engineer"


async def test_a_message_in_another_language_is_tried_and_its_writer_asked_for_english():
    tool = search_tool(Empty("none"))
    answer, _ = await perform(JobSearchAgent(), "Ich suche einen Job als Krankenschwester in Berlin", [tool])
    assert "I only understand English well" in answer.text
    assert "German" in answer.text
    assert (tool.asked[0].query.text, tool.asked[0].query.locations) == ("Krankenschwester", ("Berlin",))


@pytest.mark.parametrize(
    "message", ["senior data engineer in Berlin", "jobs in London or Paris", "à la carte chef jobs", "Hamburg, DE"]
)
def test_english_is_taken_for_english(message):
    assert other_language(message) is None


@pytest.mark.parametrize(
    ("typed", "read", "said"),
    [
        (
            "softwere enginer in londn",
            "software engineer in London",
            (("softwere enginer", "software engineer"), ("londn", "London")),
        ),
        ("nurse jbos in new yrok", "nurse jobs in new York", (("jbos", "jobs"), ("yrok", "York"))),
        ("acountant remot", "accountant remote", (("acountant remot", "accountant remote"),)),
    ],
)
def test_slips_are_put_right_and_told(typed, read, said):
    spelled = respelled(typed)
    assert (spelled.text, spelled.read) == (read, said)


@pytest.mark.parametrize(
    "text",
    [
        "lorry driver wanted, Ballybofey",
        "python jobs at Quillmark",
        "jobs in Narnia, Westeros or Leeds",
        "plumbers, welders and bartenders",
        "beekeeper or milliner jobs",
        "kubernetes devops phlebotomist",
        "FIND PYTHON JOBS IN LEEDS",
        "",
        "\x00 \ud800 😀",
    ],
)
def test_what_is_no_slip_stays_as_it_is(text):
    assert respelled(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "please do that " * 2_000 + "x",
        "and only " * 5_000,
        "I am a " * 2_000,
        "no nights either, " * 500,
        "never show me " * 900,
        "within an hour's drive " * 40,
        "near me " * 120,
        "qwrtz " * 160,
        "which are real " * 1_000,
        "\x00\ud800",
        "",
    ],
)
def test_no_text_takes_long(text):
    started = time.thread_time()
    wish(read_lasting(text, packaged_vocabulary()).rest, OFFERED)
    assert time.thread_time() - started < 5


REAL = {"sample": False, "source": "feed"}
TODAY_IN_TESTS = datetime.now(UTC).date()


async def test_real_open_postings_stand_before_closed_ones_and_those_before_samples():
    closed = TODAY_IN_TESTS - timedelta(days=9)
    found = hits(hit(1), hit(2, **REAL, closes_at=closed), hit(3, **REAL), hit(4), hit(5, **REAL))
    answer, recorder = await perform(JobSearchAgent(), "python jobs", [search_tool(Ok(found))])
    assert [job.job_id for job in recorder.one("jobs_data").jobs] == ["j3", "j5", "j2", "j1", "j4"]
    assert f"closed on {closed.day} {closed:%B %Y}" in answer.text
    assert "2 of these are sample postings: fictional, marked so, below the real ones" in answer.text


async def test_old_postings_are_called_old_before_they_are_listed():
    old = [hit(n, **REAL, posted_at=date(2018, 5, n)) for n in (1, 2)]
    answer, recorder = await perform(JobSearchAgent(), "python jobs", [search_tool(Ok(hits(*old)))])
    warning = "the newest was posted on 2 May 2018; check that it is still open"
    assert answer.text.index(warning) < answer.text.index("1. **")
    assert not any("days ago" in reason for job in recorder.one("jobs_data").jobs for reason in job.match_reasons)


@pytest.mark.parametrize("message", ["and which are real?", "not the fictional ones", "only real ones"])
def test_only_real_ones_is_a_condition(message):
    refined = wish(message, searched("python jobs in Berlin"))
    assert refined.query.real_only
    assert conditions_of(refined.query) == {"location": "in Berlin", "sample": "that are real, not samples"}


def test_real_estate_is_not_a_wish_for_real_postings():
    assert not wish("real estate agent jobs in Leeds").query.real_only


async def test_a_range_that_only_reaches_the_least_pay_is_said_to():
    pay = {"currency": "GBP", "salary_period": "year"}
    found = hits(
        hit(1, salary_min=50_000.0, salary_max=63_000.0, **pay), hit(2, salary_min=61_000.0, salary_max=70_000.0, **pay)
    )
    answer, _ = await perform(JobSearchAgent(), "python jobs, at least £60k", [search_tool(Ok(found))])
    assert "One of these starts below the pay you asked for; its range reaches it." in answer.text


async def test_an_ambiguous_town_is_told_and_the_profile_decides_it():
    tool = search_tool(Ok(hits(hit(1))))
    answer, _ = await perform(JobSearchAgent(), "python jobs in London", [tool])
    assert "I took London to be the one in the United Kingdom" in answer.text
    at_home, _ = await perform(
        JobSearchAgent(), "python jobs in London", [tool], profile=[fact("location", "Toronto, Canada")]
    )
    assert tool.asked[1].query.home_country == "CA"
    assert "I took London" not in at_home.text


async def test_that_nothing_is_known_of_a_person_is_said_once():
    tool = search_tool(Ok(hits(hit(1))))
    first, _ = await perform(JobSearchAgent(), "python jobs", [tool])
    second, _ = await perform(JobSearchAgent(), "nursing jobs", [tool], history=searched("python jobs"))
    assert "I know nothing of you yet" in first.text
    assert "I know nothing of you yet" not in second.text


async def test_numbers_nobody_counted_are_not_told():
    found = [hit(n, remote=n % 2 == 0) for n in range(1, 201)]
    answer, _ = await perform(
        JobSearchAgent(),
        "python jobs",
        [search_tool(Ok(hits(*found, total=2_368)))],
        profile=[fact("remote", "only", "constraint")],
    )
    assert "**Many postings** fit" in answer.text
    assert "Left out because of your rules: many not remote." in answer.text
    assert "5 more of them are in the list" in answer.text


@pytest.mark.parametrize(
    ("location", "told"),
    [
        ("30-30 Thomson Ave L I City Qns, New York, NY", "New York, NY"),
        ("55 Water Street, New York, NY 10041", "New York, NY"),
        ("10 St Mary Axe, London EC3A 8BF", "London"),
        ("St Albans, Hertfordshire", "St Albans, Hertfordshire"),
        ("10115 Berlin", "Berlin"),
        ("Berlin; Munich | Remote", "Berlin; Munich | Remote"),
        ("55 Water St", "55 Water St"),
    ],
)
def test_a_posting_is_placed_by_its_town_not_its_street(location, told):
    assert place_text(location) == told
