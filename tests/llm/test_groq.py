"""The Groq adapter against a real socket: what it asks, and what it reads out of any stream that ends well."""

import asyncio
import json
import random

import pytest
from asking import KEY, SECRET, answer, ask, body_of, model_at, outcome, text_of
from loopback import Loopback, Reply, chunk, data, recorded, sse

from signalbox import errors
from signalbox.llm.base import ChatMessage, Finish, ModelRequest, TextDelta, Usage
from signalbox.llm.completion import CompletionReader
from signalbox.llm.groq import Deadlines, GroqModel, endpoint_of
from signalbox.llm.sse_lines import SseReader

# What a stream is read into


async def test_an_answer_is_deltas_then_usage_then_finish():
    assert await answer(Reply(sse("Hello", " you"))) == [
        TextDelta("Hello"),
        TextDelta(" you"),
        Usage("m", 7, 0, 2, estimated=False),
        Finish("stop"),
    ]


async def test_the_request_carries_messages_limits_and_the_key():
    async with Loopback(Reply(sse("x"))) as provider:
        model = model_at(provider.url)
        await ask(model)
        await model.close()
    received = provider.requests[0]
    assert received.path == "/openai/v1/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hi"}],
        "max_completion_tokens": 1024,
        "temperature": 0.3,
        "stream": True,
    }


async def test_a_prompt_that_cannot_be_encoded_is_mended():
    async with Loopback(Reply(sse("x"))) as provider:
        model = model_at(provider.url)
        await ask(model, ModelRequest("answer", (ChatMessage("user", "a \ud800 b"),), draft=""))
        await model.close()
    assert provider.requests[0].body["messages"][0]["content"] == "a \ufffd b"


async def test_a_server_under_v1_is_asked_for_usage_in_the_older_dialect():
    async with Loopback(Reply(sse("x"))) as provider:
        model = model_at(provider.url + "/v1/")
        await ask(model)
        await model.close()
    received = provider.requests[0]
    assert received.path == "/v1/chat/completions"
    assert received.body["stream_options"] == {"include_usage": True}
    assert received.body["max_tokens"] == 1024


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://api.groq.com", "https://api.groq.com/openai/v1/chat/completions"),
        ("https://api.groq.com/openai/v1/", "https://api.groq.com/openai/v1/chat/completions"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
        ("http://gate/groq?tag=a", "http://gate/groq/openai/v1/chat/completions?tag=a"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"),
        ("https://g.example/v1beta/openai/", "https://g.example/v1beta/openai/chat/completions"),
        ("https://x.example/deep/chat/completions?v=1", "https://x.example/deep/chat/completions?v=1"),
    ],
)
def test_a_base_url_is_understood_as_people_write_it(base, url):
    assert endpoint_of(base).url == url


@pytest.mark.parametrize("base", ["", "api.groq.com", "ftp://x/v1", "http://", "http://a:b"])
def test_a_base_url_that_is_none_is_a_configuration_error(base):
    with pytest.raises(errors.ConfigurationError):
        endpoint_of(base)


@pytest.mark.parametrize("key", ["", " ", "gsk_a\nb", "gsk_ä", "two words"])
def test_a_key_no_header_can_hold_is_refused_without_being_quoted(key):
    with pytest.raises(errors.ConfigurationError) as caught:
        GroqModel("m", api_key=key)
    assert not key.strip() or key not in str(caught.value)


@pytest.mark.parametrize("pieces", [1, 2, 3, 7, 0], ids=lambda n: f"{n}-byte pieces")
async def test_any_split_of_the_bytes_gives_the_same_text(pieces):
    texts = ["Grüße ", "日本語 ", "🙂🏽 ", "a\nb\rc\r\nd ", "\u2028\u2029\u0085\x0b\x0c\x1c end"]
    assert text_of(await answer(Reply(sse(*texts), pieces=pieces))) == "".join(texts)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"], ids=["LF", "CR", "CRLF"])
@pytest.mark.parametrize("pieces", [0, 1])
async def test_all_three_line_ends_are_read(end, pieces):
    assert text_of(await answer(Reply(sse("a", "b").replace(b"\n", end), pieces=pieces))) == "ab"


@pytest.mark.parametrize("pieces", [0, 1, [1, 3]], ids=["whole", "bytes", "split in it"])
async def test_a_byte_order_mark_swallows_nothing(pieces):
    body = b"\xef\xbb\xbf" + body_of(chunk("first"), chunk(" second", finish="stop"))
    assert text_of(await answer(Reply(body, pieces=pieces))) == "first second"


async def test_lone_surrogates_become_replacement_characters_and_split_pairs_are_joined():
    raw = [r"bad \ud800 tail", r" \ud83d", r"\ude42 \u0000", r" end\ud83d"]
    body = b"".join(data('{"choices":[{"delta":{"content":"%s"}}]}' % text) for text in raw) + data("[DONE]")  # noqa: UP031
    text = text_of(await answer(Reply(body)))
    assert text == "bad \ufffd tail 🙂 \ufffd end\ufffd"
    text.encode()


async def test_chunks_without_choices_delta_or_content_are_skipped():
    odd = [
        chunk(choices=[]),
        {},
        {"choices": None},
        chunk(choices=[{}]),
        chunk(choices=[{"delta": None}]),
        "null",
        "[1]",
        "7",
    ]
    body = body_of(
        *odd, chunk("a"), *odd, chunk("b"), *odd, b": comment\n\n", b"data:\n\n", chunk(finish="stop"), "[DONE]"
    )
    items = await answer(Reply(body))
    assert text_of(items) == "ab"
    assert items[-1] == Finish("stop")


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
async def test_reasoning_deltas_are_not_text(field):
    thought = chunk(choices=[{"delta": {field: SECRET, "content": None}}])
    assert text_of(await answer(Reply(body_of(thought, thought, sse("Answer"))))) == "Answer"


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("<think>private</think>\n\nHi", "Hi"),
        ("\n<think>a < b </thin k></think>Hi <b>there</b>", "\nHi <b>there</b>"),
        ("Hi <think>private</think>there", "Hi there"),
        ("<think>one</think> <think>two</think> Hi", "Hi"),
        ("a </think> b", "a  b"),
        ("write `<think>` and `</think>` tags", "write `<think>` and `</think>` tags"),
        ("1 < 2 <thin", "1 < 2 <thin"),
        ("<think>never closed", ""),
        ("Models write a <think> tag, and then: <b", "Models write a <think> tag, and then: <b"),
    ],
)
async def test_inline_reasoning_is_dropped_however_it_is_split(raw, shown, size):
    deltas = [raw[at : at + size] for at in range(0, len(raw), size)]
    assert text_of(await answer(Reply(sse(*deltas)))) == shown


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("length", "length"), ("content_filter", "content_filter"), ("tool_calls", "tool_calls"), ("whatever", "other")],
)
async def test_the_reason_to_finish_is_kept(reason, finish):
    assert (await answer(Reply(sse("a", finish=reason))))[-1] == Finish(finish)


@pytest.mark.parametrize(
    ("where", "usage"),
    [
        ([chunk(finish="stop", usage={"prompt_tokens": 5, "completion_tokens": 2})], (5, 0, 2)),
        ([chunk(finish="stop"), chunk(choices=[], usage={"prompt_tokens": 5, "completion_tokens": 2})], (5, 0, 2)),
        ([chunk(finish="stop", x_groq={"usage": {"prompt_tokens": 5, "completion_tokens": 2}})], (5, 0, 2)),
        (
            [
                chunk(usage={"prompt_tokens": 5, "completion_tokens": 1}),
                chunk(
                    usage={"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
                ),
            ],
            (5, 4, 2),
        ),
        ([chunk(usage={"prompt_tokens": None, "completion_tokens": "x", "prompt_tokens_details": None})], (0, 0, 0)),
    ],
    ids=["with finish", "in a last chunk", "in x_groq", "twice", "broken"],
)
async def test_usage_is_taken_once_from_wherever_it_comes(where, usage):
    items = await answer(Reply(body_of(chunk("a"), *where, "[DONE]")))
    assert [item for item in items if isinstance(item, Usage)] == [Usage("m", *usage, estimated=False)]


async def test_usage_that_never_comes_is_estimated_and_says_so():
    items = await answer(Reply(body_of(chunk("four"), chunk(" and", finish="stop"), "[DONE]")))
    assert items[-2] == Usage("m", 11, 0, 2, estimated=True)


async def test_a_done_mark_without_a_reason_finishes_as_other():
    assert (await answer(Reply(sse("a", finish=None))))[-1] == Finish("other")


async def test_a_done_mark_without_its_blank_line_still_counts():
    assert (await answer(Reply(sse("a", finish=None).rstrip(b"\n"))))[-1] == Finish("other")


async def test_a_count_that_no_model_holds_is_bounded():
    chunks = ({"choices": [], "usage": {"prompt_tokens": 10**12, "completion_tokens": 10**30}},)
    items = await answer(Reply(body_of(chunk("a"), *chunks, chunk(finish="stop"))))
    usage = next(item for item in items if isinstance(item, Usage))
    assert (usage.input_tokens, usage.output_tokens) == (100_000_000, 100_000_000)


async def test_an_empty_completion_is_a_finish_without_text():
    items = await answer(Reply(sse()))
    assert text_of(items) == ""
    assert items[-1] == Finish("stop")


@pytest.mark.parametrize("end", ["close", "reset", "hold"])
async def test_an_answer_that_gave_its_reason_is_whole_whatever_happens_after(end):
    reply = Reply(body_of(chunk("a"), chunk(finish="stop")), end=end, delay_s=0.01)
    items = await answer(reply, deadlines=Deadlines(tail=0.1))
    assert (text_of(items), items[-1]) == ("a", Finish("stop"))


async def test_nobody_waits_for_a_body_that_stays_open_after_its_done_mark():
    patient = Deadlines(first_token=60, gap=60, total=60, tail=60)
    async with asyncio.timeout(20):
        assert text_of(await answer(Reply(sse("a"), end="hold"), deadlines=patient)) == "a"


async def test_a_server_that_ignores_stream_is_read_all_the_same():
    body = {"choices": [{"message": {"content": "Whole"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}}
    items = await answer(Reply(json.dumps(body, indent=1).encode(), content_type="application/json"))
    assert items == [TextDelta("Whole"), Usage("m", 1, 0, 0, estimated=False), Finish("stop")]


async def test_a_finished_connection_is_used_again():
    async with Loopback(Reply(sse("a"))) as provider:
        model = model_at(provider.url)
        for _ in range(3):
            await ask(model)
        await model.close()
    assert provider.connections == 1


@pytest.mark.parametrize("path", recorded())
async def test_a_recorded_stream_reads_the_same_at_any_split(path):
    body = path.read_bytes()
    whole = await outcome(Reply(body))
    dice = random.Random(path.name)
    for _ in range(2):
        assert await outcome(Reply(body, pieces=dice)) == whole
    assert read_bytewise(body) == whole[0]


def read_bytewise(body: bytes) -> str:
    """The text without a socket: a byte a read would cost seconds over one."""
    sse_reader, reader = SseReader(), CompletionReader()
    events = [event for byte in body for event in sse_reader.feed(bytes((byte,)))]
    return "".join(reader.take(event) for event in events if event.name != "error") + reader.end()


@pytest.mark.parametrize("path", recorded())
async def test_a_recorded_stream_gives_the_text_its_chunks_hold(path):
    events = [json.loads(line[6:]) for line in path.read_text().splitlines() if line.startswith("data: {")]
    choices = [event["choices"][0] for event in events if event.get("choices")]
    text, end = await outcome(Reply(path.read_bytes()))
    assert text == "".join(choice["delta"].get("content") or "" for choice in choices)
    if any("error" in event for event in events):
        assert end is errors.ProviderRejected
    else:
        assert end == Finish(next(choice["finish_reason"] for choice in choices if choice["finish_reason"]))
