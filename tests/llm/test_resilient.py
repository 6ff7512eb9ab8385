"""Answers come out whole of models that fail, and what cannot be had fails once, clearly and in time."""

import asyncio
import random
from contextlib import aclosing
from dataclasses import replace

import pytest
from structlog.testing import capture_logs
from voices import CALL, REQUEST, Cast, Chain, LongNap, Voice, kinds, outcomes, shown, until

from own_tasks import own_tasks, undone
from signalbox.errors import (
    ConfigurationError,
    ProviderAuth,
    ProviderCut,
    ProviderError,
    ProviderNoModel,
    ProviderRateLimited,
    ProviderRejected,
    ProviderTimeout,
    ProviderTooLong,
    ProviderUnavailable,
)
from signalbox.llm.base import Attempt, Finish, Restart, TextDelta, Usage, read_whole
from signalbox.llm.breaker import Breaker, MemoryMarks
from signalbox.llm.plan import ModelRef
from signalbox.llm.resilient import ResilientModel

GOOD = ("Hel", "lo", Usage("voice", 3, 0, 2, estimated=False))
DOWN = ProviderUnavailable


def limited(wait):
    return ProviderRateLimited(wait=wait)


def refused():
    return ProviderRejected(again=True, cooler=True)


async def test_a_good_answer_passes_as_it_is_with_its_attempt_before_its_usage():
    items, error = await Cast(first=Voice(GOOD)).ask()
    assert error is None
    assert kinds(items) == ["TextDelta", "TextDelta", "Attempt", "Usage", "Finish"]
    attempt = items[2]
    assert (attempt.number, attempt.provider, attempt.model, attempt.outcome) == (1, "groq", "first", "ok")
    assert attempt.usage == GOOD[2]
    assert 0 <= attempt.first_token_s <= attempt.duration_s


async def test_a_failure_before_the_first_word_is_tried_again_in_silence_with_full_jitter():
    cast = Cast(first=Voice((DOWN(),), (ProviderCut(),), GOOD))
    items, error = await cast.ask()
    assert error is None
    assert kinds(items) == ["Attempt", "Attempt", "TextDelta", "TextDelta", "Attempt", "Usage", "Finish"]
    assert outcomes(items) == [("first", "provider_unavailable"), ("first", "provider_cut"), ("first", "ok")]
    assert cast.naps.taken == [0.5, 1.0]
    assert [item.number for item in items if isinstance(item, Attempt)] == [1, 2, 3]


async def test_jitter_spreads_from_nothing_to_all_of_the_backoff():
    for chance in (0.0, 0.25):
        cast = Cast(first=Voice((DOWN(),), (DOWN(),), GOOD), chance=lambda chance=chance: chance)
        await cast.ask()
        assert cast.naps.taken == [nap for nap in (0.5 * chance, 1.0 * chance) if nap]


async def test_after_its_tries_the_next_models_are_asked_in_the_plans_order():
    cast = Cast(first=Voice((DOWN(),)), second=Voice((DOWN(),)), third_at_other=Voice(GOOD), attempts=2)
    items, error = await cast.ask()
    assert (shown(items), error) == ("Hello", None)
    assert cast.asked() == [2, 2, 1]
    assert [item.provider for item in items if isinstance(item, Attempt)] == ["groq"] * 4 + ["other"]
    assert not any(isinstance(item, Restart) for item in items)


async def test_when_all_fail_the_last_error_that_a_user_can_retry_is_raised_and_every_attempt_told():
    cast = Cast(first=Voice((DOWN(),)), second_at_other=Voice((ProviderAuth(),)), attempts=2)
    items, error = await cast.ask()
    assert isinstance(error, ProviderUnavailable)
    assert outcomes(items) == [("first", "provider_unavailable")] * 2 + [("second", "provider_auth")]
    assert kinds(items) == ["Attempt"] * 3


async def test_a_request_that_is_too_long_for_one_model_may_fit_the_next_ones():
    cast = Cast(first=Voice((DOWN(),)), second=Voice((ProviderTooLong(),)), third=Voice(GOOD), attempts=1)
    items, error = await cast.ask()
    assert (shown(items), error) == ("Hello", None)
    assert cast.asked() == [1, 1, 1]


async def test_a_request_that_is_too_long_for_all_is_said_to_be():
    cast = Cast(first=Voice((ProviderNoModel(),)), second=Voice((ProviderTooLong(),)), third=Voice((ProviderAuth(),)))
    assert isinstance((await cast.ask())[1], ProviderTooLong)
    assert cast.asked() == [1, 1, 1]
    assert cast.naps.taken == []


async def test_a_hedge_that_is_too_short_for_the_request_leaves_the_others_a_chance():
    cast = Cast(first=Voice((0.1, DOWN()), GOOD), second=Voice((ProviderTooLong(),)), hedge_s=0.01)
    assert shown((await cast.ask())[0]) == "Hello"


async def test_a_refused_request_is_refused_at_once_whoever_else_could_be_asked():
    error = ProviderRejected()
    cast = Cast(first=Voice((error,)), second=Voice(GOOD))
    items, raised = await cast.ask()
    assert raised is error
    assert cast.asked() == [1, 0]
    assert cast.naps.taken == []
    assert kinds(items) == ["Attempt"]


async def test_a_refused_key_goes_to_another_provider_only():
    cast = Cast(first=Voice((ProviderAuth(),)), second=Voice(GOOD), third_at_other=Voice(("Other",)))
    items, error = await cast.ask()
    assert (shown(items), error) == ("Other", None)
    assert cast.asked() == [1, 0, 1]
    alone = Cast(first=Voice((ProviderAuth(),)), second=Voice(GOOD))
    assert isinstance((await alone.ask())[1], ProviderAuth)
    assert alone.asked() == [1, 0]


async def test_a_tool_call_that_failed_is_tried_again_cooler_and_the_next_model_starts_at_the_given_temperature():
    cast = Cast(first=Voice((refused(),)), second=Voice(GOOD))
    items, error = await cast.ask()
    assert (shown(items), error) == ("Hello", None)
    assert [request.temperature for request in cast.voices[ModelRef("first", "groq")].requests] == [0.8, 0.4, 0.2]
    assert cast.voices[ModelRef("second", "groq")].requests[0].temperature == 0.8


async def test_the_providers_wait_is_kept_and_a_little_spread():
    clock = [0.0]
    naps = []

    async def sleep(seconds):
        naps.append(seconds)
        clock[0] += seconds

    breaker = Breaker(MemoryMarks(lambda: clock[0]))
    cast = Cast(first=Voice((limited(1.5),), GOOD), second=Voice(GOOD), breaker=breaker, sleep=sleep)
    _, error = await cast.ask()
    assert error is None
    assert cast.asked() == [2, 0]
    assert len(naps) == 1
    assert 1.5 < naps[0] <= 2.1


@pytest.mark.parametrize("wait", [3.0, 60.0])
async def test_a_long_wait_is_left_to_others(wait):
    cast = Cast(first=Voice((limited(wait),)), second=Voice(GOOD))
    items, error = await cast.ask()
    assert (shown(items), error) == ("Hello", None)
    assert cast.asked() == [1, 1]
    assert cast.naps.taken == []


async def test_a_wait_within_the_budget_is_waited_for_when_nobody_else_can_be_asked():
    clock = [0.0]

    async def sleep(seconds):
        clock[0] += seconds

    breaker = Breaker(MemoryMarks(lambda: clock[0]))
    cast = Cast(first=Voice((limited(3.0),), GOOD), breaker=breaker, sleep=sleep)
    items, error = await cast.ask()
    assert (shown(items), error) == ("Hello", None)
    assert 3.0 < clock[0] < 4.0


async def test_a_wait_beyond_the_budget_fails_clearly_and_at_once():
    raised = limited(60.0)
    cast = Cast(first=Voice((raised,)), budget=5.0)
    _, error = await cast.ask()
    assert error is raised
    assert cast.asked() == [1]
    assert cast.naps.taken == []
    other, error = await cast.ask()
    assert isinstance(error, ProviderRateLimited)
    assert "60 seconds" in error.public
    assert outcomes(other) == [("first", "open")]


async def test_a_model_that_said_nothing_for_its_whole_deadline_makes_room_for_the_next():
    cast = Cast(first=Voice((ProviderTimeout(),)), second=Voice(GOOD))
    await cast.ask()
    assert cast.asked() == [1, 1]
    alone = Cast(first=Voice((ProviderTimeout(),), GOOD))
    assert (await alone.ask())[1] is None


async def test_the_budget_ends_a_silent_try_and_says_so():
    cast = Cast(first=Voice((30,)), budget=0.05)
    async with asyncio.timeout(20):
        items, error = await cast.ask()
    assert isinstance(error, ProviderTimeout)
    assert outcomes(items) == [("first", "provider_timeout")]


async def test_a_wait_is_not_begun_that_the_budget_does_not_hold():
    cast = Cast(first=Voice((DOWN(),)), budget=0.4)
    _, error = await cast.ask()
    assert isinstance(error, ProviderUnavailable)
    assert cast.naps.taken == []


async def test_a_cut_answer_is_begun_anew_behind_a_restart():
    cast = Cast(first=Voice(("Half a", ProviderCut()), ("Whole",)))
    items, error = await cast.ask()
    assert (shown(items), error) == ("Whole", None)
    assert kinds(items) == ["TextDelta", "Attempt", "Restart", "TextDelta", "Attempt", "Finish"]


async def test_a_cut_answer_is_begun_anew_once_by_the_same_model_then_by_the_next():
    cast = Cast(first=Voice(("a", ProviderCut())), second=Voice(("b", ProviderCut())), third=Voice(("c",)))
    items, error = await cast.ask()
    assert (shown(items), error) == ("c", None)
    assert cast.asked() == [2, 1, 1]
    assert kinds(items).count("Restart") == 3


async def test_a_model_that_fell_silent_in_mid_answer_is_not_asked_while_another_can_be():
    cast = Cast(first=Voice(("a", ProviderTimeout())), second=Voice(GOOD))
    items, _ = await cast.ask()
    assert shown(items) == "Hello"
    assert cast.asked() == [1, 1]


async def test_what_was_shown_stands_when_no_other_try_speaks():
    cut = ProviderCut()
    cast = Cast(first=Voice(("Half", cut), (DOWN(),)), second=Voice((DOWN(),)), attempts=2)
    items, error = await cast.ask()
    assert shown(items) == "Half"
    assert not any(isinstance(item, Restart) for item in items)
    assert error is cut
    assert cast.asked() == [3, 2]


async def test_a_refusal_in_mid_answer_is_final():
    cast = Cast(first=Voice(("a", ProviderRejected())), second=Voice(GOOD))
    items, error = await cast.ask()
    assert isinstance(error, ProviderRejected)
    assert (shown(items), cast.asked()) == ("a", [1, 0])


async def test_a_tool_request_counts_as_shown():
    cast = Cast(first=Voice((CALL, ProviderCut()), (CALL,)))
    items, error = await cast.ask()
    assert error is None
    assert kinds(items) == ["ToolRequest", "Attempt", "Restart", "ToolRequest", "Attempt", "Finish"]
    reading = await read_whole(Cast(first=Voice((CALL, ProviderCut()), (CALL,))).model, REQUEST)
    assert reading.calls == (CALL,)


async def test_an_empty_answer_is_an_answer():
    items, error = await Cast(first=Voice(())).ask()
    assert error is None
    assert kinds(items) == ["Attempt", "Finish"]


async def test_a_model_that_ends_without_saying_so_was_cut():
    class Rude(Voice):
        async def stream(self, request):
            self.requests.append(request)
            yield TextDelta("a")

    items, error = await Cast(first=Rude(), second=Voice(GOOD)).ask()
    assert (shown(items), error) == ("Hello", None)


async def test_the_usage_of_a_failed_try_is_told_if_it_was_reported():
    spent = Usage("voice", 9, 0, 1, estimated=False)
    items, _ = await Cast(first=Voice(("a", spent, ProviderCut()), GOOD)).ask()
    assert [item.usage for item in items if isinstance(item, Attempt)] == [spent, GOOD[2]]
    assert sum(isinstance(item, Usage) for item in items) == 1


@pytest.mark.parametrize("error", [ProviderCut, ProviderTimeout, DOWN])
async def test_what_a_cut_answer_took_is_told_by_its_length(error):
    items, _ = await Cast(first=Voice(("word " * 200, CALL, error()), GOOD)).ask()
    first, _ = (item.usage for item in items if isinstance(item, Attempt))
    assert first == Usage("first", 11, 0, 252, estimated=True)


async def test_the_loser_of_a_hedge_and_a_silent_model_had_the_prompt_to_read():
    items, _ = await Cast(first=Voice((5, "x")), second=Voice(GOOD), hedge_s=0.01).ask()
    loser, _ = (item.usage for item in items if isinstance(item, Attempt))
    assert loser == Usage("first", 11, 0, 0, estimated=True)
    items, _ = await Cast(first=Voice((ProviderTimeout(),)), second=Voice(GOOD)).ask()
    assert items[0].usage.input_tokens == 11


async def test_what_was_refused_or_never_reached_a_model_took_nothing():
    for error in (DOWN(), ProviderAuth(), ProviderTooLong(), limited(60)):
        items, _ = await Cast(first=Voice((error,)), attempts=1).ask()
        assert items[0].usage is None


@pytest.mark.parametrize("hedge_s", [0, 0.01])
async def test_who_leaves_early_is_told_what_was_under_way_and_nothing_else(hedge_s):
    heard = []
    request = replace(REQUEST, unheard=heard.append)
    cast = Cast(
        first=Voice((DOWN(),)), second=Voice(("word " * 4, 30)), third=Voice((30,)), attempts=1, hedge_s=hedge_s
    )
    async with aclosing(cast.model.stream(request)) as stream:
        told = [await anext(stream), await anext(stream)]
    assert outcomes(told) == [("first", "provider_unavailable")]
    assert [(each.model, each.outcome, each.usage.output_tokens) for each in heard] == [("second", "cancelled", 5)]
    heard.clear()
    cast = Cast(first=Voice((30,)), second=Voice((30,)), hedge_s=hedge_s)
    await _given_up(cast, request, lambda: cast.asked() == [1, int(hedge_s > 0)])
    assert [each.model for each in heard] == (["first", "second"] if hedge_s else ["first"])
    heard.clear()
    long = LongNap()
    await _given_up(Cast(first=Voice((DOWN(),)), sleep=long), request, lambda: long.taken)
    assert heard == [], "it was told of the try, and waited for the next one"


async def _given_up(cast, request, when):
    asking = asyncio.create_task(cast.ask(request))
    await until(when)
    asking.cancel()
    await asyncio.wait([asking])


async def test_an_impatient_reader_who_cancels_twice_leaves_no_connection_open():
    class Slow(Voice):
        async def stream(self, request):
            self.open += 1
            begun.release()
            try:
                await asyncio.sleep(30)
                yield TextDelta("never")
            finally:
                await asyncio.sleep(0.05)
                self.open -= 1

    begun = asyncio.Semaphore(0)
    heard, slow = [], (Slow(), Slow())
    cast = Cast(first=slow[0], second=slow[1], hedge_s=0.01)
    asking = asyncio.create_task(read_whole(cast.model, replace(REQUEST, unheard=heard.append)))
    for _ in slow:
        await begun.acquire()
    asking.cancel()
    await asyncio.sleep(0.01)
    asking.cancel()
    await asyncio.wait([asking])
    assert (slow[0].open, slow[1].open, len(heard)) == (0, 0, 2)


async def test_a_bug_in_an_adapter_is_no_providers_failure_and_leaks_nothing():
    cast = Cast(first=Voice((ZeroDivisionError(),)), second=Voice(GOOD))
    with pytest.raises(ZeroDivisionError):
        await cast.ask()
    assert cast.asked() == [1, 0]


async def test_every_attempt_is_logged_without_a_word_of_the_prompt():
    with capture_logs() as logs:
        await Cast(first=Voice((DOWN(),)), second_at_other=Voice(GOOD), attempts=1).ask()
    told = [log for log in logs if log["event"] == "model_attempt"]
    assert [(log["model"], log["provider"], log["outcome"]) for log in told] == [
        ("first", "groq", "provider_unavailable"), ("second", "other", "ok"),
    ]  # fmt: skip
    assert all(log["seconds"] >= 0 for log in told)
    assert "raise" not in str(told)


# -- hedging


async def test_a_hedge_answers_for_a_silent_model_whose_connection_is_closed_before_the_first_word():
    slow = Voice((30, "late"))
    cast = Cast(first=slow, second=Voice(("quick", 0.01, " one")), hedge_s=0.02)
    open_at_first_word = None
    items = []
    async for item in cast.model.stream(REQUEST):
        if isinstance(item, TextDelta) and open_at_first_word is None:
            open_at_first_word = slow.open
        items.append(item)
    assert open_at_first_word == 0
    assert shown(items) == "quick one"
    assert outcomes(items) == [("first", "cancelled"), ("second", "ok")]


async def test_no_hedge_for_a_model_that_speaks_in_time_or_when_it_is_off():
    quick = Cast(first=Voice((0.01, "a")), second=Voice(GOOD), hedge_s=10)
    assert shown((await quick.ask())[0]) == "a"
    off = Cast(first=Voice((0.05, "a")), second=Voice(GOOD))
    assert shown((await off.ask())[0]) == "a"
    assert quick.asked() == off.asked() == [1, 0]


async def test_the_first_model_may_still_win_and_a_hedge_that_fails_costs_it_nothing():
    cast = Cast(first=Voice((1, "first")), second=Voice((30,)), hedge_s=0.02)
    items, _ = await cast.ask()
    assert (shown(items), outcomes(items)) == ("first", [("second", "cancelled"), ("first", "ok")])
    cast = Cast(first=Voice((1, "first")), second=Voice((ProviderRejected(),)), hedge_s=0.02)
    items, error = await cast.ask()
    assert (shown(items), error) == ("first", None)
    assert outcomes(items) == [("second", "provider_rejected"), ("first", "ok")]


async def test_a_hedge_goes_on_alone_when_the_first_model_fails():
    cast = Cast(first=Voice((0.5, DOWN())), second=Voice((1, "second")), hedge_s=0.01)
    items, error = await cast.ask()
    assert (shown(items), error) == ("second", None)
    assert cast.asked() == [1, 1]
    assert cast.naps.taken == []


async def test_after_a_hedge_that_lost_its_model_may_still_take_over():
    cast = Cast(first=Voice((0.5, "a", ProviderTimeout())), second=Voice((30,), ("b",)), hedge_s=0.01)
    items, error = await cast.ask()
    assert (shown(items), error) == ("b", None)
    assert kinds(items).count("Restart") == 1


async def test_when_both_fail_the_first_one_is_tried_again():
    cast = Cast(first=Voice((0.5, DOWN()), GOOD), second=Voice((ProviderAuth(),)), hedge_s=0.01)
    items, error = await cast.ask()
    assert (shown(items), error) == ("Hello", None)


class Waiting(Voice):
    """Speaks once everybody at its gate does."""

    def __init__(self, gate, text):
        super().__init__()
        self.gate, self.text = gate, text

    async def stream(self, request):
        self.requests.append(request)
        await self.gate.wait()
        yield TextDelta(self.text)
        yield Finish("stop")


async def test_two_that_speak_in_the_same_moment_are_one_answer():
    for _ in range(20):
        gate = asyncio.Barrier(2)
        cast = Cast(first=Waiting(gate, "a"), second=Waiting(gate, "b"), hedge_s=0.001)
        items, error = await cast.ask()
        assert (shown(items), error) in {("a", None), ("b", None)}
        assert sorted(outcome for _, outcome in outcomes(items)) == ["cancelled", "ok"]


# -- leaving early


@pytest.mark.parametrize("hedge_s", [0.0, 0.01])
async def test_cancelling_before_the_first_word_closes_all_and_leaves_no_task(hedge_s):
    cast = Cast(first=Voice((30,)), second=Voice((30,)), hedge_s=hedge_s)
    with own_tasks() as tasks:
        task = asyncio.create_task(cast.ask())
        await until(lambda: cast.asked() == [1, int(hedge_s > 0)])
        with capture_logs() as logs:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
    assert not any(voice.open for voice in cast.voices.values())
    assert not undone(tasks)
    assert [log["outcome"] for log in logs] == ["cancelled"] * (2 if hedge_s else 1)


async def test_leaving_in_mid_answer_closes_the_connection():
    voice = Voice(("a", "b", "c", 30))
    cast = Cast(first=voice)
    stream = cast.model.stream(REQUEST)
    assert await anext(stream) == TextDelta("a")
    await stream.aclose()
    assert voice.open == 0


async def test_cancelling_a_wait_between_tries_ends_it():
    long = LongNap()
    task = asyncio.create_task(Cast(first=Voice((DOWN(),)), sleep=long).ask())
    await until(lambda: long.taken)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# -- with the breaker


async def test_an_open_breaker_is_an_attempt_that_was_not_made_and_the_next_model_answers():
    breaker = Breaker(MemoryMarks(), failures=2)
    cast = Cast(first=Voice((DOWN(),)), second=Voice(GOOD), attempts=2, breaker=breaker)
    await cast.ask()
    items, error = await cast.ask()
    assert (shown(items), error) == ("Hello", None)
    assert outcomes(items) == [("first", "open"), ("second", "ok")]
    assert items[0].duration_s == 0
    assert cast.asked() == [2, 2]


async def test_an_open_breaker_fails_at_once_and_says_for_how_long_when_nobody_else_can_be_asked():
    cast = Cast(first=Voice((DOWN(),)), attempts=1, breaker=Breaker(MemoryMarks(), failures=1, open_s=30))
    await cast.ask()
    items, error = await cast.ask()
    assert isinstance(error, ProviderUnavailable)
    assert "30 seconds" in error.public
    assert outcomes(items) == [("first", "open")]
    assert cast.naps.taken == []


@pytest.mark.parametrize("state", ["half open", "nearly over"])
async def test_a_model_that_is_left_alone_is_not_waited_for_while_another_can_be_asked(state):
    clock = [0.0]
    breaker = Breaker(MemoryMarks(lambda: clock[0]), failures=1, open_s=10)
    cast = Cast(first=Voice((DOWN(),), (30,)), second=Voice(GOOD), attempts=1, breaker=breaker)
    await cast.ask()
    clock[0] = 11.0 if state == "half open" else 8.5
    probe = asyncio.create_task(read_whole(cast.model, REQUEST))
    await until(lambda: cast.asked() == [2, 1] if state == "half open" else cast.asked() == [1, 2])
    async with aclosing(cast.model.stream(REQUEST)) as stream:
        items = [item async for item in stream]
    assert shown(items) == "Hello"
    assert outcomes(items) == [("first", "open"), ("second", "ok")]
    assert cast.naps.taken == [], "not for a moment"
    probe.cancel()
    await asyncio.wait([probe])


async def test_a_model_that_cannot_be_made_leaves_the_place_of_the_probe():
    clock = [0.0]
    breaker = Breaker(MemoryMarks(lambda: clock[0]), failures=1, open_s=10)
    ref = ModelRef("first", "groq")
    await breaker.failed(ref, await breaker.admit(ref), DOWN())
    clock[0] = 11.0

    def unmakeable(ref):
        raise ConfigurationError("no")

    model = ResilientModel(Chain(ref), unmakeable, breaker, name="x")
    with pytest.raises(ConfigurationError):
        await read_whole(model, REQUEST)
    assert (await breaker.admit(ref)).state == "probe"


async def test_a_slow_provider_gets_its_time_though_the_budget_is_over():
    cast = Cast(first=Voice((DOWN(),)), second_at_local=Voice((0.3, "slow")), attempts=1, budget=0.1, slow={"local": 5})
    assert shown((await cast.ask())[0]) == "slow"
    cast = Cast(first=Voice((5, "late")), second_at_local=Voice(GOOD), budget=0.1, slow={"local": 5})
    assert isinstance((await cast.ask())[1], ProviderTimeout), "it is nobody else's time"


async def test_a_call_waits_a_moment_for_the_one_that_probes():
    clock = [0.0]
    breaker = Breaker(MemoryMarks(lambda: clock[0]), failures=1, open_s=10)
    voice = Voice((DOWN(),), (0.05, "probe"), ("after",))
    cast = Cast(first=voice, attempts=1, breaker=breaker, sleep=lambda _: asyncio.sleep(0.01))
    await cast.ask()
    clock[0] = 11.0
    (probing, _), (waiting, error) = await asyncio.gather(cast.ask(), cast.ask())
    assert (shown(probing), shown(waiting), error) == ("probe", "after", None)
    assert outcomes(waiting) == [("first", "open"), ("first", "ok")]


async def test_a_probe_that_is_cancelled_lets_the_next_call_probe():
    clock = [0.0]
    cast = Cast(
        first=Voice((DOWN(),), (30,), GOOD),
        attempts=1,
        breaker=Breaker(MemoryMarks(lambda: clock[0]), failures=1, open_s=10),
    )
    await cast.ask()
    clock[0] = 11.0
    probe = asyncio.create_task(cast.ask())
    await until(lambda: cast.asked() == [2])
    probe.cancel()
    await asyncio.wait([probe])
    assert shown((await cast.ask())[0]) == "Hello"


async def test_answers_that_break_off_open_the_breaker_though_each_of_them_had_begun():
    breaker = Breaker(MemoryMarks(), failures=4)
    cast = Cast(first=Voice(("a", ProviderCut())), breaker=breaker)
    for _ in range(2):
        await cast.ask()
    assert (await breaker.admit(ModelRef("first", "groq"))).state == "failing"


async def test_a_probe_that_spoke_is_a_call_like_any_other_from_then_on():
    clock = [0.0]
    breaker, ref = Breaker(MemoryMarks(lambda: clock[0]), failures=2, open_s=10), ModelRef("first", "groq")
    cast = Cast(first=Voice((DOWN(),), (DOWN(),), ("a", 0.05, ProviderCut()), (30,)), attempts=1, breaker=breaker)
    await cast.ask()
    await cast.ask()
    assert (await breaker.admit(ref)).state == "failing"
    clock[0] = 11.0
    probe = asyncio.create_task(cast.ask())
    await until(lambda: cast.asked() == [4])  # it was cut meanwhile, and is being asked anew
    assert (await breaker.admit(ref)).state == "closed", "one cut is no row"
    probe.cancel()
    await asyncio.wait([probe])


# -- whatever happens

ERRORS = (DOWN, ProviderCut, ProviderTimeout, ProviderAuth, ProviderRejected, refused, lambda: limited(0.5))


def _line(chance, number):
    """An answer that may break at any place, and what it would be if it were whole."""
    words = [f"<{number}.{word}>" for word in range(chance.randint(0, 4))]
    line = [0.001 * chance.randint(0, 4) if chance.random() < 0.4 else 0, *words]
    if chance.random() < 0.3:
        line.insert(chance.randint(1, len(line)), 0.004)
    if chance.random() < 0.6:
        line[chance.randint(1, len(line)) :] = [chance.choice(ERRORS)()]
    return line


@pytest.mark.parametrize("seed", range(150))
async def test_no_character_is_lost_or_doubled_after_the_last_restart_whatever_fails(seed):
    chance = random.Random(seed)
    voices = {
        f"m{index}_at_{chance.choice(['groq', 'other'])}": Voice(
            *([*_line(chance, f"{index}.{line}")] for line in range(4))
        )
        for index in range(chance.randint(1, 3))
    }
    cast = Cast(
        **voices,
        attempts=chance.randint(1, 3),
        budget=60.0,
        hedge_s=chance.choice([0.0, 0.002]),
        breaker=Breaker(MemoryMarks(), failures=chance.choice([2, 100]), open_s=0.01),
        chance=chance.random,
    )
    with own_tasks() as tasks:
        async with asyncio.timeout(60):
            items, error = await cast.ask()
    assert not undone(tasks)
    played = {"".join(item for item in line if isinstance(item, str)) for v in voices.values() for line in v.lines}
    whole = {
        "".join(item for item in line if isinstance(item, str))
        for v in voices.values()
        for line in v.lines
        if not any(isinstance(item, Exception) for item in line)
    }
    assert shown(items) in (whole if error is None else played)
    names = kinds(items)
    assert names.count("Finish") == (error is None)
    assert error is not None or names[-1] == "Finish"
    assert names.count("Restart") <= len(voices)
    assert error is None or isinstance(error, ProviderError)
    made = [item for item in items if isinstance(item, Attempt) and item.outcome != "open"]
    assert len(made) == sum(cast.asked())
    assert [item.outcome for item in made].count("ok") == (error is None)


async def test_a_model_that_is_gone_makes_room_for_the_next_one_of_the_same_provider():
    cast = Cast(first=Voice((ProviderNoModel(),)), second=Voice(GOOD))
    items, error = await cast.ask()
    assert (shown(items), error, cast.naps.taken) == ("Hello", None, [])
    assert outcomes(items) == [("first", "provider_no_model"), ("second", "ok")]
    items, error = await Cast(first=Voice((ProviderNoModel(),)), second=Voice((ProviderNoModel(),))).ask()
    assert (type(error), shown(items)) == (ProviderNoModel, "")
