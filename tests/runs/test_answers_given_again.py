"""The answer cache behind the live server: what a client sees of it, what it costs, and who is left out."""

import pytest
from loopback import Loopback, Reply, sse

from live import ask, finished, live, read_all
from signalbox.llm.groq import GroqModel

HELLO = "/general hello there"


@pytest.fixture
def caching(settings):
    return settings.model_copy(update={"answer_cache": "exact"})


async def hear(user, **more) -> tuple[str, str]:
    run = await ask(user, HELLO, **more)
    found = await read_all(user, run["events_url"])
    assert (await finished(user, run["run_id"]))["status"] == "succeeded"
    return found.text, run["run_id"]


async def test_a_greeting_is_answered_once_for_each_user_and_never_in_a_temporary_conversation(caching, database):
    async with Loopback(*(Reply(sse("Hello ", str(number))) for number in range(1, 6))) as provider:
        model = GroqModel("llama", api_key="gsk_x", base_url=provider.url)
        async with live(caching, model=model) as server, server.user() as user, server.user() as other:
            heard = [(await hear(user))[0], *(await hear(user, temporary=True))[:1]]
            again, run_id = await hear(user)
            heard += [again, (await hear(other))[0]]
    assert heard == ["Hello 1", "Hello 2", "Hello 1", "Hello 3"]
    assert len(provider.requests) == 3
    rows = await database.fetch(
        "SELECT outcome, cost_usd, input_tokens + output_tokens AS tokens FROM model_call"
        " WHERE run_id = %(run)s AND task = 'answer'",
        {"run": run_id},
    )
    assert [tuple(row.values()) for row in rows] == [("cached", None, 0)]
