"""Errors on the wire: RFC 9457 problem details with a stable ``code``; never an echo of what was sent."""

from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.errors import SignalboxError

logger = structlog.get_logger(__name__)


def problem(status: int, code: str, detail: str, **more: Any) -> JSONResponse:
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "code": code, "detail": detail}
    headers = {"Retry-After": "2"} if status == HTTPStatus.SERVICE_UNAVAILABLE else None
    return JSONResponse({**body, **more}, status, headers, media_type="application/problem+json")


def validation_problem(exc: ValidationError | RequestValidationError) -> Response:
    """Names the fields and what is wrong; the values stay out, since they may be secret or not even JSON."""
    faults = [
        {"field": ".".join(str(part) for part in fault["loc"] if part != "body")[:200], "message": fault["msg"]}
        for fault in exc.errors()[:20]
    ]
    detail = "; ".join(f"{f['field']}: {f['message']}" if f["field"] else f["message"] for f in faults)
    return problem(422, "invalid_request", detail.encode("utf-8", "replace").decode(), errors=faults)


async def _signalbox(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, SignalboxError)
    if exc.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.warning("request failed", code=exc.code, error=repr(exc.__cause__ or exc))
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


def install(app: FastAPI) -> None:
    app.add_exception_handler(SignalboxError, _signalbox)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(ValidationError, _validation)
