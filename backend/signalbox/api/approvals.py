"""Approvals: what a waiting run asks of its user, and their answer."""

from typing import Any, Final, Literal

from fastapi import APIRouter
from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.agents.tools_own import own_readers
from signalbox.api.deps import MAX_FIELDS, checked_id, json_object, principal, read_body, services
from signalbox.api.guard import Guard, Principal
from signalbox.envelope import Part
from signalbox.runs.approvals import ApprovalRow, Readers

router = APIRouter()

MAX_NOTE: Final = 2_000


class DecisionRequest(Part):
    """The body of a decision. ``edit`` needs ``arguments``: those to change, with their new values. ``digest`` is that
    of the arguments the user was shown; with another one nothing is decided. ``note`` tells the assistant why.
    """

    decision: Literal["approve", "edit", "reject"]
    arguments: dict[str, Any] | None = Field(None, max_length=MAX_FIELDS)
    note: str | None = Field(None, max_length=MAX_NOTE)
    digest: str | None = None


BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": DecisionRequest.model_json_schema()}},
    }
}


@router.get("/v1/runs/{run_id}/approvals", summary="What a run asks, or has asked, its user")
async def approvals(request: Request, run_id: str) -> Response:
    """Oldest first; ``decision`` is null while one is open."""
    found, who = services(request), principal(request)
    row = await found.store.run(who.owner, checked_id(run_id, "run"))
    asked = await found.approvals.of_run(who.owner, row.run_id)
    return _leave(request, who, JSONResponse({"approvals": [_shown(each) for each in asked]}))


@router.post(
    "/v1/runs/{run_id}/approvals/{approval_id}",
    summary="Approve, edit or reject",
    openapi_extra=BODY,
    responses={
        200: {"description": "Decided; the run goes on, and its events come from events_url."},
        409: {"description": "It was decided before, or its time had run out: `decided`."},
    },
)
async def decide(request: Request, run_id: str, approval_id: str) -> Response:
    """Once, and for good. Nothing is done with other arguments than the user was shown, or has edited."""
    found, who = services(request), principal(request)
    body = DecisionRequest.model_validate(json_object(await read_body(request, found.settings.max_body_bytes)))
    readers: Readers = {}
    if body.decision == "edit":
        # What an MCP server's tool takes is its own schema's word, in the definition that is approved for this user.
        readers = {**own_readers(found.agents.values()), **await found.mcp.readers(who.owner)}
    decided = await found.approvals.decide(
        who.owner,
        checked_id(run_id, "run"),
        checked_id(approval_id, "approval"),
        body.decision,
        arguments=body.arguments,
        digest=body.digest,
        note=body.note or "",
        readers=readers,
    )
    await found.runner.announce_work()
    content = {**_shown(decided), "events_url": f"/v1/runs/{decided.run_id}/events"}
    return _leave(request, who, JSONResponse(content))


def _leave(request: Request, who: Principal, response: Response) -> Response:
    guard: Guard = request.app.state.guard
    guard.leave(who, response)
    return response


def _shown(row: ApprovalRow) -> dict[str, Any]:
    return {
        "approval_id": row.approval_id,
        "run_id": row.run_id,
        "tool": row.tool,
        "arguments": dict(row.arguments),
        "digest": row.digest,
        "risk": row.risk,
        "created_at": row.created_at.isoformat(),
        "expires_at": row.expires_at.isoformat(),
        "decision": row.decision,
        "edited": None if row.edited is None else dict(row.edited),
        "note": row.note,
        "decided_at": row.decided_at.isoformat() if row.decided_at else None,
    }
