"""Settings become models: who is asked, with which key, what is refused at once, and what older runs go on with."""

import asyncio

import pytest
from loopback import Loopback, Reply, failure, sse
from voices import REQUEST, kinds, shown

from signalbox.errors import ConfigurationError, ModelRetired
from signalbox.llm.base import Attempt, ModelRequest, read_whole
from signalbox.llm.breaker import Breaker, MemoryMarks
from signalbox.llm.catalogue import Catalogue
from signalbox.llm.models import GROQ_DEFAULT_MODEL, LOCAL, Models, configured_plan
from signalbox.llm.offline import OfflineModel
from signalbox.llm.plan import ModelRef
from signalbox.llm.resilient import ResilientModel
from signalbox.llm.scripted import ScriptedModel
from signalbox.settings import load_settings

KEY = "sk-SENTINEL-of-a-key"
ELSEWHERE = "other=http://127.0.0.1:9/v1"


def made(given=None, **settings) -> Models:
    return Models(load_settings(**settings), Breaker(MemoryMarks()), given)


async def test_without_a_provider_the_model_is_used_directly():
    assert isinstance(made().current, OfflineModel)
    assert isinstance(made(model="scripted").current, ScriptedModel)
    models = made(model="scripted")
    assert models.planned("scripted", models.told) is models.current
    assert models.named("offline").name == "offline"


async def test_a_provider_makes_it_resilient_under_the_name_that_settings_write():
    models = made(groq_api_key=KEY)
    assert isinstance(models.current, ResilientModel)
    assert (models.current.name, models.current.instructable) == (GROQ_DEFAULT_MODEL, True)
    assert models.named(models.current.name) is models.named("") is models.current
    assert made(model="gpt@other", providers=(ELSEWHERE,)).current.name == "gpt@other"
    await models.close()


async def test_a_key_goes_to_its_own_provider_and_to_no_other():
    async with Loopback(failure(500)) as groq, Loopback(Reply(sse("Hi"))) as other:
        models = made(
            model="llama",
            model_base_url=groq.url,
            groq_api_key="gsk_groq",
            model_attempts=1,
            model_fallbacks=("gpt@other",),
            providers=(f"other={other.url}/v1",),
            provider_keys="other=sk=with=signs",
        )
        reading = await read_whole(models.current, REQUEST)
        await models.close()
    assert reading.text == "Hi"
    assert groq.requests[0].headers["authorization"] == "Bearer gsk_groq"
    assert other.requests[0].headers["authorization"] == "Bearer sk=with=signs"
    assert (groq.requests[0].body["model"], other.requests[0].body["model"]) == ("llama", "gpt")
    assert other.requests[0].path == "/v1/chat/completions"


async def test_tasks_go_to_the_models_of_their_tiers_over_one_adapter_each():
    async with Loopback(Reply(sse("Hi"))) as provider:
        models = made(model="big", model_cheap="small", model_base_url=provider.url)
        for task in ("answer", "classify", "answer"):
            await read_whole(models.current, ModelRequest(task, REQUEST.messages, draft=""))
        await models.close()
    assert [request.body["model"] for request in provider.requests] == ["big", "small", "big"]


async def test_the_composer_may_be_the_last_of_the_chain():
    async with Loopback(failure(500)) as provider:
        models = made(model="llama", model_base_url=provider.url, model_attempts=1, model_fallbacks=("offline",))
        request = ModelRequest("answer", REQUEST.messages, draft="The draft.")
        items = [item async for item in models.current.stream(request)]
        await models.close()
    assert shown(items) == "The draft."
    assert [item.outcome for item in items if isinstance(item, Attempt)] == ["provider_unavailable", "ok"]
    assert kinds(items)[-1] == "Finish"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"model": "gpt@nowhere", "groq_api_key": KEY}, "'gpt@nowhere' names no model of a known provider"),
        ({"groq_api_key": KEY, "model_fallbacks": ("gpt@nowhere",)}, "SIGNALBOX_MODEL_FALLBACKS"),
        ({"groq_api_key": KEY, "model_cheap": "x@nowhere"}, "SIGNALBOX_MODEL_CHEAP"),
        ({"model": "offline", "model_fallbacks": ("llama",)}, "set GROQ_API_KEY"),
        ({"model": "local"}, "SIGNALBOX_LOCAL_MODEL"),
        ({"model": "offline", "model_strong": "gpt@offline"}, "only one model 'offline'"),
        ({"provider_keys": f"nowhere={KEY}"}, "'nowhere', which SIGNALBOX_PROVIDERS does not name"),
        ({"provider_keys": f"groq={KEY}"}, "its key is GROQ_API_KEY"),
        ({"providers": (ELSEWHERE,), "provider_keys": f"other=a,{KEY}"}, "entry 2 of 2 is not of the form"),
        ({"providers": (ELSEWHERE,), "provider_keys": f"other=a,other={KEY}"}, "another key for 'other'"),
        ({"providers": (ELSEWHERE,), "provider_keys": f"other={KEY} b"}, "'other' cannot be asked.*without spaces"),
        ({"groq_api_key": f"{KEY}\u00e9"}, "'groq' cannot be asked.*printable ASCII"),
        ({"providers": ("other=http://[::1/v1",)}, "'other' cannot be asked.*must look like"),
    ],
)
def test_what_cannot_work_is_told_at_the_start_and_shows_no_key(settings, told):
    with pytest.raises(ConfigurationError, match=told) as caught:
        configured_plan(load_settings(**settings))
    assert "SENTINEL" not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        {"retry_budget_s": 10},
        {"first_token_s": 60},
        {"first_token_s": 30},
        {"retry_budget_s": 5, "first_token_s": 5, "model_attempts": 1, "model_fallbacks": ("offline",)},
        {"retry_budget_s": 5, "hedge_s": 8},
    ],
)
def test_a_budget_that_one_silent_model_uses_up_is_refused_with_what_to_do(given):
    with pytest.raises(ConfigurationError) as caught:
        load_settings(groq_api_key=KEY, **given)
    told = caught.value.public
    assert "SIGNALBOX_RETRY_BUDGET_S: a silent model gets " in told
    assert f"so nobody would be asked after it; raise it above {given.get('first_token_s', 20)}, or lower" in told
    assert "SENTINEL" not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"retry_budget_s": 10, "first_token_s": 9},
        {"retry_budget_s": 10, "model_attempts": 1},  # one try, and nobody after it
        {"retry_budget_s": 10, "hedge_s": 2},  # the next one is asked long before
        {"retry_budget_s": 10, "groq_api_key": None},  # nobody is asked
        {"retry_budget_s": 10, "model": "offline"},
        {"first_token_s": 60, "model": "local"},
    ],
)
def test_a_budget_with_room_for_another_or_for_none_is_taken(given):
    settings = load_settings(**{"groq_api_key": KEY, **given})
    assert {name: getattr(settings, name) for name in given} == given


def test_a_provider_of_ones_own_needs_no_groq_key():
    plan = configured_plan(load_settings(model="gpt@other", providers=(ELSEWHERE,)))
    assert plan.models["standard"] == (ModelRef("gpt", "other"),)


async def test_a_run_of_before_the_plans_goes_on_with_its_model_by_name():
    models = made(groq_api_key=KEY, retired_models=("gone",))
    old = models.named("mixtral")
    assert old.name == "mixtral"
    assert models.named("mixtral") is old
    for name in ("gone", "gpt@nowhere", "local"):
        with pytest.raises(ModelRetired, match=name):
            models.named(name)
    with pytest.raises(ModelRetired):
        made().named("llama")
    await models.close()


async def test_a_deploy_with_other_models_changes_nothing_for_a_run_in_flight():
    async with Loopback(Reply(sse("Hi"))) as provider:
        before = made(model="old", model_cheap="old-small", model_base_url=provider.url)
        after = made(model="new", model_base_url=provider.url)
        run = after.planned("old", before.told)
        assert after.planned("old", before.told) is run
        assert after.planned("new", after.told) is after.current
        await read_whole(run, REQUEST)
        await read_whole(run, ModelRequest("classify", REQUEST.messages, draft=""))
        await after.close()
    assert [request.body["model"] for request in provider.requests] == ["old", "old-small"]


async def test_models_of_a_kept_plan_that_are_gone_are_left_out_of_it():
    async with Loopback(Reply(sse("Hi"))) as provider:
        before = made(
            model="a", model_strong="s", model_fallbacks=("b", "gpt@other"), providers=(ELSEWHERE,), groq_api_key=KEY
        )
        after = made(model="new", model_base_url=provider.url, retired_models=("a", "s"))
        run = after.planned("a", before.told)
        await read_whole(run, REQUEST)
        await read_whole(run, ModelRequest("answer", REQUEST.messages, draft="", tier="strong"))
        await after.close()
    assert [request.body["model"] for request in provider.requests] == ["b", "b"]


async def test_a_run_is_retired_only_when_nothing_of_its_plan_is_left():
    before = made(model="a", model_fallbacks=("gpt@other",), providers=(ELSEWHERE,), groq_api_key=KEY)
    with pytest.raises(ModelRetired, match="a, which is gone"):
        made(groq_api_key=KEY, retired_models=("a",)).planned("a", before.told)
    with pytest.raises(ModelRetired):
        made().planned("a", before.told)


async def test_a_kept_plan_that_cannot_be_read_or_is_none_leaves_the_models_name():
    models = made(groq_api_key=KEY)
    assert models.planned("mixtral", {}) is models.planned("mixtral", {"of": "tomorrow"}) is models.named("mixtral")
    await models.close()


async def test_a_given_model_is_used_as_it_is_and_no_plan_is_told_of_it():
    given = ScriptedModel()
    models = made(given, groq_api_key=KEY)
    assert models.current is given
    assert models.told == {}
    assert models.planned("scripted", {}) is given


async def test_the_loser_of_a_hedge_is_hung_up_on_by_the_time_the_winner_speaks():
    async with Loopback(Reply(head_delay_s=60)) as slow, Loopback(Reply(sse("Quick", " one"))) as quick:
        models = made(
            model="slow",
            model_base_url=slow.url,
            providers=(f"other={quick.url}/v1",),
            model_fallbacks=("quick@other",),
            hedge_s=0.05,
        )
        stream = models.current.stream(REQUEST)
        items = [item async for item in stream]
        async with asyncio.timeout(30):
            await slow.left.wait()
        await models.close()
    assert shown(items) == "Quick one"
    assert [(a.model, a.outcome) for a in items if isinstance(a, Attempt)] == [("slow", "cancelled"), ("quick", "ok")]


@pytest.mark.parametrize("reply", [Reply(head_delay_s=60), Reply(sse("A", finish=None, done=False), end="hold")])
async def test_a_reader_who_leaves_takes_every_connection_along(reply):
    async with Loopback(reply) as one, Loopback(reply) as other:
        models = made(
            model="a",
            model_base_url=one.url,
            providers=(f"other={other.url}/v1",),
            model_fallbacks=("b@other",),
            hedge_s=0.02,
        )
        asking = asyncio.create_task(read_whole(models.current, REQUEST))
        await one.started.wait()
        await asyncio.sleep(0.1)
        asking.cancel()
        await asyncio.wait([asking])
        async with asyncio.timeout(30):
            for provider in (one, other):
                if provider.requests:
                    await provider.left.wait()
        await models.close()
    assert asking.cancelled()


def test_the_local_model_is_loaded_at_the_start_of_who_may_ask_it(tmp_path):
    plan = configured_plan(load_settings(local_model=tmp_path / "model.gguf", model_fallbacks=("local",)))
    assert LOCAL in plan.told()["models"]["standard"]


async def test_a_local_model_gets_its_time_at_the_end_of_a_chain_and_lengthens_no_others(tmp_path):
    settings = {"groq_api_key": KEY, "local_model": tmp_path / "m.gguf", "model_fallbacks": ("local",)}
    models = made(**settings)
    assert (models.current._patience.retries.budget, models.current._patience.slow) == (30, {"local": 300})
    bounded = made(**settings, retry_budget_s=40)
    assert (bounded.current._patience.retries.budget, bounded.current._patience.slow) == (40, {})
    short = made(**settings, first_token_s=25)
    assert short.current._patience.slow == {"local": 25}
    for each in (models, bounded, short):
        await each.close()


async def test_a_model_is_sent_what_its_card_says_and_another_one_is_not():
    cards = Catalogue.open(load_settings())
    async with Loopback(Reply(sse("Hi"))) as provider:
        settings = load_settings(model="openai/gpt-oss-120b", model_cheap="llama", model_base_url=provider.url)
        models = Models(settings, Breaker(MemoryMarks()), None, cards)
        for task in ("answer", "classify"):
            await read_whole(models.current, ModelRequest(task, REQUEST.messages, draft="", max_tokens=200))
        await models.close()
    told, plain = (request.body for request in provider.requests)
    assert (told["reasoning_effort"], told["max_completion_tokens"]) == ("low", 712)
    assert ("reasoning_effort" in plain, plain["max_completion_tokens"]) == (False, 200)
