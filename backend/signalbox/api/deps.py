"""What every route takes from the request: the services, the principal, ids and bodies that are safe to use."""

import asyncio
import re
import unicodedata
from typing import Any, Final

from pydantic_core import from_json
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request

from signalbox.api.guard import Guard, Principal
from signalbox.errors import BadRequest, NotFound, PayloadTooLarge
from signalbox.services import Services

BODY_S: Final = 30.0
MAX_FIELDS: Final = 100
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_BOM: Final = b"\xef\xbb\xbf"


def services(request: HTTPConnection) -> Services:
    found: Services = request.app.state.services
    return found


def principal(request: HTTPConnection) -> Principal:
    guard: Guard = request.app.state.guard
    return guard.principal(request)


def checked_id(text: str, what: str) -> str:
    """An id that could be one of ours; anything else is unknown, whatever bytes it holds."""
    if not _ID.fullmatch(text):
        raise NotFound(f"There is no {what} under that id.")
    return text


def is_blank(text: str) -> bool:
    """Whether nothing of ``text`` can be seen: spaces of any script, control and zero-width characters."""
    return all(char.isspace() or unicodedata.category(char) in {"Cc", "Cf"} for char in text)


def parameter(where: str, name: str, description: str) -> dict[str, Any]:
    """An optional query parameter or header, as OpenAPI describes it; the route reads it from the request."""
    return {"in": where, "name": name, "description": description, "required": False, "schema": {"type": "string"}}


def json_object(body: bytes) -> dict[str, Any]:
    """The JSON object in ``body``, whatever its Content-Type says. A byte order mark is no fault, NaN is none yet.

    Raises ``BadRequest``, also for a mass of fields: one complaint about each would hold up everybody.
    """
    try:
        value = from_json(body.removeprefix(_BOM))
    except ValueError as exc:
        raise BadRequest(f"The body is not valid JSON in UTF-8: {exc}.") from exc
    if not isinstance(value, dict):
        raise BadRequest("The body must be a JSON object.")
    if len(value) > MAX_FIELDS:
        raise BadRequest(f"The body has more than {MAX_FIELDS} fields.")
    return value


async def read_body(request: Request, limit: int, *, patience_s: float = BODY_S) -> bytes:
    """The body, counted while it is read: a missing or lying Content-Length cannot get past ``limit``.

    A body that takes longer than ``patience_s`` in all is given up with a 408.
    """
    try:
        async with asyncio.timeout(patience_s):
            return await _read_body(request, limit)
    except TimeoutError as exc:
        raise HTTPException(408, f"The body did not arrive within {patience_s:g} seconds.") from exc


async def _read_body(request: Request, limit: int) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and len(declared) < 19 and int(declared) > limit:
        raise PayloadTooLarge(f"The request is larger than {limit:,} bytes. Send less.")
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > limit:
                raise PayloadTooLarge(f"The request is larger than {limit:,} bytes. Send less.")
            parts.append(part)
    except ClientDisconnect as exc:
        raise BadRequest("The request ended before its body did.") from exc
    return b"".join(parts)
