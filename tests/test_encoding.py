"""Encoding is total: whatever a field holds, out comes one bounded line of strict JSON that decodes."""

import json
import math
import random
import sys
import time
from collections import OrderedDict, deque
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from uuid import UUID

import pytest

from signalbox.blocks import Job, JobsData, Salary
from signalbox.encoding import MAX_EVENT_BYTES, MAX_INTEGER, clean_json, clean_text, encode_body
from signalbox.events import Chunk, Message, ToolCall, ToolResult, decode
from signalbox.stream.log import Entry
from signalbox.stream.writer import stamp


class Broken:
    def __str__(self) -> str:
        raise ZeroDivisionError


class BrokenDict(dict):
    def items(self):
        raise KeyError("gone")


class Colour(Enum):
    RED = 1


def cyclic_list() -> list:
    value: list = [1]
    value += [value, value]
    return value


def cyclic_dict() -> dict:
    value: dict = {}
    value["a"], value["b"] = value, [value, value]
    return value


def nested(depth: int, kind: str = "list") -> object:
    value: object = "deep"
    for _ in range(depth):
        value = [value] if kind == "list" else {"a": value}
    return value


ODD = {
    "NaN": math.nan,
    "inf": -math.inf,
    "10**400": 10**400,
    "10**5000": -(10**5_000),
    "2**53": 2**53 + 1,
    "1e300": 1e300,
    "Decimal": Decimal("1.10"),
    "Decimal NaN": Decimal("NaN"),
    "naive datetime": datetime(2026, 1, 2),  # noqa: DTZ001
    "datetime": datetime(2026, 1, 2, tzinfo=UTC),
    "date": date(2026, 1, 2),
    "timedelta": timedelta(days=1),
    "bytes": b"\xff\x00text",
    "bytearray": bytearray(b"\x80"),
    "memoryview": memoryview(b"\x80"),
    "set": {1, "a", None},
    "frozenset": frozenset({(1, 2)}),
    "tuple": (1, (2, ())),
    "deque": deque([1]),
    "range": range(10**12),
    "keys": {"a": 1}.keys(),
    "uuid": UUID(int=1),
    "path": Path("/tmp"),
    "enum": Colour.RED,
    "exception": ValueError("went \ud800 wrong"),
    "class": Broken,
    "object": object(),
    "function": len,
    "broken text": Broken(),
    "broken dict": BrokenDict(a=1),
    "model": Salary(min=math.nan),
    "odd keys": {None: 1, 2: 2, (3, 4): 3, math.nan: 4, b"\xff": 5, "\ud800": 6, Broken(): 7},
    "ordered": OrderedDict(a=1),
    "lone surrogate": "a\ud800b\udc00",
    "NUL": "a\x00b",
    "line ends": "a\nb\rc\r\nd\u2028e\u2029f\x85g\x0b\x0c\x1c",
    "escapes": '\\u0000 \\ "quoted" </script>',
    "bom": "\ufeff",
    "cyclic list": cyclic_list(),
    "cyclic dict": cyclic_dict(),
    "deep list": nested(100_000),
    "deep dict": nested(100_000, "dict"),
    "long text": "x" * 1_000_000,
    "long emoji": "\U0001f600" * 200_000,
    "long NUL": "\x00" * 300_000,
    "long key": {"k" * 1_000_000: 1},
    "long list": list(range(300_000)),
    "wide": [list(range(1_000))] * 1_000,
    "many texts": ["x" * 1_000] * 5_000,
    "long bytes": b"\xff" * 1_000_000,
}


def strict(body: bytes | str) -> dict:
    """Parse as a browser does: no NaN, no doubled key, no integer it would change."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    def integer(digits: str) -> int:
        assert abs(int(digits)) <= MAX_INTEGER
        return int(digits)

    return json.loads(body, parse_constant=refuse, parse_int=integer)


def check(event) -> dict:
    body = encode_body(event)
    assert len(body) <= MAX_EVENT_BYTES
    assert not set(body) & set(b"\r\n\x00")
    text = body.decode()
    assert "\\u0000" not in text.replace("\\\\", "")
    found = strict(body)
    assert found["type"] == event.type
    kind, data = stamp(event)
    wire = Entry(1, kind, "r_1", data)
    assert decode(wire.json("c_1")).seq == 1
    assert wire.frame("c_1", "0123abcd").count(b"\n") == 4
    return found


def call(value: object) -> ToolCall:
    return ToolCall.model_construct(type="tool_call", call_id="c", tool="t", arguments={"value": value})


@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
def test_any_value_in_an_event_ends_as_strict_json_that_decodes(value):
    started = time.thread_time()
    check(call(value))
    check(call([value, {"more": value}]))
    assert time.thread_time() - started < 5


@pytest.mark.parametrize("value", [v for v in ODD.values() if isinstance(v, str)], ids=lambda v: ascii(v)[:20])
def test_any_text_in_any_text_field_decodes(value):
    check(Chunk(message_id=value, agent=value, content=value))
    check(Message(message_id="m", agent="a", content=value))
    check(ToolResult(call_id="c", tool="t", status="ok", kind=value, note=value))


@pytest.mark.parametrize("depth", [1, 30, 90, 99, 101, 150, 199, 200, 201, 254, 255, 256, 999, 1_001])
@pytest.mark.parametrize("kind", ["list", "dict"])
def test_no_depth_is_too_deep_for_a_reader(depth, kind):
    check(call(nested(depth, kind)))


@pytest.mark.parametrize("number", [2**53, -(2**53), 2**53 + 1, -(2**63), 10**15, 10**16, 10**17])
def test_an_integer_is_exact_for_every_reader(number):
    found = check(call(number))["arguments"]["value"]
    assert found in (number, str(number))
    assert isinstance(found, int) == (abs(number) <= 2**53)


def test_numbers_that_are_none_are_null_and_cost_one_field():
    jobs = (Job(job_id="j", title="t", company="c", salary=Salary(min=math.nan, max=2.5), match_score=math.inf),)
    found = check(JobsData(jobs=jobs, total=1, truncated=False, sources=()))
    assert found["jobs"][0]["salary"] == {"min": None, "max": 2.5, "currency": None, "period": None}
    assert found["jobs"][0]["match_score"] is None


def random_value(rng: random.Random, depth: int) -> object:
    kind = rng.randrange(8) if depth else rng.randrange(4)
    match kind:
        case 0 | 1:
            return rng.choice(list(ODD.values())[:40])
        case 2:
            return "".join(
                chr(rng.choice([rng.randrange(128), rng.randrange(0xD800, 0xE000), rng.randrange(0x110000)]))
                for _ in range(rng.randrange(20))
            )
        case 3:
            return rng.choice([rng.randrange(-(2**70), 2**70), rng.uniform(-1e308, 1e308), None, True])
        case 4 | 5:
            return [random_value(rng, depth - 1) for _ in range(rng.randrange(5))]
        case 6:
            return tuple(random_value(rng, depth - 1) for _ in range(rng.randrange(4)))
        case _:
            return {random_key(rng): random_value(rng, depth - 1) for _ in range(rng.randrange(5))}


def random_key(rng: random.Random) -> object:
    return rng.choice(["a", "\x00", "\ud83d", 1, None, 2.5, ("a", 1), "k" * rng.randrange(50)])


@pytest.mark.parametrize("seed", range(60))
def test_random_mixes_end_as_strict_json_that_decodes(seed):
    rng = random.Random(seed)
    for _ in range(4):
        check(call(random_value(rng, rng.randrange(1, 7))))


def test_what_needs_no_mending_is_kept_to_the_letter():
    rng = random.Random(1)

    def plain(depth: int) -> object:
        scalars = [None, True, 7, -2.5, 1e-9, "text \u2028 \U0001f600 \\u0000", ""]
        if depth == 0:
            return rng.choice(scalars)
        pick = rng.randrange(3)
        if pick == 0:
            return rng.choice(scalars)
        if pick == 1:
            return [plain(depth - 1) for _ in range(3)]
        return {f"key {n}": plain(depth - 1) for n in range(3)}

    for _ in range(50):
        value = plain(4)
        assert check(call(value))["arguments"]["value"] == value
        assert clean_json(value) == value


@pytest.mark.parametrize("char", ["t", "\x01", "\U0001f600", '"'])
def test_the_largest_event_fits_and_is_still_valid(char):
    job = Job(job_id="j", title=char * 200, company=char * 200, salary=Salary(), matched_skills=(char * 300,) * 50)
    found = check(JobsData(jobs=(job,) * 2_000, total=2_000, truncated=False, sources=()))
    assert len(found["jobs"]) >= 3
    assert (found["type"], found["total"]) == ("jobs_data", 2_000)
    check(call({char * 300 + str(n): char * 300 for n in range(5_000)}))


def test_cutting_keeps_characters_whole_and_says_so():
    assert clean_json("\ud83d\ude00" * 10, longest=10) == "\U0001f600" * 10
    assert clean_json("\ud83d\ude00" * 11, longest=10) == "\U0001f600" * 9 + "…"
    assert clean_json("x" * 11, longest=10) == "x" * 9 + "…"
    assert clean_json(nested(40), depth=2) == [["…"]]


@pytest.mark.parametrize("seed", range(5))
def test_clean_text_is_stable_and_storable(seed):
    rng = random.Random(seed)
    for _ in range(200):
        raw = "".join(
            chr(rng.choice([0, 65, 0x1F600, rng.randrange(0xD800, 0xE000)])) for _ in range(rng.randrange(12))
        )
        text = clean_text(raw)
        assert clean_text(text) == text
        assert "\x00" not in text
        assert text.encode().decode() == text
        assert text.count("\U0001f600") >= raw.count("\U0001f600")


def test_the_interpreters_own_limits_are_untouched():
    limit = sys.get_int_max_str_digits()
    encode_body(call(10**5_000))
    assert sys.get_int_max_str_digits() == limit
