"""One conversation for each intent on real postings, guides, companies and wages: typed events, sources that lead
somewhere, and no word in an offline answer that its facts do not hold.
"""

import json
import os
import re
from collections import deque
from pathlib import Path

import psycopg
import pytest

from claims import unsupported_names, unsupported_numbers, unsupported_skills
from live import ask, live, read_all
from signalbox.db import Database, migrate
from signalbox.envelope import INTENTS
from signalbox.llm.scripted import ScriptedModel
from signalbox.retrieval.documents.ingest import ingest_documents, load_guides
from signalbox.retrieval.facts.company_rows import ingest_companies
from signalbox.retrieval.facts.wage_rows import ingest_wages
from signalbox.retrieval.ingest import ingest_jobs
from signalbox.settings import load_settings
from signalbox.tools.vocabulary import packaged_vocabulary

CV = """Jo Example
Data analyst

Experience
Data Analyst, Harbour Foods, 2019 - present
- Responsible for weekly sales reports in SQL and Tableau
- Built a Python forecast that cut waste by 12%
Junior Analyst, Moss & Lane, 2016 - 2019
- Helped with surveys

Education
BSc Statistics, University of Leeds, 2016

Skills
SQL, Python, Tableau, Excel
"""

# Each line: the intent, what is said, the typed event it must bring, and whether sources are to be named.
TURNS = [
    ("profile_update", "I'm a data analyst with 5 years of experience. I know SQL and Python.", "profile_updated", 0),
    ("job_search", "Find analyst jobs in New York", "jobs_data", 1),
    ("job_match", "Which of these fits me best?", "job_match", 1),
    ("skill_gap", "Which skills am I missing for the first job?", "skill_gap", 0),
    ("cover_letter", "Write a cover letter for the first one", "cover_letter", 1),
    ("cold_email", "Write an e-mail to the recruiter about the second one", "email_draft", 0),
    ("followup", "I applied to the first one two weeks ago and heard nothing.", "application_status", 0),
    ("interview_prep", "What will they ask me in the interview for the first one?", "interview_questions", 1),
    ("salary", "What do data scientists earn in New York?", "salary_range", 1),
    ("company_research", "What do you know about the company 1Password?", "company_profile", 1),
    ("resume_review", f"Please review my CV:\n{CV}", "resume_feedback", 0),
    ("general", "How do people cope with one rejection after another?", "knowledge", 1),
]  # fmt: skip


@pytest.fixture(scope="module")
async def own_database(servers):
    """A database of its own: real postings must not turn up in other tests."""
    async with await psycopg.AsyncConnection.connect(servers.database_url, autocommit=True) as conn:
        await conn.execute("DROP DATABASE IF EXISTS transcripts WITH (FORCE)")
        await conn.execute("CREATE DATABASE transcripts")
    url = re.sub(r"/[^/?]*(\?|$)", r"/transcripts\1", servers.database_url, count=1)
    url = servers.database_url.replace("dbname=postgres", "dbname=transcripts") if url == servers.database_url else url
    await migrate(url)
    yield url
    async with await psycopg.AsyncConnection.connect(servers.database_url, autocommit=True) as conn:
        await conn.execute("DROP DATABASE IF EXISTS transcripts WITH (FORCE)")


@pytest.fixture(scope="module")
async def stocked(own_database, shared, embedder, tmp_path_factory):
    """Real data: every posting of an analyst, engineer or nurse, all companies and wages, two sets of guides."""
    db = Database(own_database)
    await db.open()
    lines = (shared / "data/jobs_core/jobs.jsonl").read_text().splitlines()
    wanted = [line for line in lines if re.search(r'"title": "[^"]*(?:analyst|nurse|data)', line, re.IGNORECASE)]
    path = tmp_path_factory.mktemp("real") / "jobs.jsonl"
    path.write_text("\n".join(wanted))
    await ingest_jobs(db, embedder, packaged_vocabulary(), [path])
    await ingest_companies(db, packaged_vocabulary(), [shared / "data/remote_companies/companies.jsonl"])
    await ingest_wages(db, embedder, [shared / "data/bls_oews/wages.csv"])
    await load_guides(db, embedder)
    await ingest_documents(db, embedder, shared / "data/usajobs_help/get-started")
    yield db
    await db.close()


@pytest.fixture(scope="module")
async def told(own_database, stocked, servers, data_dir):
    """All turns of one conversation, each with its events and what its answer was made from."""
    settings = load_settings(
        data_dir=data_dir,
        database_url=own_database,
        redis_url=servers.redis_url,
        model="scripted",
        secret_key="only-for-tests-only-for-tests",
    )
    model = ScriptedModel()
    model.requests = deque()
    turns, conversation = [], None
    async with live(settings, model=model) as server, server.user() as user:
        for intent, said, kind, cites in TURNS:
            before = len(model.requests)
            run = await ask(user, f"/{intent} {said}", **({"conversation_id": conversation} if conversation else {}))
            conversation = run["conversation_id"]
            found = await read_all(user, run["events_url"])
            made_from = [request.messages[0].content for request in list(model.requests)[before:]]
            sources = {}
            for citation in _citations(found):
                response = await user.get(f"/v1/sources/{citation['id']}")
                sources[citation["id"]] = (response.status_code, response.json(), citation)
            turns.append((intent, said, kind, cites, found, made_from, sources))
            _record(intent, said, found)
    return turns


def _record(intent: str, said: str, found) -> None:
    folder = os.environ.get("TRANSCRIPTS_DIR")
    if folder:
        lines = [f"# {intent}", "", f"> {said}", "", *(json.dumps(e.data) for e in found.events if e.type != "chunk")]
        Path(folder, f"{intent}.md").write_text("\n".join([*lines, "", found.text]))


def _citations(found):
    return [citation for event in found.events if event.type == "message" for citation in event.data["citations"]]


def _turn(told, intent):
    return next(turn for turn in told if turn[0] == intent)


def test_there_is_a_transcript_for_every_intent():
    assert {turn[0] for turn in TURNS} == set(INTENTS)


@pytest.mark.parametrize("intent", INTENTS)
def test_each_specialist_answers_with_its_typed_event_before_its_prose(told, intent):
    _, _, kind, _, found, _, _ = _turn(told, intent)
    assert found.events[-1].data["status"] == "succeeded", found.types
    assert [e.data["agent"] for e in found.events if e.type == "agent_started"] == [intent]
    assert kind in found.types, found.types
    assert found.types.index(kind) < found.types.index("chunk"), "facts come first"
    assert len(found.text.split()) > 8


@pytest.mark.parametrize("intent", INTENTS)
def test_every_citation_leads_to_what_it_names(told, intent):
    _, _, _, cites, found, _, sources = _turn(told, intent)
    assert len(sources) >= cites, found.text
    for status, body, citation in sources.values():
        assert status == 200, citation
        assert body["title"] == citation["title"]
        assert body["source"] == citation["source"]


@pytest.mark.parametrize("intent", INTENTS)
async def test_nothing_is_said_that_the_facts_do_not_hold(told, stocked, intent):
    _, said, _, _, found, made_from, _ = _turn(told, intent)
    assert made_from, "the answer was composed from facts"
    facts = "\n".join(re.search(r"<facts>(.*)</facts>", prompt, re.DOTALL)[1] for prompt in made_from) + said
    rows = await stocked.fetch("SELECT DISTINCT company, title FROM job")
    names = {row["company"] for row in rows} | {row["title"] for row in rows if " " in row["title"]}
    names |= {row["name"] for row in await stocked.fetch("SELECT name FROM company WHERE name LIKE '%% %%'")}
    assert not unsupported_numbers(found.text, facts), found.text
    assert not unsupported_names(found.text, facts, names), found.text
    assert not unsupported_skills(found.text, facts, packaged_vocabulary()), found.text
