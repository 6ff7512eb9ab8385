"""A tool's result as JSON and back: what a step keeps, so that a run that is taken over gets the very same value."""

import functools
import typing
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, assert_never

from pydantic import TypeAdapter

from signalbox.encoding import clean_json
from signalbox.tools.base import Tool
from signalbox.tools.result import Empty, Err, Ok, Result

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ResultCodec(Generic[T]):
    """``load(dump(result)) == result`` for every result of the tool it was made for."""

    value: TypeAdapter[T]

    def dump(self, result: Result[T]) -> dict[str, Any]:
        match result:
            case Ok(value, truncated, total):
                told = clean_json(self.value.dump_python(value, mode="json"))
                return {"status": "ok", "value": told, "truncated": truncated, "total": total}
            case Empty(note):
                return {"status": "empty", "note": note}
            case Err(kind, note, retryable):
                return {"status": "error", "kind": kind, "note": note, "retryable": retryable}
            case _:
                assert_never(result)

    def load(self, told: dict[str, Any]) -> Result[T]:
        match told["status"]:
            case "ok":
                return Ok(self.value.validate_python(told["value"], strict=False), told["truncated"], told["total"])
            case "empty":
                return Empty(told["note"])
            case _:
                return Err(told["kind"], told["note"], told["retryable"])


def codec_of(tool: Tool[Any, T]) -> ResultCodec[T]:
    """The codec for what ``tool.run`` is annotated to return; anything if it is not annotated."""
    return ResultCodec(_adapter(type(tool)))


@functools.cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    returned = typing.get_type_hints(kind.run).get("return", Any)
    for part in typing.get_args(returned):
        if typing.get_origin(part) is Ok:
            return TypeAdapter(typing.get_args(part)[0])
    return TypeAdapter(Any)
