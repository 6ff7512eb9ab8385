"""Postings judged: ranked, compared, explained, and what stands against an application."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from stage import Canned, fact, hit, hits, perform

from signalbox.agents.job_match import JobMatchAgent
from signalbox.blocks import Job, JobsData, Salary
from signalbox.llm.offline import OfflineModel
from signalbox.memory.conversation import PastMessage
from signalbox.tools.result import Empty, Err, Ok

TODAY = datetime.now(UTC).date()


def pay(low, high, period, currency, yearly=None):
    year = yearly or (low, high)
    return {
        "salary_min": low, "salary_max": high, "salary_period": period, "currency": currency,
        "salary_year_min": year[0], "salary_year_max": year[1],
    }  # fmt: skip


HITS = (
    hit(
        1, title="Data Engineer", company="Northwind", skills=("Python", "SQL", "Apache Airflow", "Kubernetes"),
        requirements="5+ years of experience with Python. Kubernetes is a plus. A degree in physics is required.",
        **pay(60_000, 80_000, "year", "EUR"),
    ),
    hit(
        2, title="Data Analyst", company="Contoso Labs", location="Porto", country="PT", skills=("SQL", "Tableau"),
        seniority="junior", posted_at=TODAY - timedelta(days=3), **pay(20, 25, "hour", "EUR", (41_600, 52_000)),
    ),
    hit(
        3, title="Registered Nurse", company="Cedarvane Care", location="Leeds", country="GB", skills=("Nursing",),
        posted_at=None, **pay(35_000, 40_000, "year", "GBP"),
    ),
    hit(
        4, title="Senior Data Analyst", company="Fathom Bank", location=None, country=None, remote=True,
        skills=("SQL", "Tableau", "Python"), seniority="senior", posted_at=TODAY - timedelta(days=90),
    ),
    hit(5, title="BI Developer", company="Lanternfish Analytics", skills=("SQL", "Power BI", "ETL")),
)  # fmt: skip
PROFILE = (
    fact("title", "Data Analyst"), fact("skill", "SQL"), fact("skill", "Python"), fact("skill", "Tableau"),
    fact("years", "4"), fact("location", "Berlin"),
)  # fmt: skip


def table(*found):
    jobs = tuple(
        Job(
            job_id=each.job_id, title=each.title, company=each.company, location=each.location, remote=each.remote,
            salary=Salary(min=each.salary_min) if each.salary_min else None,
        )
        for each in found
    )  # fmt: skip
    block = JobsData(jobs=jobs, total=len(jobs), truncated=False, sources=()).model_dump(mode="json")
    return (PastMessage(role="assistant", content="…", agent="job_search", blocks=(block,)),)


class Postings:
    """Those of ``there`` that are asked for."""

    name = "find_jobs"
    effect = "read"
    timeout_s = 1.0

    def __init__(self, *there):
        self._there = {each.job_id: each for each in there}

    async def run(self, arguments):
        found = tuple(self._there[job_id] for job_id in arguments.job_ids if job_id in self._there)
        return Ok(found) if found else Empty("gone")


async def ask(message, *more, profile=PROFILE, shown=HITS, there=None, sizes=None, searched=None, history=None):
    tools = [
        Postings(*(HITS if there is None else there)),
        Canned("search_jobs", searched or Empty("none")),
        Canned("company_sizes", Ok(sizes or {"northwind": (11, 50)})),
    ]
    past = table(*shown) if history is None else history
    return await perform(JobMatchAgent(), message, tools, profile=(*profile, *more), history=past)


def verdicts(recorder):
    return [(each.place, each.verdict) for each in recorder.one("job_match").verdicts]


async def test_the_shown_postings_are_ranked_and_keep_their_numbers():
    answer, recorder = await ask("Which of these fits me best?")
    assert recorder.types() == ["tool_call", "tool_result", "job_match", "chunk", "usage", "message", "suggestions"]
    event = recorder.one("job_match")
    assert (event.criterion, event.best) == ("fit", "j4")
    assert verdicts(recorder)[0] == (4, "strong")
    assert verdicts(recorder)[-1] == (3, "weak")
    assert answer.text.startswith("**Senior Data Analyst** at Fathom Bank (number 4) fits you best: a strong fit")
    assert "All of these are fictional sample postings." in answer.text
    assert next(citation.id for citation in answer.citations) == "j4"
    replies = recorder.one("suggestions").suggestions
    assert all(reply.intent for reply in replies)
    assert "number 4" in replies[0].message


async def test_one_posting_is_judged_with_reasons_for_and_against():
    answer, recorder = await ask("Am I a fit for the second one?")
    assert verdicts(recorder) == [(2, "strong")]
    assert recorder.one("job_match").best is None
    assert "**Data Analyst** at Contoso Labs (number 2): a strong fit" in answer.text
    assert "**For it:** you have Tableau and SQL: all 2 skills it names" in answer.text
    assert "**Against it:** in Porto, not where you look" in answer.text


async def test_a_requirement_that_is_only_wished_for_rules_nobody_out():
    answer, _ = await ask("Does the missing Kubernetes rule me out for the first one?")
    assert "Kubernetes does not rule you out: the posting lists it as a wish" in answer.text
    assert "“Kubernetes is a plus.”" in answer.text
    assert "It also names a degree" in answer.text
    assert "asks for 5 years, you have 4" in answer.text


@pytest.mark.parametrize(
    ("requirements", "says"),
    [
        ("Kubernetes is essential.", "stated as a requirement"),
        ("You will meet Kubernetes.", "without saying that it is a must"),
        ("Nothing else.", "does not mention Kubernetes"),
    ],
)
async def test_how_a_posting_asks_for_a_skill_is_told_apart(requirements, says):
    one = hit(1, title="Data Engineer", skills=("Python",), requirements=requirements)
    answer, _ = await ask("Am I ruled out without Kubernetes for number 1?", shown=(one,), there=(one,))
    assert says in answer.text


async def test_a_score_is_explained_by_its_parts_and_their_sum():
    answer, recorder = await ask("Explain the score of number 4")
    job = recorder.one("job_match").verdicts[0].job
    for part in job.score_parts:
        assert f"{part.points:g} of {part.out_of:g} ({part.reason}" in answer.text
    points, out_of = sum(p.points for p in job.score_parts), sum(p.out_of for p in job.score_parts)
    assert f"{points:g} of {out_of:g} points" in answer.text
    assert round(100 * points / out_of) == job.match_score


async def test_pay_is_compared_within_a_currency_by_the_year_and_silence_is_said():
    answer, recorder = await ask("Rank them by pay")
    event = recorder.one("job_match")
    assert (event.criterion, event.best) == ("pay", None)
    assert "In each currency another one pays most" in answer.text
    assert "€20–€25 an hour (about €41,600–€52,000 a year)" in answer.text
    assert "Two of the five state no pay, so the comparison covers three." in answer.text
    assert "I do not convert currencies" in answer.text
    answer, recorder = await ask("Which of the first two pays best?")
    assert recorder.one("job_match").best == "j1"
    assert "**Data Engineer** at Northwind (number 1) pays most: €60,000–€80,000 a year" in answer.text


async def test_no_stated_pay_is_no_winner():
    silent = (HITS[3], HITS[4])
    answer, recorder = await ask("Which pays best?", shown=silent)
    assert recorder.one("job_match").best is None
    assert "None of them states its pay" in answer.text


@pytest.mark.parametrize(
    ("message", "criterion", "best", "says"),
    [
        ("Which is the closest to home?", "nearest", "j4", "know no distances"),
        ("Which is the most senior?", "level", "j4", "Three of the five state no level"),
        ("Which is the most junior?", "level", "j2", "most junior"),
        ("Which is the oldest?", "newest", "j4", "posted on"),
    ],
)
async def test_other_criteria_have_their_own_winner(message, criterion, best, says):
    answer, recorder = await ask(message)
    event = recorder.one("job_match")
    assert (event.criterion, event.best) == (criterion, best)
    assert says in answer.text


async def test_equals_share_the_first_place():
    answer, recorder = await ask("Which of the ones is newest?", shown=(HITS[0], HITS[4]))
    assert recorder.one("job_match").best is None
    assert "Numbers 1 and 2 share the newest date." in answer.text


async def test_two_postings_are_compared_in_a_table():
    answer, recorder = await ask("Compare the first two")
    assert {place for place, _ in verdicts(recorder)} == {1, 2}
    rows = [line for line in answer.text.splitlines() if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1
    assert any(row.startswith("| Missing | – | Apache Airflow, Kubernetes |") for row in rows)


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        (fact("remote", "only", "constraint"), "it is not stated to be remote"),
        (fact("salary_min", "90000", "constraint"), "it pays less than your least"),
        (fact("company_size_min", "60", "constraint"), "the company has 11–50 people"),
        (fact("exclude_company", "Northwind", "constraint"), "you ruled out Northwind"),
        (fact("location", "Portugal", "constraint"), "it is in Berlin"),
    ],
)
async def test_a_posting_that_breaks_a_rule_is_flagged_and_never_the_best(limit, reason):
    profile = [each for each in PROFILE if each.key != limit.key]
    answer, recorder = await ask("Is number 1 worth applying to?", limit, profile=profile)
    assert verdicts(recorder) == [(1, "ruled_out")]
    assert f"it breaks a rule of yours: {reason}" in answer.text
    assert "I would leave it" in answer.text
    _, recorder = await ask("Which of the first two fits me best?", limit, profile=profile)
    assert recorder.one("job_match").best != "j1"


async def test_unknown_company_sizes_are_counted_and_asked_for_in_one_call():
    answer, recorder = await ask("Which fits me best?", fact("company_size_min", "60", "constraint"))
    calls = [event for event in recorder.events if event.type == "tool_call" and event.tool == "company_sizes"]
    assert len(calls) == 1
    assert "company size not known for four of them" in answer.text
    assert (1, "ruled_out") in verdicts(recorder)


async def test_sizes_are_not_asked_for_without_a_limit_on_them():
    _, recorder = await ask("Which fits me best?")
    assert not [event for event in recorder.events if event.type == "tool_call" and event.tool == "company_sizes"]


async def test_with_no_profile_it_says_what_it_can_and_asks_for_skills():
    answer, recorder = await ask("Which of these fits me best?", profile=())
    assert {verdict for _, verdict in verdicts(recorder)} == {"unknown"}
    assert all(each.job.match_score is None for each in recorder.one("job_match").verdicts)
    assert "I cannot rank these by fit yet" in answer.text
    assert "it asks for Python, SQL, Apache Airflow and Kubernetes" in answer.text
    assert "Tell me your title and skills" in answer.text


async def test_what_the_message_says_of_its_writer_counts_for_this_answer():
    answer, recorder = await ask("I'm a nurse and I know nursing. Is the nurse job for me?", profile=())
    assert verdicts(recorder)[0][1] in {"strong", "good"}
    assert "Nursing" in answer.text


async def test_nothing_on_the_table_is_said_with_ways_on():
    answer, recorder = await ask("Which fits me best?", history=())
    assert "No posting is on the table yet" in answer.text
    assert recorder.types() == ["chunk", "usage", "message", "suggestions"]
    replies = recorder.one("suggestions").suggestions
    assert [reply.intent for reply in replies] == ["job_search", "job_search", "general"]
    assert replies[0].message == "Find Data Analyst jobs"


async def test_a_posting_in_the_message_is_judged_and_again_when_asked_about():
    advert = (
        "Am I a fit for this?\n\nSenior Data Analyst at Northwind Traders\nBerlin\n€60,000 a year\n\nRequirements\n"
        "- SQL and Tableau\n- 3 years of experience"
    )
    answer, recorder = await ask(advert, history=())
    assert recorder.types() == ["job_match", "chunk", "usage", "message", "suggestions"]
    assert (
        "I took the posting from your message. **Senior Data Analyst** at Northwind Traders: a strong fit"
        in answer.text
    )
    assert answer.citations == ()
    block = recorder.one("job_match").model_dump(mode="json")
    past = (
        PastMessage(role="user", content=advert),
        PastMessage(role="assistant", content=answer.text, agent="job_match", blocks=(block,)),
    )
    again, _ = await ask("explain the score of this one", history=past)
    assert "**Senior Data Analyst** at Northwind Traders" in again.text
    assert "3 years, you have 4" in again.text


async def test_a_named_posting_that_was_not_shown_is_looked_up():
    found = hit(9, title="Museum Curator", company="Civic Museum", skills=("Archiving",))
    answer, recorder = await ask("Do I stand a chance with the museum curator one?", searched=Ok(hits(found)))
    assert "I looked it up. **Museum Curator** at Civic Museum" in answer.text
    assert recorder.one("job_match").verdicts[0].job.job_id == "j9"
    answer, recorder = await ask("Do I stand a chance with the museum curator one?", searched=Ok(hits(HITS[0])))
    assert "I find no posting for “museum curator”" in answer.text
    assert "job_match" not in recorder.types()


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("and the one in Graz?", "Graz"),
        ("Will I be eligible for this post of accounts executive?", "accounts executive"),
    ],
)
async def test_what_is_not_on_the_table_is_not_taken_for_what_is(message, named):
    answer, recorder = await ask(message)
    assert f"I find no posting for “{named}”" in answer.text
    assert "job_match" not in recorder.types()


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("is the first one remote?", "The posting does not say whether it can be done remotely."),
        ("is the fourth one remote?", "Yes, it is remote."),
        ("is the third one full time?", "Yes, it is full-time."),
        ("is the first one full time?", "It does not say whether it is full-time or part-time."),
        (
            "does the second one pay more than 50k?",
            "Yes: it reaches that. It pays €20–€25 an hour (about €41,600–€52,000",
        ),
        ("does the third one pay more than £50k?", "No: it stays below that. It pays £35,000–£40,000 a year."),
        ("does the third one pay more than $50k?", "It pays £35,000–£40,000 a year."),
        ("how much does the fourth one pay?", "It does not state its pay."),
        ("is the last one in the office every day?", "It asks for 3 days a week in the office."),
        ("where is the second one?", "It is in Porto."),
        ("does the first one need German?", "The posting does not mention German, so its absence rules nobody out."),
    ],
)
async def test_a_question_about_one_posting_is_answered_first(message, says):
    there = (
        *HITS[:2],
        replace(HITS[2], employment_type="full-time"),
        HITS[3],
        replace(HITS[4], description="Hybrid: 3 days a week in the office."),
    )
    answer, _ = await ask(message, there=there)
    first = "\n\n".join(answer.text.split("\n\n")[:2])
    assert says in first


async def test_which_posting_this_one_is_taken_for_is_said():
    answer, _ = await ask("Am I too junior for this position?")
    assert "I took it that you mean number 1 of the list." in answer.text


async def test_a_posting_that_is_gone_is_said_and_the_rest_judged():
    answer, recorder = await ask("Which of the first two fits me best?", there=(HITS[1],))
    assert verdicts(recorder) == [(2, "strong")]
    assert "“Data Engineer” at Northwind is no longer in the catalogue" in answer.text
    answer, recorder = await ask("Which of the first two fits me best?", there=())
    assert "job_match" not in recorder.types()
    assert "There is nothing left to judge." in answer.text


async def test_a_failed_look_up_says_nothing_of_the_postings():
    tools = [Canned("find_jobs", Err("timeout", "slow"))]
    answer, recorder = await perform(JobMatchAgent(), "rank them", tools, profile=PROFILE, history=table(*HITS))
    assert "I could not read the postings just now" in answer.text
    assert "job_match" not in recorder.types()


async def test_a_number_beyond_the_list_is_said():
    answer, _ = await ask("Is number 12 worth it?")
    assert "The list has 5 postings, so there is no number 12 in it" in answer.text


class Recording(OfflineModel):
    """Keeps the prompt it was given, facts included."""

    prompt = ""

    def stream(self, request):
        self.prompt = request.messages[0].content
        return super().stream(request)


@pytest.mark.parametrize(
    "message",
    [
        "Which of these fits me best?",
        "Compare all of them",
        "Which pays best?",
        "Explain the score of number 4",
        "Does the missing Kubernetes rule me out for the first one?",
        "Am I a fit for the second one?",
        "Is number 12 worth it?",
        "Which is the oldest?",
    ],
)
async def test_every_number_and_name_of_the_answer_stands_in_the_facts(message):
    model = Recording(delay_s=0)
    tools = [Postings(*HITS), Canned("company_sizes", Empty("the size of none of these companies is on record"))]
    answer, _ = await perform(JobMatchAgent(), message, tools, profile=PROFILE, history=table(*HITS), model=model)
    facts = json.loads(model.prompt.partition("\n<facts>\n")[2].removesuffix("\n</facts>"))
    known = set(re.findall(r"\d+", json.dumps(facts, ensure_ascii=False).replace(".0", "")))
    body = re.sub(r"^\d+\. ", "", answer.text, flags=re.MULTILINE)
    said = {number.replace(",", "") for number in re.findall(r"\d[\d,]*", body)}
    assert {number.lstrip("0") for number in said} - {number.lstrip("0") for number in known} <= {"100"}
    titles = {each.title for each in HITS} | {each.company for each in HITS}
    assert {name for name in titles if name in body} <= {name for name in titles if name in json.dumps(facts)}
