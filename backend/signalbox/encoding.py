"""How any value becomes strict JSON in valid UTF-8: total, so no field of any event can break a stream."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from typing import Any, Final

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from signalbox.envelope import ENVELOPE, Event

# An event larger than this is cut down, so one huge tool result cannot stall every reader of a conversation.
MAX_EVENT_BYTES: Final = 262_144
# A list that holds itself twice doubles at every level: the depth alone would not bound the work.
MAX_VALUES: Final = 10_000
# How an event that is too large is cut: the longest string, and how many values. The last one always fits,
# even if all its characters need an escape of six bytes.
CUTS: Final = ((65_536, MAX_VALUES), (2_000, MAX_VALUES), (100, MAX_VALUES), (100, 200))
# Beyond this a JavaScript reader would silently get another number.
MAX_INTEGER: Final = 2**53
# JSON readers give up at a nesting of 200 (pydantic) or 1,000 (Python).
MAX_NESTING: Final = 100

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_LONG_NUMBER: Final = re.compile(rb"[,:\[]-?[0-9]{16}")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
# What a foreign object's own methods may raise while it is turned into text.
_BROKEN: Final = (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)


def clean_text(text: str) -> str:
    """``text`` with surrogate pairs joined, and every lone surrogate and NUL replaced by U+FFFD.

    UTF-8 cannot hold the former, PostgreSQL not the latter.
    """
    if _UNSTORABLE.search(text) is None:
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\x00", "\ufffd")


def clean_json(value: Any, *, longest: int = 65_536, most: int = MAX_VALUES, depth: int = 32) -> Any:
    """Any Python value as one that strict JSON can hold; strings over ``longest`` characters are cut.

    NaN and infinities become null, other unknown values their text, what lies deeper than ``depth`` "…".
    After ``most`` values lists and mappings end early; a model keeps all its fields, so it stays valid.
    """
    return _Cleaning(longest, most).clean(value, depth)


class _Cleaning:
    def __init__(self, longest: int, most: int) -> None:
        self._longest = longest
        self._left = most

    def clean(self, value: Any, depth: int) -> Any:
        self._left -= 1
        try:
            return self._clean(value, depth)
        except _BROKEN:
            return f"<{type(value).__name__}>"

    def _clean(self, value: Any, depth: int) -> Any:  # noqa: PLR0911 - one case per kind of value
        match value:
            case None | bool():
                return value
            case str():
                return self._text(value)
            case int():
                return value if abs(value) <= MAX_INTEGER else self._text(_digits(value))
            case float():
                return value if math.isfinite(value) else None
            case bytes() | bytearray() | memoryview():
                return self._text(bytes(value[: 4 * self._longest + 4]).decode("utf-8", "replace"))
            case date():  # and datetime
                return value.isoformat()
            case BaseModel() | Mapping() | Sequence() | AbstractSet():
                return self._container(value, depth) if depth > 0 else "…"
            case _:
                return self._text(str(value))

    def _container(self, value: BaseModel | Mapping[Any, Any] | Iterable[Any], depth: int) -> Any:
        match value:
            case BaseModel():
                names = (*type(value).model_fields, *type(value).model_computed_fields)
                return {name: self.clean(getattr(value, name), depth - 1) for name in names}
            case Mapping():
                return {self._key(key): self.clean(item, depth - 1) for key, item in self._some(value.items())}
            case _:
                return [self.clean(item, depth - 1) for item in self._some(value)]

    def _some(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            if self._left <= 0:
                return
            yield item

    def _key(self, key: Any) -> str:
        try:
            return self._text(str(key))
        except _BROKEN:
            return f"<{type(key).__name__}>"

    def _text(self, text: str) -> str:
        # Two halves may become one character, so twice as many are looked at.
        text = clean_text(text[: 2 * self._longest + 2])
        return text if len(text) <= self._longest else text[: self._longest - 1] + "…"


def _digits(value: int) -> str:
    # str() of an int beyond 4,300 digits raises (a guard against quadratic time).
    return str(value) if value.bit_length() < 10_000 else f"an integer of {value.bit_length()} bits"


# U+2028, U+2029, U+0085 in UTF-8; no byte of them can be part of another character.
LINE_ENDS: Final = ((b"\xe2\x80\xa8", b"\\u2028"), (b"\xe2\x80\xa9", b"\\u2029"), (b"\xc2\x85", b"\\u0085"))


def encode_body(event: Event, limit: int = MAX_EVENT_BYTES) -> bytes:
    """``event`` as one line of strict JSON without the envelope fields, whatever its fields hold."""
    try:
        body = event.__pydantic_serializer__.to_json(event, exclude=set(ENVELOPE))
    except (PydanticSerializationError, ValueError, RecursionError):
        body = b""
    # A fast path that is right for nearly every event; the rest is rebuilt value by value.
    if body and _is_safe(body, limit):
        return _one_line(body)
    for longest, most in CUTS:
        plain = clean_json(event, longest=longest, most=most)
        kept = {key: value for key, value in plain.items() if key not in ENVELOPE}
        body = json.dumps(kept, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        if len(body) <= limit:
            break
    return _one_line(body)


def _one_line(body: bytes) -> bytes:
    """JSON allows these in a string, but many readers (Python's ``splitlines`` among them) end a line there."""
    for raw, escaped in LINE_ENDS:
        if raw in body:
            body = body.replace(raw, escaped)
    return body


def _is_safe(body: bytes, limit: int) -> bool:
    """Whether PostgreSQL and any JSON reader can take ``body``. It may say no too often, never yes wrongly."""
    if len(body) > limit or b"\\u0000" in body or _LONG_NUMBER.search(body):
        return False
    if body.count(b"[") + body.count(b"{") <= MAX_NESTING:
        return True
    brackets, size = body.translate(None, _NO_BRACKETS), 0
    for _ in range(MAX_NESTING):
        if len(brackets) in {0, size}:
            break
        size = len(brackets)
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return not brackets
