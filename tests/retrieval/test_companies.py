import json
import time
from datetime import date

import pytest

from signalbox.errors import ConfigurationError
from signalbox.retrieval.facts.companies import CompanyStore, CompanyWish, name_key, regions_for, told_apart
from signalbox.retrieval.facts.company_jobs import EmployerIndex
from signalbox.retrieval.facts.company_rows import ingest_companies, parse_size, without_markup
from signalbox.retrieval.ingest import ingest_jobs
from signalbox.retrieval.readers import load_mapping

TENANT = "companies-test"
TODAY = date(2026, 11, 30)


@pytest.fixture
async def take(database, vocabulary, tmp_path):
    """Imports rows, or files, for a tenant of its own."""

    async def ingest(*rows, mapping=None, name="companies.jsonl", **options):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" if isinstance(row, dict) else row for row in rows))
        return await ingest_companies(database, vocabulary, [path], mapping, tenant=TENANT, **options)

    yield ingest
    await database.execute("DELETE FROM company WHERE tenant = %s", [TENANT])


@pytest.fixture
def store(database):
    return CompanyStore(database)


def _company(name, **more):
    return {"name": name, "region": "Europe", **more}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Google LLC", "google"),
        ("Müller & Co. KG", "muller"),
        ("Foo S.A.", "foo"),
        ("Société Générale SA", "societe generale"),
        ("Straße GmbH", "strasse"),
        ("Co", "co"),
        ("株式会社", "株式会社"),
        ("?!", ""),
    ],
)
def test_a_name_is_compared_without_case_accents_and_legal_form(name, key):
    assert name_key(name) == key


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("51-200", (51, 200)),
        ("1,001 – 5,000 employees", (1001, 5000)),
        ("500+", (500, None)),
        ("over 10k people", (10_000, None)),
        ("under 50", (None, 50)),
        ("about 1.2k", (1200, 1200)),
        ("medium", (51, 200)),
        ("enterprise", (1000, None)),
        ("many", (None, None)),
        ("9" * 400, (2_000_000_000, 2_000_000_000)),
    ],
)
def test_a_size_is_read_as_bounds(text, bounds):
    assert parse_size(text) == bounds


@pytest.mark.parametrize(
    "text", ["9" * 100_000, "1" * 50_000 + "." + "1" * 50_000, "1,111," * 20_000, "1 " * 50_000, "1." * 50_000]
)
def test_long_rows_of_digits_are_read_in_no_time(text):
    started = time.thread_time()
    parse_size(text)
    assert time.thread_time() - started < 3


def test_markup_becomes_running_text():
    assert without_markup("## About\n* [Push](https://x.y) it\n- **Bold** - really") == "About. Push it. Bold - really."


async def test_an_import_twice_writes_once_and_a_changed_row_is_updated(take, database):
    rows = [_company("Acme GmbH", size="51-200"), _company("Bolt", founded="2013")]
    first, second = await take(*rows), await take(*rows)
    third = await take({**rows[0], "size": "201-500"}, rows[1])
    assert (first.new, second.unchanged, second.new, third.updated, third.unchanged) == (2, 2, 0, 1, 1)
    row = await database.fetch_one("SELECT * FROM company WHERE tenant = %s AND name = 'Acme GmbH'", [TENANT])
    assert (row["size_min"], row["size_max"], row["name_key"]) == (201, 500, "acme")
    assert row["company_id"].startswith("c_")


async def test_bad_rows_are_reported_and_stop_nothing(take):
    report = await take(
        _company("Good"), "{broken\n", {"name": "Only A Name"}, _company("Bad", founded=99999, site="no address"),
        _company("Good"), _company("?!"), {"region": "Europe"},
    )  # fmt: skip
    assert (report.read, report.new, report.rejected) == (7, 1, 6)
    reasons = {each.line: each.reason for each in report.reasons}
    assert "not valid JSON" in reasons[2]
    assert "says nothing" in reasons[3]
    assert reasons[4].startswith("site:")
    assert reasons[5] == "says what line 1 said already"
    assert "no letter" in reasons[6]
    assert reasons[7].startswith("name:")


async def test_a_row_that_the_database_refuses_does_not_take_the_others_along(take):
    report = await take(_company("Fine"), _company("Odd", offices="a\x00b"), _company("Also fine"))
    assert (report.new, report.rejected) == (2, 1)


async def test_a_mapping_and_options_name_what_the_file_does_not(take, store, tmp_path):
    path = tmp_path / "map.json"
    path.write_text('{"name": "Firma", "size": "Leute", "technologies": {"field": "Stack", "split": "/"}}')
    await take(
        {"Firma": "Kühn AG", "Leute": "12", "Stack": "python/k8s"},
        mapping=load_mapping(path), as_of=date(2024, 5, 1), source="Register",
    )  # fmt: skip
    (found,) = await store.named("kuhn", tenant=TENANT)
    assert (found.source, found.as_of, found.size_min) == ("Register", date(2024, 5, 1), 12)
    assert found.technologies == ("Python", "Kubernetes")


async def test_a_file_that_is_not_there_is_a_clear_error(database, vocabulary, tmp_path):
    with pytest.raises(ConfigurationError, match="cannot be read"):
        await ingest_companies(database, vocabulary, [tmp_path / "none.csv"])


async def test_the_public_list_of_remote_companies_is_understood_as_it_is(database, vocabulary, store, shared):
    path = shared / "data" / "remote_companies" / "companies.jsonl"
    if not path.is_file():
        pytest.skip("the list is not there")
    try:
        report = await ingest_companies(database, vocabulary, [path], tenant=TENANT)
        assert (report.read, report.new, report.rejected) == (885, 882, 3)
        (found,) = await store.named("gitlab", tenant=TENANT)
        assert (found.source, found.region, found.as_of) == ("Remote In Tech", "worldwide", date(2022, 10, 10))
        assert (found.size_min, found.size_max) == (201, 1000)
        rust = await store.find(CompanyWish(technologies=("Rust",), place="Germany"), tenant=TENANT)
        assert rust.total > 10
        assert all("Rust" in company.technologies for company in rust.companies)
        assert all("Asia" not in (company.region or "") for company in rust.companies)
    finally:
        await database.execute("DELETE FROM company WHERE tenant = %s", [TENANT])


async def test_names_are_found_tolerantly_and_strangers_are_not(take, store):
    names = ("Akamai Technologies Inc", "Siemens Healthineers", "Customer.io", "Spotify", "Cal.com")
    await take(*[_company(name) for name in names])

    async def named(name):
        return [each.name for each in await store.named(name, tenant=TENANT)]

    assert await named("AKAMAI") == ["Akamai Technologies Inc"]
    assert await named("customerio") == ["Customer.io"]
    assert await named("cal") == ["Cal.com"]
    assert await named("Siemens") == []
    assert await named("") == await named("%") == await named("x\x00y") == []
    assert await store.near("siemens", tenant=TENANT) == ["Siemens Healthineers"]
    assert await store.near("spotfy", tenant=TENANT) == ["Spotify"]
    assert await store.near("zz", tenant=TENANT) == []


async def test_namesakes_are_told_apart_and_two_sources_of_one_company_are_not(take, store):
    await take(_company("Foo Inc", id="1"), _company("Foo Ltd", id="2"), _company("Bar", id="3"))
    await take(_company("Bar GmbH", id="x", source="Other"), name="more.jsonl")
    assert len(told_apart(await store.named("foo", tenant=TENANT))) == 2
    assert len(told_apart(await store.named("Foo Ltd", tenant=TENANT))) == 1
    assert [len(records) for records in told_apart(await store.named("bar", tenant=TENANT))] == [2]


async def test_companies_are_filtered_by_every_condition(take, store):
    await take(
        _company("A", technologies=["rust", "go"], remote_policy="fully-remote", size="11-50"),
        _company("B", technologies=["rust"], remote_policy="hybrid", region="asia-pacific", size="1000+"),
        {"name": "C", "technologies": ["rust"]},
    )  # fmt: skip

    async def found(**wish):
        return sorted(each.name for each in (await store.find(CompanyWish(**wish), tenant=TENANT)).companies)

    assert await found(technologies=("Rust",)) == ["A", "B", "C"]
    assert await found(technologies=("Rust", "Go")) == ["A"]
    assert await found(place="Germany") == ["A"]
    assert await found(place="Japan") == ["B"]
    assert await found(remote=True) == ["A", "B"]
    assert await found(fully_remote=True, remote=True) == ["A"]
    assert await found(size_max=50) == ["A"]
    assert await found(size_min=201) == ["B"]
    assert await found(place="x(\x00") == []


async def test_ids_resolve_in_the_order_asked_and_for_their_tenant_only(take, store):
    await take(_company("One"), _company("Two"))
    one, two = [(await store.named(name, tenant=TENANT))[0].company_id for name in ("one", "two")]
    assert [each.name for each in await store.get([two, "c_none", one, two], tenant=TENANT)] == ["Two", "One"]
    assert await store.get([one]) == []


def test_a_place_is_looked_for_in_whatever_holds_it():
    assert {"Germany", "Europe", "EMEA", "worldwide"} <= set(regions_for("Germany"))
    assert "Americas" in regions_for("Canada")
    assert "Asia-Pacific" in regions_for("Japan")
    assert "Europe" not in regions_for("Japan")


async def test_an_employers_postings_are_counted_real_and_samples_apart(database, embedder, vocabulary, tmp_path):
    rows = [
        {"id": "1", "title": "Rigger", "company": "Skyward Hulls Ltd", "remote": True, "salary_min": 50_000,
         "salary_max": 60_000, "currency": "EUR", "date_posted": "2024-05-01", "skills": ["SQL"], "location": "Ghent"},
        {"id": "2", "title": "Rigger", "company": "Skyward Hulls", "remote": False, "salary_min": 30, "currency": "EUR",
         "salary_period": "hour", "date_posted": "2025-01-01", "date_closes": "2025-02-01", "location": "Lyon"},
        {"id": "3", "title": "Cook", "company": "Skyward Hulls Kitchens", "date_posted": "2025-01-01"},
    ]  # fmt: skip
    path = tmp_path / "jobs.jsonl"
    path.write_text("".join(json.dumps({"source": "feed", **row}) + "\n" for row in rows))
    try:
        await ingest_jobs(database, embedder, vocabulary, [path], tenant=TENANT)
        index = EmployerIndex(database)
        (kind,), near = await index.postings_of("SKYWARD HULLS", today=TODAY, tenant=TENANT)
        assert (kind.postings, kind.closed, kind.remote, kind.on_site, kind.sample) == (2, 1, 1, 1, False)
        assert kind.titles == (("Rigger", 2),)
        assert (kind.oldest, kind.newest, near) == (date(2024, 5, 1), date(2025, 1, 1), [])
        (span,) = kind.pay
        assert (span.low, span.high, span.postings, span.hourly) == (50_000, 62_400, 2, 1)
        assert kind.newest_id.endswith("feed:2")
        assert await index.postings_of("Skyward", today=TODAY, tenant=TENANT) == (
            [], ["Skyward Hulls", "Skyward Hulls Ltd", "Skyward Hulls Kitchens"],
        )  # fmt: skip
        assert await index.postings_of("%", today=TODAY, tenant=TENANT) == ([], [])
        assert await index.postings_of("Skyward Hulls", today=TODAY) == ([], [])
    finally:
        await database.execute("DELETE FROM job WHERE tenant = %s", [TENANT])
