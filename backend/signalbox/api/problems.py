"""Errors on the wire: RFC 9457 problem details with a stable ``code``; never an echo of what was sent."""

import re
from http import HTTPStatus
from typing import Any, Final

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.errors import SignalboxError, said_by_check
from signalbox.telemetry import told_of

logger = structlog.get_logger(__name__)

# What a caller may have mistyped; anything else is not worth repeating.
_FIELD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}", re.ASCII)


class Problem(BaseModel):
    """RFC 9457. ``code`` is stable; ``retry``: the same request may succeed later."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    retry: bool | None = None


RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    "default": {
        "description": "Any failure: problem details with a stable code.",
        "content": {"application/problem+json": {"schema": Problem.model_json_schema()}},
    }
}


def problem(status: int, code: str, detail: str, **more: Any) -> JSONResponse:
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "code": code, "detail": detail}
    headers = {"Retry-After": "2"} if status in {HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS} else None
    return JSONResponse({**body, **more}, status, headers, media_type="application/problem+json")


def validation_problem(exc: ValidationError | RequestValidationError) -> Response:
    """Names the fields and what is wrong; the values stay out, since they may be secret or not even JSON."""
    faults = [{"field": _field(fault["loc"]), "message": said_by_check(fault["msg"])} for fault in exc.errors()[:20]]
    detail = "; ".join(f"{f['field']}: {f['message']}" if f["field"] else f["message"] for f in faults)
    return problem(422, "invalid_request", detail, errors=faults)


def _field(place: tuple[int | str, ...]) -> str:
    name = ".".join(str(part) for part in place if part != "body")
    return name if not name or _FIELD.fullmatch(name) else "(a field)"


async def _signalbox(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, SignalboxError)
    if exc.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.warning("request failed", code=exc.code, error=told_of(exc.__cause__ or exc))
    return problem(exc.status, exc.code, exc.public, retry=exc.retry)


async def _http(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException)
    phrase = HTTPStatus(exc.status_code).phrase
    response = problem(exc.status_code, phrase.lower().replace(" ", "_"), str(exc.detail))
    response.headers.update(exc.headers or {})
    return response


async def _validation(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, ValidationError | RequestValidationError)
    return validation_problem(exc)


async def _bug(_: Request, __: Exception) -> Response:
    """Only the answer: Starlette raises the exception on, for the server's log."""
    return problem(500, SignalboxError.code, SignalboxError.public, retry=SignalboxError.retry)


def install(app: FastAPI) -> None:
    app.add_exception_handler(Exception, _bug)
    app.add_exception_handler(SignalboxError, _signalbox)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(ValidationError, _validation)
