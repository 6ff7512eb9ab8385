"""Searches whose message says who is asking: that counts for the order at once and is remembered, and is no search."""

import time

import pytest
from stage import Canned, fact, hit, hits, perform, searched

from signalbox.agents.job_search import JobSearchAgent
from signalbox.agents.profile_update import ProfileUpdateAgent
from signalbox.agents.searching.request import _BESIDE, _STARTS, read_request
from signalbox.agents.searching.rules import read_own
from signalbox.memory.conversation import PastMessage
from signalbox.tools.result import Err, Ok
from signalbox.tools.update_profile import UpdatedProfile
from signalbox.tools.vocabulary import packaged_vocabulary

SKILLED = "I know Python, SQL and Docker. Find remote Python jobs"
SKILLS = tuple(fact("skill", name) for name in ("Python", "SQL", "Docker"))
UNKNOWN = "I know nothing of you"


def tools(result=None):
    stored = Ok(UpdatedProfile(SKILLS, (), SKILLS)) if result is None else result
    found = hits(hit(1, skills=("Rust",)), hit(2, skills=("Python", "SQL", "Docker")))
    return Canned("search_jobs", Ok(found)), Canned("update_profile", stored)


def order(recorder):
    return [job.job_id for job in recorder.one("jobs_data").jobs]


@pytest.mark.parametrize(
    ("message", "own", "asked"),
    [
        (SKILLED, ["Python", "SQL", "Docker"], "Find remote Python jobs"),
        (
            "I'm a nurse with 5 years experience looking for jobs in Leeds",
            ["nurse", "5"],
            "nurse looking for jobs in Leeds",
        ),
        ("I’m a nurse and want jobs in Leeds", ["nurse"], "nurse want jobs in Leeds"),
        ("Find remote jobs in Leeds, I'm a nurse", ["nurse"], "nurse Find remote jobs in Leeds"),
        (
            "looking for data analyst jobs, I have 3 years of experience with SQL",
            ["3", "SQL"],
            "looking for data analyst",
        ),
        ("find me jobs, my skills are excel and sql", ["Excel", "SQL"], "Excel SQL find me jobs"),
        ("I'm good at React and TypeScript; find frontend roles", ["React", "TypeScript"], "find frontend roles"),
        ("I live in York. Find nursing jobs", ["York"], "Find nursing jobs in York"),
        ("I speak German, find customer service jobs", ["German"], "find customer service jobs"),
        ("I'm a nurse, but find me admin jobs", ["nurse"], "find me admin jobs"),
        ("Hello, I'm a welder. Any jobs in Hull?", ["welder"], "welder Any jobs in Hull"),
    ],
)
def test_who_asks_is_told_apart_from_what_is_asked(message, own, asked):
    vocabulary = packaged_vocabulary()
    assert [one.value for one in read_own(message, vocabulary)] == own
    assert read_request(message, None, vocabulary).text.startswith(asked)


@pytest.mark.parametrize(
    "message",
    [
        "I'm looking for a Python job in Berlin",
        "I want a remote python job in Leeds, at least £50k",
        "I'm only interested in remote jobs",
        "I want to be a pilot, find jobs",
        "My sister is a nurse, find her jobs in Leeds",
        "Do you have jobs for a nurse with 5 years of experience?",
        "jobs that need Python and SQL",
        "I don't know Java. Find Python jobs",
        "I'm learning Rust, find rust jobs",
        f"{SKILLED} {'and so on ' * 200}",
        "",
    ],
)
def test_what_is_wished_or_said_of_others_is_no_fact_of_the_writer(message):
    assert read_own(message, packaged_vocabulary()) == ()


async def test_what_the_message_tells_decides_the_order_and_is_remembered():
    search, update = tools()
    answer, recorder = await perform(JobSearchAgent(), SKILLED, (search, update))
    assert [(one.key, one.value) for one in update.asked[0].add] == [(f.key, f.value) for f in SKILLS]
    assert recorder.one("profile_updated").added == SKILLS
    assert search.asked[0].query.text == "Python"
    assert order(recorder) == ["j2", "j1"]
    assert answer.text.startswith("I noted this about you: skills: Python, SQL, Docker. Say “undo that”")
    assert UNKNOWN not in answer.text


async def test_what_the_profile_holds_is_not_noted_again():
    search, update = tools()
    answer, recorder = await perform(JobSearchAgent(), SKILLED, (search, update), profile=SKILLS)
    assert update.asked == []
    assert "profile_updated" not in recorder.types()
    assert "noted" not in answer.text


async def test_a_temporary_chat_ranks_by_it_and_keeps_nothing():
    search, update = tools()
    answer, recorder = await perform(JobSearchAgent(), SKILLED, (search, update), temporary=True)
    assert update.asked == []
    assert "profile_updated" not in recorder.types()
    assert order(recorder) == ["j2", "j1"]
    assert "(skills: Python, SQL, Docker); this temporary chat keeps none of it" in answer.text
    assert UNKNOWN not in answer.text


async def test_a_temporary_chat_goes_by_what_was_said_earlier_in_it():
    said = (
        PastMessage(role="user", content="I know Python and SQL", intent="profile_update"),
        PastMessage(role="assistant", content="Not stored.", agent="profile_update"),
    )
    _, recorder = await perform(JobSearchAgent(), "find me remote jobs", tools(), history=said, temporary=True)
    assert order(recorder) == ["j2", "j1"]
    _, normal = await perform(JobSearchAgent(), "find me remote jobs", tools(), history=said)
    assert order(normal) == ["j1", "j2"], "elsewhere the profile says it"


async def test_what_cannot_be_stored_holds_for_the_search_and_that_is_said():
    failed = Err("unavailable", "no database")
    answer, recorder = await perform(
        JobSearchAgent(), "I'm a welder. I know Python and SQL. Find python jobs", tools(failed),
        profile=(fact("title", "Clerk"),),
    )  # fmt: skip
    assert order(recorder) == ["j2", "j1"]
    assert "could not store it in your profile: title: welder and skills: Python, SQL" in answer.text
    assert UNKNOWN not in answer.text


async def test_an_introduction_does_not_disturb_the_next_refinement():
    search, update = tools()
    await perform(JobSearchAgent(), "only the remote ones", (search, update), history=searched(SKILLED))
    assert search.asked[0].query.text == "Python"
    assert search.asked[0].query.remote is True
    assert update.asked == []


async def test_a_search_taken_for_a_statement_goes_to_the_search():
    answer, recorder = await perform(ProfileUpdateAgent(), "find me jobs, my skills are excel, sql and power bi")
    assert answer.hand_over is not None
    assert answer.hand_over.to == "job_search"
    assert recorder.events == []


async def test_similar_jobs_after_an_application_are_those_of_its_post():
    row = {"application_id": "a1", "company": "Acme", "title": "Cloud Engineer", "status": "applied"}
    block = {"type": "application_status", "applications": [row], "changed": "a1"}
    told = PastMessage(role="assistant", content="Noted.", agent="followup", blocks=(block,))
    search, update = tools()
    await perform(JobSearchAgent(), "Find me similar jobs", (search, update), history=(told,))
    assert search.asked[0].query.text == "Cloud Engineer"


async def test_a_rule_stated_for_good_is_stored_and_the_search_that_states_it_is_made():
    rule = fact("remote", "only", "constraint")
    search, update = tools(Ok(UpdatedProfile((rule,), (), (rule,))))
    answer, _ = await perform(JobSearchAgent(), "I only want remote jobs", [search, update])
    assert [(said.kind, said.key, said.value) for said in update.asked[0].add] == [("constraint", "remote", "only")]
    assert search.asked[0].query.remote is True
    assert "I will keep to this from now on" in answer.text


async def test_the_next_search_keeps_to_a_rule_stated_for_good():
    search, _ = tools()
    answer, recorder = await perform(
        JobSearchAgent(), "Find me data engineer jobs", [search], profile=[fact("remote", "only", "constraint")]
    )
    assert not recorder.one("jobs_data").jobs
    assert "remote" in answer.text


@pytest.mark.parametrize(
    ("message", "asked", "starts"),
    [
        (
            "I'm looking for a job as a baker in Lyon, ideally part-time, starting in January",
            "I'm looking for a job as a baker in Lyon, part-time",
            "starting in January",
        ),
        ("nurse jobs starting next month", "nurse jobs", "starting next month"),
        ("cook jobs, I'm available from 1 March 2027", "cook jobs", "I'm available from 1 March 2027"),
        ("teaching jobs from September", "teaching jobs", "from September"),
        ("a barista job to start asap, part-time", "a barista job , part-time", "to start asap"),
        ("baker jobs from January on, preferably mornings", "baker jobs , mornings", "from January on"),
        ("find me something that fits and tell me what it pays", "find me something", None),
        ("find nurse jobs in Leeds and write me a letter", "find nurse jobs in Leeds", None),
        ("find nurse jobs in Leeds, then write a short cover letter for one", "find nurse jobs in Leeds", None),
        ("find nurse jobs and check my CV", "find nurse jobs", None),
        ("find nurse jobs in Leeds and check which pay most", "find nurse jobs in Leeds", None),
        ("find nurse jobs in Leeds and draft letters for the first two", "find nurse jobs in Leeds", None),
        ("jobs where I design and write software in London", "jobs where I design and write software in London", None),
        (
            "office jobs where I answer phones and check invoices in Bristol",
            "office jobs where I answer phones and check invoices in Bristol",
            None,
        ),
        ("jobs where I plan and draft contracts in Leeds", "jobs where I plan and draft contracts in Leeds", None),
        ("marketing jobs that suit parents", "marketing jobs parents", None),
        ("jobs with a starting salary of 30k", "jobs with a starting salary of 30k", None),
        ("jobs starting at 30k", "jobs starting at 30k", None),
        ("summer camp jobs", "summer camp jobs", None),
        ("jobs posted in January", "jobs posted in January", None),
        ("find start-up jobs", "find start-up jobs", None),
        ("jobs that match my skills", "jobs that match my skills", None),
    ],
)
def test_when_a_job_begins_and_softening_words_are_nothing_to_search_for(message, asked, starts):
    request = read_request(message, None, packaged_vocabulary())
    assert (request.text, request.starts) == (asked, starts)


@pytest.mark.parametrize(
    "text",
    [
        "and that which can to i ", "starting in on from ", "from early ", "in 1st of ", ", then also ", "and write a ",
        "and write a b c d ", ", and help me to ", "and check ", ", ", " " * 9,
    ],
)  # fmt: skip
def test_starts_and_asides_are_found_in_a_moment(text):
    long = (text * 16_000)[:16_000]
    begun = time.thread_time()
    for pattern in (_STARTS, _BESIDE):
        pattern.sub(" ", f"{long}x")
        pattern.sub(" ", f"{long}\nx")
    assert time.thread_time() - begun < 0.5


async def test_that_a_start_is_not_searched_by_is_said():
    search = Canned("search_jobs", Ok(hits(hit(1))))
    answer, _ = await perform(JobSearchAgent(), "baker jobs in Lyon starting in January", [search])
    assert "“baker” postings in Lyon." in answer.text
    assert "I cannot search by when a job begins (“starting in January”)" in answer.text


async def test_what_they_did_for_years_is_looked_for_where_they_name_no_work():
    message = "I have 3 years as receptionist, and a driving licence. Find me something that fits and tell me the pay"
    told = {(one.key, one.value) for one in read_own(message, packaged_vocabulary())}
    assert told == {("title", "receptionist"), ("years", "3"), ("skill", "Driving Licence")}
    search, update = tools()
    await perform(JobSearchAgent(), message, [search, update])
    assert search.asked[0].query.text == "receptionist"
    assert {(one.key, one.value) for one in update.asked[0].add} == told


@pytest.mark.parametrize(
    "message",
    [
        "something with animals, no weekends", "I want something with animals, no weekends",
        "a job with kids, no nights",
        "anything in retail, no nights", "work outdoors, no weekends", "jobs with no weekends",
    ],
)  # fmt: skip
async def test_work_that_is_wanted_within_limits_is_a_search_and_not_the_limits_alone(message):
    answer, recorder = await perform(ProfileUpdateAgent(), message, [tools()[1]])
    assert answer.hand_over.to == "job_search"
    assert recorder.types() == []


@pytest.mark.parametrize(
    "message", ["no weekends", "only remote, no weekends", "part-time work only", "I want a job in Leeds, no weekends"]
)
async def test_limits_alone_and_what_the_profile_holds_are_kept(message):
    answer, _ = await perform(ProfileUpdateAgent(), message, [tools()[1]])
    assert answer.hand_over is None
