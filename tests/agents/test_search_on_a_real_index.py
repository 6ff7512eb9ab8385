import json

import pytest
from stage import OWNER, fact, perform

from signalbox.agents.job_search import JobSearchAgent
from signalbox.agents.skill_gap import SkillGapAgent
from signalbox.db import Database
from signalbox.memory.profile import Owner, ProfileStore
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.ingest import ingest_jobs
from signalbox.tools.base import Kit
from signalbox.tools.toolbox import build_tools
from signalbox.tools.vocabulary import packaged_vocabulary

TENANT = Owner("agents-test", OWNER.user_id)
POSTINGS = [
    {
        "title": "Zeppelin Rigger",
        "company": "Cloud Nine Airships",
        "location": "Friedrichshafen, Germany",
        "remote": False,
    },
    {"title": "Zeppelin Rigger", "company": "Skyward Hulls", "location": "Remote", "remote": True},
    {"title": "Zeppelin Data Analyst", "company": "Skyward Hulls", "location": "Remote", "remote": True},
]


@pytest.fixture
async def index(database, embedder, tmp_path):
    path = tmp_path / "postings.jsonl"
    lines = [
        {"id": str(n), "source": "agents-test", "requirements": "SQL and Python.", **posting}
        for n, posting in enumerate(POSTINGS)
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines))
    await ingest_jobs(database, embedder, packaged_vocabulary(), [path], tenant=TENANT.tenant)
    yield JobIndex(database, embedder, packaged_vocabulary())
    await database.execute("DELETE FROM job WHERE tenant = %s", [TENANT.tenant])


def toolbox(index, database):
    tools = build_tools(
        Kit(
            db=database,
            embedder=index._embedder,
            index=index,
            profiles=ProfileStore(database),
            vocabulary=packaged_vocabulary(),
            owner=TENANT,
            message_id="m1",
            temporary=False,
        )
    )
    return list(tools.values())


async def test_found_nothing_and_unavailable_are_three_different_answers(index, database, embedder):
    tools = toolbox(index, database)
    found, shown = await perform(JobSearchAgent(), "zeppelin rigger jobs", tools)
    nothing, empty = await perform(JobSearchAgent(), "zeppelin rigger jobs in Ulaanbaatar", tools)
    unreachable = Database("postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
    away = toolbox(JobIndex(unreachable, embedder, packaged_vocabulary()), unreachable)
    failed, error = await perform(JobSearchAgent(), "zeppelin rigger jobs", away)
    statuses = [recorder.one("jobs_data").sources[0].status for recorder in (shown, empty, error)]
    assert statuses == ["ok", "empty", "error"]
    assert "Cloud Nine Airships" in found.text
    assert "no posting meets all of this" in nothing.text
    assert "could not look" in failed.text


async def test_a_hard_rule_holds_on_what_the_index_finds(index, database):
    answer, recorder = await perform(
        JobSearchAgent(),
        "zeppelin rigger jobs",
        toolbox(index, database),
        profile=[fact("remote", "only", "constraint"), fact("skill", "SQL")],
    )
    assert all(job.remote for job in recorder.one("jobs_data").jobs)
    assert "1 not remote" in answer.text


async def test_the_skills_of_a_role_are_counted_over_its_postings(index, database):
    _, recorder = await perform(
        SkillGapAgent(),
        "Which skills am I missing for zeppelin rigger jobs?",
        toolbox(index, database),
        profile=[fact("skill", "SQL")],
    )
    gap = recorder.one("skill_gap")
    assert gap.sample_postings == 0
    assert {s.skill: s.status for s in gap.skills} == {"Python": "missing", "SQL": "have"}
