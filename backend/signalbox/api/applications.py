"""The application tracker over HTTP: read it, take one out. It is filled by telling the assistant."""

from datetime import UTC, datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.agents.tracking.text import application_shown
from signalbox.api.deps import checked_id, principal, services
from signalbox.api.guard import Guard

router = APIRouter()


@router.get("/v1/applications", summary="Your applications, open ones first")
async def applications(request: Request) -> Response:
    """Each with the days since the last sign of life and when to write again."""
    found, who = services(request), principal(request)
    today = datetime.now(UTC).date()
    rows = [application_shown(one, today).model_dump(mode="json") for one in await found.applications.all(who.owner)]
    response = JSONResponse({"applications": rows})
    guard: Guard = request.app.state.guard
    guard.leave(who, response)
    return response


@router.delete("/v1/applications/{application_id}", summary="Forget one application", status_code=204)
async def forget(request: Request, application_id: str) -> Response:
    """Forgetting it again is no error."""
    found, who = services(request), principal(request)
    await found.applications.remove(who.owner, checked_id(application_id, "application"))
    return Response(status_code=204)
