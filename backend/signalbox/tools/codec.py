"""A tool's result as JSON and back: what a step keeps, so that a run that is taken over gets the very same value."""

import functools
import math
import typing
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Generic, TypeVar, assert_never

from pydantic import TypeAdapter

from signalbox.encoding import clean_text
from signalbox.tools.base import PlainTool, Tool
from signalbox.tools.result import Empty, Err, Missed, Ok, Result

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ResultCodec(Generic[T]):
    """``load(dump(result)) == result`` for every result of the tool it was made for, however large: a run that is taken
    over must not see less than the first attempt did. NUL and half surrogates alone are lost, which no store takes.

    A value of no known type comes back as JSON has it: tuples and sets as lists.
    """

    value: TypeAdapter[T]

    def dump(self, result: Result[T]) -> dict[str, Any]:
        match result:
            case Ok(value, truncated, total, as_of, missed):
                told = _storable(self.value.dump_python(value, mode="json", fallback=str))
                dated = {"as_of": as_of.isoformat()} if as_of else {}
                return {"status": "ok", "value": told, "truncated": truncated, "total": total, **dated, **_told(missed)}
            case Empty(note, missed):
                return {"status": "empty", "note": clean_text(note), **_told(missed)}
            case Err(kind, note, retryable, missed, done):
                told = {"status": "error", "kind": kind, "note": clean_text(note), "retryable": retryable}
                return {**told, **_told(missed), **({"done": done} if done else {})}
            case _:
                assert_never(result)

    def load(self, told: dict[str, Any]) -> Result[T]:
        # What was recorded before sources were named has none of them.
        missed = tuple(Missed(**each) for each in told.get("missed", ()))
        match told["status"]:
            case "ok":
                value = self.value.validate_python(told["value"], strict=False)
                return Ok(value, told["truncated"], told["total"], _moment(told.get("as_of")), missed)
            case "empty":
                return Empty(told["note"], missed)
            case _:
                return Err(told["kind"], told["note"], told["retryable"], missed, told.get("done"))


def codec_of(tool: Tool[Any, T] | PlainTool[Any, T]) -> ResultCodec[T]:
    """The codec for what ``tool.run`` is annotated to return; anything if it is not annotated."""
    kind: Any = type(getattr(tool, "wrapped", tool))  # behind what wraps it
    return ResultCodec(_adapter(kind))


def _told(missed: tuple[Missed, ...]) -> dict[str, Any]:
    if not missed:
        return {}
    return {"missed": [{"source": clean_text(m.source), "kind": m.kind, "note": clean_text(m.note)} for m in missed]}


def _moment(text: str | None) -> datetime | date | None:
    if text is None:
        return None
    return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)


def _storable(value: Any) -> Any:
    """``value`` without what JSON or PostgreSQL cannot hold; a number that is none as a text that its field reads."""
    kind = type(value)
    if kind is str:
        # Nearly all texts: 200 postings are dumped on the event loop.
        return value if value.isascii() and "\0" not in value else clean_text(value)
    if kind is dict:
        return {_storable(name): _storable(item) for name, item in value.items()}
    if kind is list:
        return [_storable(item) for item in value]
    return str(value) if kind is float and not math.isfinite(value) else value


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    returned = typing.get_type_hints(kind.run).get("return", Any)
    for part in (returned, *typing.get_args(returned)):
        if typing.get_origin(part) is Ok:
            return TypeAdapter(typing.get_args(part)[0])
    # One that returns a plain value says what is empty itself; ``None`` never comes here as a value.
    return TypeAdapter(returned if hasattr(kind, "empty_when") else Any)
