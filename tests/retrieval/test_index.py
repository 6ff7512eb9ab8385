from dataclasses import replace
from datetime import date

import pytest

from signalbox.db import Database
from signalbox.errors import StoreUnavailable
from signalbox.llm.embedding import Embedder
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.locations import lies_abroad, located
from signalbox.retrieval.pay import LARGE_UNIT
from signalbox.retrieval.query import JobQuery, parse_query

TODAY = date.today()  # noqa: DTZ011 (the samples count from today)


def _asked(vocabulary, message, **more):
    return replace(parse_query(message, TODAY, vocabulary), **more)


@pytest.mark.parametrize(
    "text",
    [
        "C++ / .NET (remote)?",
        '"',
        "(",
        "*",
        "a:*b & !c | <->",
        "AND OR NOT",
        "🚀 python 🚀",
        "",
        "'; DROP TABLE job; --",
        "\\ % %s {} \x00",
        "word " * 5_000,
        " ".join(f"term{number}" for number in range(5_000)),
        "日本語 エンジニア",
        "\ud800",
    ],
)
async def test_no_text_makes_a_search_fail(index, vocabulary, text):
    found = await index.search(_asked(vocabulary, text))
    assert not found.degraded
    raw = await index.search(
        JobQuery(text=text, words=tuple(text.split()[:5]), locations=(text[:40],), exclude=(text[:40],))
    )
    assert raw.total >= 0


async def test_remote_python_jobs_are_remote_and_ask_for_python(index, vocabulary):
    found = await index.search(_asked(vocabulary, "find me remote Python jobs", limit=50))
    assert found.total >= 12
    assert all(hit.remote and "Python" in hit.skills for hit in found.hits)
    assert all(hit.sample for hit in found.hits)
    assert [leg.name for leg in found.legs] == ["text", "meaning"]


async def test_a_place_nobody_knows_finds_nothing(index, vocabulary):
    found = await index.search(_asked(vocabulary, "remote rust jobs on Mars"))
    assert (found.hits, found.total, found.truncated) == ((), 0, False)


async def test_remote_rust_jobs_do_not_bring_other_remote_jobs(index, vocabulary):
    assert (await index.search(_asked(vocabulary, "remote rust jobs"))).total == 0


@pytest.mark.parametrize("message", ["zookeeper jobs", "opera singer", "astronaut in Leeds", "piano tuner remote"])
async def test_a_job_that_does_not_exist_is_not_replaced_by_a_near_one(index, vocabulary, message):
    assert (await index.search(_asked(vocabulary, message))).total == 0


async def test_every_condition_holds_in_every_hit(index, vocabulary):
    found = await index.search(_asked(vocabulary, "nursing jobs near Leeds paying at least £35,000"))
    assert found.hits
    for hit in found.hits:
        assert "Leeds" in hit.location
        assert hit.currency == "GBP"
        assert (hit.salary_year_max or hit.salary_year_min) >= 35_000
        assert "Nursing" in hit.skills


async def test_level_kind_and_date_are_conditions_too(index, vocabulary):
    found = await index.search(_asked(vocabulary, "part-time bookkeeping work in Galway, posted in the last 30 days"))
    assert {hit.title for hit in found.hits} == {"Bookkeeper", "Part-time Bookkeeper"}
    senior = await index.search(_asked(vocabulary, "senior data analyst, Berlin, 60k+"))
    assert [(hit.title, hit.seniority) for hit in senior.hits] == [("Senior Data Analyst", "senior")]


async def test_meaning_finds_what_the_words_do_not(index, vocabulary):
    found = await index.search(_asked(vocabulary, "bike repairer"))
    hit = next(hit for hit in found.hits if hit.title == "Bicycle Mechanic")
    assert hit.meaning_rank is not None
    assert hit.text_rank is None


async def test_names_of_one_trade_stand_for_each_other(index, vocabulary):
    lorry = await index.search(_asked(vocabulary, "lorry driver"))
    assert lorry.hits[0].title == "HGV Driver, Class 1"
    lawyer = await index.search(_asked(vocabulary, "lawyer in Wellington"))
    assert [hit.title for hit in lawyer.hits] == ["Housing Solicitor"]


async def test_york_is_not_new_york(index, vocabulary):
    found = await index.search(_asked(vocabulary, "jobs in York", limit=50))
    assert found.hits
    assert all("New York" not in hit.location for hit in found.hits)
    nyc = await index.search(_asked(vocabulary, "security jobs in NYC"))
    assert {hit.location for hit in nyc.hits} == {"New York, NY"}


async def test_a_country_holds_its_towns_and_a_region_its_countries(index, vocabulary):
    germany = await index.search(_asked(vocabulary, "jobs in Germany", limit=50))
    assert {hit.country for hit in germany.hits} == {"DE"}
    nordics = await index.search(_asked(vocabulary, "jobs in Scandinavia", limit=50))
    countries = {"DK", "SE", "NO", "FI", "IS"}
    assert all(hit.country in countries or "Nordics" in hit.location for hit in nordics.hits)


async def test_remote_work_fits_a_place_only_for_who_asks_for_remote_and_only_in_its_region(index, vocabulary):
    on_site = await index.search(_asked(vocabulary, "python jobs in Munich"))
    assert all("Munich" in hit.location for hit in on_site.hits)
    remote = await index.search(_asked(vocabulary, "remote python jobs in Munich", limit=50))
    places = {hit.location for hit in remote.hits}
    assert {"Remote (Germany)", "Remote (Worldwide)", "Remote (Europe)"} <= places
    assert not places & {"Remote (Canada)", "Remote (UK)"}
    either = await index.search(_asked(vocabulary, "python jobs in Eindhoven or remote", limit=50))
    assert {hit.remote for hit in either.hits} == {True, False}


async def test_an_excluded_term_may_be_mentioned_as_not_needed(index, vocabulary):
    found = await index.search(_asked(vocabulary, "jobs that don't need a degree in Nottingham", limit=50))
    titles = {hit.title for hit in found.hits}
    assert "Teaching Assistant, SEN" in titles  # "No degree needed."
    planners = await index.search(_asked(vocabulary, "planning officer in Norwich, no degree"))
    assert "Planning Officer" not in {hit.title for hit in planners.hits}  # "Town planning degree"
    away = await index.search(_asked(vocabulary, "electrician not in Birmingham"))
    assert away.hits
    assert all("Birmingham" not in hit.location for hit in away.hits)


async def test_conditions_alone_list_the_newest_and_the_total_counts_all(index, vocabulary):
    found = await index.search(_asked(vocabulary, "jobs in the UK", limit=5))
    dates = [hit.posted_at for hit in found.hits]
    assert dates == sorted(dates, reverse=True)
    assert len(found.hits) == 5
    assert found.total > 50
    assert found.truncated


async def test_a_failed_leg_is_told_and_the_other_answers(database, index, vocabulary):
    closed = Embedder()
    await closed.close()
    found = await JobIndex(database, closed, vocabulary).search(_asked(vocabulary, "welder"))
    assert found.degraded
    assert [(leg.name, leg.status) for leg in found.legs] == [("text", "ok"), ("meaning", "failed")]
    assert found.hits[0].title in {"Coded Welder", "Welding Instructor"}


async def test_a_lost_database_is_no_empty_result(embedder, vocabulary):
    lost = Database("postgresql://nobody@127.0.0.1:1/none", wait_s=0.3)
    await lost.open()
    try:
        with pytest.raises(StoreUnavailable):
            await JobIndex(lost, embedder, vocabulary).search(_asked(vocabulary, "welder"))
    finally:
        await lost.close()


async def test_get_keeps_the_order_asked_and_skips_the_unknown(index):
    hits = await index.get(["sample:sample-003", "nobody:1", "sample:sample-001"])
    assert [hit.external_id for hit in hits] == ["sample-003", "sample-001"]


async def test_another_tenants_postings_are_never_seen(database, index, vocabulary):
    await database.execute("UPDATE job SET tenant = 'acme' WHERE external_id = 'sample-001'")
    try:
        query = _asked(vocabulary, "remote Python jobs", limit=50)
        assert "sample-001" not in {hit.external_id for hit in (await index.search(query)).hits}
        assert "sample-001" in {hit.external_id for hit in (await index.search(query, tenant="acme")).hits}
        assert await index.get(["sample:sample-001"]) == []
    finally:
        await database.execute("UPDATE job SET tenant = 'public' WHERE external_id = 'sample-001'")


async def test_skill_counts_are_taken_over_the_postings_of_the_role(index):
    demand = await index.skill_counts("Python Developer", 5)
    assert demand.postings >= 12
    assert demand.counts[0] == ("Python", demand.postings)
    assert len(demand.counts) == 5
    assert (await index.skill_counts("opera singer")).postings == 0


async def test_stats_tell_how_much_is_sample(index):
    stats = await index.stats()
    assert stats.by_source["sample"] == stats.samples >= 260
    assert stats.sample_share == stats.samples / stats.total


async def test_a_place_an_employer_and_a_level_that_are_ruled_out_are_in_no_hit(index, vocabulary):
    everything = await index.search(_asked(vocabulary, "nursing jobs", limit=50))
    company = next(hit.company for hit in everything.hits if "Leeds" not in (hit.location or ""))
    asked = f"nursing jobs not in Leeds, not at {company}, without the senior ones"
    found = await index.search(_asked(vocabulary, asked, limit=50))
    expected = {
        hit.job_id
        for hit in everything.hits
        if "Leeds" not in (hit.location or "") and hit.company != company and hit.seniority != "senior"
    }
    assert expected
    assert {hit.job_id for hit in found.hits} == expected


async def test_pay_without_a_currency_is_not_met_in_small_units(index, vocabulary):
    found = await index.search(_asked(vocabulary, "jobs paying 200k", limit=50))
    assert {hit.currency for hit in found.hits} <= {*LARGE_UNIT, None}
    crowns = await index.search(_asked(vocabulary, "jobs paying 200k DKK", limit=50))
    assert crowns.hits
    assert {hit.currency for hit in crowns.hits} == {"DKK"}


async def test_only_real_postings_leave_the_samples_out(index, vocabulary):
    query = _asked(vocabulary, "nursing jobs", limit=50)
    assert (await index.search(query)).hits
    assert (await index.search(replace(query, real_only=True))).total == 0


@pytest.mark.parametrize(
    ("where", "asked", "at_home", "fits"),
    [
        (("London, ON, CA", "CA"), "London", None, False),
        (("London, ON, CA", "GB"), "London", "GB", False),  # as read from a feed that names no country
        (("London, Ontario, Canada", "CA"), "London", "GB", False),
        (("London, ON, CA", "CA"), "London", "CA", True),
        (("London, ON, CA", "CA"), "London, Canada", "GB", True),
        (("London", "GB"), "London", "CA", False),
        (("London", "GB"), "London, Ontario", None, False),
        (("London, KY", None), "London", None, False),
        (("London, UK", "GB"), "London", "GB", True),
        (("LONDON", None), "London", None, True),
        (("Berlin; London", "DE"), "London", None, True),
        (("London or New York", "US"), "London", None, True),
        (("London, or remote", "GB"), "London", None, True),
        (("Perth, WA", "AU"), "Perth", None, True),
    ],
)
async def test_a_town_is_no_namesake_in_another_country(index_with, vocabulary, where, asked, at_home, fits):
    index = await index_with(where)
    found = await index.search(replace(_asked(vocabulary, f"jobs in {asked}", limit=50), home_country=at_home))
    assert ("sample:sample-001" in {hit.job_id for hit in found.hits}) == fits
    assert lies_abroad(located(asked.replace("Ontario", "Canada"), at_home), *where) != fits


@pytest.fixture
async def index_with(database, index):
    """The index with one posting moved to a place and country; it is put back."""
    put = "UPDATE job SET location = %s, country = %s WHERE job_id = 'sample:sample-001'"
    before = await database.fetch_one("SELECT location, country FROM job WHERE job_id = 'sample:sample-001'")

    async def moved(where):
        await database.execute(put, list(where))
        return index

    yield moved
    await database.execute(put, [before["location"], before["country"]])
