from dataclasses import replace
from datetime import date, timedelta

from signalbox.retrieval.index import JobHit
from signalbox.retrieval.query import JobQuery
from signalbox.retrieval.rerank import Candidate, rerank

TODAY = date(2026, 11, 30)
HIT = JobHit(
    job_id="s:1",
    source="s",
    external_id="1",
    title="Senior Python Developer",
    company="Lanternfish Analytics",
    location="Porto, Portugal",
    country="PT",
    remote=False,
    category=None,
    employment_type="full-time",
    seniority="senior",
    salary_min=60_000,
    salary_max=80_000,
    salary_period="year",
    currency="EUR",
    salary_year_min=60_000,
    salary_year_max=80_000,
    posted_at=TODAY - timedelta(days=3),
    closes_at=None,
    url=None,
    description="A quiet team without travel.",
    requirements="Python and SQL.",
    skills=("Python", "SQL"),
    sample=True,
    score=2 / 61,
)
QUERY = JobQuery(text="python developer", words=("developer",), skills=("Python",))


def test_a_perfect_fit_scores_a_hundred_and_shows_why():
    person = Candidate(
        skills=("python", "sql"), seniority="senior", locations=("Porto",), salary_min=55_000, currency="EUR"
    )
    (job,) = rerank([HIT], person, QUERY, today=TODAY).jobs
    assert job.match_score == 100
    assert job.matched_skills == ("Python", "SQL")
    assert job.missing_skills == ()
    assert [part.name for part in job.parts] == ["skills", "relevance", "seniority", "location", "pay", "freshness"]
    assert "2 of 2 skills match" in job.explanation


def test_hard_limits_remove_what_breaks_them_and_count_it():
    hits = [
        HIT,
        replace(HIT, job_id="remote", remote=True),
        replace(HIT, job_id="unstated", remote=None),
        replace(HIT, job_id="poor", remote=True, salary_year_max=40_000),
        replace(HIT, job_id="other", remote=True, company="Fathom Bank"),
        replace(HIT, job_id="travel", remote=True, description="Sales in many towns."),
    ]
    person = Candidate(
        remote_only=True,
        salary_min=50_000,
        currency="EUR",
        excluded_companies=("fathom",),
        excluded_terms=("sales",),
    )
    ranking = rerank(hits, person, QUERY, today=TODAY)
    assert [job.hit.job_id for job in ranking.jobs] == ["remote"]
    assert ranking.removed == {"remote_only": 2, "salary_min": 1, "excluded_company": 1, "excluded_term": 1}
    assert ranking.removed_total == 5


def test_unknown_or_foreign_pay_breaks_no_limit_but_earns_less():
    person = Candidate(salary_min=50_000, currency="EUR")
    unknown = replace(HIT, job_id="unknown", salary_year_min=None, salary_year_max=None)
    foreign = replace(HIT, job_id="foreign", currency="USD", salary_year_min=10_000, salary_year_max=20_000)
    ranking = rerank([unknown, foreign, HIT], person, QUERY, today=TODAY)
    assert [job.hit.job_id for job in ranking.jobs] == ["s:1", "foreign", "unknown"]
    assert ranking.removed == {}
    assert ranking.uncompared == 1


def test_least_pay_without_a_currency_is_not_compared_with_a_small_unit():
    crowns = replace(HIT, job_id="crowns", currency="NOK", salary_year_min=10_000, salary_year_max=20_000)
    pounds = replace(crowns, job_id="pounds", currency="GBP")
    ranking = rerank([crowns, pounds], Candidate(salary_min=50_000), QUERY, today=TODAY)
    assert [job.hit.job_id for job in ranking.jobs] == ["crowns"]
    assert (ranking.removed, ranking.uncompared) == ({"salary_min": 1}, 1)


def test_an_excluded_term_is_a_whole_word():
    person = Candidate(excluded_terms=("sales",))
    assert rerank([replace(HIT, description="Salesforce work")], person, QUERY, today=TODAY).jobs


def test_without_a_profile_relevance_alone_gives_the_order_and_no_score():
    ranking = rerank([HIT], None, QUERY, today=TODAY)
    assert ranking.basis == "query"
    assert "no profile" in ranking.note
    assert [part.name for part in ranking.jobs[0].parts] == ["relevance"]
    assert (ranking.jobs[0].order, ranking.jobs[0].match_score) == (100, None)
    assert ranking.jobs[0].missing_skills == ()


def test_more_matching_skills_rank_higher_and_equals_keep_their_order():
    weak = replace(HIT, job_id="weak", skills=("Cooking", "SQL"))
    twin = replace(HIT, job_id="twin")
    person = Candidate(skills=("Python", "SQL"))
    hits = [weak, HIT, twin]
    first = rerank(hits, person, QUERY, today=TODAY)
    assert [job.hit.job_id for job in first.jobs] == ["s:1", "twin", "weak"]
    assert first.jobs[2].missing_skills == ("Cooking",)
    assert rerank(hits, person, QUERY, today=TODAY) == first


def test_scores_stay_between_zero_and_a_hundred():
    poor = replace(
        HIT, skills=("Cooking",), seniority="intern", location="Oslo", country="NO", posted_at=date(2001, 1, 1)
    )
    person = Candidate(skills=("Python",), seniority="executive", locations=("Porto",))
    (job,) = rerank([replace(poor, score=0.0)], person, None, today=TODAY).jobs
    assert job.match_score == 0
