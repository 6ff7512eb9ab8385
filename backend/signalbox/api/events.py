"""Reading: a run, its events as SSE or JSON, its cancellation; and the contract's schema."""

from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.api.deps import checked_id, parameter, principal, services
from signalbox.api.guard import Guard, Principal
from signalbox.api.sse import Ask, EventStream, Follow, cursor_of, types_of
from signalbox.events import event_schema
from signalbox.runs.records import RunRow

router = APIRouter()

SSE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {}, "application/json": {}}, "description": "Events after the cursor."},
    204: {"description": "Nothing more will ever come."},
}
READING: Final[dict[str, Any]] = {
    "parameters": [
        parameter("header", "Last-Event-ID", "The last id that was received; what came after it is sent."),
        parameter("query", "lastEventId", "The same, for clients that cannot set a header, which wins."),
        parameter("query", "types", "Event types to send, comma-separated; all if absent."),
    ]
}


@router.get("/v1/schema/events", summary="JSON Schema of every event")
async def schema() -> dict[str, Any]:
    return event_schema()


@router.get("/v1/runs/{run_id}", summary="A run's state")
async def run(request: Request, run_id: str) -> Response:
    found, who = services(request), principal(request)
    row = await found.store.run(who.owner, checked_id(run_id, "run"))
    return _leave(request, who, JSONResponse(shown(row)))


@router.head("/v1/runs/{run_id}/events", include_in_schema=False)
@router.get("/v1/runs/{run_id}/events", summary="A run's events", responses=SSE, openapi_extra=READING)
async def run_events(request: Request, run_id: str) -> Response:
    """From ``Last-Event-ID`` (or ``lastEventId``) on, else from the run's start; ends after ``complete``."""
    found, who = services(request), principal(request)
    row = await found.runner.row(who.owner, checked_id(run_id, "run"))
    ask = Ask(who.owner, row.conversation_id, row, cursor_of(request), types_of(request))
    return await read(request, who, ask)


@router.post(
    "/v1/runs/{run_id}/cancel",
    summary="Stop a run",
    responses={200: {"description": "It was over already."}, 202: {"description": "It will stop."}},
)
async def cancel(request: Request, run_id: str) -> Response:
    """Asks the run to stop, on whichever process it is; what was streamed stays as a partial message."""
    found, who = services(request), principal(request)
    row = await found.runner.cancel(who.owner, checked_id(run_id, "run"))
    return _leave(request, who, JSONResponse(shown(row), 200 if row.over else 202))


async def read(request: Request, who: Principal, ask: Ask) -> Response:
    """The one way to read events: SSE by default, a JSON array of what is there now if asked for."""
    follow = Follow(services(request), ask)
    if not await follow.begin():
        return _leave(request, who, Response(status_code=204))
    accept = request.headers.get("accept", "")
    if "application/json" in accept and "text/event-stream" not in accept:
        events, cursor = await follow.now()
        headers = {"Cache-Control": "no-store", "X-Last-Event-Id": cursor}
        response = Response(events, 200, headers, media_type="application/json")
        return _leave(request, who, response)
    return _leave(request, who, EventStream(follow))


def _leave(request: Request, who: Principal, response: Response) -> Response:
    guard: Guard = request.app.state.guard
    guard.leave(who, response)
    return response


def shown(row: RunRow) -> dict[str, Any]:
    error = None
    if row.error_code is not None:
        error = {"code": row.error_code, "content": row.error_text, "retry": bool(row.error_retry)}
    return {
        "run_id": row.run_id,
        "conversation_id": row.conversation_id,
        "status": row.status,
        "attempt": row.attempt,
        "intent": row.intent,
        "agent": row.agent,
        "usage": row.usage,
        "error": error,
        "created_at": row.created_at.isoformat() if row.created_at else None,
        "finished_at": row.finished_at.isoformat() if row.finished_at else None,
        "events_url": f"/v1/runs/{row.run_id}/events",
    }
