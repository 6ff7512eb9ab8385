import json

import pytest
from stage import OWNER, fact, perform, searched

from signalbox.agents.job_search import JobSearchAgent
from signalbox.agents.profile_update import ProfileUpdateAgent
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
    {
        "title": "Zeppelin Watch, Night Shift",
        "company": "Skyward Hulls",
        "location": "Bremen, Germany",
        "remote": False,
    },
    {"title": "Backend Developer", "company": "Zeppelin Software", "location": "Remote", "remote": True},
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


def toolbox(index, database, message_id="m1"):
    tools = build_tools(
        Kit(
            db=database,
            embedder=index._embedder,
            index=index,
            profiles=ProfileStore(database),
            vocabulary=packaged_vocabulary(),
            owner=TENANT,
            message_id=message_id,
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


async def test_a_search_without_a_field_leaves_its_postings_out_and_no_others(index, database):
    _, recorder = await perform(JobSearchAgent(), "find jobs at Zeppelin that are not in IT", toolbox(index, database))
    assert not [job for job in recorder.one("jobs_data").jobs if job.title == "Backend Developer"]
    _, recorder = await perform(JobSearchAgent(), "zeppelin jobs, nothing in IT", toolbox(index, database))
    titles = {job.title for job in recorder.one("jobs_data").jobs}
    assert "Zeppelin Rigger" in titles
    assert "Backend Developer" not in titles


async def test_several_things_ruled_out_rule_out_one_of_them(index, database):
    message = "zeppelin jobs but no night shifts and nothing in data"
    _, recorder = await perform(JobSearchAgent(), message, toolbox(index, database))
    titles = {job.title for job in recorder.one("jobs_data").jobs}
    assert "Zeppelin Rigger" in titles
    assert not titles & {"Zeppelin Watch, Night Shift", "Zeppelin Data Analyst"}


async def test_a_rule_taken_back_after_a_search_lets_the_rest_in_for_good_and_stays_on_record(index, database):
    store = ProfileStore(database)
    await perform(ProfileUpdateAgent(), "I only want remote jobs", toolbox(index, database, "r1"))
    profile = await store.facts(TENANT)
    assert [(one.kind, one.key, one.value) for one in profile] == [("constraint", "remote", "only")]
    answer, _ = await perform(JobSearchAgent(), "zeppelin rigger jobs", toolbox(index, database, "r2"), profile=profile)
    assert "1 not remote" in answer.text
    said = "on-site is fine now"
    history = searched("zeppelin rigger jobs")
    assert JobSearchAgent().holds(said, history)
    answer, recorder = await perform(
        JobSearchAgent(), said, toolbox(index, database, "r3"), history=history, profile=profile
    )
    assert answer.text.startswith("I no longer hold you to remote only.")
    assert {job.remote for job in recorder.one("jobs_data").jobs} == {True, False}
    assert await store.facts(TENANT) == ()
    rows = await database.fetch("SELECT value, retired_at FROM profile_fact WHERE tenant = %s", [TENANT.tenant])
    assert [(row["value"], row["retired_at"] is not None) for row in rows] == [("only", True)]
    await database.execute("DELETE FROM profile_fact WHERE tenant = %s", [TENANT.tenant])


async def test_of_two_rules_that_cannot_both_be_the_newer_is_in_force(index, database):
    store = ProfileStore(database)
    for number, said in enumerate(
        ["I only want part-time work", "I only want full-time work", "part-time is fine too"]
    ):
        agent, profile = ProfileUpdateAgent(), await store.facts(TENANT)
        answer, _ = await perform(agent, said, toolbox(index, database, f"w{number}"), profile=profile)
        held = [(one.kind, one.value) for one in await store.facts(TENANT)]
        expected = {0: [("constraint", "part-time")], 1: [("constraint", "full-time")], 2: []}[number]
        assert held == expected
    assert "I no longer hold you to full-time only." in answer.text
    await database.execute("DELETE FROM profile_fact WHERE tenant = %s", [TENANT.tenant])
