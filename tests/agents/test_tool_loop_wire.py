"""The loop over a provider's real wire: calls come in pieces of SSE, and their results go back as its messages."""

import json

from asking import model_at
from callers import Weather, work
from loopback import Loopback, Reply, chunk, data, sse

from signalbox.tools.result import Ok


def calling(*pieces: tuple[int, str, str, str], text: str = "") -> bytes:
    """A turn that ends in tool calls, each piece one delta: index, id, name, a part of the arguments."""
    parts = [data(chunk(text))] if text else []
    for index, call_id, name, arguments in pieces:
        function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
        delta = {"index": index, "function": function, **({"id": call_id, "type": "function"} if call_id else {})}
        parts.append(
            data({**chunk(), "choices": [{"index": 0, "delta": {"tool_calls": [delta]}, "finish_reason": None}]})
        )
    usage = {"usage": {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920}}
    return b"".join([*parts, data(chunk(finish="tool_calls", x_groq=usage)), data("[DONE]")])


async def test_calls_in_pieces_are_made_and_answered_in_the_providers_own_form():
    first = calling(
        (0, "call_a", "weather", ""), (0, "", "", '{"ci'), (0, "", "", 'ty": "Leeds"}'),
        (1, "call_b", "weather", '{"city": 5}'), (2, "call_c", "wether", '{"city": "Yo'), text="One moment.",
    )  # fmt: skip
    weather = Weather(Ok({"sky": "blue"}))
    async with Loopback(Reply(first, pieces=7), Reply(sse("It is ", "sunny."))) as provider:
        model = model_at(provider.url)
        answer, heard = await work(model, weather)
        await model.close()
    assert answer.text == "One moment.\n\nIt is sunny."
    assert [asked.city for asked in weather.asked] == ["Leeds"]
    one, two = (request.body for request in provider.requests)
    assert one["tools"][0]["function"]["name"] == "weather"
    assert one["tools"][0]["function"]["parameters"]["required"] == ["city"]
    assert two["messages"][: len(one["messages"])] == one["messages"]
    said, *told = two["messages"][len(one["messages"]) :]
    assert said["role"] == "assistant"
    assert said["content"] == "One moment."
    assert [call["id"] for call in said["tool_calls"]] == ["call_a", "call_b", "call_c"]
    assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in said["tool_calls"])
    assert [(message["role"], message["tool_call_id"]) for message in told] == [
        ("tool", "call_a"), ("tool", "call_b"), ("tool", "call_c"),
    ]  # fmt: skip
    assert told[0]["content"].startswith("[FOUND: weather]")
    assert "city: input should be a valid string" in told[1]["content"]
    assert "Did you mean 'weather'?" in told[2]["content"]
    assert heard.types().count("usage") == 2


async def test_the_last_turn_offers_no_tools():
    reply = Reply(calling((0, "c", "weather", '{"city": "Leeds"}')))
    weather = Weather()
    async with Loopback(reply, reply, reply, reply, Reply(sse("Enough."))) as provider:
        model = model_at(provider.url)
        answer, _ = await work(model, weather)
        await model.close()
    assert answer.text == "Enough."
    assert len(weather.asked) == 1
    assert ["tools" in request.body for request in provider.requests] == [True] * 4 + [False]
    ids = [call["id"] for message in provider.requests[-1].body["messages"] for call in message.get("tool_calls", ())]
    assert len(set(ids)) == len(ids) == 4, "the provider used one id again and again"
