"""A database that is away and one whose connections are all in use are two things, and are told apart."""

import pytest

from signalbox.db import BUSY, Database
from signalbox.errors import StoreUnavailable


@pytest.fixture
async def narrow(servers, database):
    """Two connections for everybody, and little patience."""
    db = Database(servers.database_url, size=2, wait_s=0.2)
    await db.open()
    await db._pool.wait(60)  # both are there
    yield db
    await db.close()


async def test_a_full_pool_is_told_as_a_busy_server_and_not_as_a_lost_database(narrow):
    async with narrow.connection(), narrow.connection():
        with pytest.raises(StoreUnavailable) as full:
            await narrow.fetch("SELECT 1")
    assert full.value.public == BUSY
    assert (full.value.code, full.value.status, full.value.retry) == ("store_unavailable", 503, True)


async def test_who_found_the_pool_full_makes_nobody_after_it_give_up_sooner(narrow):
    async with narrow.connection(), narrow.connection():
        with pytest.raises(StoreUnavailable):
            await narrow.fetch("SELECT 1")
    assert not narrow._down
    assert await narrow.fetch_one("SELECT 1 AS one") == {"one": 1}


async def test_a_database_that_is_away_is_told_as_away():
    db = Database("postgresql://nobody@127.0.0.1:9/none", size=2, wait_s=0.2)
    await db.open()
    with pytest.raises(StoreUnavailable) as away:
        await db.fetch("SELECT 1")
    await db.close()
    assert "cannot be reached" in away.value.public
