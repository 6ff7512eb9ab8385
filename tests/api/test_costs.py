"""What answers cost, over HTTP: the caller's own, the operator's metrics, and budgets on a live server."""

import json
import secrets
from collections.abc import AsyncIterator

import pytest
from apart import opened, own_database
from loopback import Loopback, Reply, chunk, data
from pydantic import SecretStr

from live import ask, finished, left, live, read_all, read_until
from signalbox.db import Database
from signalbox.memory.profile import Owner
from signalbox.metrics import Metrics
from signalbox.runs.books import Books, spent_on
from signalbox.settings import Settings

# 1,000 tokens in, 600 of them cached, 100 out: at $0.15, $0.075 and $0.60 a million, $0.000165.
PRICE = 0.000165


@pytest.fixture(scope="module")
async def url(servers) -> AsyncIterator[str]:
    """What the operator's numbers are about is the whole database."""
    async with own_database(servers) as made:
        yield made


@pytest.fixture
def settings(settings, url) -> Settings:
    return settings.model_copy(update={"database_url": SecretStr(url)})


@pytest.fixture
async def database(url) -> AsyncIterator[Database]:
    async with opened(url) as db:
        yield db


def answer(text: str = "All good.") -> Reply:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 600}}
    parts = [data(chunk(text)), data(chunk(finish="stop")), data({"choices": [], "usage": usage}), data("[DONE]")]
    return Reply(b"".join(parts))


def priced(settings: Settings, provider: Loopback, **more) -> Settings:
    told = {"model": "openai/gpt-oss-120b", "model_base_url": provider.url, "answer_cache": "off", **more}
    return settings.model_copy(update=told)


async def told(user, message: str = "/general hello there"):
    run = await ask(user, message)
    found = await read_all(user, run["events_url"])
    return found, await finished(user, run["run_id"])


async def test_every_answer_says_what_it_cost_and_the_caller_sees_the_sum(settings):
    async with (
        Loopback(answer()) as provider,
        live(priced(settings, provider, budget_user_usd=1.0)) as server,
        server.user() as user,
    ):
        nothing = (await user.get("/v1/usage")).json()
        assert (nothing["today"]["calls"], nothing["today"]["cost_usd"], nothing["today"]["models"]) == (0, 0, [])
        assert nothing["budget"]["left_usd"] == 1.0
        found, row = await told(user)
        assert row["status"] == "succeeded"
        used = [event.data for event in found.events if event.type == "usage"]
        assert [(one["input_tokens"], one["cached_tokens"], one["cost_usd"]) for one in used] == [(1_000, 600, PRICE)]
        conversation = row["conversation_id"]
        assert (await user.delete(f"/v1/conversations/{conversation}")).status_code == 204
        usage = (await user.get("/v1/usage")).json()
        async with server.user() as other:
            assert (await other.get("/v1/usage")).json()["month"]["calls"] == 0
    for period in ("today", "month"):
        one = usage[period]
        assert (one["calls"], one["cost_usd"], one["unpriced_calls"]) == (1, PRICE, 0)
        assert [model["model"] for model in one["models"]] == ["openai/gpt-oss-120b"]
    assert usage["budget"] == {**nothing["budget"], "left_usd": round(1 - PRICE, 8)}
    assert usage["budget"]["renewed_at"].endswith("T00:00:00Z")


async def test_without_a_budget_none_is_told(server, user):
    assert (await user.get("/v1/usage")).json()["budget"] is None


async def test_a_spent_budget_lands_softly_and_says_so_once(settings, database):
    async with (
        Loopback(answer()) as provider,
        live(priced(settings, provider, budget_user_usd=PRICE / 2)) as server,
        server.user() as user,
    ):
        first, _ = await told(user)
        second, row = await told(user, "/general what can you do?")
    assert first.text == "All good.", "it was decided before the call, which overshoots"
    assert row["status"] == "succeeded"
    assert second.text not in {"", "All good."}
    labels = [event.data["label"] for event in second.events if event.data.get("stage") == "budget"]
    assert len(labels) == 1
    assert "midnight UTC" in labels[0]
    assert len(provider.requests) == 1


async def test_a_refused_answer_is_one_clear_error(settings):
    async with Loopback(answer()) as provider:
        changed = priced(settings, provider, budget_user_usd=PRICE / 2, over_budget="refuse")
        async with live(changed) as server, server.user() as user:
            await told(user)
            found, row = await told(user, "/job_search nurse in Leeds")
    assert (row["status"], row["error"]["code"]) == ("failed", "budget_spent")
    (error,) = [event.data for event in found.events if event.type == "error"]
    assert (error["retry"], "midnight UTC" in error["content"]) == (False, True)


async def test_what_needs_no_model_or_was_done_is_answered_although_others_are_refused(settings):
    async with Loopback(answer()) as provider:
        changed = priced(settings, provider, budget_user_usd=PRICE / 2, over_budget="refuse")
        async with live(changed) as server, server.user() as user:
            await told(user)
            for message, says in (
                ("I want to kill myself", "findahelpline.com"),
                ("rejected again, I'd rather die", "findahelpline.com"),
                ("hello", "Hello"),
                ("remember that I like tea", "tea"),
                ("remember that I like tea", "tea"),
                ("what do you know about me?", "tea"),
                ("I applied to Quillmark yesterday", "Quillmark"),
                ("what's on my tracker?", "Quillmark"),
                ("forget everything about me", "removed"),
                ("bye", "Goodbye"),
            ):
                found, row = await told(user, message)
                assert (row["status"], says in found.text) == ("succeeded", True), (message, found.text)
                assert "error" not in found.types
                assert "budget" not in found.text
    assert len([one for one in provider.requests if one.path.endswith("completions")]) == 1


async def test_a_cancelled_answer_is_paid_for(settings, database):
    begun = Reply(data(chunk("Some words of an answer")), end="hold")
    async with Loopback(begun) as provider, live(priced(settings, provider)) as server, server.user() as user:
        run = await ask(user, "/general hello there")
        await read_until(user, run["events_url"], b"event: chunk")
        await user.post(f"/v1/runs/{run['run_id']}/cancel")
        assert (await finished(user, run["run_id"]))["status"] == "cancelled"
        await server.services.payments.books.write()
    (row,) = await database.fetch("SELECT * FROM model_call WHERE run_id = %s", (run["run_id"],))
    assert (row["outcome"], row["estimated"], row["task"]) == ("cancelled", True, "answer")
    assert row["cost_usd"] > 0


async def test_metrics_are_for_whoever_has_their_key(settings, server, user):
    metrics_key = {"authorization": "Bearer " + "m" * 20}
    assert (await user.get("/metrics", headers=metrics_key)).status_code == 404, "none is set"
    async with Loopback(answer()) as provider:
        more = {"metrics_key": "m" * 20, "api_keys": "k:ada"}
        changed = Settings.model_validate(priced(settings, provider).model_dump() | more)
        async with live(changed) as keyed, keyed.user() as nobody, keyed.user(authorization="Bearer k") as ada:
            assert (await nobody.get("/v1/usage")).status_code == 401
            _, row = await told(ada, "/general what can you do for me?")
            assert (await ada.get("/v1/usage")).json()["today"]["calls"] == 1
            for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic " + "m" * 20}):
                assert (await nobody.get("/metrics", headers=headers)).status_code == 401
            await left(keyed.services, row["run_id"])
            response = await nobody.get("/metrics", headers=metrics_key)
    assert response.headers["content-type"].startswith("text/plain")
    who, how = 'agent="general",model="openai/gpt-oss-120b",', 'provider="groq",task="answer",tier="standard"'
    for line in (
        f'signalbox_model_calls_total{{{who}outcome="ok",{how}}} 1.0',
        f"signalbox_model_cost_usd_total{{{who}{how}}} {PRICE}",
        'signalbox_runs{status="pending"} 0.0',
        'signalbox_runs_ended_total{status="succeeded"} 1.0',
        'signalbox_runs_ended_total{status="dead"} 0.0',
        "signalbox_active_runs 0.0",
    ):
        assert line in response.text, response.text
    for secret in (row["run_id"], row["conversation_id"], "ada"):
        assert secret not in response.text


async def test_usage_is_told_of_many_calls_at_once(server_db, user):
    """As a page would read it: two models, sorted by what they cost."""
    me = user.cookies["signalbox_user"].split(".")[0]
    from signalbox.llm.base import Attempt, ModelRequest, Usage

    books = Books(server_db, Metrics())
    for model, usd in (("small", 0.01), ("big", 0.5), ("small", 0.02)):
        made = Attempt(1, "groq", model, "standard", "ok", 0.1, 1.0, Usage(model, 10, 0, 5, False, usd))
        rows = spent_on(ModelRequest("answer", (), ""), (made,))
        await books.add(Owner("default", me), "r_x", secrets.token_hex(4), rows)
    today = (await user.get("/v1/usage")).json()["today"]
    assert [(one["model"], one["calls"], one["cost_usd"]) for one in today["models"]] == [
        ("big", 1, 0.5),
        ("small", 2, 0.03),
    ]
    assert json.loads(json.dumps(today))["cost_usd"] == 0.53


def test_ends_are_counted_by_the_statuses_there_are_and_no_other_makes_a_label():
    metrics = Metrics()
    metrics.ended("dead", 2)
    metrics.ended("waiting")
    metrics.ended("r_123")
    lines = [line for line in metrics.text().decode().splitlines() if line.startswith("signalbox_runs_ended_total")]
    assert sorted(lines) == [
        f'signalbox_runs_ended_total{{status="{status}"}} {count}'
        for status, count in (("cancelled", 0.0), ("dead", 2.0), ("failed", 0.0), ("succeeded", 0.0))
    ]
