import io
from datetime import date

import pytest
from rich.console import Console

from signalbox.errors import BadRequest
from signalbox.ingesting import Files, ingest_company_files, ingest_wage_files


@pytest.fixture
async def screen(database):
    yield Console(file=io.StringIO(), width=200)
    await database.execute("DELETE FROM company WHERE source = 'cli-test'")
    await database.execute("DELETE FROM wage WHERE source = 'cli-test'")


async def test_companies_are_loaded_with_a_report_of_what_was_rejected(settings, database, screen, tmp_path):
    path = tmp_path / "companies.csv"
    path.write_text("company,hq,employees\nAcme,Ghent,500+\nBare,,\n")
    mapping = tmp_path / "map.json"
    mapping.write_text('{"region": "hq"}')
    await ingest_company_files(settings, Files([path], mapping, date(2026, 1, 1), "cli-test"), screen)
    printed = screen.file.getvalue()
    assert "rejected companies.csv:3: the row says nothing of the company but its name" in printed
    row = await database.fetch_one("SELECT * FROM company WHERE source = 'cli-test'")
    assert (row["name"], row["region"], row["size_min"], row["as_of"]) == ("Acme", "Ghent", 500, date(2026, 1, 1))


async def test_wages_are_loaded_and_a_file_of_the_wrong_kind_is_an_error(settings, database, screen, tmp_path):
    path = tmp_path / "wages.jsonl"
    path.write_text('{"occupation": "Bakers", "currency": "EUR", "period": "month", "median": 2500, "country": "DE"}\n')
    await ingest_wage_files(settings, Files([path], source="cli-test"), screen)
    row = await database.fetch_one("SELECT * FROM wage WHERE source = 'cli-test'")
    assert (row["occupation"], row["area"], row["p50"], row["period"]) == ("Bakers", "National", 2500, "month")
    path.write_text('{"name": "Acme"}\n')
    with pytest.raises(BadRequest, match="No row could be read"):
        await ingest_wage_files(settings, Files([path], source="cli-test"), screen)
