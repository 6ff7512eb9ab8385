"""Faults on purpose: only where asked for, the same each time, and told by the same boundary as real ones."""

import asyncio
import time
from dataclasses import replace

import pytest

from board_server import as_json, board_server, remotive, remotive_job
from signalbox.errors import ConfigurationError
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.query import JobQuery
from signalbox.tools.base import Arguments
from signalbox.tools.boards.board import Feed, JobBoard, LiveBoard
from signalbox.tools.boards.feeds import read_remotive
from signalbox.tools.boards.fetch import Request, board_client
from signalbox.tools.boards.meaning import TitleMeaning
from signalbox.tools.calling import bounded
from signalbox.tools.codec import codec_of
from signalbox.tools.fault_points import FaultyEmbedder
from signalbox.tools.faults import BEHIND, KINDS, LOST, Fault, Faults, all_of, cut_short, in_part
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.search_jobs import JobSearch, SearchJobs
from signalbox.tools.vocabulary import packaged_vocabulary
from tools.made_results import made_results

TOOLS = ("search_jobs", "find_wages", "board_remotive")


class Number(Arguments):
    number: int = 0


class Counts:
    """Counts how often it was really asked."""

    name = "counts"
    effect = "read"
    timeout_s = 5.0
    empty_note = "no number is so large"
    label = "A counter"

    def __init__(self):
        self.asked = 0

    async def run(self, arguments: Number):
        self.asked += 1
        return Ok((1, 2, 3, 4), total=4)


async def met(kind, tool=None, number=0):
    tool = tool or Counts()
    wrapped = Faults((Fault("counts", kind),)).wrap({"counts": tool})["counts"]
    return await bounded(wrapped, Number(number=number)), tool


def test_nothing_is_injected_unless_it_was_asked_for():
    tool = Counts()
    for faults in (Faults(), Faults.parse(""), Faults.parse(()), Faults.parse("find_wages=500")):
        assert faults.wrap({"counts": tool})["counts"] is tool
    assert not Faults.parse(" , ").active


@pytest.mark.parametrize("kind", ["timeout", "connection", "server_error", "rate_limit", "auth", "not_found", "bug"])
async def test_a_fault_is_told_as_the_failure_it_stands_for(kind):
    result, tool = await met(kind)
    assert isinstance(result, Err)
    assert result.kind == kind
    assert tool.asked == 0


async def test_an_injected_bug_is_told_even_where_bugs_are_raised():
    wrapped = Faults((Fault("*", "bug"),)).wrap({"counts": Counts()})["counts"]
    assert (await bounded(wrapped, Number(), strict=True)).kind == "bug"


async def test_an_empty_one_says_what_the_tool_would_say():
    result, tool = await met("empty")
    assert result == Empty("no number is so large")
    assert tool.asked == 0


async def test_a_partial_answer_has_half_of_it_and_names_what_is_missing():
    result, tool = await met("partial")
    assert isinstance(result, Ok)
    assert (result.value, result.total, result.truncated) == ((1, 2), 2, False)
    assert [each.source for each in result.missed] == [LOST]
    assert tool.asked == 1


async def test_a_cut_answer_claims_many_more():
    result, _ = await met("truncated")
    assert (result.value, result.total, result.truncated) == ((1, 2), BEHIND, True)


def test_what_the_parts_of_each_tools_answers_look_like():
    for name, (result, *_) in made_results().items():
        part, cut = in_part(result), cut_short(result)
        assert part.missed, name
        assert type(part.value) is type(result.value), name
        assert cut.truncated >= result.truncated, name
    hits = made_results()["search_jobs"][0]
    assert (len(cut_short(hits).value.hits), cut_short(hits).value.total) == (2, BEHIND)
    whole = replace(hits, truncated=False, value=replace(hits.value, total=4))
    assert (len(in_part(whole).value.hits), in_part(whole).value.total) == (2, 2)
    assert isinstance(in_part(Empty("none")), Empty)
    assert in_part(Empty("none")).missed
    assert in_part(Err("auth", "x")) == Err("auth", "x")


async def test_a_part_in_which_there_is_nothing_is_no_absence():
    class Never(Counts):
        async def run(self, arguments):
            return Empty(self.empty_note)

    result, _ = await met("partial", Never())
    assert isinstance(result, Err)
    assert result.kind == "incomplete"


async def test_a_latency_passes_before_the_tool_is_asked_and_counts_against_its_time():
    slow = Faults.parse("*=latency:60ms").wrap({"counts": Counts()})["counts"]
    started = time.monotonic()
    assert isinstance(await bounded(slow, Number()), Ok)
    assert time.monotonic() - started >= 0.055
    hasty = Counts()
    hasty.timeout_s = 0.02
    late = Faults.parse("*=latency:5s").wrap({"counts": hasty})["counts"]
    assert (await bounded(late, Number())).kind == "timeout"


async def outcomes(seed, calls=200, order=1):
    wrapped = Faults((Fault("counts", "timeout", 0.3),), seed).wrap({"counts": Counts()})["counts"]
    numbers = range(calls)[::order]
    results = {number: await bounded(wrapped, Number(number=number)) for number in numbers}
    return [isinstance(results[number], Err) for number in range(calls)]


async def test_chance_is_the_same_for_a_seed_whatever_else_runs():
    first = await outcomes(1)
    assert first == await outcomes(1)
    assert first == await outcomes(1, order=-1)
    assert first != await outcomes(2)
    assert 35 <= sum(first) <= 85


async def test_a_repeated_call_gets_a_chance_of_its_own_and_what_was_met_is_counted():
    faults = Faults((Fault("counts", "timeout", 0.5),), 3)
    wrapped = faults.wrap({"counts": Counts()})["counts"]
    results = [await bounded(wrapped, Number()) for _ in range(60)]
    failed = sum(isinstance(result, Err) for result in results)
    assert 15 <= failed <= 45
    assert faults.met == {("counts", "timeout"): failed}


async def test_several_faults_of_a_tool_each_get_their_share():
    faults = Faults.parse("*=latency:1ms,counts=timeout:0.4,*=auth")
    wrapped = faults.wrap({"counts": Counts()})["counts"]
    kinds = {(await bounded(wrapped, Number(number=number))).kind for number in range(40)}
    assert kinds == {"timeout", "auth"}
    assert faults.met["counts", "latency"] == 40


async def test_a_tool_behind_faults_is_the_tool_in_all_else():
    tool = Counts()
    wrapped = Faults.parse("*=timeout:0.01").wrap({"counts": tool})["counts"]
    assert (wrapped.name, wrapped.effect, wrapped.timeout_s, wrapped.label) == ("counts", "read", 5.0, "A counter")
    assert wrapped.wrapped is tool
    search = Faults.parse("*=timeout").wrap({"search_jobs": SearchJobs(None)})["search_jobs"]
    assert codec_of(search) == codec_of(SearchJobs(None))


async def test_an_effect_keeps_its_key():
    class Acts(Counts):
        effect = "idempotent"

        async def run(self, arguments, key):
            return Ok(key)

    wrapped = Faults.parse("*=latency:1ms").wrap({"counts": Acts()})["counts"]
    assert await bounded(wrapped, Number(), "k1") == Ok("k1")


# -- specifications


def test_a_specification_is_read_and_written():
    faults = Faults.parse("search_jobs=timeout:0.5, *=latency:200ms,find_wages=500,board_remotive=429@inside:.25")
    assert faults.faults == (
        Fault("search_jobs", "timeout", 0.5),
        Fault("*", "latency", latency_s=0.2),
        Fault("find_wages", "server_error"),
        Fault("board_remotive", "rate_limit", 0.25, where="inside"),
    )
    assert Faults.parse(faults.told) == faults
    assert faults.of("find_wages") == faults.faults[1:3]
    assert Faults.parse(["*=latency:1.5s"]).faults[0].latency_s == 1.5


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("search_jobs", "not of the form tool=kind"),
        ("search_jobs=explode", "there is no fault 'explode'; use one of timeout"),
        ("serch_jobs=timeout", "there is no tool 'serch_jobs'; the tools are"),
        ("search_jobs=timeout:0", "a rate is a number above 0"),
        ("search_jobs=timeout:1.5", "a rate is a number above 0"),
        ("search_jobs=timeout:nan", "a rate is a number above 0"),
        ("search_jobs=latency", "a latency is written like"),
        ("search_jobs=latency:200", "a latency is written like"),
        ("search_jobs=latency:9999s", "a latency is written like"),
        ("search_jobs=bug@inside", "can be injected inside"),
        ("=timeout", "not of the form"),
        ("search_jobs=timeout;find_wages=bug", "not of the form"),
    ],
)
def test_a_wrong_specification_is_refused_with_what_to_write(spec, part):
    with pytest.raises(ConfigurationError) as refused:
        Faults.parse(f"find_wages=500,{spec}", tools=TOOLS)
    assert part in refused.value.public
    assert "search_jobs=timeout:0.5,*=latency:200ms" in refused.value.public


def test_all_mistakes_are_told_at_once_and_mcp_tools_need_not_be_known():
    with pytest.raises(ConfigurationError) as refused:
        Faults.parse("a=b,c=d", tools=TOOLS)
    assert refused.value.public.count("there is no fault") == 2
    assert Faults.parse("files__read=timeout", tools=TOOLS).active


def test_evaluations_get_one_set_a_kind():
    sets = all_of(("timeout", "empty"))
    assert sets["empty"].faults == (Fault("*", "empty"),)
    assert set(KINDS) >= set(sets)


# -- below the tool


def board_over(server, http, embedder):
    feed = Feed("remotive", "Remotive", lambda _: Request(server.url + "/jobs"), read_remotive, 600.0)
    return JobBoard(feed, http, packaged_vocabulary(), TitleMeaning(embedder), timeout_s=30.0)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("timeout", "timeout"), ("connection", "connection"), ("server_error", "server_error"), ("auth", "auth"),
        ("rate_limit", "rate_limit"), ("not_found", "not_found"), ("truncated", "connection"),
    ],
)  # fmt: skip
async def test_a_fault_inside_a_board_goes_through_all_of_the_connector(embedder, kind, told):
    anything = JobSearch(query=JobQuery())
    async with (
        board_server({"/jobs": as_json(remotive(remotive_job(1)))}) as server,
        board_client(faulty=True) as http,
    ):
        board = board_over(server, http, embedder)
        wrapped = Faults((Fault("*", kind, where="inside"),)).wrap({board.name: board})[board.name]
        assert isinstance(wrapped, LiveBoard)
        assert not isinstance(SearchJobs(None), LiveBoard)
        failed = await bounded(wrapped, anything, strict=True)
        assert isinstance(failed, Err)
        assert failed.kind == told
        # What is not to meet a fault passes the same client untouched.
        other = board_over(server, http, embedder)
        assert isinstance(await bounded(other, anything, strict=True), Ok)


async def test_a_search_whose_vectors_fail_is_a_part_and_finds_no_absence(database, embedder):
    index = JobIndex(database, FaultyEmbedder(embedder), packaged_vocabulary())
    search = SearchJobs(index, "faults-inside")
    wrapped = Faults.parse("search_jobs=partial@inside").wrap({"search_jobs": search})["search_jobs"]
    asked = JobSearch(query=JobQuery(text="xylophone tuner", words=("xylophone", "tuner")))
    failed = await bounded(wrapped, asked, strict=True)
    assert isinstance(failed, Err)
    assert failed.kind == "incomplete"
    assert "the search by meaning" in failed.note
    assert isinstance(await bounded(search, asked, strict=True), Empty)


async def test_titles_that_cannot_be_compared_make_a_boards_answer_a_part(embedder):
    jobs = remotive(remotive_job(1), remotive_job(2))
    asked = JobSearch(query=JobQuery(text="zookeeper", words=("zookeeper",)))
    async with board_server({"/jobs": as_json(jobs)}) as server, board_client(faulty=True) as http:
        board = board_over(server, http, FaultyEmbedder(embedder))
        wrapped = Faults.parse("*=partial@inside").wrap({board.name: board})[board.name]
        failed = await bounded(wrapped, asked, strict=True)
        assert isinstance(failed, Err)
        assert failed.kind == "incomplete"
        assert "by meaning" in failed.note


async def test_a_fault_inside_ends_with_its_call(embedder):
    async with board_server({"/jobs": as_json(remotive(remotive_job(1)))}) as server, board_client(faulty=True) as http:
        board = board_over(server, http, embedder)
        wrapped = Faults.parse("*=500@inside").wrap({board.name: board})[board.name]
        other = board_over(server, http, embedder)
        anything = JobSearch(query=JobQuery())
        failed, found = await asyncio.gather(bounded(wrapped, anything), bounded(other, anything))
    assert isinstance(failed, Err)
    assert isinstance(found, Ok)
