"""What a board may do to us over the wire, and what becomes of it."""

import asyncio
import gzip
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from board_server import Reply, as_json, board_server, remotive, remotive_job, zipped
from signalbox.retrieval.query import JobQuery
from signalbox.tools.boards.board import COOL_DOWN_S, Feed, JobBoard
from signalbox.tools.boards.feeds import read_remotive
from signalbox.tools.boards.fetch import MAX_BYTES, Request, board_client
from signalbox.tools.boards.meaning import TitleMeaning
from signalbox.tools.result import Err, Ok
from signalbox.tools.search_jobs import JobSearch
from signalbox.tools.vocabulary import packaged_vocabulary

PATH = "/jobs"
ANYTHING = JobSearch(query=JobQuery())
GOOD = as_json(remotive(remotive_job(1)))
SECRET = "s3cr3t-key"


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


async def asked(server, http, embedder, clock=None, timeout_s=30.0, url=None):
    request = Request(url or server.url + PATH, secret=(("app_key", SECRET),))
    feed = Feed("remotive", "Remotive", lambda _: request, read_remotive, 600.0)
    meaning = TitleMeaning(embedder)
    return JobBoard(feed, http, packaged_vocabulary(), meaning, timeout_s=timeout_s, clock=clock or Clock())


@pytest.mark.parametrize(
    ("reply", "kind", "part"),
    [
        (Reply(status=500), "server_error", "status 500"),
        (Reply(status=503, headers={"Retry-After": "7"}), "server_error", "status 503"),
        (Reply(status=429, headers={"Retry-After": "90"}), "rate_limit", "for 90 seconds"),
        (Reply(status=429), "rate_limit", "for 60 seconds"),
        (Reply(status=429, headers={"Retry-After": "999999"}), "rate_limit", "for 3600 seconds"),
        (Reply(status=401), "auth", "refused us"),
        (Reply(status=403), "auth", "refused us"),
        (Reply(status=404), "not_found", "no such board"),
        (Reply(b"<html>", content_type="text/html"), "unavailable", "text/html instead of JSON"),
        (Reply(b"[]", content_type=""), "unavailable", "no content type instead of JSON"),
        (Reply(b'{"jobs": ['), "unavailable", "not valid JSON"),
        (Reply(b'{"jobs": []', length=5_000), "connection", "cut off"),
        (Reply(b'{"postings": []}'), "unavailable", "no list of postings"),
        (as_json({"jobs": [1, 2, 3]}), "unavailable", "none of its 3 rows"),
        (Reply(b"x" * (MAX_BYTES + 1)), "unavailable", "larger than 10 MB"),
        (zipped(b" " * (40 * MAX_BYTES)), "unavailable", "larger than 10 MB"),
        (Reply(gzip.compress(GOOD.body)[:-20], headers={"Content-Encoding": "gzip"}), "unavailable", "cut off"),
        (Reply(b"not gzip", headers={"Content-Encoding": "gzip"}), "unavailable", "damaged"),
        (Reply(b"?", headers={"Content-Encoding": "br"}), "unavailable", "do not read (br)"),
        (Reply(status=302, headers={"Location": "http://127.0.0.2:9/x"}), "unavailable", "another host"),
        (Reply(status=302, headers={"Location": "file:///etc/passwd"}), "unavailable", "not secure"),
        (Reply(status=302, headers={"Location": PATH}), "unavailable", "more than 3 times"),
    ],
)
async def test_every_failure_is_an_error_of_its_kind_and_shows_no_secret(embedder, reply, kind, part):
    async with board_server({PATH: reply}) as server, board_client() as http:
        result = await (await asked(server, http, embedder)).run(ANYTHING)
    assert isinstance(result, Err)
    assert result.kind == kind
    assert part in result.note
    assert SECRET not in repr(result)


async def test_a_board_that_hangs_costs_its_timeout_and_no_more(embedder):
    async with board_server({PATH: Reply(hang=True)}) as server, board_client() as http:
        started = time.monotonic()
        result = await (await asked(server, http, embedder, timeout_s=0.2)).run(ANYTHING)
        assert time.monotonic() - started < 30, "it never answers"
    assert result == Err("timeout", "no answer within 0.2 seconds")


async def test_a_board_that_is_not_there_is_unavailable(embedder):
    async with board_client() as http:
        board = await asked(None, http, embedder, url="http://127.0.0.1:9/jobs")
        assert await board.run(ANYTHING) == Err("connection", "it cannot be reached")


async def test_a_redirect_on_the_same_host_and_packed_answers_are_read(embedder):
    replies = {PATH: Reply(status=301, headers={"Location": "/v2/jobs"}), "/v2/jobs": zipped(GOOD.body)}
    async with board_server(replies) as server, board_client() as http:
        assert isinstance(await (await asked(server, http, embedder)).run(ANYTHING), Ok)


async def test_a_board_is_left_alone_for_as_long_as_it_asks(embedder):
    clock = Clock()
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=120), usegmt=True)
    async with (
        board_server({PATH: Reply(status=429, headers={"Retry-After": until})}) as server,
        board_client() as http,
    ):
        board = await asked(server, http, embedder, clock)
        assert (await board.run(ANYTHING)).kind == "rate_limit"
        clock.now = 60.0
        again = await board.run(ANYTHING)
        assert again.kind == "rate_limit"
        assert "another 5" in again.note or "another 60" in again.note
        assert server.times(PATH) == 1
        server.replies[PATH] = GOOD
        clock.now = 121.0
        assert isinstance(await board.run(ANYTHING), Ok)


async def test_a_failure_is_known_for_a_while_without_asking_and_then_asked_anew(embedder):
    clock = Clock()
    async with board_server({PATH: Reply(status=500)}) as server, board_client() as http:
        board = await asked(server, http, embedder, clock)
        first = await board.run(ANYTHING)
        second = await board.run(ANYTHING)
        assert (first.kind, second.kind, server.times(PATH)) == ("server_error", "server_error", 1)
        assert "not asked again yet" in second.note
        server.replies[PATH] = GOOD
        clock.now = COOL_DOWN_S + 1
        assert isinstance(await board.run(ANYTHING), Ok)


async def test_a_listing_is_kept_for_its_time(embedder):
    clock = Clock()
    async with board_server({PATH: GOOD}) as server, board_client() as http:
        board = await asked(server, http, embedder, clock)
        for now, times in ((0.0, 1), (599.0, 1), (601.0, 2)):
            clock.now = now
            assert isinstance(await board.run(ANYTHING), Ok)
            assert server.times(PATH) == times


async def test_who_gives_up_waiting_does_not_take_the_others_with_them(embedder):
    async with board_server({PATH: as_json(remotive(remotive_job(1)), after_s=1)}) as server, board_client() as http:
        board = await asked(server, http, embedder)
        first, second = (asyncio.create_task(board.run(ANYTHING)) for _ in range(2))
        async with asyncio.timeout(30):
            while not server.times(PATH):  # noqa: ASYNC110 - of a server that tells nobody
                await asyncio.sleep(0.01)
        first.cancel()
        assert isinstance(await second, Ok)
        with pytest.raises(asyncio.CancelledError):
            await first


async def test_what_takes_too_long_to_read_is_there_for_the_next_search(embedder):
    begun, reading = threading.Event(), threading.Event()

    def slow(payload):
        begun.set()
        reading.wait(60)
        return read_remotive(payload)

    async with board_server({PATH: GOOD}) as server, board_client() as http:
        request = Request(server.url + PATH)
        feed = Feed("remotive", "Remotive", lambda _: request, slow, 600.0)
        board = JobBoard(feed, http, packaged_vocabulary(), TitleMeaning(embedder), timeout_s=60)
        searching = asyncio.create_task(board.run(ANYTHING))
        await asyncio.to_thread(begun.wait, 30)
        searching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await searching
        reading.set()
        async with asyncio.timeout(30):
            while board.posting("live_remotive_1900000001") is None:  # noqa: ASYNC110 - the thread tells nobody
                await asyncio.sleep(0.01)
        assert isinstance(await board.run(ANYTHING), Ok)
        assert server.times(PATH) == 1


async def test_half_a_character_in_one_description_costs_no_posting(embedder):
    body = GOOD.body.replace(b"pipelines", b"pipe\\ud83dlines")
    async with board_server({PATH: Reply(body)}) as server, board_client() as http:
        found = await (await asked(server, http, embedder)).run(ANYTHING)
    assert found.total == 1
    found.value.hits[0].description.encode()


async def test_json_that_nests_without_end_is_no_crash(embedder):
    async with board_server({PATH: Reply(b"[" * 200_000)}) as server, board_client() as http:
        result = await (await asked(server, http, embedder)).run(ANYTHING)
    assert result == Err("unavailable", "its answer is not valid JSON")
