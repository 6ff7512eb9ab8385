"""A stream survives what networks and proxies do to it: each event once, in order, whatever is cut where."""

import asyncio
import itertools
import json
import random
import time
from functools import partial

import httpx
import pytest
from badly_behaved import CONVERSATION, EPOCH, Answer, Asked, Wire, as_json, data, frame, frames, problem, run_of, split

from signalbox.client import ApiError, Client, ConnectionLost
from signalbox.event_stream import EventStream, Retries, Rhythm
from signalbox.events import AnyEvent, Chunk, Complete, Gap, Snapshot

WORDS = ["He", "llo ", "wörld — 漢字 🙂 ", "line\u2028end\r\n", "", "done"] * 4
EVENTS = run_of(*WORDS)
FRAMES = frames(EVENTS)


async def all_of(stream: EventStream) -> list[AnyEvent]:
    return [event async for event in stream]


def seqs(events: list[AnyEvent]) -> list[int]:
    return [event.seq for event in events]


@pytest.mark.parametrize("seed", range(25))
async def test_cuts_at_any_byte_lose_and_double_nothing(seed: int):
    rng = random.Random(seed)

    def answer(asked: Asked) -> Answer:
        if asked.after >= len(FRAMES):
            return Answer(status=204)
        rest = b"retry: 1\n\n" + b": heartbeat\n\n".join(FRAMES[asked.after :])
        cut = rng.randrange(20, len(rest) + 200)
        return Answer(split(rest[:cut], rng), end="cut" if cut < len(rest) else "done")

    async with Wire(answer) as wire, wire.client() as client:
        events = await all_of(client.stream(run_id="r_1"))
    assert seqs(events) == list(range(1, len(FRAMES) + 1))
    assert "".join(event.content for event in events if isinstance(event, Chunk)) == "".join(WORDS)
    assert all(asked.path == "/v1/runs/r_1/events" for asked in wire.asked)


async def test_events_that_are_sent_again_are_dropped():
    turns = iter([Answer([*FRAMES[:5]], end="cut"), Answer([*FRAMES[2:], *FRAMES[-3:]])])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        events = await all_of(client.stream(run_id="r_1"))
    assert seqs(events) == list(range(1, len(FRAMES) + 1))


async def test_the_cursor_is_the_place_of_the_last_event_returned_and_goes_on_elsewhere():
    def answer(asked: Asked) -> Answer:
        return Answer([b"".join(FRAMES[asked.after :])])

    async with Wire(answer) as wire, wire.client() as client:
        async with asyncio.timeout(30):
            first = client.stream(run_id="r_1")
            taken = [await anext(first) for _ in range(3)]
            await first.aclose()
        assert first.cursor == f"{EPOCH}-3"  # not that of what was received but not returned
        second = await all_of(client.stream(run_id="r_1", cursor=first.cursor))
    assert seqs(taken + second) == list(range(1, len(FRAMES) + 1))


async def test_a_cancelled_wait_loses_nothing():
    turns = iter([Answer([*FRAMES[:2]], end="hold"), Answer([*FRAMES[2:]])])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        stream = client.stream(run_id="r_1")
        events = [await anext(stream), await anext(stream)]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(stream), 0.05)
        events += await all_of(stream)
    assert seqs(events) == list(range(1, len(FRAMES) + 1))


async def test_bom_crlf_and_lone_cr_are_read_like_lf():
    body = "\ufeff".encode() + b"".join(FRAMES).replace(b"\n", b"\r\n")
    async with Wire(lambda _: Answer([body])) as wire, wire.client() as client:
        assert len(await all_of(client.stream(run_id="r_1"))) == len(FRAMES)


async def test_a_block_cut_off_by_the_end_is_asked_for_again():
    turns = iter([Answer([FRAMES[0], FRAMES[1][:-1]]), Answer([*FRAMES[1:]])])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        events = await all_of(client.stream(run_id="r_1"))
    assert wire.asked[1].after == 1
    assert seqs(events) == list(range(1, len(FRAMES) + 1))


async def test_a_silent_stall_is_noticed_and_heartbeats_are_signs_of_life():
    beats = [b": heartbeat\n\n"] * 3
    stalls = iter([Answer([FRAMES[0], *beats], end="hold"), Answer(end="mute")])

    def answer(asked: Asked) -> Answer:
        return next(stalls, None) or Answer([*FRAMES[asked.after :]])

    async with Wire(answer) as wire, wire.client(idle_s=0.3) as client:
        events = await all_of(client.stream(run_id="r_1"))
    assert len(wire.asked) >= 3, "a busy machine stalls by itself, too"
    assert seqs(events) == list(range(1, len(FRAMES) + 1))


async def test_a_line_that_goes_dead_is_given_up_going_by_its_heartbeats():
    async def beating():
        for piece in FRAMES[:5]:
            yield b": heartbeat\n\n" + piece
            await asyncio.sleep(0.1)

    def answer(asked: Asked) -> Answer:
        return Answer([*FRAMES[asked.after :]]) if asked.after else Answer(beating(), end="hold")

    async with Wire(answer) as wire, httpx.AsyncClient() as http, asyncio.timeout(60):

        async def connect(headers: dict[str, str | bytes]) -> httpx.Response:
            request = http.build_request("GET", f"{wire.url}/", headers=headers, timeout=60)
            return await http.send(request, stream=True)

        retries = Retries(first=0.001, cap=0.02, give_up_after=5)
        rhythm = partial(Rhythm, 60, shortest=0.3, together=0.01)
        stream = EventStream(connect, retries, one_run=True, cursor=None, on_state=lambda _: None, rhythm=rhythm)
        assert seqs(await all_of(stream)) == list(range(1, len(FRAMES) + 1))
    assert len(wire.asked) >= 2


def limit_after(*beats: float, longest: float = 45) -> float:
    rhythm = Rhythm(longest)
    for at in itertools.accumulate(beats):
        rhythm.beat(at)
    return rhythm.limit


def test_silence_may_last_three_heartbeats_within_bounds():
    for every, limit in ((1, 5), (4, 12), (14, 42), (15, 45), (40, 45)):
        assert limit_after(every / 2, every, every, every) == limit
    assert limit_after(0.5, 1, 1, 1, longest=3) == 3


def test_few_heartbeats_tell_nothing_yet():
    assert limit_after() == limit_after(1) == limit_after(0.5, 1, 1) == 45


def test_a_heartbeat_that_is_late_makes_no_one_impatient():
    assert limit_after(0, 5, 5, 10, 5, 5) == 30
    assert limit_after(0, 15, 15, 30, 0.01, 0.01, 0.01, 0.01, 15, 15) == 45, "held up, they came together"


def test_a_late_heartbeat_is_forgotten():
    assert limit_after(0, 5, 5, 10, 5, 5, 5) == 15


async def test_retry_is_honoured_and_states_are_told():
    turns = iter([Answer([b"retry: 150\n\n", FRAMES[0]], end="cut"), Answer([*FRAMES[1:]])])
    states: list[str] = []
    async with Wire(lambda _: next(turns)) as wire, wire.client(backoff_cap_s=5) as client:
        stream = client.stream(run_id="r_1", on_state=states.append)
        await anext(stream)
        began = time.monotonic()
        await anext(stream)
        assert time.monotonic() - began >= 0.15
        await all_of(stream)
    assert states == ["connecting", "live", "resuming", "live", "ended"]


async def test_an_absurd_retry_is_capped():
    turns = iter([Answer([b"retry: 900000000\n\n", FRAMES[0]], end="cut"), Answer([*FRAMES[1:]])])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client, asyncio.timeout(60):
        assert len(await all_of(client.stream(run_id="r_1"))) == len(FRAMES)


async def test_204_ends_the_stream():
    async with Wire(lambda _: Answer(status=204)) as wire, wire.client() as client:
        assert await all_of(client.stream(run_id="r_1", cursor=f"{EPOCH}-9")) == []
    assert wire.asked[0].headers["last-event-id"] == f"{EPOCH}-9"


async def test_complete_ends_a_run_but_not_a_conversation():
    end = frame(Complete(status="succeeded"), seq=1)
    more = frame(Chunk(message_id="m", agent="a", content="x"), seq=2, run_id="r_2")
    async with Wire(lambda _: Answer([end, more], end="hold")) as wire, wire.client() as client:
        assert seqs(await all_of(client.stream(run_id="r_1"))) == [1]
        follow = client.stream(conversation_id=CONVERSATION)
        assert seqs([await anext(follow), await anext(follow)]) == [1, 2]
        await follow.aclose()
        assert await all_of(follow) == []
    assert wire.asked[-1].path == f"/v1/conversations/{CONVERSATION}/events"


WAITING = [*frames(EVENTS[:4]), frame(Complete(status="waiting"), seq=5)]
WENT_ON = [frame(event, seq=seq) for seq, event in enumerate(EVENTS[4:], 6)]


async def test_a_run_that_waits_ends_the_stream_and_goes_on_from_its_cursor():
    turns = iter([Answer(WAITING), Answer(status=204), Answer(WENT_ON)])
    states: list[str] = []
    async with Wire(lambda _: next(turns)) as wire, wire.client(backoff_s=600, backoff_cap_s=600) as client:
        async with asyncio.timeout(60):  # the second look is taken at once
            stream = client.stream(run_id="r_1", on_state=states.append)
            assert seqs(await all_of(stream)) == [1, 2, 3, 4, 5]
        assert states == ["connecting", "live", "ended"]
        assert stream.cursor == f"{EPOCH}-5"
        more = await all_of(client.stream(run_id="r_1", cursor=stream.cursor))
    assert seqs(more) == list(range(6, 6 + len(WENT_ON)))
    assert [asked.headers.get("last-event-id") for asked in wire.asked] == [None, f"{EPOCH}-5", f"{EPOCH}-5"]


async def test_a_run_that_went_on_after_waiting_is_read_whole_however_it_is_cut():
    for turns in (
        [Answer([*WAITING, *WENT_ON])],
        [Answer(WAITING, end="cut"), Answer(WENT_ON)],
        [Answer(WAITING), Answer(WENT_ON)],
        [
            Answer(WAITING),
            problem(503, "log_unavailable", retry=True),
            Answer(WENT_ON[:2], end="cut"),
            Answer(WENT_ON[2:]),
        ],
    ):
        rest = iter(turns)
        async with Wire(lambda _, rest=rest: next(rest)) as wire, wire.client() as client:
            events = await all_of(client.stream(run_id="r_1"))
        assert seqs(events) == list(range(1, 6 + len(WENT_ON)))


@pytest.mark.parametrize(("status", "code"), [(400, "bad_cursor"), (401, "unauthorized"), (404, "not_found")])
async def test_a_refusal_is_an_error_with_the_servers_words(status: int, code: str):
    async with Wire(lambda _: problem(status, code, "Because.")) as wire, wire.client() as client:
        stream = client.stream(run_id="r_1")
        with pytest.raises(ApiError) as caught:
            await anext(stream)
        assert (caught.value.code, caught.value.status, caught.value.detail) == (code, status, "Because.")
        assert not caught.value.retry
        assert await all_of(stream) == []
    assert len(wire.asked) == 1


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
async def test_what_passes_is_retried(status: int):
    turns = iter([Answer([b"<html>"], status=status, content_type="text/html"), Answer(FRAMES)])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        assert len(await all_of(client.stream(run_id="r_1"))) == len(FRAMES)


async def test_a_page_in_between_is_waited_out():
    portal = Answer([b"<html>Please log in to this WLAN"], content_type="text/html")
    turns = itertools.chain([Answer(FRAMES[:4], end="cut"), portal, portal], itertools.repeat(Answer(FRAMES[4:])))
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        assert seqs(await all_of(client.stream(run_id="r_1"))) == list(range(1, len(FRAMES) + 1))


async def test_a_server_that_stays_away_is_given_up_and_may_be_asked_again():
    turns = itertools.chain(
        [Answer(FRAMES[:2], end="cut")], itertools.repeat(problem(503, "log_unavailable", retry=True))
    )
    states: list[str] = []
    async with Wire(lambda _: next(turns)) as wire, wire.client(give_up_after=1) as client:
        stream = client.stream(run_id="r_1", on_state=states.append)
        await anext(stream)
        await anext(stream)
        with pytest.raises(ConnectionLost) as caught:
            await anext(stream)
        assert caught.value.retry
        assert states == ["connecting", "live", "resuming", "offline"]
        turns = itertools.repeat(Answer(FRAMES[2:]))
        assert seqs(await all_of(stream)) == list(range(3, len(FRAMES) + 1))


async def test_connections_that_bring_no_event_do_not_count_as_success():
    async with Wire(lambda _: Answer([b"retry: 1\n\n: hello\n\n"])) as wire, wire.client(give_up_after=1) as client:
        with pytest.raises(ConnectionLost):
            await anext(client.stream(run_id="r_1"))
    assert len(wire.asked) > 3


async def test_nobody_listening_is_given_up():
    async with Client("http://127.0.0.1:1", give_up_after=0.1, backoff_s=0.01) as client:
        with pytest.raises(ConnectionLost):
            await anext(client.stream(run_id="r_1"))


async def test_an_event_of_a_newer_server_is_skipped_and_its_place_counted():
    new = f'event: hologram\nid: {EPOCH}-2\ndata: {{"type":"hologram","seq":2}}\n\n'.encode()
    turns = iter([Answer([FRAMES[0], new], end="cut"), Answer([*FRAMES[2:]])])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        events = await all_of(client.stream(run_id="r_1"))
    assert wire.asked[1].after == 2
    assert seqs(events) == [1, *range(3, len(FRAMES) + 1)]


async def test_unknown_fields_and_broken_bodies_are_not_fatal():
    extra = json.loads(data(EVENTS[1], seq=1)) | {"mood": "sunny"}
    bodies = [
        json.dumps(extra),
        "not json",
        "[1]",
        '{"type":"chunk"}',
        '{"type":["x"]}',
        '{"type":"complete","status":"odd"}',
    ]
    body = "".join(f"id: {EPOCH}-{n}\ndata: {text}\n\n" for n, text in enumerate(bodies, 1)).encode()
    end = frame(Complete(status="succeeded"), seq=9)
    async with Wire(lambda _: Answer([body, end])) as wire, wire.client() as client:
        events = await all_of(client.stream(run_id="r_1"))
    assert seqs(events) == [1, 9]
    assert isinstance(events[0], Chunk)


async def test_gap_and_snapshot_are_events_and_the_complete_made_up_after_them_is_kept():
    lost = frame(Gap(reason="expired"), seq=7, run_id="", with_id=False)
    stored = frame(Snapshot(messages=(), runs=()), seq=7, run_id="")
    end = frame(Complete(status="succeeded"), seq=7)
    turns = iter([Answer(FRAMES[:10], end="cut"), Answer([lost, stored], end="cut"), Answer([end])])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        events = await all_of(client.stream(run_id="r_1"))
    assert [event.type for event in events[10:]] == ["gap", "snapshot", "complete"]
    assert [asked.headers.get("last-event-id") for asked in wire.asked] == [None, f"{EPOCH}-10", f"{EPOCH}-7"]


async def test_a_new_epoch_starts_the_count_anew():
    other = [frame(event, seq=seq, epoch="ffffffff") for seq, event in enumerate(EVENTS, 1)]
    snapshot = frame(Snapshot(messages=(), runs=()), seq=0, epoch="ffffffff", run_id="")
    turns = iter([Answer(FRAMES[:6], end="cut"), Answer([snapshot, *other])])
    async with Wire(lambda _: next(turns)) as wire, wire.client() as client:
        events = await all_of(client.stream(run_id="r_1"))
    assert seqs(events[7:]) == list(range(1, len(EVENTS) + 1))


async def test_types_go_to_the_server():
    async with Wire(lambda _: Answer(FRAMES)) as wire, wire.client() as client:
        await all_of(client.stream(run_id="r_1", types=["chunk", "jobs_data"]))
    assert wire.asked[0].path == "/v1/runs/r_1/events?types=chunk%2Cjobs_data"


async def test_a_cursor_that_is_none_and_two_subjects_are_refused_at_once():
    async with Client("http://127.0.0.1:1") as client:
        for wrong in ({}, {"run_id": "r", "conversation_id": "c"}, {"run_id": "r", "cursor": "a\nb"}):
            with pytest.raises(ValueError, match=r"cursor|Stream either"):
                client.stream(**wrong)


async def test_a_client_given_by_the_caller_is_used_and_left_open():
    async with Wire(lambda _: Answer(FRAMES)) as wire, httpx.AsyncClient(headers={"x-mine": "1"}) as http:
        async with wire.client(http=http) as client:
            await all_of(client.stream(run_id="r_1"))
        assert not http.is_closed
    assert wire.asked[0].headers["x-mine"] == "1"
    assert wire.asked[0].headers["authorization"] == "Bearer k"


async def test_ask_sends_and_streams():
    def answer(asked: Asked) -> Answer:
        return Answer(FRAMES) if asked.method == "GET" else as_json({"run_id": "r_1", "conversation_id": "c_1"}, 202)

    async with Wire(answer) as wire, wire.client() as client:
        events = [event async for event in client.ask("hi")]
    assert len(events) == len(FRAMES)
