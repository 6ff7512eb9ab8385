"""An answer is given again to its own user alone, only where the same is asked, and never one that was not whole."""

import asyncio
import secrets
import time
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

import pytest
from redis.asyncio import Redis

from signalbox.errors import ProviderCut
from signalbox.llm import kept_answers
from signalbox.llm.answer_cache import AnswerCache
from signalbox.llm.base import (
    Attempt,
    ChatMessage,
    Finish,
    ModelRequest,
    PromptRef,
    Restart,
    TextDelta,
    ToolRequest,
    ToolSpec,
    Usage,
)
from signalbox.llm.kept_answers import LONGEST, MOST_KEPT, KeptAnswers
from signalbox.memory.profile import Owner
from signalbox.runs.erasure import Erasure
from signalbox.stream.log import EventLog
from signalbox.stream.owned import owned_prefix


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """A machine that stands still for a moment is no Redis that is away."""
    monkeypatch.setattr(kept_answers, "PATIENCE_S", 30.0)


GOOD = "Ask for it **after** a success, with a number.\n\n- one\n- two"


def asked(message: str, system: str = "Be brief.", **more) -> ModelRequest:
    messages = (ChatMessage("system", system), ChatMessage("user", f"<message>\n{message}\n</message>"))
    return replace(ModelRequest("answer", messages, draft="", reusable=True), **more)


RAISE = asked("How do I ask for a raise?")


def attempt(model="big", outcome="ok", **more) -> Attempt:
    usage = Usage(model, 10, 0, 10, estimated=False, cost_usd=0.01)
    return Attempt(1, "groq", model, "standard", outcome, 0.1, 0.2, usage, **more)


class Answering:
    """Says what it is given, each time with a number behind it if that is a text."""

    name, instructable = "big", True

    def __init__(self, *items, finish="stop") -> None:
        self.items, self.finish, self.requests = items, finish, []

    async def stream(self, request):
        self.requests.append(request)
        for item in self.items or (TextDelta(f"{GOOD} {len(self.requests)}"), attempt(), attempt().usage):
            if isinstance(item, Exception):
                raise item
            yield item
        yield Finish(self.finish)

    async def close(self):
        pass


class Desk:
    """The cache of one process, with users and conversations of this test alone."""

    def __init__(self, redis, embedder, mode="exact", *, everything=False, clock=time.time) -> None:
        self.user = f"u_{secrets.token_hex(6)}"
        self.redis = redis
        self.model = Answering()
        self.cache = AnswerCache(
            KeptAnswers(redis, keep_s=600, clock=clock), embedder, mode=mode, everything=everything
        )

    async def ask(self, request=RAISE, *, user=None, here=None, plan=None, model=None):
        prefix = owned_prefix("t", user or self.user)
        cached = self.cache.over(model or self.model, prefix, here or secrets.token_hex(6), plan or {})
        async with aclosing(cached.stream(request)) as stream:
            return [item async for item in stream]

    @property
    def times(self) -> int:
        return len(self.model.requests)

    async def names(self):
        return [key async for key in self.redis.scan_iter(f"{owned_prefix('t', self.user)}*")]


def text_of(items) -> str:
    return "".join(item.text for item in items if isinstance(item, TextDelta))


async def test_the_same_question_in_another_conversation_gets_the_same_answer_as_a_stream_that_cost_nothing(redis):
    desk = Desk(redis, None)
    first, second = await desk.ask(), await desk.ask()
    assert (text_of(first), text_of(second), desk.times) == (f"{GOOD} 1", f"{GOOD} 1", 1)
    told, *pieces, finish = second
    assert (told.outcome, told.provider, told.model, told.usage) == ("cached", "groq", "big", None)
    assert len(pieces) > 3
    assert all(isinstance(piece, TextDelta) and piece.text for piece in pieces)
    assert finish == Finish("stop")


@pytest.mark.parametrize(
    "other",
    [
        asked("How do I ask for a raise"),
        asked("How do I ask for a raise?", "Be brief. <facts>other</facts>"),
        replace(RAISE, tier="strong"),
        replace(RAISE, max_tokens=50),
        replace(RAISE, agent="salary"),
        replace(RAISE, prompts=(PromptRef("persona", "2", "b" * 64),)),
    ],
    ids=["a character", "facts", "tier", "limit", "agent", "prompt"],
)
async def test_exactly_means_all_that_is_sent(redis, other):
    desk = Desk(redis, None)
    await desk.ask()
    await desk.ask(other)
    assert desk.times == 2


async def test_users_and_plans_of_models_are_worlds_apart(redis):
    desk = Desk(redis, None)
    await desk.ask()
    await desk.ask(user="somebody else")
    await desk.ask(plan={"models": {"standard": ["new@groq"]}})
    assert desk.times == 3


async def test_who_asks_again_in_the_same_conversation_wants_another_answer(redis):
    desk = Desk(redis, None)
    await desk.ask(here="c1")
    assert text_of(await desk.ask(here="c2")).endswith(" 1")
    assert text_of(await desk.ask(here="c2")).endswith(" 2")
    assert text_of(await desk.ask(here="c1")).endswith(" 2")


@pytest.mark.parametrize(
    ("items", "finish"),
    [
        ((TextDelta("cut off"), attempt()), "length"),
        ((TextDelta("filtered"), attempt()), "content_filter"),
        ((attempt(),), "stop"),
        ((TextDelta("  \n"), attempt()), "stop"),
        ((TextDelta("I look."), ToolRequest("1", "search", "{}"), attempt()), "stop"),
        ((attempt("big", "provider_cut"), TextDelta("a stand-in's"), attempt("other")), "stop"),
        ((attempt("big", "open"), TextDelta("a draft"), attempt("offline")), "stop"),
        ((TextDelta("by lot"), attempt(control=True)), "stop"),
        ((TextDelta("x" * (LONGEST + 1)), attempt()), "stop"),
        ((TextDelta("broken"), ProviderCut()), "stop"),
    ],
    ids=["length", "filter", "nothing", "blank", "a tool", "fallback", "breaker", "control", "huge", "failed"],
)
async def test_what_is_not_whole_or_not_the_models_own_is_not_kept(redis, items, finish):
    desk = Desk(redis, None)
    desk.model = Answering(*items, finish=finish)
    for _ in range(2):
        try:
            heard = await desk.ask()
        except ProviderCut:
            continue
        assert not any(isinstance(item, Attempt) and item.outcome == "cached" for item in heard)
    assert desk.times == 2
    assert await desk.names() == []


async def test_what_was_taken_back_is_not_part_of_the_answer(redis):
    desk = Desk(redis, None)
    desk.model = Answering(TextDelta("void"), Restart("again"), TextDelta("whole"), attempt())
    await desk.ask()
    assert text_of(await desk.ask()) == "whole"


@pytest.mark.parametrize(
    ("request_", "everything"),
    [
        (replace(RAISE, reusable=False), False),
        (replace(RAISE, reusable=False, task="classify"), True),
        (replace(RAISE, tools=(ToolSpec("search", "searches", {}),)), True),
    ],
    ids=["personal", "another task", "with tools"],
)
async def test_what_may_not_be_given_again_is_neither_read_nor_kept(redis, request_, everything):
    desk = Desk(redis, None, everything=everything)
    await desk.ask(request_)
    await desk.ask(request_)
    assert (desk.times, await desk.names()) == (2, [])


async def test_personal_answers_are_given_again_only_where_the_operator_asked_for_that(redis):
    desk = Desk(redis, None, everything=True)
    await desk.ask(replace(RAISE, reusable=False))
    await desk.ask(replace(RAISE, reusable=False))
    assert desk.times == 1


async def test_off_and_for_a_model_that_reads_no_prompt_there_is_no_cache(redis):
    desk = Desk(redis, None, "off")
    assert desk.cache.over(desk.model, "p:", "c", {}) is desk.model
    desk = Desk(redis, None)
    desk.model.instructable = False
    assert desk.cache.over(desk.model, "p:", "c", {}) is desk.model


async def test_answers_are_over_in_time_and_the_oldest_make_room(redis):
    now = [1_000_000.0]
    desk = Desk(redis, None, clock=lambda: now[0])
    await desk.ask()
    now[0] += 599
    await desk.ask()
    assert desk.times == 1
    now[0] += 2
    await desk.ask()
    assert desk.times == 2, "one that is given again lives no longer for that"
    for number in range(MOST_KEPT):
        now[0] += 0.01
        await desk.ask(asked(f"Question {number}?"))
    answers = f"{owned_prefix('t', desk.user)}answers"
    assert (await redis.hlen(answers), await redis.zcard(f"{answers}:until")) == (MOST_KEPT, MOST_KEPT)
    assert 0 < await redis.ttl(answers) <= 600
    before = desk.times
    await desk.ask()
    assert desk.times == before + 1, "the first one has made room"


async def test_other_words_for_the_same_get_the_answer_and_nearly_the_same_words_do_not(redis, embedder):
    desk = Desk(redis, embedder, "semantic")
    for message in ("How do I ask for a raise?", "How can I explain being fired?", "What does a nurse earn in London?"):
        await desk.ask(asked(message))
    before = desk.times
    for message in ("how do I ask for a raise", "How do I explain being fired?"):
        assert [i.outcome for i in await desk.ask(asked(message)) if isinstance(i, Attempt)] == ["cached"], message
    for message in (
        "How do I not ask for a raise?",
        "When do I ask for a raise?",
        "What does a nurse earn in Leeds?",
        "What does a doctor earn in London?",
        "How can I explain being hired?",
    ):
        await desk.ask(asked(message))
    await desk.ask(asked("how do i ask for a raise", "Be brief. <facts>other</facts>"))
    assert desk.times == before + 6


async def test_without_redis_there_is_no_cache_and_no_waiting(redis, free_port, monkeypatch):
    monkeypatch.setattr(kept_answers, "PATIENCE_S", 0.3)
    monkeypatch.setattr(kept_answers, "AWAY_S", 60.0)
    gone = Redis(port=free_port())
    desk = Desk(gone, None)
    began = asyncio.get_running_loop().time()
    assert [text_of(await desk.ask()) for _ in range(3)] == [f"{GOOD} {number}" for number in (1, 2, 3)]
    assert asyncio.get_running_loop().time() - began < 2
    await gone.aclose()


@asynccontextmanager
async def silent_server():
    over = asyncio.Event()

    async def listen(_, writer):
        await over.wait()
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    over.set()
    server.close()
    await server.wait_closed()


async def test_a_silent_redis_costs_a_moment_once(monkeypatch):
    monkeypatch.setattr(kept_answers, "PATIENCE_S", 2.0)
    monkeypatch.setattr(kept_answers, "AWAY_S", 60.0)
    async with silent_server() as port:
        silent = Redis(port=port)
        desk = Desk(silent, None)
        began = asyncio.get_running_loop().time()
        for _ in range(3):
            await desk.ask()
        assert asyncio.get_running_loop().time() - began < 4
        assert desk.times == 3
        await silent.aclose()


async def test_what_another_version_kept_is_as_good_as_nothing(redis):
    desk = Desk(redis, None)
    await desk.ask()
    answers = f"{owned_prefix('t', desk.user)}answers"
    for field in await redis.hkeys(answers):
        await redis.hset(answers, field, b'{"answer": "old"}')
    assert text_of(await desk.ask()).endswith(" 2")
    assert text_of(await desk.ask()).endswith(" 2")


async def test_erasing_a_user_takes_the_kept_answers_along(redis, database, embedder):
    desk, other = Desk(redis, embedder, "semantic"), Desk(redis, embedder, "semantic")
    await desk.ask()
    await other.ask()
    assert len(await desk.names()) == 2

    async def nobody(_: str) -> None:
        """No run goes on."""

    log = EventLog(redis, buffer_ttl_s=60, buffer_events=100)
    erased = await Erasure(database, log, redis, stop=nobody, gone=nobody).erase(Owner("t", desk.user))
    assert (erased.keys, await desk.names(), len(await other.names())) == (2, [], 2)
    await desk.ask()
    assert desk.times == 2
    await log.close()
