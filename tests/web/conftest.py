"""A real browser on a real server: one browser a session, a new user a test, and no fault that was not expected."""

import asyncio
import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from browsing import FLAGS, FRONTEND, ROOT, Faults, tab
from chat_page import Chat
from playwright.async_api import Browser, BrowserContext, async_playwright, expect
from told import SCRIPT, ToldModel

from live import Live, live
from mail_server import Mailbox, mailbox
from signalbox.api.web import DIST
from signalbox.db import Database, migrate
from signalbox.retrieval.documents.ingest import load_guides
from signalbox.retrieval.ingest import load_samples
from signalbox.settings import Settings, load_settings
from signalbox.tools.vocabulary import packaged_vocabulary

SOURCES = ("src", "client/src", "public", "index.html", "package.json", "vite.config.ts")
SECRET = "only-for-tests-only-for-tests"

# Read before the settings of the surroundings are taken away from all tests.
CHROMIUM = os.environ.get("SIGNALBOX_CHROMIUM") or shutil.which("chromium")
GIVEN_BUILD = os.environ.get("SIGNALBOX_WEB_DIR")


@pytest.fixture(scope="session")
def built() -> Path:
    """A build of the page that is no older than its sources; ``SIGNALBOX_WEB_DIR`` names another one to test."""
    if GIVEN_BUILD:
        return Path(GIVEN_BUILD)
    with (Path(tempfile.gettempdir()) / f"sb-page-{os.getuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # test processes side by side build once
        if _stale():
            if shutil.which("npm") is None:
                pytest.skip("the page is not built, and there is no Node.js to build it; see scripts/web")
            subprocess.run([ROOT / "scripts" / "web"], check=True, capture_output=True, text=True)
    return DIST


def _stale() -> bool:
    index = DIST / "index.html"
    if not index.is_file():
        return True
    files = [file for name in SOURCES for file in _files(FRONTEND / name)]
    return max(file.stat().st_mtime for file in files) > index.stat().st_mtime


def _files(path: Path) -> Iterator[Path]:
    return (file for file in path.rglob("*") if file.is_file()) if path.is_dir() else iter([path])


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium; install it or name it in SIGNALBOX_CHROMIUM")
    expect.set_options(timeout=30_000)  # of a busy machine; each test says what is too slow
    async with async_playwright() as play:
        browser = await play.chromium.launch(
            executable_path=CHROMIUM,
            args=list(FLAGS),
            ignore_default_args=["--disable-back-forward-cache"],  # users have it
        )
        yield browser
        await browser.close()


# -- servers


@pytest.fixture(scope="session")
def own_database(servers) -> Callable[[str], Any]:
    """A database by name, made and migrated; servers of other tests would take the runs that wait in theirs."""

    async def make(name: str) -> str:
        async with await psycopg.AsyncConnection.connect(servers.database_url, autocommit=True) as conn:
            await conn.execute(f"CREATE DATABASE {name}")
        url = re.sub(r"/[^/?]*(\?|$)", rf"/{name}\1", servers.database_url, count=1)
        await migrate(url)
        return url

    return make


@pytest.fixture(scope="session")
def web_settings(servers, data_dir, built) -> Callable[..., Settings]:
    def make(database_url: str, **more: Any) -> Settings:
        given = {
            "data_dir": data_dir, "redis_url": servers.redis_url, "secret_key": SECRET, "heartbeat_s": 1,
            "lease_s": 3, "grace_s": 1, "web_dir": built, "model": "offline",
        }  # fmt: skip
        return load_settings(database_url=database_url, **(given | more))

    return make


@pytest.fixture(scope="session")
async def catalogue(own_database, embedder) -> str:
    """A database with all that a first start loads: the fictional postings and the guides."""
    url = await own_database("web_offline")
    db = Database(url, size=2)
    await db.open()
    await load_samples(db, embedder, packaged_vocabulary())
    await load_guides(db, embedder)
    await db.close()
    return url


@pytest.fixture(scope="session")
def post() -> Iterator[Mailbox]:
    """Where the offline server's mail arrives."""
    with mailbox() as box:
        yield box


@pytest.fixture(scope="session")
async def offline(catalogue, web_settings, post) -> AsyncIterator[Live]:
    """The server a user starts: the model that needs no key, the catalogue, and a mail server."""
    settings = web_settings(catalogue, smtp_url=post.url(), mail_from="careers@signalbox.example")
    async with live(settings) as running:
        yield running


@pytest.fixture(scope="session")
def model() -> ToldModel:
    return ToldModel(SCRIPT)


@pytest.fixture
def enough(model) -> Iterator[asyncio.Event]:
    """What answers ``UNTIL_ENOUGH`` ends when it is set."""
    model.enough.clear()
    yield model.enough
    model.enough.set()


@pytest.fixture(scope="session")
async def scripted(own_database, web_settings, model) -> AsyncIterator[Live]:
    """A server whose model says exactly what a test tells it to."""
    async with live(web_settings(await own_database("web_scripted"), model="scripted"), model=model) as running:
        yield running


# -- pages


@pytest.fixture(autouse=True)
def faults() -> Iterator[Faults]:
    watched = Faults()
    yield watched
    assert watched.unexpected() == []


Visit = Callable[..., Any]


@pytest.fixture
def contexts() -> list[BrowserContext]:
    """The browsers of this test that are open."""
    return []


@pytest.fixture
def close_pages(contexts) -> Callable[[], Any]:
    """To be called before what they talk to goes: a page that misses its server says so, and that is a fault."""

    async def close() -> None:
        while contexts:
            with contextlib.suppress(Exception):  # a page that a test has crashed
                await contexts.pop().close()

    return close


@pytest.fixture
def serve(close_pages) -> Callable[[Settings], Any]:
    """A server of this test's own."""

    @contextlib.asynccontextmanager
    async def serving(settings: Settings) -> AsyncIterator[Live]:
        async with live(settings) as server:
            yield server
            await close_pages()

    return serving


@pytest.fixture
async def visit(browser: Browser, faults: Faults, contexts, close_pages) -> AsyncIterator[Visit]:
    """Open the page: as a new user, or as the one of the tab ``like``, there in a browser of their own."""

    async def open_page(
        server: Live | str, path: str = "/", *, like: Chat | None = None, wait: bool = True, **options: Any
    ) -> Chat:
        url = server if isinstance(server, str) else server.url
        state = await like.page.context.storage_state() if like else None
        given = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", "storage_state": state}
        context = await browser.new_context(**(given | options))
        contexts.append(context)
        context.set_default_timeout(30_000)
        await faults.watch(context, url)
        return await tab(context, url, path, wait=wait)

    yield open_page
    await close_pages()
