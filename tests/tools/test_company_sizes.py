from test_tools import Index

from signalbox.retrieval.facts.companies import name_key
from signalbox.tools.calling import bounded
from signalbox.tools.company_sizes import CompanyNames, CompanySizes
from signalbox.tools.find_jobs import FindJobs, JobReferences
from signalbox.tools.result import Empty, Ok


async def company(database, tenant, name, source, size, as_of="2026-01-01"):
    await database.execute(
        "INSERT INTO company "
        "(company_id, tenant, source, external_id, name, name_key, size_min, size_max, as_of, digest) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, '')",
        [f"{tenant}{name}{source}{as_of}", tenant, source, f"{name}{as_of}", name, name_key(name), *size, as_of],
    )


async def test_sizes_of_many_companies_are_found_in_one_call(database):
    await company(database, "sizes", "Northwind GmbH", "a", (11, 50))
    await company(database, "sizes", "Northwind", "b", (51, 200), "2020-01-01")
    await company(database, "sizes", "Fathom Bank", "a", (1000, None))
    await company(database, "sizes", "Twins", "a", (1, 10))
    await company(database, "sizes", "Twins Ltd", "a", (500, 900), "2025-01-01")
    await company(database, "other", "Elsewhere", "a", (1, 10))
    names = ("NORTHWIND", "Fathom-Bank", "Twins", "Elsewhere", "Nobody", "")
    result = await bounded(CompanySizes(database, "sizes"), CompanyNames(names=names))
    assert isinstance(result, Ok)
    # The newest record counts; of namesakes nothing is told, nor of another tenant's.
    assert result.value == {"northwind": (11, 50), "fathom bank": (1000, None)}
    await database.execute("DELETE FROM company WHERE tenant IN ('sizes', 'other')")


async def test_no_known_size_is_empty(database):
    assert isinstance(await bounded(CompanySizes(database, "sizes"), CompanyNames(names=("Nobody", "!"))), Empty)


async def test_postings_that_are_all_gone_are_empty():
    assert isinstance(await bounded(FindJobs(Index()), JobReferences(job_ids=("j1", "j2"))), Empty)
