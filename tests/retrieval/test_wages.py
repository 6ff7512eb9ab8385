import csv
from datetime import date

import pytest

from signalbox.retrieval.facts.posting_pay import pay_of
from signalbox.retrieval.facts.role_words import fits, is_generic, names_all, wider_role
from signalbox.retrieval.facts.wage_rows import ingest_wages
from signalbox.retrieval.facts.wages import Occupation, WageStore, chosen, country_name, percentile_of, place_named
from signalbox.retrieval.index import JobHit

TENANT = "wages-test"


def _row(occupation, area="", **more):
    figures = {"p10": "30000", "p25": "40000", "p50": "50000", "p75": "60000", "p90": "70000"}
    return {
        "occupation": occupation, "area": area, "country": "GB", "currency": "GBP", "period": "year", **figures, **more,
    }  # fmt: skip


@pytest.fixture
async def take(database, embedder, tmp_path):
    """Imports rows of a CSV file for a tenant of its own."""

    async def ingest(*rows, name="wages.csv", **options):
        path = tmp_path / name
        with path.open("w", newline="") as file:
            names = list(dict.fromkeys(name for row in rows for name in row))
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
        return await ingest_wages(database, embedder, [path], tenant=TENANT, **options)

    yield ingest
    await database.execute("DELETE FROM wage WHERE tenant = %s", [TENANT])


@pytest.fixture
def store(database, embedder):
    return WageStore(database, embedder)


async def test_an_import_twice_writes_once_and_a_changed_row_is_updated(take):
    rows = [_row("Nurses"), _row("Nurses", "Leeds"), _row("Nurses", period="hour")]
    first, second = await take(*rows), await take(*rows)
    third = await take({**rows[0], "p50": "51000"}, *rows[1:])
    assert (first.new, second.unchanged, second.new, third.updated) == (3, 3, 0, 1)


async def test_bad_rows_are_reported_with_their_reason(take):
    report = await take(
        _row("Good"), _row("Falling", p10="90000"), _row("No money", currency="gold"), _row("No time", period="moon"),
        _row(""),
    )  # fmt: skip
    assert (report.new, report.rejected) == (1, 4)
    text = " | ".join(each.reason for each in report.reasons)
    for part in ("do not rise", "currency:", "period:", "occupation:"):
        assert part in text


async def test_figures_that_are_not_published_are_unknown_and_periods_come_from_column_names(take, store):
    await take(
        {"soc": "29-1141", "occupation": "Nurses", "area": "National", "annual_median": "-", "hourly_median": "31.5"},
        {"soc": "29-1142", "occupation": "Bakers", "area": "National", "annual_p10": "30,000", "annual_p90": "#"},
    )  # fmt: skip
    (nurses,) = await store.rows("Nurses", "29-1141", None, None, tenant=TENANT)
    (bakers,) = await store.rows("Bakers", "29-1142", None, None, tenant=TENANT)
    assert (nurses.period, nurses.p50, nurses.currency, nurses.country) == ("hour", 31.5, "USD", "US")
    assert (bakers.period, bakers.p10, bakers.p90) == ("year", 30_000, None)
    assert "Labor" not in bakers.source
    assert bakers.source.startswith("BLS")


async def test_a_date_comes_from_the_row_the_option_or_a_notice_and_the_report_says_which(take, store, tmp_path):
    (tmp_path / "NOTICE").write_text("Wage survey, May 2025.")
    noticed = await take(_row("Nurses"), _row("Bakers", as_of="2023"))
    assert "2025-05-01" in noticed.notes[0]
    dates = {row.occupation: row.as_of for row in await _all(store, "Nurses", "Bakers")}
    assert dates == {"Nurses": date(2025, 5, 1), "Bakers": date(2023, 1, 1)}
    given = await take(_row("Nurses"), as_of=date(2024, 2, 1))
    assert given.notes == []
    assert (await _all(store, "Nurses"))[0].as_of == date(2024, 2, 1)


async def _all(store, *names):
    return [row for name in names for row in await store.rows(name, "", None, None, tenant=TENANT)]


async def test_rows_are_those_of_the_place_and_its_country(take, store):
    await take(
        _row("Nurses"), _row("Nurses", "Leeds-Bradford"), _row("Nurses", "London"),
        _row("Nurses", country="US", currency="USD"), _row("Nurses", "Austin-Round Rock, TX", country="US"),
    )  # fmt: skip

    async def areas(text):
        return [(r.area, r.country) for r in await store.rows("Nurses", "", place_named(text), text, tenant=TENANT)]

    assert await areas("Leeds") == [("Leeds-Bradford", "GB"), ("National", "GB")]
    assert await areas("Texas") == [("Austin-Round Rock, TX", "US"), ("National", "US")]
    assert await areas("UK") == [("National", "GB")]
    assert await areas("Berlin") == []
    assert await areas("Nowhereville") == []
    assert sorted(await areas(None)) == [("National", "GB"), ("National", "US")]
    assert await store.countries(tenant=TENANT) == ("GB", "US")


async def test_a_role_is_matched_by_name_and_meaning_or_several_are_offered(take, store):
    await take(
        _row("Registered Nurses", employed="300000"), _row("Nurse Midwives", employed="8000"),
        _row("Software Developers", employed="9"), _row("Lodging Managers"),
        _row("Secondary School Teachers", employed="100"), _row("Primary School Teachers", employed="90"),
    )  # fmt: skip

    async def match(role):
        found = await store.match(role, tenant=TENANT)
        return found.best, found.closeness if found.best else None

    assert await match("nurse") == ("Registered Nurses", "same")
    assert await match("Software Engineer") == ("Software Developers", "same")
    assert await match("hotel manager") == ("Lodging Managers", "near")
    assert await match("teacher") == (None, None)
    assert (await store.match("teacher", tenant=TENANT)).others[:2] == (
        "Secondary School Teachers", "Primary School Teachers",
    )  # fmt: skip
    for stranger in ("wizard", "", "the", "'; DROP TABLE wage; --", "x\x00y"):
        assert await match(stranger) == (None, None)


async def test_ids_resolve_for_their_tenant_only(take, store):
    await take(_row("Nurses"))
    (row,) = await _all(store, "Nurses")
    assert row.wage_id.startswith("w_")
    assert [each.occupation for each in await store.get([row.wage_id, "w_none"], tenant=TENANT)] == ["Nurses"]
    assert await store.get([row.wage_id]) == []


async def test_the_us_wage_survey_is_understood_as_it_is(database, embedder, store, shared):
    path = shared / "data" / "bls_oews" / "wages.csv"
    if not path.is_file():
        pytest.skip("the survey is not there")
    try:
        report = await ingest_wages(database, embedder, [path], tenant=TENANT)
        assert (report.read, report.new, report.rejected) == (1741, 1741, 0)
        match = await store.match("software engineer", tenant=TENANT)
        rows = await store.rows(match.best, match.code, place_named("Seattle"), "Seattle", tenant=TENANT)
        assert [row.area for row in rows] == ["Seattle-Tacoma-Bellevue, WA", "National"]
        assert (rows[0].p50, rows[0].currency, rows[0].period, rows[0].as_of) == (
            167280,
            "USD",
            "year",
            date(2025, 5, 1),
        )
    finally:
        await database.execute("DELETE FROM wage WHERE tenant = %s", [TENANT])


def test_a_group_of_occupations_gives_way_to_one_of_its_own():
    group = Occupation("Nurses and Therapists", "29-1000", 900, 0.7, covers=True)
    one = Occupation("Registered Nurses", "29-1141", 300, 0.9, covers=True)
    assert chosen("nurse", [group, one]).best == "Registered Nurses"
    assert chosen("nurse", [group]).best == "Nurses and Therapists"
    other = Occupation("Nurses, All Other", "29-1149", 5, 0.8, covers=True)
    assert chosen("nurses, all other", [group, one, other]).best == "Nurses, All Other"


@pytest.mark.parametrize(
    ("role", "title", "expected"),
    [
        ("nurse", "Registered Nurse (Nights)", True),
        ("nursing", "Staff Nurse", True),
        ("nurse", "Nurse Manager", False),
        ("nurse", "Nursing Lecturer", False),
        ("software engineer", "Senior Software Developer", True),
        ("data analyst", "Data Engineer", False),
        ("", "Nurse", False),
    ],
)
def test_a_title_names_a_role_or_does_not(role, title, expected):
    assert names_all(role, title) is expected


def test_tools_of_a_role_may_stand_among_the_skills(vocabulary):
    assert fits("python developer", "Backend Engineer", ("Python",), vocabulary)
    assert not fits("python developer", "Backend Engineer", ("Java",), vocabulary)
    assert not fits("python developer", "Python Trainer", ("Python",), vocabulary)
    assert wider_role("Python developer", vocabulary) == "software developer"
    assert wider_role("data engineer", vocabulary) is None
    assert is_generic("senior engineer")
    assert not is_generic("civil engineer")


def _hit(number, **changes):
    values = dict.fromkeys(JobHit.__dataclass_fields__)
    values |= {
        "job_id": f"j{number}", "source": "feed", "title": "Nurse", "company": "Ward", "skills": (), "sample": False,
        "currency": "GBP", "salary_period": "year", "salary_year_min": 30_000.0 + 1_000 * number,
        "salary_year_max": 34_000.0 + 1_000 * number, "description": "", "requirements": "",
    }  # fmt: skip
    return JobHit(**{**values, **changes})


def test_pay_is_grouped_by_source_and_currency_and_never_mixed(vocabulary):
    hits = [_hit(n) for n in range(9)]
    hits += [_hit(20, currency="USD"), _hit(21, sample=True, source="sample"), _hit(22, title="Cook")]
    hits += [_hit(23, salary_year_min=None, salary_year_max=None), _hit(24, currency=None)]
    pay = pay_of("nurse", hits, vocabulary)
    assert (pay.matched, pay.unstated) == (13, 2)
    assert [(g.source, g.currency, g.sample, g.n) for g in pay.groups] == [
        ("feed", "GBP", False, 9), ("feed", "USD", False, 1), ("sample", "GBP", True, 1),
    ]  # fmt: skip
    group = pay.groups[0]
    assert [group.percentile(share) for share in (10, 25, 50, 75, 90)] == [32_800, 34_000, 36_000, 38_000, 39_200]
    assert pay.groups[1].percentile(50) is None
    assert group.share_below(36_000) == 0.5
    assert group.share_below(1) == 0.0


def test_hourly_postings_are_counted_as_converted(vocabulary):
    pay = pay_of("nurse", [_hit(1), _hit(2, salary_period="hour")], vocabulary)
    assert pay.groups[0].converted == 1


async def test_an_amount_stands_between_two_published_percentiles(take, store):
    await take(_row("Nurses"), _row("Bakers", p25="", p90=""))
    nurses, bakers = await _all(store, "Nurses", "Bakers")
    assert percentile_of(45_000, nurses) == ("p25", "p50")
    assert percentile_of(1, nurses) == ("", "p10")
    assert percentile_of(99_000, nurses) == ("p90", "")
    assert percentile_of(45_000, bakers) == ("p10", "p50")


def test_a_country_is_named_by_its_code():
    assert (country_name("GB"), country_name("ZZ")) == ("United Kingdom", "ZZ")
