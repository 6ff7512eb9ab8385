"""What stands where a role could and is none: it is told to be in no source, and is not remembered."""

import pytest
from stage import fact, perform, searched
from test_salary import ask, tools, wage, wages

from signalbox.agents.salary import SalaryAgent
from signalbox.memory.conversation import PastMessage


@pytest.mark.parametrize(
    "message", ["what is the minimum wage in the UK?", "whats the national living wage", "is £12 above the min wage?"]
)
async def test_pay_that_a_law_sets_is_in_no_source_and_no_role(message):
    canned = tools()
    answer, recorder = await perform(SalaryAgent(), message, canned)
    assert "do not hold the minimum wages that a law sets" in answer.text
    assert not canned[0].asked
    assert "salary_range" not in recorder.types()


async def test_a_word_that_stands_where_a_role_could_is_not_taken_for_one():
    answer, _ = await perform(SalaryAgent(), "drop the pay condition", tools())
    assert "I know no job called “condition”" in answer.text
    assert "catalogue" not in answer.text


@pytest.mark.parametrize("asked", ["what is the minimum wage in the UK?", "drop the pay condition"])
def test_what_is_no_role_is_not_remembered_as_one(asked):
    history = [
        PastMessage(role="user", content=asked, intent="salary"),
        PastMessage(role="assistant", content="…", agent="salary"),
    ]
    assert ask("and what does it pay?", history).role is None
    assert ask("and what does it pay?", history, (fact("title", "welder"),)).role == "welder"


async def test_an_occupation_that_no_source_knows_is_still_one():
    answer, _ = await perform(SalaryAgent(), "What does a thatcher earn?", tools())
    assert "I looked for postings for “thatcher”" in answer.text


async def test_who_earns_more_than_the_minimum_wage_is_a_question_about_a_role():
    asked = ask("Does a nurse earn more than the minimum wage in Leeds?")
    assert (asked.kind, asked.role, asked.location) == ("range", "nurse", "Leeds")


async def test_a_role_that_only_a_source_knows_is_told_and_remembered():
    answer, recorder = await perform(SalaryAgent(), "What does a dj earn?", tools(table=wages(wage())))
    assert "£40,000" in answer.text
    assert recorder.one("salary_range").role == "dj"


async def test_a_title_of_the_profile_is_a_role_whatever_the_vocabulary_knows():
    answer, _ = await perform(SalaryAgent(), "What does a dj earn?", tools(), profile=(fact("title", "DJ"),))
    assert "I looked for postings for “dj”" in answer.text
    answer, _ = await perform(SalaryAgent(), "What does a dj earn?", tools())
    assert "I know no job called “dj”" in answer.text


@pytest.mark.parametrize("message", ["which of them pay at least 60k?", "does the first one pay 60k?"])
async def test_whether_shown_postings_reach_a_pay_is_left_to_who_judges_them(message):
    answer, _ = await perform(SalaryAgent(), message, tools(), history=searched("data jobs"))
    assert answer.hand_over
    assert answer.hand_over.to == "job_match"


async def test_whether_a_pay_is_fair_for_a_shown_posting_stays_a_question_of_pay():
    answer, _ = await perform(SalaryAgent(), "is 60k fair for the first one?", tools(), history=searched("data jobs"))
    assert answer.hand_over is None
