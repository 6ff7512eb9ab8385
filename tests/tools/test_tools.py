import inspect
import time
from dataclasses import fields
from typing import get_args

import pytest

from signalbox.blocks import ProfileFact
from signalbox.errors import StoreUnavailable
from signalbox.memory.profile import Owner, ProfileStore
from signalbox.retrieval.index import IndexStats, JobHit, JobHits, Leg, SkillDemand
from signalbox.retrieval.query import JobQuery
from signalbox.retrieval.rerank import Candidate
from signalbox.tools.base import Effect, Kit
from signalbox.tools.candidate import candidate_of
from signalbox.tools.find_job import FindJob, JobReference
from signalbox.tools.market_skills import CountMarketSkills, Role
from signalbox.tools.read_profile import ReadProfile, WholeProfile
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.search_jobs import JobSearch, SearchJobs
from signalbox.tools.toolbox import build_tools
from signalbox.tools.update_profile import ProfileChange, Statement, UpdateProfile
from signalbox.tools.vocabulary import packaged_vocabulary

OWNER = Owner("public", "tools-test")


class Index:
    """Answers what it was given."""

    def __init__(self, hits=None, demand=None, stats=None):
        self._hits, self._demand, self._stats = hits, demand, stats

    async def search(self, query, *, tenant):
        if self._hits is None:
            raise StoreUnavailable
        return self._hits

    async def get(self, job_ids, *, tenant):
        return []

    async def skill_counts(self, query, limit, *, tenant):
        return self._demand

    async def stats(self, *, tenant):
        return self._stats


async def test_nothing_found_and_half_a_search_that_found_nothing_are_told_apart():
    whole = JobHits((), 0, (Leg("text", "ok"), Leg("meaning", "ok")))
    half = JobHits((), 0, (Leg("text", "ok"), Leg("meaning", "failed", "no embedding")))
    search = JobSearch(query=JobQuery(text="x", words=("x",)))
    assert isinstance(await SearchJobs(Index(whole)).run(search), Empty)
    failed = await SearchJobs(Index(half)).run(search)
    assert isinstance(failed, Err)
    assert "no embedding" in failed.note


NONE = JobHits((), 0, (Leg("text", "ok"), Leg("meaning", "ok")))


def posting(number, title, company, *skills):
    values = dict.fromkeys(field.name for field in fields(JobHit))
    told = {"job_id": f"j{number}", "title": title, "company": company, "skills": skills, "sample": False}
    return JobHit(**(values | told))


async def test_postings_that_name_the_role_in_their_title_count_alone_where_there_are_enough():
    titled = [posting(n, f"Senior UX Designer {n}", f"Studio {n}", "Figma") for n in range(5)]
    near = [posting(n, "Android Developer", f"Apps {n}", "Java", "Android Development") for n in range(9, 19)]
    index = Index(JobHits((*titled, *near), 15, NONE.legs), demand=SkillDemand(15, (("Java", 10), ("Figma", 5))))
    result = await CountMarketSkills(index, packaged_vocabulary()).run(Role(role="UX design"))
    assert (result.value.postings, result.value.counts) == (5, (("Figma", 5),))


async def test_what_one_employer_repeats_in_all_its_adverts_is_no_skill_of_the_role():
    own = [posting(n, "Data Scientist", "City of Ester", "Python", "Cybersecurity") for n in range(4)]
    others = [posting(n, "Data Scientist", f"Firm {n}", "Python") for n in range(10, 13)]
    index = Index(JobHits((*own, *others), 7, NONE.legs))
    result = await CountMarketSkills(index, packaged_vocabulary()).run(Role(role="data scientist"))
    assert result.value.counts == (("Python", 7),)


async def test_samples_are_counted_where_all_or_none_are_samples():
    for samples, expected in ((50, 9), (0, 0)):
        index = Index(NONE, demand=SkillDemand(9, (("SQL", 7),)), stats=IndexStats(50, samples, {}, None))
        result = await CountMarketSkills(index, packaged_vocabulary()).run(Role(role="data engineer"))
        assert isinstance(result, Ok)
        assert (result.value.postings, result.value.sample_postings) == (9, expected)


async def test_a_role_of_no_words_and_a_role_without_postings_are_empty():
    index = Index(NONE, demand=SkillDemand(0, ()))
    tool = CountMarketSkills(index, packaged_vocabulary())
    assert isinstance(await tool.run(Role(role="the")), Empty)
    assert isinstance(await tool.run(Role(role="data engineer")), Empty)


async def test_a_posting_that_is_gone_is_empty():
    assert isinstance(await FindJob(Index()).run(JobReference(job_id="j1")), Empty)


def test_a_box_of_tools_is_complete_and_costs_next_to_nothing():
    def box():
        return build_tools(
            Kit(
                db=None,
                embedder=None,
                index=Index(),
                profiles=ProfileStore(None),
                vocabulary=packaged_vocabulary(),
                owner=OWNER,
                message_id="m1",
                temporary=False,
            )
        )

    tools = box()
    assert all(name == tool.name for name, tool in tools.items())
    assert all(tool.effect in get_args(Effect) and tool.timeout_s > 0 for tool in tools.values())
    assert all(inspect.iscoroutinefunction(tool.run) for tool in tools.values())
    started = time.thread_time()
    for _ in range(1_000):
        box()
    assert time.thread_time() - started < 0.5


def said(key, value, kind="fact"):
    return Statement(kind=kind, key=key, value=value)


async def test_a_profile_is_written_read_and_cleared(database):
    store, owner = ProfileStore(database), Owner("public", "written-read-cleared")
    reading = ReadProfile(store, owner, temporary=False)
    assert isinstance(await reading.run(WholeProfile()), Empty)
    change = ProfileChange(add=(said("skill", "SQL"), said("location", "Ghent")))
    first = await UpdateProfile(store, owner, "written-m1", temporary=False).run(change)
    again = await UpdateProfile(store, owner, "written-m1", temporary=False).run(change)
    assert isinstance(first, Ok)
    assert isinstance(again, Ok)
    assert {f.value for f in again.value.added} == {f.value for f in first.value.added} == {"SQL", "Ghent"}
    known = await UpdateProfile(store, owner, "written-m2", temporary=False).run(
        ProfileChange(add=(said("skill", "sql"),))
    )
    assert isinstance(known, Empty)
    moved = await UpdateProfile(store, owner, "written-m3", temporary=False).run(
        ProfileChange(add=(said("location", "Lyon"),))
    )
    assert isinstance(moved, Ok)
    assert [f.value for f in moved.value.removed] == ["Ghent"]
    cleared = await UpdateProfile(store, owner, "written-m4", temporary=False).run(ProfileChange(everything=True))
    assert isinstance(cleared, Ok)
    assert {f.value for f in cleared.value.removed} == {"SQL", "Lyon"}
    assert isinstance(await reading.run(WholeProfile()), Empty)


async def test_one_user_never_sees_or_clears_the_facts_of_another(database):
    store, mine, theirs = ProfileStore(database), Owner("public", "mine"), Owner("public", "theirs")
    await UpdateProfile(store, theirs, "theirs-m1", temporary=False).run(ProfileChange(add=(said("skill", "SQL"),)))
    assert isinstance(await ReadProfile(store, mine, temporary=False).run(WholeProfile()), Empty)
    assert isinstance(
        await UpdateProfile(store, mine, "mine-m1", temporary=False).run(ProfileChange(everything=True)), Empty
    )
    assert isinstance(await ReadProfile(store, theirs, temporary=False).run(WholeProfile()), Ok)


async def test_a_temporary_chat_is_refused_by_the_tools_themselves(database):
    store = ProfileStore(database)
    change = ProfileChange(add=(said("skill", "SQL"),))
    for result in (
        await UpdateProfile(store, OWNER, "temporary-m1", temporary=True).run(change),
        await ReadProfile(store, OWNER, temporary=True).run(WholeProfile()),
    ):
        assert isinstance(result, Err)
        assert not result.retryable
    assert await store.facts(OWNER) == ()


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ([], Candidate()),
        ([("fact", "skill", "SQL"), ("fact", "seniority", "senior")], Candidate(skills=("SQL",), seniority="senior")),
        ([("preference", "location", "Lyon, Geneva")], Candidate(locations=("Lyon", "Geneva"))),
        ([("constraint", "remote", "only")], Candidate(remote_only=True)),
        ([("preference", "remote", "preferred"), ("preference", "salary_min", "50000")], Candidate()),
        (
            [("constraint", "salary_min", "50000"), ("fact", "currency", "GBP")],
            Candidate(salary_min=50_000.0, currency="GBP"),
        ),
        ([("constraint", "salary_min", "a lot")], Candidate()),
        ([("constraint", "exclude_company", "Acme")], Candidate(excluded_companies=("Acme",))),
        ([("constraint", "exclude_term", "call centres")], Candidate(excluded_terms=("call centres", "call centre"))),
    ],
)
def test_only_what_a_posting_can_be_held_against_becomes_a_candidate(facts, expected):
    profile = [
        ProfileFact(fact_id=str(n), kind=kind, key=key, value=value) for n, (kind, key, value) in enumerate(facts)
    ]
    assert candidate_of(profile) == expected
