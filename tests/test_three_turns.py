"""The shipped terminal client on a real server and the sample catalogue: a search, and two turns that lean on it."""

import asyncio
import os
import re
import sys

import psycopg
import pytest

from live import live
from signalbox.db import Database, migrate
from signalbox.retrieval.ingest import load_samples
from signalbox.settings import load_settings
from signalbox.tools.vocabulary import packaged_vocabulary

TURNS = ("Find nursing jobs", "which of these pays best?", "write to the second one")


@pytest.fixture
async def catalogue(servers, embedder):
    """A database of its own with the fictional catalogue in it."""
    async with await psycopg.AsyncConnection.connect(servers.database_url, autocommit=True) as conn:
        await conn.execute("DROP DATABASE IF EXISTS three_turns WITH (FORCE)")
        await conn.execute("CREATE DATABASE three_turns")
    url = re.sub(r"/[^/?]*(\?|$)", r"/three_turns\1", servers.database_url, count=1)
    await migrate(url)
    db = Database(url)
    await db.open()
    await load_samples(db, embedder, packaged_vocabulary())
    await db.close()
    yield url
    async with await psycopg.AsyncConnection.connect(servers.database_url, autocommit=True) as conn:
        await conn.execute("DROP DATABASE IF EXISTS three_turns WITH (FORCE)")


async def test_a_search_then_the_best_paid_then_a_letter_to_the_second(servers, catalogue, data_dir, tmp_path):
    settings = load_settings(
        data_dir=data_dir,
        database_url=catalogue,
        redis_url=servers.redis_url,
        model="offline",
        secret_key="only-for-tests-only-for-tests",
    )
    async with live(settings) as server:
        chat = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            "from signalbox.cli import main; main()",
            "chat",
            "--url",
            server.url,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path), "COLUMNS": "160"},
        )
        out, _ = await asyncio.wait_for(chat.communicate("\n".join(TURNS).encode() + b"\n"), 180)
    shown = out.decode()
    first, second, third = re.findall(r"^→ (\w+)$", shown, re.MULTILINE)
    assert (first, third) == ("job_search", "cold_email")
    assert second in {"salary", "job_match"}, "either can say which of the jobs on the table pays best"
    listing, judged, written = re.split(r"^→ \w+$", shown, flags=re.MULTILINE)[1:]
    titles = re.findall(r"^\d\. (?:\*\*)?(.+?)(?:\*\*)? at ([^:*(]+?)(?: \*?\(sample\)\*?)?:", listing, re.MULTILINE)
    assert len(titles) >= 3, listing
    title, company = titles[1]
    assert company in written, (company, written)
    assert title in written
    assert "pay" in judged.casefold()
    assert sum(name in judged for _, name in titles) >= 2, "the jobs judged are those that were shown"
