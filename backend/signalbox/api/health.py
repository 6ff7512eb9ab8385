"""Where things are, liveness and readiness."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.api.deps import services
from signalbox.errors import LogUnavailable, StoreUnavailable

router = APIRouter()


@router.get("/", include_in_schema=False)
async def index() -> dict[str, str]:
    return {
        "name": "signalbox",
        "chat": "POST /v1/chat",
        "reference": "/docs",
        "openapi": "/openapi.json",
        "events": "/v1/schema/events",
        "ready": "/readyz",
    }


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
