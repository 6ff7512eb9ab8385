"""Each file begins with no tool of any server approved: the names of servers are the files' own."""

import pytest

from signalbox.db import Database


@pytest.fixture(scope="module", autouse=True)
async def _nothing_approved(database: Database) -> None:
    await database.execute("DELETE FROM mcp_tool")
