import json

import pytest

from signalbox.memory.profile import Owner, ProfileStore
from signalbox.retrieval.facts.companies import CompanyStore, CompanyWish
from signalbox.retrieval.facts.company_jobs import EmployerIndex
from signalbox.retrieval.facts.company_rows import ingest_companies
from signalbox.retrieval.facts.wage_rows import ingest_wages
from signalbox.retrieval.facts.wages import WageStore
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.ingest import ingest_jobs
from signalbox.tools.base import Kit
from signalbox.tools.company_postings import CountCompanyPostings, Employer
from signalbox.tools.find_company import CompanyName, FindCompany
from signalbox.tools.find_wages import FindWages, WageQuestion
from signalbox.tools.list_companies import CompanySearch, ListCompanies
from signalbox.tools.match_companies import CompanyLookup, MatchCompanies
from signalbox.tools.pay_of_postings import PayForRole, PayQuestion
from signalbox.tools.result import Empty, Ok
from signalbox.tools.vocabulary import packaged_vocabulary

TENANT = "facts-test"


def _job(number, **more):
    return {
        "id": str(number), "source": "feed", "title": "Zeppelin Rigger", "company": "Skyward Hulls", "currency": "EUR",
        "salary_min": 40_000 + number, "salary_period": "year", "location": "Munich, Germany", **more,
    }  # fmt: skip


@pytest.fixture(scope="module")
async def stores(database, embedder, tmp_path_factory):
    """Two companies, a wage table and some postings of one tenant."""
    folder = tmp_path_factory.mktemp("facts")
    companies, wages, jobs = folder / "c.jsonl", folder / "w.jsonl", folder / "j.jsonl"
    companies.write_text(
        json.dumps({"name": "Google LLC", "region": "Europe", "technologies": ["go"]})
        + "\n" + json.dumps({"name": "Twin Inc", "id": "1", "region": "Asia"})
        + "\n" + json.dumps({"name": "Twin Ltd", "id": "2", "region": "Asia"})
    )  # fmt: skip
    row = {"country": "DE", "currency": "EUR", "period": "year", "p50": 50_000}
    rows = [{**row, "occupation": "Software Developers"}, {**row, "occupation": "Beekeepers", "p50": "-"}]
    wages.write_text("".join(json.dumps(each) + "\n" for each in rows))
    places = [{}] * 4 + [{"location": "Berlin, Germany"}] * 3 + [{"title": "Zeppelin Rigger Manager"}]
    places += [{"location": "Lyon, France", "title": "Senior Zeppelin Rigger", "salary_min": None}]
    jobs.write_text("".join(json.dumps(_job(n, **more)) + "\n" for n, more in enumerate(places)))
    vocabulary = packaged_vocabulary()
    await ingest_companies(database, vocabulary, [companies], tenant=TENANT)
    await ingest_wages(database, embedder, [wages], tenant=TENANT)
    await ingest_jobs(database, embedder, vocabulary, [jobs], tenant=TENANT)
    yield database
    for table in ("company", "wage", "job"):
        await database.execute(f"DELETE FROM {table} WHERE tenant = %s", [TENANT])


async def test_a_company_is_found_only_if_the_name_means_exactly_one(stores):
    tool = FindCompany(CompanyStore(stores), TENANT)
    found = await tool.run(CompanyName(name="google"))
    assert isinstance(found, Ok)
    assert (found.value.name, found.value.technologies) == ("Google LLC", ("Go",))
    twins = await tool.run(CompanyName(name="twin"))
    assert isinstance(twins, Empty)
    assert "Twin Inc, Twin Ltd" in twins.note or "Twin Ltd, Twin Inc" in twins.note
    assert isinstance(await tool.run(CompanyName(name="Twin Ltd")), Ok)
    assert isinstance(await tool.run(CompanyName(name="nobody")), Empty)
    assert isinstance(await FindCompany(CompanyStore(stores)).run(CompanyName(name="google")), Empty)


async def test_a_lookup_gives_namesakes_or_names_that_may_be_meant(stores):
    tool = MatchCompanies(CompanyStore(stores), TENANT)
    assert len((await tool.run(CompanyLookup(name="twin"))).value.companies) == 2
    assert (await tool.run(CompanyLookup(name="gogle"))).value.near == ("Google LLC",)
    assert isinstance(await tool.run(CompanyLookup(name="zz")), Empty)


async def test_a_list_tells_no_match_from_no_companies(stores):
    tool = ListCompanies(CompanyStore(stores), TENANT)
    found = await tool.run(CompanySearch(wish=CompanyWish(technologies=("Go",))))
    assert [company.name for company in found.value.companies] == ["Google LLC"]
    nothing = await tool.run(CompanySearch(wish=CompanyWish(technologies=("COBOL",))))
    assert nothing == Empty("no company on record meets all of it")


async def test_an_employers_postings_are_counted_or_its_kin_named(stores):
    tool = CountCompanyPostings(EmployerIndex(stores), TENANT)
    found = await tool.run(Employer(company="skyward hulls"))
    assert [kind.postings for kind in found.value.kinds] == [9]
    assert (await tool.run(Employer(company="Skyward"))).value.near == ("Skyward Hulls",)
    assert isinstance(await tool.run(Employer(company="Nobody")), Empty)


@pytest.mark.parametrize(
    ("role", "place", "note"),
    [
        ("software engineer", "Leeds", "they cover Germany only"),
        ("beekeeper", "Germany", "they have Beekeepers, but no figures are published for them there"),
        ("wizard", None, "they have no such occupation"),
    ],
)
async def test_wages_that_cannot_be_told_say_why(stores, embedder, role, place, note):
    tool = FindWages(WageStore(stores, embedder), packaged_vocabulary(), TENANT)
    assert await tool.run(WageQuestion(role=role, location=place)) == Empty(note)


async def test_wages_come_with_the_occupation_they_are_for(stores, embedder):
    tool = FindWages(WageStore(stores, embedder), packaged_vocabulary(), TENANT)
    found = await tool.run(WageQuestion(role="Python developer", location="Germany"))
    assert (found.value.occupation, found.value.closeness, found.value.rows[0].p50) == (
        "Software Developers", "near", 50_000,
    )  # fmt: skip
    same = await tool.run(WageQuestion(role="software developer"))
    assert same.value.closeness == "same"


async def test_pay_is_looked_for_in_the_place_then_in_its_country(stores, embedder):
    tool = PayForRole(JobIndex(stores, embedder, packaged_vocabulary()), packaged_vocabulary(), TENANT)
    found = await tool.run(PayQuestion(role="zeppelin rigger", location="Berlin"))
    assert [(step.scope, step.where, step.stated) for step in found.value.steps] == [
        ("place", "Berlin", 3), ("country", "Germany", 7),
    ]  # fmt: skip
    (group,) = found.value.pay.groups
    assert (group.source, group.currency, group.n) == ("feed", "EUR", 7)


async def test_pay_is_looked_for_at_the_level_and_then_at_any(stores, embedder):
    tool = PayForRole(JobIndex(stores, embedder, packaged_vocabulary()), packaged_vocabulary(), TENANT)
    found = await tool.run(PayQuestion(role="zeppelin rigger", level="senior"))
    assert [(step.level, step.matched, step.stated) for step in found.value.steps] == [(True, 1, 0), (False, 8, 7)]
    assert found.value.pay.unstated == 1
    local = await tool.run(PayQuestion(role="zeppelin rigger", location="Berlin", level="senior"))
    assert [(step.where, step.level, step.stated) for step in local.value.steps] == [
        ("Berlin", True, 0), ("Germany", True, 0), ("Germany", False, 7),
    ]  # fmt: skip
    assert isinstance(await tool.run(PayQuestion(role="opera singer")), Empty)
    assert isinstance(await tool.run(PayQuestion(role="the")), Empty)


def test_the_tools_are_made_from_a_kit(database, embedder):
    vocabulary = packaged_vocabulary()
    kit = Kit(
        db=database, embedder=embedder, index=JobIndex(database, embedder, vocabulary), profiles=ProfileStore(database),
        vocabulary=vocabulary, owner=Owner(TENANT, "u"), message_id="m", temporary=False,
    )  # fmt: skip
    for kind in (FindCompany, MatchCompanies, ListCompanies, CountCompanyPostings, FindWages, PayForRole):
        assert kind.make(kit).name == kind.name
