"""A failing model is left alone by all processes, one call finds out when it works again, and Redis may be away."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from redis.asyncio import Redis

from signalbox.errors import (
    ProviderAuth,
    ProviderCut,
    ProviderRateLimited,
    ProviderRejected,
    ProviderTimeout,
    ProviderTooLong,
    ProviderUnavailable,
)
from signalbox.llm.breaker import (
    AWAY_S,
    LONGEST_PAUSE_S,
    Admission,
    Breaker,
    MemoryMarks,
    RedisMarks,
    SharedMarks,
)
from signalbox.llm.plan import ModelRef

A, B = ModelRef("llama", "groq"), ModelRef("llama", "other")


class Clock:
    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
async def marks(redis):
    """Redis's, without what other tests left; and none is left that would hold up another test's model."""
    await forget(redis)
    yield RedisMarks(redis)
    await forget(redis)


async def forget(redis):
    keys = [key async for key in redis.scan_iter("sb:breaker:*")]
    if keys:
        await redis.delete(*keys)


async def fail(breaker, ref=A, error=None, times=1):
    for _ in range(times):
        await breaker.failed(ref, await breaker.admit(ref), error or ProviderUnavailable())


async def state(breaker, ref=A):
    return (await breaker.admit(ref)).state


async def test_it_opens_after_failures_in_a_row_and_a_success_ends_the_row(clock):
    breaker = Breaker(MemoryMarks(clock), failures=3, open_s=30)
    for _ in range(3):
        await fail(breaker, times=2)
        await breaker.answered(A, await breaker.admit(A))
    assert await state(breaker) == "closed"
    await fail(breaker, times=3)
    refused = await breaker.admit(A)
    assert (refused.state, refused.granted, refused.wait_s) == ("failing", False, 30)


async def test_each_model_of_each_provider_has_its_own(clock):
    breaker = Breaker(MemoryMarks(clock), failures=1)
    await fail(breaker, A)
    assert [await state(breaker, ref) for ref in (A, B, ModelRef("gemma", "groq"))] == ["failing", "closed", "closed"]


async def test_when_its_time_is_over_one_call_probes_and_an_answer_closes_it(clock):
    breaker = Breaker(MemoryMarks(clock), failures=2, open_s=30)
    await fail(breaker, times=2)
    clock.now += 30.1
    probe = await breaker.admit(A)
    assert (probe.state, probe.granted) == ("probe", True)
    other = await breaker.admit(A)
    assert (other.state, other.granted) == ("failing", False)
    assert 0 < other.wait_s < 1
    await breaker.answered(A, probe)
    assert [await state(breaker) for _ in range(3)] == ["closed"] * 3


async def test_a_probe_that_fails_opens_it_again_for_the_whole_time(clock):
    breaker = Breaker(MemoryMarks(clock), failures=5, open_s=30)
    await fail(breaker, times=5)
    clock.now += 31
    await fail(breaker, error=ProviderTimeout())
    assert (await breaker.admit(A)).wait_s == 30


async def test_a_probe_that_nobody_hears_of_again_is_repeated_when_its_time_is_over(clock):
    breaker = Breaker(MemoryMarks(clock), failures=1, open_s=30, probe_s=20)
    await fail(breaker)
    clock.now += 31
    assert await state(breaker) == "probe"
    clock.now += 19
    assert await state(breaker) == "failing"
    clock.now += 2
    assert await state(breaker) == "probe"


async def test_a_late_probe_does_not_free_the_place_of_the_one_after_it(clock):
    breaker = Breaker(MemoryMarks(clock), failures=1, open_s=30, probe_s=20)
    await fail(breaker)
    clock.now += 31
    late = await breaker.admit(A)
    clock.now += 21
    assert await state(breaker) == "probe"
    await breaker.given_up(A, late)
    assert await state(breaker) == "failing"


async def test_a_probe_that_was_given_up_or_refused_leaves_its_place_to_another(clock):
    breaker = Breaker(MemoryMarks(clock), failures=1, open_s=30)
    await fail(breaker)
    clock.now += 31
    await breaker.given_up(A, await breaker.admit(A))
    await breaker.failed(A, await breaker.admit(A), ProviderRejected())
    assert await state(breaker) == "probe"


@pytest.mark.parametrize("error", [ProviderAuth(), ProviderRejected(), ProviderTooLong()])
async def test_a_refused_key_or_request_says_nothing_of_the_models_health(clock, error):
    breaker = Breaker(MemoryMarks(clock), failures=2)
    await fail(breaker, error=error, times=10)
    assert await state(breaker) == "closed"


@pytest.mark.parametrize("error", [ProviderUnavailable(), ProviderCut(), ProviderTimeout(), ProviderRateLimited()])
async def test_what_keeps_a_model_from_answering_counts(clock, error):
    breaker = Breaker(MemoryMarks(clock), failures=2)
    await fail(breaker, error=error, times=2)
    assert await state(breaker) == "failing"


async def test_a_rate_limit_opens_it_for_as_long_as_was_asked_and_needs_no_probe(clock):
    breaker = Breaker(MemoryMarks(clock), failures=100)
    await fail(breaker, error=ProviderRateLimited(wait=12))
    await fail(breaker, error=ProviderRateLimited(wait=3))  # of a call that was under way: it shortens nothing
    refused = await breaker.admit(A)
    assert (refused.state, refused.wait_s) == ("limited", 12)
    clock.now += 12.1
    assert [await state(breaker) for _ in range(2)] == ["closed"] * 2
    await fail(breaker, error=ProviderRateLimited(wait=86_400))
    assert (await breaker.admit(A)).wait_s == pytest.approx(LONGEST_PAUSE_S)


async def test_a_call_that_was_let_in_before_it_opened_closes_nothing(clock):
    breaker = Breaker(MemoryMarks(clock), failures=2, open_s=30)
    early = await breaker.admit(A)
    await fail(breaker, times=2)
    await breaker.answered(A, early)
    assert await state(breaker) == "failing"
    clock.now += 31
    assert await state(breaker) == "probe"


# -- shared


async def test_marks_of_redis_and_of_memory_behave_the_same(marks, clock):
    for each in (marks, MemoryMarks(clock)):
        assert [await each.count("sb:breaker:t:n", 500) for _ in range(3)] == [1, 2, 3]
        await each.hold("sb:breaker:t:h", 500)
        await each.hold("sb:breaker:t:h", 200)
        assert 400 < (await each.left("sb:breaker:t:h"))[0] <= 500
        await each.hold("sb:breaker:t:h", 900)
        assert 800 < (await each.left("sb:breaker:t:h"))[0] <= 900
        assert await each.take("sb:breaker:t:p", "me", 500)
        assert not await each.take("sb:breaker:t:p", "you", 500)
        await each.free("sb:breaker:t:p", "you")
        assert (await each.left("sb:breaker:t:p", "sb:breaker:t:none"))[1] == 0
        assert not await each.take("sb:breaker:t:p", "you", 500)
        await each.free("sb:breaker:t:p", "me")
        assert await each.take("sb:breaker:t:p", "you", 0.03)
        clock.now += 0.05
        await asyncio.sleep(0.05)
        assert await each.take("sb:breaker:t:p", "me", 5)
        await each.drop("sb:breaker:t:p", "sb:breaker:t:n", "sb:breaker:t:none")
        assert await each.left("sb:breaker:t:p", "sb:breaker:t:n") == (0, 0)
        await each.drop("sb:breaker:t:h")


async def test_every_key_it_writes_expires_by_itself(marks, redis):
    breaker = Breaker(marks, failures=2, open_s=0.05)
    await fail(breaker, times=3)
    await fail(breaker, B)
    await fail(breaker, B, ProviderRateLimited(wait=5))
    await asyncio.sleep(0.06)
    assert await state(breaker) == "probe"
    keys = [key async for key in redis.scan_iter("sb:breaker:*")]
    assert len(keys) >= 3
    lasting = [key for key in keys if await redis.pttl(key) == -1]  # less, if its time was over in between
    assert lasting == []


async def test_of_many_calls_at_once_exactly_one_probes(marks):
    breakers = [Breaker(marks, failures=1, open_s=0.03) for _ in range(4)]
    await fail(breakers[0])
    await asyncio.sleep(0.05)
    found = await asyncio.gather(*(breaker.admit(A) for breaker in breakers for _ in range(10)))
    assert sum(each.state == "probe" for each in found) == 1


async def test_failures_at_the_same_time_in_many_breakers_add_up(marks):
    breakers = [Breaker(marks, failures=8, open_s=30) for _ in range(8)]
    admitted = await asyncio.gather(*(breaker.admit(A) for breaker in breakers))
    await asyncio.gather(*(b.failed(A, a, ProviderUnavailable()) for b, a in zip(breakers, admitted, strict=True)))
    assert await state(breakers[0]) == "failing"


PROCESS = """
import asyncio, json, sys
from redis.asyncio import Redis
from signalbox.errors import ProviderUnavailable
from signalbox.llm.breaker import Breaker, RedisMarks
from signalbox.llm.plan import ModelRef

async def main():
    redis = Redis.from_url(sys.argv[1])
    breaker, ref = Breaker(RedisMarks(redis), failures=5, open_s=float(sys.argv[2])), ModelRef("llama", "groq")
    for line in sys.stdin:
        if line.strip() == "fail":
            await breaker.failed(ref, await breaker.admit(ref), ProviderUnavailable())
        print(json.dumps((await breaker.admit(ref)).state), flush=True)
    await redis.aclose()

asyncio.run(main())
"""


@pytest.fixture
async def two_processes(servers, marks):
    running = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROCESS, servers.redis_url, "5",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parent,
        )
        for _ in range(2)
    ]  # fmt: skip
    yield running
    for process in running:
        process.stdin.close()
        await process.wait()


async def tell(process, word):
    process.stdin.write(f"{word}\n".encode())
    await process.stdin.drain()
    while not (line := await process.stdout.readline()).startswith(b'"'):
        assert line  # its log goes the same way
    return json.loads(line)


async def test_it_opens_across_two_processes_and_one_of_them_probes(two_processes):
    one, other = two_processes
    async with asyncio.timeout(60):
        assert [await tell(each, "look") for each in (one, other)] == ["closed", "closed"]
        assert [await tell(one, "fail") for _ in range(3)] == ["closed"] * 3
        assert await tell(other, "fail") == "closed"
        assert await tell(other, "fail") == "failing"
        assert await tell(one, "look") == "failing"
        await asyncio.sleep(5.1)
        states = await asyncio.gather(tell(one, "look"), tell(other, "look"))
    assert sorted(states) == ["failing", "probe"]


# -- Redis away


async def test_with_redis_away_the_process_keeps_its_own_and_nothing_is_raised(free_port):
    redis = Redis.from_url(f"redis://127.0.0.1:{free_port()}/0")
    breaker = Breaker(SharedMarks(RedisMarks(redis), MemoryMarks()), failures=2, open_s=30)
    await fail(breaker, times=2)
    assert await state(breaker) == "failing"
    await redis.aclose()


async def test_a_redis_that_does_not_answer_is_asked_twice_and_then_left_alone():
    asked = []

    async def mute(reader, writer):
        asked.append(writer)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(mute, "127.0.0.1", 0)
    redis = Redis.from_url("redis://127.0.0.1:%d/0" % server.sockets[0].getsockname()[1])  # noqa: UP031
    clock = Clock()
    shared = SharedMarks(RedisMarks(redis), MemoryMarks(), clock, patience_s=0.2)
    breaker = Breaker(shared, failures=3)
    async with asyncio.timeout(30):
        assert [await state(breaker), await state(breaker)] == ["closed"] * 2
    assert len(asked) == 2
    await fail(breaker, times=3)
    assert await state(breaker) == "failing"
    assert len(asked) == 2, "it was not waited for again"
    await redis.aclose()
    server.close()


async def test_a_redis_that_is_late_once_is_asked_again_at_once(marks):
    class Late(RedisMarks):
        async def left(self, *keys):
            if late:
                late.pop()
                await asyncio.sleep(60)
            return await marks.left(*keys)

    late = [True]
    shared = SharedMarks(Late(None), MemoryMarks(), Clock(), patience_s=2)
    breaker = Breaker(shared, failures=1)
    await fail(Breaker(marks, failures=1))
    assert [await state(breaker), await state(breaker)] == ["closed", "failing"]


async def test_a_place_that_is_given_late_is_given_to_nobody_by_a_second_book():
    class Late(MemoryMarks):
        async def take(self, key, owner, expiry):
            taken = await super().take(key, owner, expiry)
            await asyncio.sleep(0.1)
            return taken

    clock = Clock()
    late = Late(clock)
    await Breaker(late, failures=1, open_s=10).failed(A, Admission("closed"), ProviderUnavailable())
    clock.now += 11
    processes = [
        Breaker(SharedMarks(late, MemoryMarks(clock), clock, patience_s=0.01), failures=1, open_s=10) for _ in range(2)
    ]
    assert [await state(each) for each in processes] == ["failing", "failing"]


async def test_a_call_that_is_cancelled_while_it_takes_the_place_of_the_probe_leaves_it(clock):
    class Slow(MemoryMarks):
        async def take(self, key, owner, expiry):
            taken = await super().take(key, owner, expiry)
            began.set()
            await asyncio.sleep(0)
            return taken

    began = asyncio.Event()
    breaker = Breaker(Slow(clock), failures=1, open_s=10)
    await fail(breaker)
    clock.now += 11
    asking = asyncio.create_task(breaker.admit(A))
    await began.wait()
    asking.cancel()
    await asyncio.wait([asking])
    assert asking.cancelled()
    assert await state(breaker) == "probe"


async def test_a_slow_providers_probe_gets_longer(clock):
    local = ModelRef("local", "local")
    breaker = Breaker(MemoryMarks(clock), failures=1, open_s=10, probe_s=20, slow={"local": 300})
    for ref in (A, local):
        await fail(breaker, ref)
    clock.now += 11
    assert [(await breaker.admit(ref)).state for ref in (A, local)] == ["probe", "probe"]
    clock.now += 21
    assert [(await breaker.admit(ref)).state for ref in (A, local)] == ["probe", "failing"]


async def test_a_redis_that_is_back_is_asked_again(marks):
    class Sometimes(RedisMarks):
        async def left(self, *keys):
            if away:
                raise ConnectionRefusedError
            return await marks.left(*keys)

    clock = Clock()
    away = True
    shared = Breaker(marks, failures=1, open_s=30)
    breaker = Breaker(SharedMarks(Sometimes(None), MemoryMarks(), clock, patience_s=10), failures=1)
    await fail(shared)
    assert await state(breaker) == "closed"
    away = False
    assert await state(breaker) == "closed"
    clock.now += AWAY_S
    assert await state(breaker) == "failing"
