"""What every route takes from the request: the services, the principal, ids and bodies that are safe to use."""

import re
from typing import Final

from starlette.requests import ClientDisconnect, HTTPConnection, Request

from signalbox.api.guard import Guard, Principal
from signalbox.errors import BadRequest, NotFound, PayloadTooLarge
from signalbox.services import Services

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


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


async def read_body(request: Request, limit: int) -> bytes:
    """The body, counted while it is read: a missing or lying Content-Length cannot get past ``limit``."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and len(declared) < 19 and int(declared) > limit:
        raise PayloadTooLarge(f"The request is larger than {limit:,} bytes. Send a shorter message.")
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > limit:
                raise PayloadTooLarge(f"The request is larger than {limit:,} bytes. Send a shorter message.")
            parts.append(part)
    except ClientDisconnect as exc:
        raise BadRequest("The request ended before its body did.") from exc
    return b"".join(parts)
