"""The conditions in memory against the same in SQL, over the packaged samples and some postings made to be hard."""

from dataclasses import asdict, replace
from datetime import UTC, date, datetime, timedelta
from importlib import resources

import pytest
from psycopg.types.json import Jsonb

from signalbox.retrieval.filters import conditions
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.posting import Posting, RawPosting, normalise
from signalbox.retrieval.query import JobQuery, parse_query
from signalbox.retrieval.readers import read_rows
from signalbox.tools.boards.meets import meets
from signalbox.tools.vocabulary import packaged_vocabulary

TENANT = "conditions-test"
TODAY = datetime.now(UTC).date()

HARD = [
    {"title": "Nurse", "location": "New York, NY 10001", "country": "US", "description": "No travel. Nights."},
    {"title": "Nurse", "location": "York", "country": "GB", "description": "A degree is not required."},
    {"title": "Clerk", "location": "Albany, NY", "country": "US", "description": "A high degree of care. Travelling."},
    {"title": "Clerk", "location": "Worldwide", "remote": True, "description": "Bachelor's degree. Java is optional"},
    {"title": "Coder", "location": None, "remote": True, "description": "JavaScript, no java, much travel"},
    {"title": "Coder", "location": "Remote", "remote": True, "country": None, "description": "Java and travel"},
    {"title": "Cook (part-time)", "location": "Paris, France", "description": "Weekend shifts; we are managers"},
    {
        "title": "Senior Cook",
        "location": "Köln",
        "company": "C++ (Berlin) Ltd",
        "description": "Manage. without weekends",
    },
    {"title": "Cook", "location": "Europe", "remote": True, "description": "no experience of night shifts needed"},
    {"title": "Driver", "location": "Reading, UK", "description": "drive; salary", "salary_min": 15, "currency": "GBP"},
    {"title": "Driver", "location": "Oslo", "salary_min": 400_000, "salary_max": 500_000, "currency": "NOK"},
    {"title": "Driver", "location": "Remote, Germany", "remote": True, "salary_max": 60_000},
]
MESSAGES = [
    "remote jobs", "jobs on site in Berlin", "jobs in Germany", "jobs in New York", "jobs in York", "jobs in Köln",
    "jobs in Paris or remote", "remote jobs in Germany", "remote jobs in London", "jobs in Europe", "jobs on Mars",
    "jobs in Ulaanbaatar", "jobs in the US", "jobs in California", "jobs at Northwind", "jobs at Berlin Ltd",
    "senior jobs", "junior jobs without experience", "part-time jobs", "full-time jobs", "internships",
    "jobs paying at least 60k euros", "jobs paying over $90k", "jobs paying up to £40k", "jobs over 50k",
    "jobs paying 300k NOK", "jobs posted last week", "jobs posted this month", "jobs without travel",
    "jobs without a degree", "jobs, no weekends", "jobs without night shifts", "jobs not in Berlin",
    "jobs not in London, no Java", "jobs, not senior", "jobs without managing", "jobs, no part-time",
    "remote senior jobs in the UK paying over 50k without travel", "jobs in Reading", "jobs without JavaScript",
    "jobs except at Northwind", "jobs without excel", "jobs not in Germany or France",
]  # fmt: skip


@pytest.fixture(scope="module")
async def postings(database):
    samples = resources.files("signalbox.data") / "sample_jobs.jsonl"
    with resources.as_file(samples) as path:
        rows = [row.values for row in read_rows(path, "utf-8")]
    rows += [{"id": f"hard-{number}", **row} for number, row in enumerate(HARD)]
    made = [
        normalise(RawPosting.model_validate(row), packaged_vocabulary(), today=TODAY, tenant=TENANT, sample=True)
        for row in rows
    ]
    fields = ", ".join(Posting.model_fields)
    await database.execute(
        f"INSERT INTO job ({fields}) SELECT {fields} FROM jsonb_populate_recordset(NULL::job, %s)",
        [Jsonb([posting.model_dump(mode="json") for posting in made])],
    )
    hits = {posting.job_id: hit_of(posting) for posting in made}
    yield hits
    await database.execute("DELETE FROM job WHERE tenant = %s", [TENANT])


def hit_of(posting):
    values = posting.model_dump()
    del values["tenant"], values["digest"]
    return JobHit.of(values)


async def in_sql(database, query):
    where = conditions(query, TENANT)
    rows = await database.fetch(f"SELECT job_id FROM job WHERE tenant = %s AND {where.text}", [TENANT, *where.params])
    return {row["job_id"] for row in rows}


@pytest.mark.parametrize("message", MESSAGES)
async def test_a_condition_in_memory_is_the_condition_in_sql(database, postings, message):
    query = parse_query(message, TODAY, packaged_vocabulary())
    query = replace(query, text="", words=(), skills=())
    assert {job_id for job_id, hit in postings.items() if meets(query, hit)} == await in_sql(database, query)


@pytest.mark.parametrize(
    "query",
    [
        JobQuery(locations=("Berlin", "Remote")),
        JobQuery(locations=("Albany",), remote=True),
        JobQuery(not_companies=("C++ (Berlin) Ltd",)),
        JobQuery(companies=("C++ (Berlin",)),
        JobQuery(salary_min=20_000.0, salary_max=70_000.0),
        JobQuery(posted_after=TODAY - timedelta(days=10)),
        JobQuery(posted_after=date(2999, 1, 1)),
        JobQuery(sources=("sample",)),
        JobQuery(sources=("live:remotive",)),
        JobQuery(exclude=("+++",)),
        JobQuery(exclude=("python", "sql")),
        JobQuery(not_seniority=("senior", "lead")),
        JobQuery(entry_level=True, remote=False),
    ],
)
async def test_every_field_of_a_query_means_the_same_in_both(database, postings, query):
    found = {job_id for job_id, hit in postings.items() if meets(query, hit)}
    assert found == await in_sql(database, query)
    assert asdict(query) != asdict(JobQuery())
