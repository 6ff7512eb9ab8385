"""Pay by the hour for part-time work: its full-time year is told as what it is, and never counted as pay."""

from stage import Canned, fact, hit, hits, perform
from test_job_match import Postings, table

from signalbox.agents.job_match import JobMatchAgent
from signalbox.agents.job_search import JobSearchAgent
from signalbox.agents.salary import SalaryAgent
from signalbox.blocks import Job, JobsData, Salary
from signalbox.memory.conversation import PastMessage
from signalbox.tools.result import Empty, Ok

HYGIENIST = hit(
    1, title="Dental Hygienist", company="Larkfield Dental", location="Leeds", country="GB", skills=("Nursing",),
    employment_type="part-time", salary_min=32.0, salary_max=38.0, salary_period="hour", currency="GBP",
    salary_year_min=66_560.0, salary_year_max=79_040.0,
)  # fmt: skip
DENTIST = hit(
    2, title="Dentist", company="Bramble Dental", location="Leeds", country="GB", skills=("Nursing",),
    employment_type="full-time", salary_min=61_000.0, salary_max=70_000.0, salary_period="year", currency="GBP",
    salary_year_min=61_000.0, salary_year_max=70_000.0,
)  # fmt: skip
NURSE = hit(
    3, title="Dental Nurse", company="Larkfield Dental", location="Leeds", country="GB", skills=("Nursing",),
    employment_type="part-time", salary_min=13.0, salary_max=14.0, salary_period="hour", currency="GBP",
    salary_year_min=27_040.0, salary_year_max=29_120.0,
)  # fmt: skip
THREE = (HYGIENIST, DENTIST, NURSE)
FULL_TIME_YEAR = "£32–£38 an hour (part-time; full-time hours would be about £66,560–£79,040 a year)"
RULES = (fact("salary_min", "60000", "constraint"), fact("currency", "GBP"), fact("skill", "Nursing"))


async def ask(message, profile=(), shown=THREE):
    return await perform(JobMatchAgent(), message, [Postings(*THREE)], history=table(*shown), profile=profile)


async def find(message, profile=(), found=THREE):
    tools = [Canned("search_jobs", Ok(hits(*found))), Canned("update_profile", Ok(()))]
    return await perform(JobSearchAgent(), message, tools, profile=profile)


async def test_a_rule_on_yearly_pay_is_neither_kept_nor_broken_by_a_part_time_rate():
    answer, recorder = await ask("Is the first one a good fit?", RULES)
    (judged,) = recorder.one("job_match").verdicts
    assert judged.verdict != "ruled_out"
    assert not any("pays all of what you ask" in reason for reason in judged.strengths)
    assert "what it pays in a year is not known" in answer.text


async def test_a_part_time_rate_that_is_too_low_even_at_full_time_hours_breaks_the_rule():
    _, recorder = await ask("Is the third one a good fit?", RULES)
    assert recorder.one("job_match").verdicts[0].verdict == "ruled_out"


async def test_a_search_keeps_a_part_time_rate_and_says_that_the_rule_may_not_hold():
    answer, recorder = await find("dental jobs", RULES)
    jobs = {job.job_id: job for job in recorder.one("jobs_data").jobs}
    assert set(jobs) == {"j1", "j2"}
    assert "pays all of what you ask" not in jobs["j1"].match_reasons
    assert "1 with a part-time rate of pay that reaches it only at full-time hours" in answer.text


async def test_a_search_for_a_yearly_figure_says_the_same_to_whom_nothing_is_known_of():
    answer, _ = await find("dental jobs paying at least £60k", found=(HYGIENIST, DENTIST))
    assert "1 with a part-time rate of pay that reaches it only at full-time hours" in answer.text


async def test_the_best_paid_is_told_with_what_its_year_assumes():
    answer, _ = await ask("Which of them pays most?")
    assert FULL_TIME_YEAR in answer.text
    assert "Numbers 1 and 3 are part-time, so what they pay in a year depends on the hours and is less." in answer.text


async def test_whether_a_part_time_rate_reaches_a_yearly_figure_depends_on_its_hours():
    answer, _ = await ask("Does the first one pay £60k?")
    assert f"It pays {FULL_TIME_YEAR}. Whether it reaches that depends on its hours." in answer.text
    assert "Yes" not in answer.text


async def test_which_ones_pay_so_much_leaves_open_those_whose_year_is_not_known():
    answer, _ = await ask("Which of them pay at least £60k a year?")
    assert "one of the three" in answer.text
    assert "**2.** Dentist" in answer.text
    assert "Number 1 is part-time, so it depends on its hours." in answer.text


async def test_what_is_paid_by_the_month_is_paid_however_long_one_works():
    monthly = hit(
        4, title="Dental Nurse (part-time)", salary_min=6_000.0, salary_period="month", currency="GBP",
        salary_year_min=72_000.0,
    )  # fmt: skip
    answer, _ = await find("dental jobs", RULES, found=(monthly,))
    assert "part-time rate" not in answer.text


async def test_where_nothing_is_known_of_the_user_no_card_shows_a_fit():
    _, recorder = await find("dental jobs")
    assert all(job.match_score is None and not job.score_parts for job in recorder.one("jobs_data").jobs)
    _, recorder = await ask("Which of these fits me best?")
    assert recorder.one("job_match").criterion == ""
    assert all(each.job.match_score is None for each in recorder.one("job_match").verdicts)


async def test_a_limit_of_one_search_is_no_knowledge_of_the_user():
    tools = [
        Canned("search_jobs", Ok(hits(*THREE))),
        Canned("update_profile", Ok(())),
        Canned("company_sizes", Empty("none")),
    ]
    _, recorder = await perform(JobSearchAgent(), "dental jobs at companies with over 50 people", tools)
    assert all(job.match_score is None for job in recorder.one("jobs_data").jobs)


async def test_where_something_is_known_the_card_says_what_it_is_ranked_by():
    _, recorder = await ask("Which of these fits me best?", RULES)
    assert recorder.one("job_match").criterion == "fit"
    assert all(each.job.match_score is not None for each in recorder.one("job_match").verdicts)


async def test_a_list_shown_again_is_not_called_a_ranking():
    _, recorder = await ask("Show me the list again", RULES)
    assert recorder.one("job_match").criterion == ""


async def test_the_pay_of_a_shown_rate_is_told_as_that_of_full_time_hours():
    rate = Job(
        job_id="j1", title="Dental Hygienist", company="Larkfield Dental",
        salary=Salary(min=32.0, max=38.0, currency="GBP", period="hour"),
    )  # fmt: skip
    shown = JobsData(jobs=(rate,), total=1, truncated=False, sources=()).model_dump(mode="json")
    history = (PastMessage(role="assistant", content="…", agent="job_search", blocks=(shown,)),)
    tools = [Canned("pay_of_postings", Empty("none")), Canned("find_wages", Empty("none"))]
    answer, _ = await perform(SalaryAgent(), "what does the first one pay?", tools, history=history)
    assert "states **£66,560–£79,040** a year at full-time hours (stated by the hour)" in answer.text
