"""What was noted of a conversation's older turns, in its versions, for its owner to see."""

from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.api.deps import checked_id, parameter, principal, services
from signalbox.errors import BadRequest
from signalbox.memory.summary import KINDS, ConversationSummary, changes
from signalbox.runs.summaries import Version

router = APIRouter()

MOST_DIGITS: Final = 9


@router.get(
    "/v1/conversations/{conversation_id}/summary",
    summary="The summary of a conversation's older turns",
    openapi_extra={
        "parameters": [
            parameter("query", "version", "A version's number; the newest one without it."),
            parameter("query", "since", "An earlier version to tell the changes from; the one before without it."),
        ]
    },
)
async def summary(request: Request, conversation_id: str) -> Response:
    """``version`` 0 stands for none: nothing has left the recent turns yet, which are told word for word."""
    found, who = services(request), principal(request)
    checked_id(conversation_id, "conversation")
    version, since = _number(request, "version"), _number(request, "since")
    asked, versions = await found.summaries.of_owner(who.owner, conversation_id, version)
    shown = _shown(conversation_id, asked, versions)
    if since is not None:
        if since > asked.version:
            raise BadRequest(f"`since` must not be newer than version {asked.version}.")
        older, _ = await found.summaries.of_owner(who.owner, conversation_id, since)
        shown |= {"changes": changes(older.summary, asked.summary), "since": since}
    return JSONResponse(shown)


def _shown(conversation_id: str, asked: Version, versions: list[int]) -> dict[str, Any]:
    return {
        "conversation_id": conversation_id,
        "version": asked.version,
        "versions": versions,
        "made_by": asked.made_by or None,
        "created_at": asked.created_at.isoformat() if asked.created_at else None,
        "summary": _entries(asked.summary),
        "changes": dict(asked.changes or {}),
        "since": max(asked.version - 1, 0),
    }


def _entries(content: ConversationSummary) -> dict[str, Any]:
    """By kind, each entry with the messages that said it; what rules made of it is ours."""
    told = {kind: [{"text": note.text, "sources": list(note.sources)} for note in content.of(kind)] for kind in KINDS}
    goal = told.pop("current_goal")
    return {**told, "current_goal": goal[0] if goal else None}


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise BadRequest(f"`{name}` must be the number of a version, such as 2.")
    return int(text)
