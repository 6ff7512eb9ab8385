"""A real provider's wire behind the live server: faults become one clear error, and no secret leaves."""

import pytest
from loopback import Loopback, Reply, failure, sse

from live import ask, finished, live, read_all
from signalbox.llm.groq import GroqModel

KEY = "gsk_SENTINEL_of_the_key"
BODY = "SENTINEL of the provider's body"


async def answered(settings, *replies: Reply):
    async with Loopback(*replies) as provider:
        model = GroqModel("llama", api_key=KEY, base_url=provider.url)
        async with live(settings, model=model) as server, server.user() as user:
            run = await ask(user, "/general hello there")
            found = await read_all(user, run["events_url"])
            row = await finished(user, run["run_id"])
            messages = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
    assert found.types.count("complete") == 1
    assert found.types[-1] == "complete"
    assert found.events[-1].data["status"] == row["status"]
    assert "SENTINEL" not in str(found) + str(row) + str(messages)
    return found, row, messages, provider


async def test_a_model_words_the_facts_and_its_text_is_streamed_and_stored(settings):
    found, row, messages, provider = await answered(settings, Reply(sse("Hel", "lo \U0001f600", "!"), pieces=1))
    assert found.text == "Hello \U0001f600!"
    assert row["status"] == "succeeded"
    assert messages[-1]["content"] == found.text
    prompt = str(provider.requests[0].body)
    assert "<facts>" in prompt
    assert "hello there" in prompt


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (failure(401, {"message": BODY}), "provider_auth"),
        (failure(400, {"message": BODY}), "provider_rejected"),
        (Reply(sse("some text", finish=None, done=False)), "provider_cut"),
        (Reply(sse("some ", finish=None, done=False) + b'data: {"error": {"message": "SENTINEL", "code": 500}}\n\n'),
         "provider_unavailable"),
    ],
)  # fmt: skip
async def test_a_provider_fault_is_one_clear_error_and_the_message_is_kept(settings, reply, code):
    found, row, messages, _ = await answered(settings, reply)
    assert [e.data["code"] for e in found.events if e.type == "error"] == [code]
    assert (row["status"], row["error"]["code"]) == ("failed", code)
    assert messages[0]["content"] == "/general hello there"
    if found.text:
        assert (messages[-1]["content"], messages[-1]["status"]) == (found.text, "partial")
