"""How any value becomes strict JSON in valid UTF-8: total, so no field of any event can break a stream."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from signalbox.events import ENVELOPE, Error, Event

# An event larger than this is cut down, so one huge tool result cannot stall every reader of a conversation.
MAX_EVENT_BYTES: Final = 262_144
MAX_ITEMS: Final = 10_000
# Beyond this a JavaScript reader would silently get another number.
MAX_INTEGER: Final = 2**53

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def clean_text(text: str) -> str:
    """``text`` with surrogate pairs joined, and every lone surrogate and NUL replaced by U+FFFD.

    UTF-8 cannot hold the former, PostgreSQL not the latter.
    """
    if _UNSTORABLE.search(text) is None:
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\x00", "\ufffd")


def clean_json(  # noqa: C901, PLR0911 - one case per kind of value
    value: Any, *, longest: int = 65_536, depth: int = 32
) -> Any:
    """Any Python value as one that strict JSON can hold; strings over ``longest`` characters are cut.

    NaN and infinities become null, other unknown values their text.
    """
    match value:
        case None | bool():
            return value
        case str():
            return _cut(clean_text(value), longest)
        case int():
            return value if abs(value) <= MAX_INTEGER else _cut(_digits(value), longest)
        case float():
            return value if math.isfinite(value) else None
        case bytes() | bytearray():
            return _cut(clean_text(bytes(value).decode("utf-8", "replace")), longest)
        case date():  # and datetime
            return value.isoformat()
        case _ if depth == 0:
            return "…"
        case BaseModel():
            fields = {name: getattr(value, name) for name in type(value).model_fields}
            return clean_json(fields, longest=longest, depth=depth)
        case Mapping():
            items = list(value.items())[:MAX_ITEMS]
            return {
                _cut(clean_text(str(k)), longest): clean_json(v, longest=longest, depth=depth - 1) for k, v in items
            }
        case Sequence() | set() | frozenset():
            return [clean_json(v, longest=longest, depth=depth - 1) for v in list(value)[:MAX_ITEMS]]
        case _:
            return _cut(clean_text(str(value)), longest)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _digits(value: int) -> str:
    # str() of an int beyond 4,300 digits raises (a guard against quadratic time).
    return str(value) if value.bit_length() < 10_000 else f"an integer of {value.bit_length()} bits"


def encode_body(event: Event) -> bytes:
    """``event`` as one line of strict JSON without the envelope fields, whatever its fields hold."""
    try:
        body = event.__pydantic_serializer__.to_json(event, exclude=set(ENVELOPE))
    except (PydanticSerializationError, ValueError, RecursionError):
        body = b"\\u0000"
    # A fast path that is right for nearly every event; the rest is rebuilt value by value.
    if b"\\u0000" not in body and len(body) <= MAX_EVENT_BYTES:
        return body
    for longest in (65_536, 2_000, 100):
        plain = clean_json(event, longest=longest)
        kept = {key: value for key, value in plain.items() if key not in ENVELOPE}
        body = json.dumps(kept, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        if len(body) <= MAX_EVENT_BYTES:
            return body
    note = Error(code="event_too_large", content=f"A {plain['type']} event was too large to send.", retry=False)
    return encode_body(note)
