import asyncio
import time
from dataclasses import replace
from datetime import date

import pytest

from board_server import (
    ADZUNA_JOB,
    ASHBY_JOB,
    GREENHOUSE_JOB,
    JOBICY_JOB,
    LEVER_JOB,
    arbeitnow,
    arbeitnow_job,
    as_json,
    board_server,
    boards_at,
    remotive,
    remotive_job,
)
from signalbox.errors import ConfigurationError
from signalbox.retrieval.query import JobQuery, parse_query
from signalbox.settings import load_settings
from signalbox.tools.boards.board import live_job_id
from signalbox.tools.boards.build import build_boards
from signalbox.tools.boards.company_boards import read_ashby, read_greenhouse, read_lever
from signalbox.tools.boards.feeds import read_adzuna, read_arbeitnow, read_jobicy, read_remotive
from signalbox.tools.boards.html_text import text_of
from signalbox.tools.boards.kept import LIVE_TENANT, KeptPostings
from signalbox.tools.boards.listing import Malformed
from signalbox.tools.keep_postings import KeepPostings, ShownPostings
from signalbox.tools.result import Empty, Ok
from signalbox.tools.search_jobs import JobSearch
from signalbox.tools.vocabulary import packaged_vocabulary

TODAY = date(2026, 3, 2)
ANYTHING = JobQuery(limit=50)


def asking(message):
    return JobSearch(query=parse_query(message, TODAY, packaged_vocabulary()))


async def first_hit(embedder, entry, path, payload):
    async with board_server({path: as_json(payload)}) as server, boards_at(server.url, entry, embedder) as (board,):
        found = await board.run(JobSearch(query=ANYTHING))
        assert isinstance(found, Ok), found
        assert found.total == 1
        return found.value.hits[0], server


async def test_a_posting_of_remotive_reads_like_one_of_the_catalogue(embedder):
    hit, server = await first_hit(embedder, "remotive", "/api/remote-jobs", remotive(remotive_job(7)))
    assert (hit.job_id, hit.source) == ("live_remotive_1900000007", "live:remotive")
    assert (hit.seniority, hit.remote, hit.employment_type) == ("senior", True, "full-time")
    assert (hit.salary_year_min, hit.salary_year_max, hit.currency) == (120_000, 150_000, "USD")
    assert hit.posted_at == date(2026, 2, 27)
    assert set(hit.skills) == {"Python", "SQL", "PostgreSQL"}
    assert hit.description == "We build pipelines with Python & PostgreSQL.\n\n- No travel"
    assert not hit.sample
    assert server.agents[0].startswith("signalbox")


async def test_arbeitnow_is_read_page_by_page_and_its_bound_is_told(embedder):
    pages = {f"/api/job-board-api#{n}": as_json(arbeitnow(arbeitnow_job(n), more=True)) for n in (1, 2, 3)}
    async with board_server(pages) as server, boards_at(server.url, "arbeitnow", embedder) as (board,):
        found = await board.run(JobSearch(query=ANYTHING))
    assert [hit.external_id for hit in found.value.hits] == [f"python-entwickler-berlin-{n}" for n in (1, 2, 3)]
    assert (found.value.hits[0].country, found.value.hits[0].remote) == ("DE", False)
    assert found.value.legs[0].note == "only its newest 3 postings were looked through"


async def test_a_later_page_that_fails_is_told_and_the_first_still_counts(embedder):
    pages = {"/api/job-board-api#1": as_json(arbeitnow(arbeitnow_job(1), more=True))}
    async with board_server(pages) as server, boards_at(server.url, "arbeitnow", embedder) as (board,):
        found = await board.run(JobSearch(query=ANYTHING))
    assert found.total == 1
    assert found.value.legs[0].note == "page 2 could not be read"


async def test_greenhouse_keeps_long_ids_unescapes_twice_and_states_pay_in_whole_units(embedder):
    hit, server = await first_hit(
        embedder, "greenhouse:brightwater", "/v1/boards/brightwater/jobs", {"jobs": [GREENHOUSE_JOB]}
    )
    assert hit.job_id == "live_greenhouse_brightwater_4012345678"
    assert hit.description == "You know Apache Spark & SQL."
    assert (hit.salary_min, hit.salary_max, hit.currency, hit.country) == (90_000, 110_000, "GBP", "GB")
    assert (hit.seniority, hit.category, hit.posted_at) == ("lead", "Data", date(2026, 1, 14))
    assert server.asked[0][1] == {"content": ["true"]}


async def test_lever_gives_hourly_pay_per_year_and_both_places(embedder):
    hit, _ = await first_hit(embedder, "lever:acme", "/v0/postings/acme", [LEVER_JOB])
    assert (hit.company, hit.location, hit.remote, hit.country) == ("Acme", "Leeds; York", False, "GB")
    assert (hit.salary_period, hit.salary_year_min) == ("hour", 15 * 2080)
    assert (hit.employment_type, hit.posted_at) == ("part-time", date(2026, 2, 27))
    assert "Forklift licence" in hit.requirements


async def test_ashby_takes_the_salary_among_the_components_and_skips_unlisted_rows(embedder):
    payload = {"apiVersion": "1", "jobs": [ASHBY_JOB, {**ASHBY_JOB, "id": "x", "isListed": False}]}
    hit, _ = await first_hit(embedder, "ashby:linear", "/posting-api/job-board/linear", payload)
    assert (hit.title, hit.company, hit.remote, hit.country) == ("Product Designer", "Linear", True, "US")
    assert (hit.salary_year_min, hit.salary_year_max, hit.currency) == (81_000, 87_000, "USD")
    assert hit.location == "Houston, TX; Austin"


async def test_jobicy_reads_figures_in_strings_and_entities_in_titles(embedder):
    hit, _ = await first_hit(embedder, "jobicy", "/api/v2/remote-jobs", {"jobs": [JOBICY_JOB]})
    assert (hit.title, hit.company) == ("Customer Support Lead – EMEA", "Harbour & Co")
    assert (hit.salary_year_min, hit.currency, hit.seniority, hit.country) == (45_000, "GBP", "senior", "GB")


async def test_adzuna_is_asked_for_the_words_with_its_keys_and_a_guessed_salary_is_no_salary(embedder):
    payload = {"count": 812, "results": [ADZUNA_JOB, {**ADZUNA_JOB, "id": "2", "salary_is_predicted": "1"}]}
    path = "/v1/api/jobs/gb/search/1"
    async with board_server({path: as_json(payload)}) as server, boards_at(server.url, "adzuna:gb", embedder) as (b,):
        found = await b.run(asking("nurse jobs"))
    stated, guessed = sorted(found.value.hits, key=lambda hit: -len(hit.external_id))
    assert (stated.title, stated.salary_year_max, guessed.salary_year_max) == ("Registered Nurse", 38_000, None)
    assert server.asked[0][1]["what"] == ["nurse"]
    assert (server.asked[0][1]["app_id"], server.asked[0][1]["app_key"]) == (["id-1"], ["key-1"])
    assert found.value.legs[0].note == "only 2 of its 812 matches were looked through"


async def test_rows_that_cannot_be_read_cost_only_themselves_and_are_counted(embedder):
    rows = [
        remotive_job(1), None, 7, {}, remotive_job(2, title=None), remotive_job(3, publication_date="02/03/2026"),
        remotive_job(4, url="javascript:alert(1)"), remotive_job(5, salary="competitive", tags=None),
    ]  # fmt: skip
    payload = remotive(*rows)
    async with (
        board_server({"/api/remote-jobs": as_json(payload)}) as server,
        boards_at(server.url, "remotive", embedder) as (board,),
    ):
        found = await board.run(JobSearch(query=ANYTHING))
    assert found.total == 3
    assert found.value.legs[0].note == "5 of 8 rows could not be read"
    assert {hit.url for hit in found.value.hits if hit.external_id == "1900000004"} == {None}


@pytest.mark.parametrize("payload", [None, [], "x", 7, {}, {"jobs": {}}, {"jobs": None}, {"jobs": [1, 2]}])
def test_a_payload_of_another_form_is_malformed_and_never_nothing_found(payload):
    readers = (
        read_remotive,
        read_arbeitnow,
        read_jobicy,
        lambda p: read_adzuna(p, "gb"),
        lambda p: read_greenhouse(p, "X"),
        lambda p: read_ashby(p, "X"),
    )
    for read in readers:
        assert isinstance(read(payload), Malformed)
    if not isinstance(payload, list):
        assert isinstance(read_lever(payload, "X"), Malformed)


def test_html_becomes_text_and_never_markup_again():
    assert text_of("<p>One<br>two</p><script>steal()</script><ul><li>a</li><li>b &lt; c</li></ul>") == (
        "One\ntwo\n\n- a\n- b < c"
    )
    assert text_of("5 < 6 and <!-- hidden --> 7 > 6 <b") == "5 < 6 and 7 > 6"


@pytest.mark.parametrize("piece", ["<", "<!--", "<script>", "<a ", "&", "</", "<p>" * 3, "&lt;b&gt;"])
def test_a_hostile_fragment_takes_no_time(piece):
    fragment = piece * 200_000
    started = time.thread_time()
    text_of(fragment)
    assert time.thread_time() - started < 1.0


async def test_words_decide_as_in_the_catalogue(embedder):
    rows = [
        remotive_job(1, title="Data Engineer", description="Spark"),
        remotive_job(2, title="Sales Engineer", description="Sell our data tools to any engineer"),
        remotive_job(3, title="Engineer", description="data engineer in a small team"),
        remotive_job(4, title="Night Nurse", description="Wards", tags=[]),
        remotive_job(5, title="ETL Developer", description="Python everywhere", tags=[]),
    ]
    async with (
        board_server({"/api/remote-jobs": as_json(remotive(*rows))}) as server,
        boards_at(server.url, "remotive", embedder) as (board,),
    ):
        by_words = await board.run(asking("data engineer jobs"))
        by_tool = await board.run(asking("python jobs"))
        by_stem = await board.run(asking("nursing at night, nurses"))
        nothing = await board.run(asking("zookeeper jobs"))
    titles = [hit.title for hit in by_words.value.hits]
    assert titles[:2] == ["Data Engineer", "Engineer"]
    assert "Night Nurse" not in titles
    assert {hit.external_id[-1] for hit in by_tool.value.hits} == {"1", "2", "3", "5"}
    assert [hit.title for hit in by_stem.value.hits] == ["Night Nurse"]
    assert isinstance(nothing, Empty)


async def test_conditions_hold_on_a_board_and_total_counts_more_than_is_returned(embedder):
    rows = [remotive_job(n, salary="$40k - $60k" if n % 2 else "$120k") for n in range(20)]
    query = parse_query("python jobs paying at least $100k", TODAY, packaged_vocabulary())
    async with (
        board_server({"/api/remote-jobs": as_json(remotive(*rows))}) as server,
        boards_at(server.url, "remotive", embedder) as (board,),
    ):
        found = await board.run(JobSearch(query=replace(query, limit=4)))
    assert (len(found.value.hits), found.total, found.truncated) == (4, 10, True)
    assert all(hit.salary_year_min == 120_000 for hit in found.value.hits)


async def test_many_searches_share_one_fetch(embedder):
    reply = as_json(remotive(remotive_job(1)), after_s=0.1)
    async with board_server({"/api/remote-jobs": reply}) as server, boards_at(server.url, "remotive", embedder) as (b,):
        found = await asyncio.gather(*(b.run(asking(f"python jobs paying {n}k dollars")) for n in range(20, 60)))
        assert all(isinstance(each, Ok | Empty) for each in found)
        assert server.times("/api/remote-jobs") == 1


@pytest.mark.parametrize(
    ("entries", "part"),
    [
        ("monster", "'monster' is no board we know"),
        ("remotive,greenhouse", "'greenhouse' is not complete. Write it like greenhouse:stripe"),
        ("remotive:x", "'remotive:x' is not complete"),
        ("lever:../etc", "'lever:../etc' is not complete"),
        ("adzuna:xx", "'adzuna:xx' names no country"),
        ("adzuna:gb", "SIGNALBOX_ADZUNA_APP_ID"),
        ("remotive,remotive", "named twice"),
    ],
)
def test_a_wrong_entry_is_named_with_what_it_may_be(entries, part):
    settings = load_settings(job_boards=entries)
    with pytest.raises(ConfigurationError) as caught:
        build_boards(settings, None, packaged_vocabulary(), None)
    assert part in caught.value.public
    assert caught.value.public.startswith("SIGNALBOX_JOB_BOARDS")


def test_a_wrong_address_of_a_board_is_named():
    settings = load_settings(job_boards="remotive", board_urls="remotive=ftp://x")
    with pytest.raises(ConfigurationError, match="SIGNALBOX_BOARD_URLS: 'remotive=ftp://x'"):
        build_boards(settings, None, packaged_vocabulary(), None)


def test_ids_are_stable_and_fit_for_a_path():
    assert live_job_id("lever_acme", "5ac2-1.x") == "live_lever_acme_5ac2-1.x"
    strange = live_job_id("remotive", "a/b?c")
    assert strange == live_job_id("remotive", "a/b?c")
    assert "/" not in strange


async def test_shown_postings_are_kept_whole_and_no_search_of_the_catalogue_sees_them(database, embedder):
    kept = KeptPostings(database)
    try:
        async with (
            board_server({"/api/remote-jobs": as_json(remotive(remotive_job(1)))}) as server,
            boards_at(server.url, "remotive", embedder) as (board,),
        ):
            shown = (await board.run(JobSearch(query=ANYTHING))).value.hits[0]
            tool = KeepPostings(kept, (board,))
            asked = ShownPostings(job_ids=(shown.job_id, "sample:1"))
            results = [await tool.run(asked), await tool.run(asked)]
        assert [result.value for result in results] == [1, 1]
        rows = await database.fetch(
            "SELECT job_id, tenant, description, skills FROM job WHERE job_id = %s", [shown.job_id]
        )
        assert [(row["tenant"], row["description"], tuple(row["skills"])) for row in rows] == [
            (LIVE_TENANT, shown.description, shown.skills)
        ]
        await database.execute(
            "UPDATE job SET ingested_at = now() - interval '31 days' WHERE tenant = %s", [LIVE_TENANT]
        )
        await kept.keep([])
        assert await database.fetch("SELECT 1 FROM job WHERE tenant = %s", [LIVE_TENANT]) == []
    finally:
        await database.execute("DELETE FROM job WHERE tenant = %s", [LIVE_TENANT])
