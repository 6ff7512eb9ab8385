"""Liveness and readiness."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.api.deps import services
from signalbox.errors import LogUnavailable, StoreUnavailable
from signalbox.runs.queue import NO_WORKER, Queue

router = APIRouter()


@router.get("/healthz", summary="The process is up")
async def healthz() -> dict[str, str]:
    return {"status": "ok"}


@router.get("/readyz", summary="The process can take messages")
async def readyz(request: Request) -> Response:
    """503 names what is missing: ``database``, ``event_log`` or ``draining``.

    ``queue`` tells how many runs wait for a worker, and for how long. That none takes any is a warning, no fault of
    this process: messages are stored, and answered as soon as a worker comes.
    """
    found = services(request)
    missing: list[str] = ["draining"] if found.hub.draining else []
    queue: Queue | None = None
    try:
        queue = await found.queue.look()
    except StoreUnavailable:
        missing.append("database")
    try:
        await found.log.ping()
    except LogUnavailable:
        missing.append("event_log")
    body: dict[str, Any] = {"status": "unready" if missing else "ready", "missing": missing}
    if queue is not None:
        body["queue"] = {"pending": queue.pending, "running": queue.running, "oldest_s": round(queue.oldest_s, 1)}
        body["warnings"] = [NO_WORKER] if queue.stalled else []
    return JSONResponse(body, 503 if missing else 200)
