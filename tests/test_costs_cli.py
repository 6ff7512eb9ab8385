"""``signalbox costs``: tables for people, JSON for programs, and a clear word for anything it does not understand."""

import asyncio
import json
import secrets

import pytest
from typer.testing import CliRunner

from signalbox.cli import app
from signalbox.errors import ConfigurationError
from signalbox.llm.base import Attempt, ModelRequest, Usage
from signalbox.memory.profile import Owner
from signalbox.metrics import Metrics
from signalbox.runs.books import Books, spent_on


@pytest.fixture
async def signalbox(apart, servers, data_dir, monkeypatch):
    """Calls the command line on a database of its own books; returns all it printed."""
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", apart.dsn)
    monkeypatch.setenv("SIGNALBOX_REDIS_URL", servers.redis_url)
    monkeypatch.setenv("SIGNALBOX_DATA_DIR", str(data_dir))

    async def call(*words: str) -> str:
        result = await asyncio.to_thread(CliRunner().invoke, app, ["costs", *words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    await apart.execute("DELETE FROM model_call")
    yield call
    await apart.execute("DELETE FROM model_call")


async def book(
    apart, *, model="m", task="answer", user="ada", usd=0.25, outcome="ok", escalated=False, run="r"
) -> None:
    usage = Usage(model, 1_000, 250, 100, False, usd) if outcome == "ok" else None
    made = Attempt(1, "groq", model, "standard", outcome, 0.5, 1.0, usage, escalated=escalated)
    rows = spent_on(ModelRequest(task, (), "", agent="general"), (made,))
    await Books(apart, Metrics()).add(Owner("t", user), run, secrets.token_hex(6), rows)


async def test_a_table_tells_costs_by_model_the_dearest_first(apart, signalbox):
    assert "No model was asked" in await signalbox()
    await book(apart, model="small", usd=0.01)
    for _ in range(2):
        await book(apart, model="big", usd=1.5)
    await book(apart, model="big", outcome="provider_timeout")
    lines = (await signalbox()).splitlines()
    assert lines[0].split()[:4] == ["model", "calls", "failed", "tokens"]
    assert [line.split()[0] for line in lines[1:]] == ["big@groq", "small@groq", "total"]
    assert lines[1].split()[1:] == ["3", "1", "2,000", "500", "25%", "200", "3.000000", "0.50", "s", "0.50", "s"]
    assert lines[3].split()[1:3] == ["4", "1"]
    assert "3.010000" in lines[3]


@pytest.mark.parametrize(
    ("by", "first"), [("task", "write"), ("agent", "general"), ("user", "bob"), ("tier", "standard"), ("outcome", "ok")]
)
async def test_costs_can_be_told_by_other_things(apart, signalbox, by, first):
    await book(apart, usd=0.1)
    await book(apart, task="write", user="bob", usd=0.9)
    found = json.loads(await signalbox("--by", by, "--json"))
    assert found[0]["what"] == first
    assert sum(one["cost_usd"] for one in found) == pytest.approx(1.0)
    assert found[0]["hit_share"] == 0.25


async def test_costs_can_be_narrowed_in_time(apart, signalbox):
    await book(apart, model="old")
    await apart.execute("UPDATE model_call SET called_at = '2026-01-31T23:59:59Z'")
    await book(apart, model="new")
    assert "old" not in await signalbox("--since", "30d")
    by_day = json.loads(await signalbox("--by", "day", "--since", "2026-01-31", "--json"))
    assert by_day[0]["what"] == "2026-01-31"
    assert len(by_day) == 2
    assert len(json.loads(await signalbox("--by", "day", "--since", "2026-02-01", "--json"))) == 1


async def test_a_call_without_a_price_is_said_to_be_missing(apart, signalbox):
    await book(apart, model="secret", usd=None)
    assert "1 calls have no known price" in await signalbox()


async def test_escalations_are_told_beside_the_control_group(apart, signalbox):
    await book(apart, task="write", run="a")
    await book(apart, task="write", run="b")
    await book(apart, task="write", run="b", usd=1.0, escalated=True)
    shown = await signalbox("--escalations")
    assert "50.0%" in shown
    assert "Control group" in shown
    (told,) = json.loads(await signalbox("--escalations", "--json"))
    assert (told["usual"]["asked"], told["usual"]["escalated"], told["again"]["usd"]) == (2, 1, 1.0)


async def test_what_is_not_understood_is_explained(signalbox):
    with pytest.raises(ConfigurationError, match="model, task, agent, user, day"):
        await signalbox("--by", "colour")
    with pytest.raises(ConfigurationError, match="not an age"):
        await signalbox("--since", "last week")
