"""Fragments of tool calls become whole calls, whatever habits the server has, and what is sent back is well-formed."""

import json

import pytest
from asking import answer, ask, body_of, fails, gather, model_at
from loopback import Loopback, Reply, chunk, data, sse

from signalbox import errors
from signalbox.llm.base import ChatMessage, Finish, ModelRequest, TextDelta, ToolRequest, ToolSpec, Usage
from signalbox.llm.tool_calls import MAX_ARGUMENT_CHARS, MAX_CALLS, BadCallError, ToolCalls

PARIS, ROME = '{"city": "Paris"}', '{"city": "Rome"}'
TWO = (ToolRequest("a", "weather", PARIS), ToolRequest("b", "weather", ROME))
SPEC = ToolSpec("weather", "The weather of a city.", {"type": "object", "properties": {"city": {"type": "string"}}})


def part(index=None, call_id=None, name=None, arguments=None, **more):
    fields = {"index": index, "id": call_id, **more}
    function = {"name": name, "arguments": arguments}
    return {
        **{key: value for key, value in fields.items() if value is not None},
        "function": {key: value for key, value in function.items() if value is not None},
    }


def calls_of(*deltas):
    calls = ToolCalls()
    for delta in deltas:
        calls.take(delta if isinstance(delta, list) else [delta])
    return calls.requests()


@pytest.mark.parametrize(
    "deltas",
    [
        [part(0, "a", "weather", ""), part(0, arguments=PARIS), part(1, "b", "weather", ""), part(1, arguments=ROME)],
        [
            part(0, "a", "weather", PARIS[:4]),
            part(1, "b", "weather", ROME[:9]),
            part(0, arguments=PARIS[4:]),
            part(1, arguments=ROME[9:]),
        ],
        [part(1, "b", "weather", ROME), part(0, "a", "weather", PARIS)],
        [[part(0, "a", "weather", PARIS), part(1, "b", "weather", ROME)]],
        [part("0", "a", "weather", PARIS), part("1", "b", "weather", ROME)],
        [part(None, "a", "weather", PARIS), part(None, "b", "weather", ROME)],
        [part(0, "a", "weather", PARIS), part(0, "b", "weather", ROME)],
        [
            part(None, "a", "weather", ""),
            part(None, arguments=PARIS),
            part(None, "b", "weather"),
            part(None, arguments=ROME[:3]),
            part(None, arguments=ROME[3:]),
        ],
        [
            part(0, "a", "weather", PARIS[:4]),
            part(0, "a", "weather", PARIS[4:]),
            part(1, "b", "weather", ROME[:4]),
            part(1, "b", "weather", ROME[4:]),
        ],
        [
            part(0, "a", "wea"),
            part(0, name="ther"),
            part(0, arguments=PARIS),
            part(1, "b", "wea"),
            part(1, "b", "weather"),
            part(1, "b", arguments=ROME),
        ],
        [part(0, None, "weather", PARIS), part(0, "a"), part(1, "b", "weather", ROME)],
        [part(0, "a", "weather", PARIS), part(1, "b", "weather", ROME), part(1, "b", "weather", ROME)],
        [part(0, "a", "weather", json.loads(PARIS)), part(1, "b", "weather", json.loads(ROME))],
        [
            part(0, "a", "weather", PARIS[:4]),
            part(0, "x1", None, PARIS[4:8]),
            part(0, "x2", None, PARIS[8:]),
            part(1, "b", "weather", ROME),
        ],
    ],
    ids=[
        "as specified",
        "interleaved",
        "out of order",
        "in one delta",
        "indexes as text",
        "no index",
        "every index 0",
        "no index, id only once",
        "id and name repeated",
        "name in fragments",
        "id late",
        "whole call twice",
        "arguments as objects",
        "another id for each fragment",
    ],
)
def test_two_calls_are_put_together_whatever_the_server_does(deltas):
    assert calls_of(*deltas) == TWO


@pytest.mark.parametrize("index", [None, 0])
def test_whole_calls_without_ids_are_told_apart_and_given_some(index):
    found = calls_of(part(index, None, "weather", PARIS), part(index, None, "weather", ROME))
    assert [(call.name, call.arguments) for call in found] == [("weather", PARIS), ("weather", ROME)]
    assert len({call.call_id for call in found}) == 2
    assert all(call.call_id for call in found)


def test_one_id_for_two_calls_becomes_two():
    found = calls_of(part(0, "same", "weather", PARIS), part(1, "same", "weather", ROME))
    assert len({call.call_id for call in found}) == 2


@pytest.mark.parametrize("arguments", [None, "", " "])
def test_no_arguments_are_an_empty_object(arguments):
    assert calls_of(part(0, "a", "now", arguments)) == (ToolRequest("a", "now", "{}"),)


def test_broken_arguments_are_kept_as_they_were_written():
    assert calls_of(part(0, "a", "weather", '{"city": ')) == (ToolRequest("a", "weather", '{"city": '),)


def test_half_characters_of_two_fragments_are_joined_and_lone_ones_replaced():
    (call,) = calls_of(part(0, "a", "say", '{"t": "\ud83d'), part(0, arguments='\ude42 \ud800\x00"}'))
    assert call.arguments == '{"t": "🙂 \ufffd\ufffd"}'


@pytest.mark.parametrize("odd", [None, 7, "x", [None, 3, "x"], [{}], [{"function": None}], [{"index": True}]])
def test_what_is_no_fragment_never_breaks_what_is(odd):
    calls = ToolCalls()
    calls.take([part(0, "a", "weather", PARIS)])
    calls.take(odd)
    assert calls.requests()[0].arguments.startswith(PARIS)


def test_calls_without_a_name_or_without_end_are_refused():
    with pytest.raises(BadCallError):
        calls_of(part(0, "a", None, PARIS))
    with pytest.raises(BadCallError):
        calls_of(part(0, "a", "weather", "x" * MAX_ARGUMENT_CHARS), part(0, arguments="x"))
    with pytest.raises(BadCallError):
        calls_of(*(part(index, None, "weather") for index in range(MAX_CALLS + 1)))


# On the wire


async def test_text_comes_before_calls_and_calls_before_usage():
    delta = chunk(choices=[{"index": 0, "delta": {"tool_calls": [part(0, "a", "weather", PARIS)]}}])
    items = await answer(Reply(body_of(chunk("Let me look."), delta, sse(finish="tool_calls")), pieces=7))
    assert items == [
        TextDelta("Let me look."),
        ToolRequest("a", "weather", PARIS),
        Usage("m", 7, 0, 0, estimated=False),
        Finish("tool_calls"),
    ]


@pytest.mark.parametrize("finish", ["stop", None, "tool_calls", "function_call"])
async def test_an_answer_with_calls_ended_for_them_whatever_the_server_says(finish):
    delta = chunk(choices=[{"delta": {"tool_calls": [part(0, "a", "weather", PARIS)]}}])
    items = await answer(Reply(body_of(delta, *([chunk(finish=finish)] if finish else []), "[DONE]")))
    assert items[0] == ToolRequest("a", "weather", PARIS)
    assert items[-1] == Finish("tool_calls")


async def test_the_older_function_call_is_one_call():
    deltas = [{"name": "weather", "arguments": ""}, {"arguments": PARIS[:5]}, {"arguments": PARIS[5:]}]
    body = body_of(*(chunk(choices=[{"delta": {"function_call": each}}]) for each in deltas), sse(finish="stop"))
    items = await answer(Reply(body))
    assert items[0] == ToolRequest("call_0", "weather", PARIS)


async def test_whole_calls_of_a_server_that_ignores_stream_are_read():
    message = {"content": None, "tool_calls": [part(None, call.call_id, call.name, call.arguments) for call in TWO]}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).encode()
    for kind in ("application/json", "text/event-stream", "text/plain"):
        items = await answer(Reply(body, content_type=kind))
        assert tuple(items[:2]) == TWO
        assert items[-1] == Finish("tool_calls")


async def test_a_last_chunk_that_repeats_the_whole_message_doubles_nothing():
    delta = chunk("Hi", choices=[{"delta": {"content": "Hi", "tool_calls": [part(0, "a", "weather", PARIS)]}}])
    again = {"content": "Hi", "tool_calls": [part(0, "z", "weather", PARIS)]}
    last = chunk(choices=[{"delta": {}, "message": again, "finish_reason": "tool_calls"}])
    items = await answer(Reply(body_of(delta, last, "[DONE]")))
    assert items[:2] == [TextDelta("Hi"), ToolRequest("a", "weather", PARIS)]
    assert len(items) == 4


async def test_an_answer_that_breaks_in_its_arguments_shows_no_call():
    delta = chunk(choices=[{"delta": {"tool_calls": [part(0, "a", "weather", PARIS[:5])]}}])
    for body in (body_of(delta), body_of(delta, {"error": {"code": "tool_use_failed"}})):
        async with Loopback(Reply(body)) as provider:
            model = model_at(provider.url)
            items, error = await gather(model)
            await model.close()
        assert items == []
        assert isinstance(error, errors.ProviderError)


async def test_a_call_without_a_name_is_an_error_not_a_call():
    delta = chunk(choices=[{"delta": {"tool_calls": [part(0, "a", None, PARIS)]}}])
    _, raised, _ = await fails(Reply(body_of(delta, sse(finish="tool_calls"))))
    assert type(raised) is errors.ProviderUnavailable


async def test_usage_that_never_comes_counts_calls_and_tools_too():
    delta = chunk(choices=[{"delta": {"tool_calls": [part(0, "a", "weather", "x" * 93)]}, "finish_reason": "stop"}])
    request = ModelRequest("answer", (ChatMessage("user", "12345678"),), draft="", tools=(SPEC,))
    async with Loopback(Reply(body_of(delta, data("[DONE]")))) as provider:
        model = model_at(provider.url)
        usage = (await ask(model, request))[-2]
        await model.close()
    assert (usage.output_tokens, usage.estimated) == (25, True)
    assert usage.input_tokens > 6 + len("The weather of a city.") / 4


async def test_tools_calls_and_results_are_sent_in_the_providers_form():
    asked = ToolRequest("a", "weather", PARIS)
    broken = ToolRequest("b", "weather", '{"city": ')
    messages = (
        ChatMessage("user", "Weather?"),
        ChatMessage("assistant", "", tool_calls=(asked, broken)),
        ChatMessage("tool", "Rain", tool_call_id="a"),
    )
    async with Loopback(Reply(sse("x"))) as provider:
        model = model_at(provider.url)
        await ask(model, ModelRequest("answer", messages, draft="", tools=(SPEC,)))
        await model.close()
    sent = provider.requests[0].body
    function = {"name": "weather", "description": SPEC.description, "parameters": SPEC.parameters}
    assert sent["tools"] == [{"type": "function", "function": function}]
    _, assistant, result = sent["messages"]
    assert assistant["content"] == ""
    first, second = assistant["tool_calls"]
    assert first == {"id": "a", "type": "function", "function": {"name": "weather", "arguments": PARIS}}
    assert json.loads(second["function"]["arguments"]) == {"unreadable": '{"city": '}
    assert result == {"role": "tool", "content": "Rain", "tool_call_id": "a"}
