"""The offline model: the draft, whole and unchanged, in pieces a renderer can show."""

import random

import pytest

from signalbox.llm.base import ChatMessage, Finish, ModelRequest, TextDelta, Usage
from signalbox.llm.offline import OfflineModel, split_pieces

DRAFT = (
    "I found **three jobs** for you. Two are remote!\n\n"
    "1. [Senior Engineer (Go) at Acme](https://a.example/jobs?id=1&x=(y)) - remote, $120k\n"
    "2. [Data Analyst](https://b.example/2)\n"
    "- [ ] learn `async with timeout(5)` first\n\n"
    "```python\nfor job in jobs:\n    print(job)\n```\n\n"
    "| Skill | Have |\n| --- | --- |\n| Go | yes |\n\n"
    "日本語のテキストです。次の文。 Grüße 🙂🏽!  \n"
)


async def played(draft: str, model: OfflineModel | None = None):
    request = ModelRequest("answer", (ChatMessage("user", "x"),), draft)
    return [item async for item in (model or OfflineModel(delay_s=0)).stream(request)]


async def test_the_draft_arrives_whole_with_zero_usage_and_a_stop():
    items = await played(DRAFT)
    assert "".join(item.text for item in items if isinstance(item, TextDelta)) == DRAFT
    assert items[-2:] == [Usage("offline", 0, 0, 0, estimated=False), Finish("stop")]


async def test_an_empty_draft_has_no_text():
    assert await played("") == [Usage("offline", 0, 0, 0, estimated=False), Finish("stop")]


async def test_a_draft_that_cannot_be_encoded_is_mended():
    items = await played("bad \ud800 \x00 tail")
    assert "".join(item.text for item in items if isinstance(item, TextDelta)) == "bad \ufffd \ufffd tail"


@pytest.mark.parametrize(
    "token",
    [
        "[Senior Engineer (Go) at Acme](https://a.example/jobs?id=1&x=(y))",
        "1. [Senior",
        "- [ ] learn",
        "`async with timeout(5)`",
        "```python\n",
        "**three",
        "🙂🏽",
    ],
)
def test_no_markdown_token_is_split(token):
    assert any(token in piece for piece in split_pieces(DRAFT))


def test_pieces_are_a_few_words_and_end_with_their_sentence():
    pieces = list(split_pieces("One two three four five. Six seven! Eight"))
    assert pieces == ["One two three ", "four five. ", "Six seven! ", "Eight"]


def test_text_without_blanks_between_words_comes_in_several_pieces():
    assert len(list(split_pieces("これは長い日本語の文章であり空白がありませんがそれでも少しずつ届きます"))) > 1


def test_any_text_is_kept_character_by_character():
    dice = random.Random(7)
    alphabet = "ab .!?\n\t`~[]()*-#>1日🙂\u200d\u2028\x1c\r|\\"
    for _ in range(500):
        text = "".join(dice.choices(alphabet, k=dice.randrange(60)))
        pieces = list(split_pieces(text))
        assert "".join(pieces) == text
        assert all(pieces)


@pytest.mark.parametrize(
    "hostile", ["[" * 20_000, "`" * 20_000, "![a](" * 5_000, "a" * 50_000, " \n" * 20_000, "1. " * 9_000]
)
def test_hostile_text_is_split_in_linear_time(hostile):
    import time

    began = time.process_time()
    assert "".join(split_pieces(hostile)) == hostile
    assert time.process_time() - began < 2
