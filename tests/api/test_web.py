"""The page's files over HTTP: for browsers only, under a strict policy, and never anything beside them."""

import gzip
import os

import httpx
import pytest
from wire import check_problem, exchange

from live import live
from signalbox.api import web

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
PAGE = "<!doctype html><title>built</title>" + " " * 500
SCRIPT = "export const a = 1;" * 200


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    (folder / "assets").mkdir()
    for name, text in {"index.html": PAGE, "assets/app-1a2b.js": SCRIPT, "theme.js": "1", "icon.svg": "<svg/>"}.items():
        (folder / name).write_text(text)
        (folder / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    (folder.parent / "secret.txt").write_text("not to be had")
    (folder / "assets" / "plain.css").write_text("a{}")
    return folder


@pytest.fixture(scope="module")
async def client(server, built):
    settings = server.services.settings.model_copy(update={"web_dir": built, "max_runs": 0, "port": 0})
    async with live(settings) as running, httpx.AsyncClient(base_url=running.url) as client:
        client.port = running.port
        yield client


@pytest.mark.parametrize("path", ["/", "/c/c_0123456789abcdef0123", "/c/whatever"])
async def test_a_browser_gets_the_page_on_every_address_of_it(client, path):
    response = await client.get(path, headers=BROWSER)
    assert response.status_code == 200
    assert response.text == PAGE
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["cache-control"] == "no-cache"
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "*" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"


async def test_other_clients_are_told_where_things_are(client):
    for accept in ("*/*", "application/json"):
        response = await client.get("/", headers={"Accept": accept})
        assert response.json()["chat"] == "POST /v1/chat"
        assert "Accept" in response.headers["vary"]


async def test_files_are_compressed_beforehand_kept_by_the_browser_and_asked_for_once(client):
    for encoding in ("gzip", "identity"):
        response = await client.get("/assets/app-1a2b.js", headers={"Accept-Encoding": encoding})
        assert response.text == SCRIPT
        assert response.headers.get("content-encoding", "identity") == encoding
        assert response.headers["content-type"].startswith("text/javascript")
        assert "immutable" in response.headers["cache-control"]
        again = {"If-None-Match": response.headers["etag"], "Accept-Encoding": encoding}
        known = await client.get("/assets/app-1a2b.js", headers=again)
        assert (known.status_code, known.content) == (304, b"")
    plain = await client.get("/assets/plain.css", headers={"Accept-Encoding": "gzip"})
    assert plain.text == "a{}"
    head = await client.head("/assets/app-1a2b.js")
    assert (head.status_code, head.content) == (200, b"")
    assert (await client.get("/favicon.ico")).headers["content-type"] == "image/svg+xml"


async def test_a_client_that_wants_no_gzip_gets_none(client):
    for encoding in ("gzip;q=0", "br, gzip; q=0.000", "x-gzip"):
        response = await client.get("/assets/app-1a2b.js", headers={"Accept-Encoding": encoding})
        assert "content-encoding" not in response.headers
    for encoding in ("br, GZIP;q=0.5", "deflate,gzip"):
        response = await client.get("/assets/app-1a2b.js", headers={"Accept-Encoding": encoding})
        assert response.headers["content-encoding"] == "gzip"


async def test_a_new_build_is_seen_though_its_size_and_time_are_those_of_the_old_one(server, tmp_path):
    settings = server.services.settings.model_copy(update={"web_dir": tmp_path, "max_runs": 0, "port": 0})
    page = tmp_path / "index.html"
    async with live(settings) as running, httpx.AsyncClient(base_url=running.url) as client:
        assert (await client.get("/assets/any.js")).status_code == 404
        page.write_text("<title>one</title>")
        times = (page.stat().st_atime_ns, page.stat().st_mtime_ns)
        first = await client.get("/", headers=BROWSER)
        known = {**BROWSER, "If-None-Match": first.headers["etag"]}
        assert (await client.get("/", headers=known)).status_code == 304
        page.write_text("<title>two</title>")
        os.utime(page, ns=times)
        assert (await client.get("/", headers=known)).text == "<title>two</title>"


@pytest.mark.parametrize(
    "target",
    [
        *("/assets/../../secret.txt", "/assets/%2e%2e/%2e%2e/secret.txt", "/assets//etc/passwd", "/assets/"),
        *("/assets/nothing.js", "/assets/%00", "/assets/app-1a2b.js/x", "/manifest.webmanifest", "/secret.txt"),
        *("/assets/" + "x" * 300, "/assets/..%5c..%5csecret.txt", "/assets"),
    ],
)
async def test_nothing_beside_the_build_can_be_had(client, target):
    status, _, body = await exchange(
        client.port, f"GET {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n".encode()
    )
    assert status in {400, 404, 307}
    assert b"not to be had" not in body


async def test_an_unknown_file_is_a_problem_like_any_other(client):
    check_problem(await client.get("/assets/nothing.js"), 404, "not_found")


async def test_without_a_build_the_page_says_what_to_do(server, tmp_path):
    settings = server.services.settings.model_copy(update={"web_dir": tmp_path, "max_runs": 0, "port": 0})
    async with live(settings) as running, httpx.AsyncClient(base_url=running.url) as client:
        response = await client.get("/", headers=BROWSER)
        assert response.status_code == 503
        assert "make web" in response.text
        assert (await client.get("/")).json()["name"] == "signalbox"
        (tmp_path / "index.html").write_text(PAGE)
        assert (await client.get("/", headers=BROWSER)).text == PAGE


def test_the_package_looks_for_the_page_within_itself():
    assert web.DIST.parent.parent.name == "signalbox"
