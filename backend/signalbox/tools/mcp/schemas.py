"""JSON Schemas of foreign servers: checked and bounded, and arguments validated against them in bounded work. Pure.

Whoever writes such a schema may want validating to take for ever. So no pattern of theirs is ever run, nor what has no
bound; the server checks all of it itself.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any, Final

from jsonschema import SchemaError, ValidationError
from jsonschema import validators as dialects
from jsonschema.exceptions import UnknownType, best_match
from jsonschema.protocols import Validator
from referencing import Registry
from referencing.exceptions import Unresolvable

from signalbox.tools.calling import canonical
from signalbox.tools.mcp.cleaning import one_line

MAX_SCHEMA_BYTES: Final = 65_536
MAX_SCHEMA_DEPTH: Final = 24
MAX_SCHEMA_NODES: Final = 4_000
# Steps of one validation: half a second at most. What honest schemas and arguments need is far below.
MOST_WORK: Final = 50_000
LONGEST_MESSAGE: Final = 300
DIALECTS: Final[Mapping[str, Any]] = {
    "https://json-schema.org/draft/2020-12/schema": dialects.Draft202012Validator,
    "https://json-schema.org/draft/2019-09/schema": dialects.Draft201909Validator,
    "http://json-schema.org/draft-07/schema": dialects.Draft7Validator,
    "http://json-schema.org/draft-06/schema": dialects.Draft6Validator,
    "http://json-schema.org/draft-04/schema": dialects.Draft4Validator,
}
# Patterns can take exponential time, and the work of the last two is done where it cannot be counted.
UNCHECKED: Final = ("pattern", "patternProperties", "format", "unevaluatedProperties", "unevaluatedItems")
_NAMES: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_REFERENCES: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_COMPARING: Final = frozenset({"const", "enum", "required", "dependentRequired", "dependencies", "type"})
_ITERATING: Final = frozenset(
    {"items", "prefixItems", "additionalItems", "contains", "additionalProperties", "propertyNames"}
)
# A name that is no path is looked for in all of the schema.
_SEARCH: Final = 2_000
# What a library for well-meant schemas raises over one that is not.
_FAULTS: Final = (
    Unresolvable,
    UnknownType,
    RecursionError,
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
)

Check = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]


class Unfit(ValueError):
    """The definition cannot be used; the text says why."""


class _TooMuchWorkError(Exception):
    """The validation takes more steps than it may."""


class _Work:
    """What is left of one validation's steps."""

    def __init__(self) -> None:
        self.left = MOST_WORK

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise _TooMuchWorkError


_WORK: Final[ContextVar[_Work]] = ContextVar("work")


def check_schema(schema: Any) -> None:
    """Whether it is a JSON Schema of an object, in a dialect we know and of a bounded size. Raises ``Unfit``."""
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        raise Unfit("its input schema does not describe an object")
    kind = _dialect(schema)
    # Each would be a document or a dialect of its own, to be looked for whenever something refers to it.
    inner = {"$schema", "$id"} | ({"id"} if kind is dialects.Draft4Validator else set())
    for nodes, (depth, key, value) in enumerate(_walk(schema), start=1):
        if depth > MAX_SCHEMA_DEPTH:
            raise Unfit(f"its input schema is nested deeper than {MAX_SCHEMA_DEPTH}")
        if nodes > MAX_SCHEMA_NODES:
            raise Unfit(f"its input schema has more than {MAX_SCHEMA_NODES:,} parts")
        if key in _REFERENCES and isinstance(value, str) and not value.startswith("#"):
            raise Unfit("its input schema refers to another document")
        if key in inner and isinstance(value, str) and depth > 2:
            raise Unfit(f"a part of its input schema has a '{key}' of its own")
    if len(canonical(schema).encode("utf-8", "surrogatepass")) > MAX_SCHEMA_BYTES:
        raise Unfit(f"its input schema is larger than {MAX_SCHEMA_BYTES:,} bytes")
    try:
        # Without a checker of formats: none of its patterns is even compiled.
        kind.check_schema(schema, format_checker=None)
    except SchemaError as exc:
        raise Unfit(f"its input schema is not valid: {one_line(exc.message, 200)}") from exc
    except _FAULTS as exc:
        raise Unfit("its input schema cannot be followed") from exc


def _dialect(schema: Mapping[str, Any]) -> Any:
    named = schema.get("$schema", next(iter(DIALECTS)))
    if not isinstance(named, str) or (found := DIALECTS.get(named.removesuffix("#"))) is None:
        raise Unfit(f"its input schema is written in a dialect that is not known here: {one_line(str(named), 100)}")
    return found


def unchecked(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Words of the schema that nothing is checked by here, only by the server."""
    found: set[str] = set()
    stack: list[tuple[Any, bool]] = [(schema, False)]
    while stack:
        part, names = stack.pop()
        if isinstance(part, dict):
            found.update(key for key in part if not names and key in UNCHECKED)
            stack.extend((value, not names and key in _NAMES) for key, value in part.items())
        elif isinstance(part, list):
            stack.extend((each, False) for each in part)
    return tuple(name for name in UNCHECKED if name in found)


def _walk(value: Any) -> Iterator[tuple[int, str, Any]]:
    stack: list[tuple[int, str, Any]] = [(1, "", value)]
    while stack:
        depth, key, item = stack.pop()
        yield depth, key, item
        if isinstance(item, dict):
            stack.extend((depth + 1, str(name), part) for name, part in item.items())
        elif isinstance(item, list):
            stack.extend((depth + 1, "", part) for part in item)


# -- validating


def validator_of(schema: Mapping[str, Any]) -> Validator:
    """For arguments; looks nothing up anywhere else. Raises ``Unfit`` for a dialect that is not known."""
    kind = _bounded(_dialect(schema))
    # A part that referred to the whole would be validated by the library's own class for the dialect, without bounds.
    mine = {key: value for key, value in schema.items() if key not in {"$schema", "$id", "id"}}
    made: Validator = kind(mine, registry=Registry())
    return made


@cache
def _bounded(kind: Any) -> Any:
    """The dialect with each of its checks counted, and those left out that cannot be bounded."""
    checks: dict[str, Check] = {name: _counted(name, check) for name, check in kind.VALIDATORS.items()}
    checks |= dict.fromkeys(UNCHECKED, _unchecked)
    checks["uniqueItems"] = _counted("uniqueItems", _unique)
    rest = _additional(kind.VALIDATORS["additionalProperties"])
    checks["additionalProperties"] = _counted("additionalProperties", rest)
    return dialects.extend(kind, checks)


def _counted(name: str, check: Check) -> Check:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        work = _WORK.get()
        work.spend(1 + _cost(name, value, instance))
        for error in check(validator, value, instance, schema) or ():
            # It quotes the arguments, and there may be very many of them; what is wrong stands behind.
            work.spend(len(error.message) // 64)
            error.message = _both_ends(error.message)
            yield error

    return counted


def _both_ends(text: str) -> str:
    third = LONGEST_MESSAGE // 3
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:third]} ... {text[third - LONGEST_MESSAGE + 5 :]}"


def _cost(name: str, value: Any, instance: Any) -> int:
    """What a check does beyond asking others, which are counted on their own."""
    if name in _REFERENCES:
        return 1 if str(value).startswith("#/") or value == "#" else _SEARCH
    cost = 0
    if name in _COMPARING:
        cost += _size(value) // 8
    elif isinstance(value, dict | list):
        cost += len(value) // 8
    if name == "uniqueItems":
        cost += _size(instance)
    elif name in _ITERATING and isinstance(instance, dict | list):
        cost += len(instance)
    return cost


def _size(value: Any) -> int:
    return sum(1 for _ in _walk(value))


def _unchecked(*_: Any) -> None:
    """The server's business."""


def _unique(validator: Any, wanted: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
    """The library's own takes a time that grows with the square of the list."""
    if wanted and validator.is_type(instance, "array") and len({canonical(each) for each in instance}) < len(instance):
        yield ValidationError("a list has the same entry twice")


def _additional(check: Check) -> Check:
    def additional(validator: Any, value: Any, instance: Any, schema: Any) -> Iterable[ValidationError]:
        # Which of them a pattern would allow is not known.
        return () if "patternProperties" in schema else check(validator, value, instance, schema) or ()

    return additional


def misfit(validator: Validator, arguments: Mapping[str, Any]) -> str | None:
    """What is wrong with the arguments, in one sentence that names the place; None if they fit."""
    token = _WORK.set(_Work())
    try:
        error = best_match(validator.iter_errors(arguments))
    except _TooMuchWorkError:
        return "checking them against the tool's schema would take too long: give fewer or shorter values"
    except _FAULTS:
        return "the tool's schema cannot be followed for these arguments"
    finally:
        _WORK.reset(token)
    if error is None:
        return None
    place = ".".join(str(part)[:60] for part in error.absolute_path)
    return f"{place + ': ' if place else ''}{one_line(error.message, LONGEST_MESSAGE)}"
