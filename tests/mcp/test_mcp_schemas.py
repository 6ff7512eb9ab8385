"""Arguments are validated against a foreign schema in bounded work, whatever the schema and the arguments are."""

import contextlib
import signal
import time

import pytest

from signalbox.tools.mcp.schemas import Unfit, check_schema, misfit, validator_of

WORDS = "$defs"


def text(**more):
    return {"type": "object", "properties": {"a": {"type": "string", **more}}}


def doubling(word, last):
    """Each level refers to the next one twice: 2^60 steps in four kilobytes."""
    steps = {f"d{n}": {word: [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)} | {"d60": last}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, WORDS: steps}


def tree():
    """Bounded by the arguments only: each level of them is looked at twice as often as the one above."""
    node = {"properties": {"a": {"$ref": "#/$defs/n"}}, "required": ["b"]}
    return {
        "type": "object",
        "anyOf": [{"$ref": "#/$defs/n"}],
        WORDS: {"n": {"anyOf": [node, {**node, "minProperties": 9}]}},
    }


def deep(levels):
    value = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@contextlib.contextmanager
def alarm(seconds):
    def late(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (text(pattern="^(a|a)*$"), {"a": "a" * 60 + "!"}),
        (text(pattern="^((a+))+$"), {"a": "a" * 60 + "!"}),
        ({"type": "object", "patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}, {"a" * 60 + "!": 1}),
        ({"type": "object", "propertyNames": {"pattern": "^(a|a)*$"}}, {"a" * 60 + "!": 1}),
        (text(format="regex"), {"a": "(" * 5_000}),
        (doubling("allOf", {"type": "string"}), {"a": "x"}),
        (doubling("anyOf", {"type": "integer"}), {"a": "x" * 50_000}),
        (doubling("allOf", {"type": "object"}) | {"unevaluatedProperties": False}, {"a": {}}),
        (tree(), deep(60)),
        (text(type="array", uniqueItems=True), {"a": [{"n": n} for n in range(9_000)]}),
        (text(type="array", allOf=[{"items": {}}] * 500), {"a": [1] * 30_000}),
        ({"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}, {"a": 1}),
        (text(type="integer", allOf=[{"$dynamicRef": "#x"}] * 900) | {WORDS: {"q": {"$dynamicAnchor": "x"}}}, {"a": 1}),
    ],
    ids=[
        "alternatives", "repeats", "names", "names-of-properties", "format", "all-of", "any-of", "unevaluated", "tree",
        "unique", "lists", "itself", "dynamic",
    ],
)  # fmt: skip
def test_no_schema_and_no_arguments_hold_anybody_up(schema, arguments):
    with alarm(20):
        began = time.thread_time()
        check_schema(schema)
        misfit(validator_of(schema), arguments)
        assert time.thread_time() - began < 5


def test_too_much_work_is_told_as_a_misfit():
    assert "would take too long" in misfit(validator_of(doubling("allOf", {"type": "string"})), {"a": "x"})


@pytest.mark.parametrize("schema", [{"$ref": "#/nowhere"}, {"$ref": "#/default"}, {"multipleOf": 0.1}])
def test_what_the_library_stumbles_over_is_a_misfit(schema):
    whole = {"type": "object", "properties": {"a": schema}, "default": {"type": "foo"}}
    check_schema(whole)
    assert "cannot be followed" in misfit(validator_of(whole), {"a": 10**400})


@pytest.mark.parametrize(
    "dialect",
    [
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-04/schema#",
    ],
)
def test_what_does_not_fit_is_told_with_its_place_in_every_dialect(dialect):
    items = {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}
    schema = {"$schema": dialect, "type": "object", "properties": {"a": items}, "additionalProperties": False}
    check_schema(schema)
    validator = validator_of(schema)
    assert misfit(validator, {"a": [1]}) is None
    assert misfit(validator, {"a": [1, "x"]}).startswith("a.1: ")
    assert "twice" in misfit(validator, {"a": [1, 1]})
    assert "unexpected" in misfit(validator, {"b": 1})


def test_an_ordinary_long_list_is_within_bounds():
    schema = text(type="array", items={"type": "integer", "minimum": 0})
    assert misfit(validator_of(schema), {"a": list(range(5_000))}) is None


def test_a_dialect_that_nobody_knows_is_unfit_wherever_it_is_met():
    schema = {
        "$schema": "http://json-schema.org/draft-03/schema#",
        "type": "object",
        "properties": {"a": {"type": "foo"}},
    }
    with pytest.raises(Unfit):
        check_schema(schema)
    with pytest.raises(Unfit):
        validator_of(schema)
