"""Liveness and readiness."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.api.deps import services
from signalbox.errors import LogUnavailable, StoreUnavailable

router = APIRouter()


@router.get("/healthz", summary="The process is up")
async def healthz() -> dict[str, str]:
    return {"status": "ok"}


@router.get("/readyz", summary="The process can take messages")
async def readyz(request: Request) -> Response:
    """503 names what is missing: ``database``, ``event_log`` or ``draining``."""
    found = services(request)
    missing: list[str] = ["draining"] if found.hub.draining else []
    try:
        await found.store.ping()
    except StoreUnavailable:
        missing.append("database")
    try:
        await found.log.ping()
    except LogUnavailable:
        missing.append("event_log")
    return JSONResponse({"status": "unready" if missing else "ready", "missing": missing}, 503 if missing else 200)
