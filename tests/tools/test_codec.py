import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from board_server import as_json, board_server, boards_at, remotive, remotive_job
from signalbox.memory.profile import Owner, ProfileStore
from signalbox.memory.resume.store import ResumeStore
from signalbox.retrieval.documents.ingest import ingest_documents
from signalbox.retrieval.facts.company_rows import ingest_companies
from signalbox.retrieval.facts.wage_rows import ingest_wages
from signalbox.retrieval.index import JobHit, JobIndex
from signalbox.retrieval.ingest import ingest_jobs
from signalbox.retrieval.query import JobQuery
from signalbox.tools.base import Arguments, Kit
from signalbox.tools.boards.board import JobBoard
from signalbox.tools.calling import bounded
from signalbox.tools.codec import codec_of
from signalbox.tools.company_postings import Employer
from signalbox.tools.company_sizes import CompanyNames
from signalbox.tools.count_jobs import WholeCatalogue
from signalbox.tools.erase_resume import EveryResume
from signalbox.tools.find_company import CompanyName
from signalbox.tools.find_job import JobReference
from signalbox.tools.find_jobs import JobReferences
from signalbox.tools.find_wages import WageQuestion
from signalbox.tools.list_companies import CompanySearch, CompanyWish
from signalbox.tools.market_skills import Role
from signalbox.tools.match_companies import CompanyLookup
from signalbox.tools.pay_of_postings import PayQuestion
from signalbox.tools.read_profile import WholeProfile
from signalbox.tools.read_resume import WholeResume
from signalbox.tools.result import Empty, Err, ErrKind, Missed, Ok, Result
from signalbox.tools.search_jobs import JobSearch
from signalbox.tools.search_knowledge import KnowledgeQuery
from signalbox.tools.toolbox import build_tools, find_tools
from signalbox.tools.track_applications import ApplicationChange, WholeTracker
from signalbox.tools.undo_profile import NewestChange
from signalbox.tools.update_profile import ProfileChange, Statement
from signalbox.tools.vocabulary import packaged_vocabulary
from tools.made_results import HIT, LEGS, RESUME, made_results

TENANT = "codec-test"
OWNER = Owner(TENANT, "u")
KINDS: dict[str, type[Any]] = {kind.name: kind for kind in find_tools()} | {"board": JobBoard}


def tool_of(name: str) -> Any:
    return object.__new__(KINDS[name])


def kept(tool: Any, result: Result[Any]) -> Result[Any]:
    """``result`` as a step keeps it and gives it back: the database puts the keys of objects in an order of its own."""
    codec = codec_of(tool)
    return codec.load(json.loads(json.dumps(codec.dump(result), allow_nan=False, sort_keys=True)))


def shape(value: Any) -> Any:
    """The value with the type of everything in it: 1 is no 1.0, and a list no tuple."""
    name = type(value).__name__
    if is_dataclass(value):
        return name, {field.name: shape(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, BaseModel):
        return name, {field: shape(getattr(value, field)) for field in type(value).model_fields}
    if isinstance(value, Mapping):
        return name, {key: shape(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return name, [shape(item) for item in value]
    if isinstance(value, set | frozenset):
        return name, value
    return name, value


def assert_kept(tool: Any, result: Result[Any]) -> None:
    back = kept(tool, result)
    assert back == result
    assert shape(back) == shape(result)


def test_every_tool_has_results_made_for_this():
    """A new tool needs a line in ``made_results``: nothing else would notice that its results do not survive."""
    assert set(made_results()) == set(KINDS)


@pytest.mark.parametrize("name", sorted(made_results()))
def test_a_result_comes_back_as_it_was(name):
    for result in made_results()[name]:
        assert_kept(tool_of(name), result)


@pytest.mark.parametrize("name", sorted(made_results()))
def test_no_tools_codec_takes_just_anything(name):
    """One that is not annotated would get lists for tuples and texts for days, which its agents do not expect."""
    assert codec_of(tool_of(name)).value.core_schema["type"] != "any"


def test_what_is_no_finding_comes_back_too():
    errors = [Err(kind, "a note", retryable=again) for kind in get_args(ErrKind) for again in (True, False)]
    missed = (Missed("Arbeitnow", "rate_limit", "page 2"), Missed("the search by meaning"))
    for result in (Empty("nothing"), Empty(""), Empty("x", missed), Err("incomplete", "y", missed=missed), *errors):
        assert_kept(tool_of("search_jobs"), result)


@pytest.mark.parametrize(("truncated", "total"), [(False, None), (True, None), (True, 7), (False, 0)])
def test_how_much_more_there_is_comes_back_too(truncated, total):
    assert_kept(tool_of("keep_postings"), Ok(3, truncated=truncated, total=total))


@pytest.mark.parametrize("as_of", [None, date(2026, 3, 1), datetime(2026, 3, 1, 9, 30, tzinfo=UTC)])
def test_the_day_and_what_was_not_asked_come_back_too(as_of):
    assert_kept(tool_of("keep_postings"), Ok(3, as_of=as_of, missed=(Missed("Arbeitnow", "timeout", "late"),)))


def test_a_result_recorded_before_sources_were_named_is_read():
    codec = codec_of(tool_of("keep_postings"))
    assert codec.load({"status": "ok", "value": 3, "truncated": True, "total": 9}) == Ok(3, truncated=True, total=9)
    assert codec.load({"status": "empty", "note": "x"}) == Empty("x")


class Plain:
    empty_when = staticmethod(lambda value: value is None)

    async def run(self, arguments: Arguments) -> date | None:
        raise NotImplementedError


def test_a_plain_value_comes_back_as_its_annotation_says():
    assert_kept(Plain(), Ok(date(2026, 1, 2)))


class Level(Enum):
    JUNIOR = "junior"


@dataclass(frozen=True, slots=True)
class Odd:
    """What a tool of somebody else may answer with."""

    day: date
    levels: frozenset[Level]
    counts: dict[int, tuple[float | None, ...]]
    share: float
    inner: "Odd | None" = None


class AnyTool:
    name = "odd"
    effect = "read"
    timeout_s = 1.0

    async def run(self, arguments: Arguments) -> Result[Odd]:
        raise NotImplementedError


class OnlyFinds(AnyTool):
    async def run(self, arguments: Arguments) -> Ok[tuple[Odd, ...]]:
        raise NotImplementedError


class Unannotated(AnyTool):
    async def run(self, arguments):
        raise NotImplementedError


def test_nested_sets_enums_and_numbers_that_are_none_come_back():
    inner = Odd(date(2026, 1, 2), frozenset(), {}, 1e16)
    for share in (0.1 + 0.2, float("inf"), -0.0, 1e-300):
        odd = Odd(date(2026, 1, 2), frozenset(Level), {1: (1.5, None)}, share, inner)
        assert_kept(AnyTool(), Ok(odd))
        assert_kept(OnlyFinds(), Ok((odd, inner)))
    back = kept(AnyTool(), Ok(replace(inner, share=float("nan"))))
    assert back.value.share != back.value.share


def test_a_tool_that_says_nothing_of_its_results_gets_them_as_json_has_them():
    told = {"rows": [1, 2.5, None, True, "x"], "long": 2**60, "deep": [[[[["…"]]]]]}
    assert kept(Unannotated(), Ok(told)) == Ok(told)
    assert kept(Unannotated(), Ok(("a", object))).value[0] == "a"


def test_a_result_is_kept_whole_however_large():
    hits = tuple(replace(HIT, job_id=str(n), skills=tuple(f"Skill {m}" for m in range(60))) for n in range(300))
    found = made_results()["search_jobs"][0].value
    assert_kept(tool_of("search_jobs"), Ok(replace(found, hits=hits), total=2**40))
    assert_kept(tool_of("find_job"), Ok(replace(HIT, description="é" * 200_000)))


def test_characters_that_no_store_takes_are_replaced():
    (hit,) = kept(tool_of("find_jobs"), Ok((replace(HIT, title="a\0b", company="\ud83d"),))).value
    assert (hit.title, hit.company) == ("a\ufffdb", "\ufffd")
    assert kept(tool_of("find_jobs"), Empty("\0")) == Empty("\ufffd")


async def test_postings_of_a_board_come_back_whatever_the_board_sends(embedder):
    """They are clean from the start, or the first attempt would see other characters than the next."""
    job = remotive_job(7, title="Engineer \ud83d 😀", company_name="Acme \udc00", description="<p>\ud800 text \0</p>")
    path = "/api/remote-jobs"
    async with (
        board_server({path: as_json(remotive(job))}) as server,
        boards_at(server.url, "remotive", embedder) as (board,),
    ):
        found = await board.run(JobSearch(query=JobQuery(limit=5)))
    assert isinstance(found, Ok)
    assert_kept(board, found)


@pytest.fixture(scope="module")
async def tools(database, embedder, tmp_path_factory):
    """All tools, for a user of a tenant with a little of everything."""
    folder = tmp_path_factory.mktemp("codec")
    docs = folder / "docs"
    docs.mkdir()
    (docs / "notice.md").write_text("---\ntopics: [leaving]\n---\n# Notice\n\nGive eight weeks of notice in writing.")
    job = {"source": "feed", "title": "Zeppelin Rigger", "company": "Skyward", "location": "Munich, Germany"}
    pay = {"salary_min": 40_000, "salary_max": 50_000.5, "salary_period": "year", "currency": "EUR"}
    more = [pay, {}, {**pay, "date_posted": "2026-02-01", "remote": True, "skills": ["Python", "SQL"]}]
    rows = {
        "jobs": [{"id": str(n), **job, **each} for n, each in enumerate(more)],
        "companies": [{"name": "Skyward", "size": "50-200", "founded": 1999, "technologies": ["go"]}],
        "wages": [{**pay, "country": "DE", "period": "year", "occupation": "Zeppelin Riggers", "p50": 50_000}],
    }
    for name, each in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in each))
    vocabulary = packaged_vocabulary()
    await ingest_jobs(database, embedder, vocabulary, [folder / "jobs.jsonl"], tenant=TENANT)
    await ingest_companies(database, vocabulary, [folder / "companies.jsonl"], tenant=TENANT)
    await ingest_wages(database, embedder, [folder / "wages.jsonl"], tenant=TENANT)
    await ingest_documents(database, embedder, docs, source="handbook", tenant=TENANT)
    await ResumeStore(database).keep(OWNER, RESUME, media_type="application/pdf")
    yield build_tools(
        Kit(
            db=database,
            embedder=embedder,
            index=JobIndex(database, embedder, vocabulary),
            profiles=ProfileStore(database),
            vocabulary=vocabulary,
            owner=OWNER,
            message_id="m1",
            temporary=False,
        )
    )
    for table in ("company", "wage", "job"):
        await database.execute(f"DELETE FROM {table} WHERE tenant = %s", [TENANT])


async def test_results_of_the_database_come_back_as_they_were(tools):
    query = JobQuery(text="zeppelin rigger", words=("zeppelin", "rigger"), limit=5)
    facts = (Statement(kind="fact", key="skill", value="SQL"), Statement(kind="constraint", key="remote", value="only"))
    found = await tools["search_jobs"].run(JobSearch(query=query))
    assert [type(hit) for hit in found.value.hits] == [JobHit] * 3
    assert len(found.value.legs) == len(LEGS) - 1
    ids = tuple(hit.job_id for hit in found.value.hits)
    tracked = ApplicationChange(action="record", company="Skyward", on=date(2026, 2, 3))
    asked: list[tuple[str, Arguments]] = [
        ("search_jobs", JobSearch(query=query)),
        ("search_jobs", JobSearch(query=JobQuery(limit=3))),
        ("find_job", JobReference(job_id=ids[0])),
        ("find_jobs", JobReferences(job_ids=(*ids, "gone"))),
        ("count_jobs", WholeCatalogue()),
        ("market_skills", Role(role="zeppelin rigger")),
        ("pay_of_postings", PayQuestion(role="zeppelin rigger", location="Munich")),
        ("company_postings", Employer(company="Skyward")),
        ("company_sizes", CompanyNames(names=("Skyward",))),
        ("find_company", CompanyName(name="Skyward")),
        ("match_companies", CompanyLookup(name="Skyward")),
        ("list_companies", CompanySearch(wish=CompanyWish(technologies=("Go",)))),
        ("find_wages", WageQuestion(role="zeppelin rigger", location="Germany")),
        ("search_knowledge", KnowledgeQuery(text="how much notice must I give?")),
        ("read_resume", WholeResume()),
        ("update_profile", ProfileChange(add=facts)),
        ("read_profile", WholeProfile()),
        ("undo_profile", NewestChange()),
        ("track_application", tracked),
        ("read_applications", WholeTracker()),
        ("erase_resume", EveryResume()),
    ]
    for name, arguments in asked:
        result = await bounded(tools[name], arguments, strict=True)
        assert isinstance(result, Ok), (name, result)
        assert_kept(tools[name], result)
