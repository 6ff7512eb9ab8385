import json
import os
from collections import Counter
from datetime import date, timedelta
from importlib import resources

import pytest

from signalbox.errors import ConfigurationError
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.ingest import ingest_jobs, load_samples
from signalbox.retrieval.query import parse_query
from signalbox.retrieval.readers import load_mapping

TODAY = date(2026, 11, 30)


def _row(number, **more):
    return {
        "id": f"t-{number}",
        "source": "feed",
        "title": "Remote Data Engineer",
        "company": "Acme",
        "salary_min": 30,
        "salary_period": "hour",
        "currency": "$",
        "date_posted": "2026-11-01T09:00:00Z",
        "requirements": "Python, SQL and Airflow.",
        **more,
    }


@pytest.fixture
async def take(database, embedder, vocabulary):
    async def ingest(*paths, mapping=None, progress=None):
        return await ingest_jobs(database, embedder, vocabulary, paths, mapping, False, progress, today=TODAY)

    yield ingest
    await database.execute("DELETE FROM job WHERE source IN ('feed', 'import')")


def _lines(path, rows):
    path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows))
    return path


async def test_an_import_twice_writes_once_and_a_changed_row_is_updated(take, database, tmp_path):
    rows = [_row(1), _row(2), _row(3)]
    feed = _lines(tmp_path / "a.jsonl", rows)
    first = await take(feed)
    stored = await database.fetch("SELECT job_id, ingested_at FROM job WHERE source = 'feed' ORDER BY job_id")
    second = await take(feed)
    assert (first.read, first.new, first.rejected) == (3, 3, 0)
    assert (second.new, second.updated, second.unchanged) == (0, 0, 3)
    again = await database.fetch("SELECT job_id, ingested_at FROM job WHERE source = 'feed' ORDER BY job_id")
    assert again == stored
    rows[1]["title"] = "Beekeeper"
    third = await take(_lines(tmp_path / "a.jsonl", rows))
    assert (third.new, third.updated, third.unchanged) == (0, 1, 2)
    changed = await database.fetch_one("SELECT title, remote FROM job WHERE job_id = 'feed:t-2'")
    assert changed == {"title": "Beekeeper", "remote": None}


async def test_a_row_is_brought_to_our_units_and_words(take, database, tmp_path):
    await take(_lines(tmp_path / "a.jsonl", [_row(1, title="Senior Data Engineer (Remote)", country="Germany")]))
    row = await database.fetch_one("SELECT * FROM job WHERE job_id = 'feed:t-1'")
    assert (row["salary_year_min"], row["salary_period"], row["currency"]) == (62_400, "hour", "USD")
    assert (row["seniority"], row["remote"], row["country"]) == ("senior", True, "DE")
    assert row["skills"] == ["Data Engineering", "Python", "SQL", "Apache Airflow"]
    assert row["posted_at"] == date(2026, 11, 1)
    assert row["sample"] is False


async def test_bad_rows_are_reported_with_line_and_reason_and_stop_nothing(take, tmp_path):
    feed = _lines(
        tmp_path / "bad.jsonl",
        [
            _row(1),
            "{broken\n",
            _row(3, title=" "),
            '{"id": "t-4", "source": "feed", "title": "x", "company": "y", "salary_min": NaN}\n',
            _row(5, date_posted="soon"),
            _row(6, title="nul\x00byte"),
            _row(7, description="x" * 60_001),
            _row(1),
            "[1, 2]\n",
            "\n",
            _row(11, salary_min=9, salary_max=3),
            _row(12, url="javascript:alert(1)"),
            "[" * 100_000 + "\n",
            _row(14, title="lone \ud800 surrogate"),
            _row(15, date_closes="until filled"),
        ],
    )
    seen = []
    report = await take(feed, progress=lambda done, total: seen.append((done, total)))
    assert [each.line for each in report.reasons] == [2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13]
    assert (report.new, report.rejected, report.read) == (3, 11, 14)
    assert seen == [(14, None)]
    reasons = {each.line: each.reason for each in report.reasons}
    assert "JSON" in reasons[2]
    assert reasons[3].startswith("title")
    assert "finite" in reasons[4]
    assert reasons[5].startswith("date_posted")
    assert "NUL" in reasons[6]
    assert reasons[7].startswith("description")
    assert reasons[8] == "the id t-1 was used on line 1 already"


async def test_csv_is_read_with_its_own_separator_encoding_and_common_names(take, database, tmp_path):
    feed = tmp_path / "jobs.csv"
    feed.write_bytes(
        "Job Title;Company Name;City;Tags\nKöchin;Café Süd;Köln;Cooking, Baking\nNo company;;;\n;x;y;z\n".encode(
            "latin-1"
        )
    )
    report = await take(feed)
    assert (report.new, report.rejected) == (2, 1)
    assert "Latin-1" in report.notes[0]
    row = await database.fetch_one("SELECT * FROM job WHERE title = 'Köchin'")
    assert (row["company"], row["location"], row["country"]) == ("Café Süd", "Köln", "DE")
    assert row["skills"] == ["Cooking", "Pastry"]
    assert (await take(feed)).unchanged == 2


@pytest.mark.parametrize("text", ["[%s, 3, %s]", '{"meta": 1, "jobs": [%s, 3, %s]}'])
async def test_json_arrays_are_read_by_element(take, tmp_path, text):
    feed = tmp_path / "jobs.json"
    feed.write_text("\ufeff" + text % (json.dumps(_row(1)), json.dumps(_row(2))), encoding="utf-8")
    report = await take(feed)
    assert (report.new, report.rejected, report.reasons[0].line) == (2, 1, 2)


async def test_a_broken_array_keeps_what_came_before(take, tmp_path):
    feed = tmp_path / "jobs.json"
    feed.write_text("[" + json.dumps(_row(1)) + ', {"id": "t-2", "tit')
    report = await take(feed)
    assert (report.new, report.rejected) == (1, 1)
    assert "breaks off" in report.reasons[0].reason


async def test_a_mapping_file_names_the_fields(take, database, tmp_path):
    rules = tmp_path / "map.json"
    rules.write_text(
        json.dumps(
            {
                "id": "Ref",
                "title": "Business Title",
                "company": {"field": "org.name"},
                "location": {"fields": ["Town", "Land"]},
                "skills": {"field": "techs", "split": ";"},
                "source": {"value": "feed"},
            }
        )
    )
    row = {
        "Ref": 7,
        "Business Title": "Cook",
        "org": {"name": "Inn"},
        "Town": "Leeds",
        "Land": "UK",
        "techs": "Excel;SQL",
    }
    await take(_lines(tmp_path / "a.jsonl", [row]), mapping=load_mapping(rules))
    stored = await database.fetch_one("SELECT * FROM job WHERE job_id = 'feed:7'")
    assert (stored["company"], stored["location"], stored["country"]) == ("Inn", "Leeds, UK", "GB")
    assert stored["skills"] == ["Excel", "SQL", "Cooking"]
    rules.write_text('{"title": {"feeld": "x"}}')
    with pytest.raises(ConfigurationError, match="title"):
        load_mapping(rules)


async def test_a_missing_file_is_a_clear_error(take, tmp_path):
    with pytest.raises(ConfigurationError, match=r"nothing\.jsonl"):
        await take(tmp_path / "nothing.jsonl")


async def test_of_several_files_none_is_stored_if_one_cannot_be_read(take, database, tmp_path):
    good = _lines(tmp_path / "good.jsonl", [_row(1)])
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(ConfigurationError) as caught:
        await take(good, tmp_path / "nothing.jsonl", tmp_path / "folder.jsonl", tmp_path / "pipe.jsonl")
    for part in (
        "nothing.jsonl cannot be read: No such file",
        "it is a folder",
        "no regular file",
        "Nothing was stored",
    ):
        assert part in caught.value.public
    assert await database.fetch("SELECT 1 FROM job WHERE source = 'feed'") == []


async def test_samples_load_once_and_their_dates_follow_the_calendar(index, database, embedder, vocabulary):
    """``index`` has loaded them already."""
    dates = "SELECT external_id, posted_at FROM job WHERE source = 'sample' ORDER BY external_id"
    before = await database.fetch(dates)
    report = await load_samples(database, embedder, vocabulary)
    assert (report.new, report.updated, report.rejected) == (0, 0, 0)
    assert await database.fetch(dates) == before
    later = await load_samples(database, embedder, vocabulary, today=date.today() + timedelta(days=5))  # noqa: DTZ011
    assert later.unchanged == len(before)
    moved = await database.fetch(dates)
    assert [row["posted_at"] for row in moved] == [row["posted_at"] + timedelta(days=5) for row in before]
    await load_samples(database, embedder, vocabulary)


def test_the_samples_are_many_varied_and_each_its_own():
    text = (resources.files("signalbox.data") / "sample_jobs.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert len(rows) >= 260
    assert len({row["description"] for row in rows}) == len({row["requirements"] for row in rows}) == len(rows)
    assert all(row["source"] == "sample" and row["url"] is None for row in rows)
    assert all(50 <= len(row["description"].split()) <= 150 for row in rows)
    assert len(Counter(row["category"] for row in rows)) >= 30
    assert len(Counter(row.get("country") for row in rows)) >= 20


async def test_real_postings_satisfy_every_part_of_a_question(shared, database, embedder, vocabulary, tmp_path):
    """A slice of the public postings, since all of them take most of a minute to embed."""
    wanted = ("security", "engineer", "rust")
    with (shared / "data/jobs_core/jobs.jsonl").open() as file:
        rows = [line for line in file if any(word in json.loads(line)["title"].lower() for word in wanted)][:120]
    feed = _lines(tmp_path / "real.jsonl", rows)
    try:
        report = await ingest_jobs(database, embedder, vocabulary, [feed], today=TODAY)
        assert (report.new, report.rejected) == (len(rows), 0)
        index = JobIndex(database, embedder, vocabulary)
        found = await index.search(parse_query("security engineer jobs in New York over 100k", TODAY, vocabulary))
        assert found.hits
        for hit in found.hits:
            assert "new york" in hit.location.lower()
            assert (hit.salary_year_max or hit.salary_year_min) >= 100_000
            assert "secur" in f"{hit.title} {hit.requirements}".lower()
        mars = await index.search(parse_query("remote rust jobs on Mars", TODAY, vocabulary))
        assert mars.total == 0
    finally:
        await database.execute("DELETE FROM job WHERE source <> 'sample'")
