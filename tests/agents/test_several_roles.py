"""Messages that ask about several lines of work at once: each gets its answer, none is lost."""

import json
import threading
import time
from datetime import date

import pytest
from stage import Canned, fact, hit, hits, perform

from signalbox.agents.job_search import JobSearchAgent
from signalbox.agents.salary import SalaryAgent
from signalbox.agents.searching.conditions import conditions_of, subject_of
from signalbox.agents.searching.wish import read_wish
from signalbox.agents.words.several_roles import each_role
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.facts.posting_pay import pay_of
from signalbox.tools.pay_of_postings import RolePay, Step
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

BOTH = "Find me a job as a teacher in London and another as a nurse in York"


@pytest.mark.parametrize(
    ("message", "each"),
    [
        (BOTH, ["Find me a job as a teacher in London", "Find me a job as a nurse in York"]),
        ("Tell me the salary for nurse in Leeds and teachers in York",
         ["Tell me the salary for nurse in Leeds", "Tell me the salary for teachers in York"]),
        ("what do nurses and teachers earn?", ["what do nurses earn?", "what do teachers earn?"]),
        ("what does a plumber earn vs a welder?", ["what does a plumber earn?", "what does a welder earn?"]),
        ("nurse and teacher jobs in Leeds", ["nurse jobs in Leeds", "teacher jobs in Leeds"]),
        ("find nurse jobs in Leeds and teacher jobs in York",
         ["find nurse jobs in Leeds", "find teacher jobs in York"]),
        ("Python jobs in Berlin and Java jobs in Munich", ["Python jobs in Berlin", "Java jobs in Munich"]),
        ("find Python jobs and Java jobs in Berlin", ["find Python jobs in Berlin", "find Java jobs in Berlin"]),
        ("nurse, teacher and chef jobs", ["nurse jobs", "teacher jobs", "chef jobs"]),
        ("show me barista or waiter jobs", ["show me barista jobs", "show me waiter jobs"]),
        ("look for senior nurse and junior doctor roles",
         ["look for senior nurse roles", "look for junior doctor roles"]),
        ("pay of data engineers, data scientists and web developers in Berlin",
         ["pay of data engineers in Berlin", "pay of data scientists in Berlin", "pay of web developers in Berlin"]),
    ],
)  # fmt: skip
def test_each_line_of_work_is_asked_for_alone(message, each):
    assert each_role(message) == tuple(each)


@pytest.mark.parametrize(
    "message",
    [
        "nurse jobs in Leeds and York", "Python and Java jobs", "java and python developer jobs",
        "sales and marketing manager jobs", "research and development engineer", "health and safety officer",
        "nurse jobs and remote work", "jobs in London and jobs in York", "food and beverage manager",
        "I'm a nurse and looking for jobs in Leeds", "nurse jobs and tell me what they pay",
        "what do nurses in Leeds and in York earn?", "find remote and hybrid developer jobs",
        "is 45k fair for a nurse and how do I ask for more?", "bus and lorry driver jobs",
        "customer service and sales jobs", "nurses, teachers, plumbers, carers and drivers in Leeds",
        "what do nurses, teachers, plumbers, carers and drivers earn?",
        "find jobs for a nurse and her husband", "paper and number jobs", "", "and", "nurse and",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_list_of_work_stays_one(message):
    assert each_role(message) == (message,)


def test_long_messages_are_told_apart_in_a_moment():
    begun = time.thread_time()
    for text in ("nurse and teacher, ", "a and ", "and and ", "jobs in Leeds and "):
        each_role(text * 2_000)
    assert time.thread_time() - begun < 0.5


def wish(*messages):
    history = tuple(PastMessage(role="user", content=message, intent="job_search") for message in messages[:-1])
    found = read_wish(messages[-1], history, (), None, today=date(2026, 3, 2), vocabulary=packaged_vocabulary())
    return [(subject_of(each.query), conditions_of(each.query)) for each in (found, *found.others)]


def test_two_searches_of_one_message_are_refined_together_and_a_new_one_stands_alone():
    two = "Python jobs in Berlin and Java jobs in Munich"
    assert wish(two) == [
        ("“Python” postings", {"location": "in Berlin"}), ("“Java” postings", {"location": "in Munich"}),
    ]  # fmt: skip
    assert wish(two, "remote is fine too") == [
        ("“Python” postings", {"location": "in Berlin or remote"}),
        ("“Java” postings", {"location": "in Munich or remote"}),
    ]
    assert [conditions["remote"] for _, conditions in wish(two, "only remote")] == ["that are remote"] * 2
    assert [
        conditions
        for _, conditions in wish("remote jobs for nurses and teachers over 50k", "drop the remote condition")
    ] == [{"pay": "paying at least 50,000 a year"}] * 2
    assert [conditions for _, conditions in wish("nurses and teachers in London", "without the location")] == [{}, {}]
    assert wish(two, "nurse jobs") == [("“nurse” postings", {})]


def by_place(**found):
    class Places(Canned):
        async def run(self, arguments):
            self.asked.append(arguments)
            return found[arguments.query.locations[0]]

    return Places("search_jobs", Empty(""))


def home(number):
    return hit(number, remote=True)


async def test_both_searches_are_made_and_their_postings_numbered_through():
    rule = fact("remote", "only", "constraint")
    tool = by_place(London=Ok(hits(*map(home, (1, 2)))), York=Ok(hits(home(2), home(3), hit(4, remote=False))))
    answer, recorder = await perform(JobSearchAgent(), BOTH, [tool], profile=[rule])
    assert sorted(query.query.locations for query in tool.asked) == [("London",), ("York",)]
    shown = recorder.one("jobs_data")
    assert [job.job_id for job in shown.jobs] == ["j1", "j2", "j3"]
    assert "fit what I looked for: “teacher” postings in London" in answer.text
    assert "the other search: “nurse” postings in York" in answer.text
    assert "3. **Python Engineer 3** at Company 3" in answer.text
    assert "1 not remote" in answer.text
    assert answer.text.count("fictional") == 1


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (Empty("none"), "For “nurse” postings in York I found nothing."),
        (Err("connection", "down"), "I could not look for “nurse” postings in York just now"),
    ],
)
async def test_a_search_that_brings_nothing_is_not_passed_over(other, told):
    answer, recorder = await perform(JobSearchAgent(), BOTH, [by_place(London=Ok(hits(hit(1))), York=other)])
    assert told in answer.text
    assert [job.job_id for job in recorder.one("jobs_data").jobs] == ["j1"]
    first, _ = await perform(JobSearchAgent(), BOTH, [by_place(London=other, York=Ok(hits(hit(1))))])
    assert "1. **Python Engineer 1** at Company 1" in first.text


LOST = Err("connection", "down")


@pytest.mark.parametrize(
    ("london", "york", "told"),
    [
        (Ok(hits(hit(1))), LOST, ("ok", True)),
        (LOST, Ok(hits(hit(1))), ("ok", True)),
        (Ok(hits(hit(1))), Empty("none"), ("ok", False)),
        (Ok(hits(hit(1))), Ok(hits(hit(2), failed="text")), ("ok", True)),
        (Empty("none"), LOST, ("error", False)),
        (LOST, Empty("none"), ("error", False)),
        (LOST, LOST, ("error", False)),
        (Empty("none"), Empty("none"), ("empty", False)),
    ],
)
async def test_what_a_source_said_is_told_over_both_searches(london, york, told):
    """What could not be asked for one of them is not known, whatever the other found."""
    _, recorder = await perform(JobSearchAgent(), BOTH, [by_place(London=london, York=york)])
    (source,) = recorder.one("jobs_data").sources
    assert (source.status, source.partial) == told
    assert ("down" in source.note) == (LOST in (london, york))
    assert source.note.count("down") <= 1


async def test_a_sample_beside_a_real_posting_of_the_other_search_is_marked():
    real = hit(1, source="feed", sample=False)
    answer, _ = await perform(JobSearchAgent(), BOTH, [by_place(London=Ok(hits(real)), York=Ok(hits(hit(2))))])
    assert "**Python Engineer 1** at Company 1: " in answer.text
    assert "**Python Engineer 2** at Company 2 (sample): " in answer.text


async def test_of_each_search_is_said_what_was_searched_by_half():
    half = Ok(hits(hit(2), failed="meaning"))
    answer, _ = await perform(JobSearchAgent(), BOTH, [by_place(London=Ok(hits(hit(1))), York=half)])
    assert answer.text.count("postings may be missing") == 1
    both, _ = await perform(JobSearchAgent(), BOTH, [by_place(London=Ok(hits(hit(1), failed="meaning")), York=half)])
    assert both.text.count("postings may be missing") == 1


class ByRole(Canned):
    """Pay for whatever role is asked for."""

    async def run(self, arguments):
        self.asked.append(arguments)
        low = {"nurses": 30_000.0, "teachers": 40_000.0}[arguments.role]
        found = [
            hit(int(low) + n, title=arguments.role, currency="GBP", salary_period="year", source="feed", sample=False,
                salary_year_min=low + n, salary_year_max=low + 2_000 + n)
            for n in range(9)
        ]  # fmt: skip
        steps = (Step("everywhere", "", level=False, matched=9, stated=9),)
        return Ok(RolePay(pay_of(arguments.role, found, packaged_vocabulary()), steps))


async def test_the_pay_of_each_role_is_told_and_what_holds_for_both_is_said_once():
    tools = [ByRole("pay_of_postings", Empty("")), Canned("find_wages", Empty("no wage table is loaded"))]
    answer, recorder = await perform(SalaryAgent(), "what do nurses and teachers earn?", tools)
    ranges = [event for event in recorder.events if event.type == "salary_range"]
    assert [(event.role, event.p50) for event in ranges] == [("nurses", 31_004), ("teachers", 41_004)]
    assert "**Postings for “nurses”:**" in answer.text
    assert "**Postings for “teachers”:**" in answer.text
    assert answer.text.count("All figures are gross") == 1
    assert len({citation.id for citation in answer.citations}) == len(answer.citations)
    history = (
        PastMessage(role="user", content="what do nurses and teachers earn?", intent="salary"),
        PastMessage(
            role="assistant", content=answer.text, agent="salary",
            blocks=tuple(json.loads(event.model_dump_json()) for event in ranges),
        ),
    )  # fmt: skip
    asked = [ByRole("pay_of_postings", Empty("")), tools[1]]
    await perform(SalaryAgent(), "and in Leeds?", asked, history=history)
    assert [(each.role, each.location) for each in asked[0].asked] == [("nurses", "Leeds"), ("teachers", "Leeds")]


async def test_who_earns_more_is_a_question_about_both():
    tools = [ByRole("pay_of_postings", Empty("")), Canned("find_wages", Empty("no wage table is loaded"))]
    answer, _ = await perform(SalaryAgent(), "who earns more, nurses or teachers?", tools)
    assert [each.role for each in tools[0].asked] == ["nurses", "teachers"]
    assert "£31,004" in answer.text
    assert "£41,004" in answer.text


class Watched(PastMessage):
    """A message of the history that notes in which threads it is read."""

    def __getattribute__(self, name):
        if name in {"role", "content", "blocks"}:
            READ_IN.add(threading.get_ident())
        return super().__getattribute__(name)


READ_IN = set()


async def test_further_roles_are_read_off_the_event_loop():
    tools = [ByRole("pay_of_postings", Empty("")), Canned("find_wages", Empty("no wage table is loaded"))]
    past = [Watched(role="user", content="hello"), Watched(role="assistant", content="Hello.", agent="general")]
    READ_IN.clear()
    await perform(SalaryAgent(), "what do nurses and teachers earn?", tools, history=past)
    assert len(READ_IN - {threading.get_ident()}) == 1
