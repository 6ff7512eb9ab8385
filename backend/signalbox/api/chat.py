"""``POST /v1/chat``: store the message, start the run, and stream it at once or say where it streams."""

from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.api.deps import checked_id, is_blank, json_object, parameter, principal, read_body, services
from signalbox.api.guard import Guard
from signalbox.api.sse import Ask, EventStream, Follow, types_of
from signalbox.encoding import clean_text
from signalbox.errors import BadRequest, PayloadTooLarge, Stopping
from signalbox.events import ChatRequest
from signalbox.memory.profile import Owner
from signalbox.runs.records import NewRun
from signalbox.services import Services
from signalbox.stream.hub import Start

router = APIRouter()

MAX_KEY: Final = 200
BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": ChatRequest.model_json_schema()}},
    },
    "parameters": [
        parameter("header", "Idempotency-Key", "The same key and body give the same run, however often they come."),
        parameter("query", "types", "Event types to stream, comma-separated; all if absent."),
    ],
}


@router.post(
    "/v1/chat",
    summary="Send a message",
    openapi_extra=BODY,
    responses={
        200: {"content": {"text/event-stream": {}}, "description": "The run's events (Accept: text/event-stream)."},
        202: {"description": "The run was started; its events are at events_url."},
    },
)
async def chat(request: Request) -> Response:
    """The same ``Idempotency-Key`` always gives the same run. A dropped response stops nothing."""
    found, who = services(request), principal(request)
    body = ChatRequest.model_validate(json_object(await read_body(request, found.settings.max_body_bytes)))
    if found.hub.draining:
        raise Stopping
    new = _new_run(body, who.owner, _idempotency_key(request), found.settings.max_message_chars)
    types = types_of(request)
    started, start = await found.runner.submit(new)
    urls = {"X-Run-Id": started.run_id, "X-Conversation-Id": started.conversation_id}
    urls["Location"] = f"/v1/runs/{started.run_id}/events"
    if _wants_stream(request):
        response = await _stream(found, Ask.of(new.owner, started, types), start, urls)
    else:
        content = {
            "run_id": started.run_id,
            "conversation_id": started.conversation_id,
            "events_url": urls["Location"],
        }
        response = JSONResponse(content, 202, urls)
    guard: Guard = request.app.state.guard
    guard.leave(who, response)
    return response


async def _stream(found: Services, ask: Ask, start: Start | None, headers: dict[str, str]) -> Response:
    follow = Follow(found, ask)
    if start is not None:
        follow.begin_with(start)
    else:
        await follow.begin()
    return EventStream(follow, headers=headers)


def _wants_stream(request: Request) -> bool:
    return "text/event-stream" in request.headers.get("accept", "").lower()


def _idempotency_key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    if not key or len(key) > MAX_KEY or not key.isascii() or not key.isprintable():
        raise BadRequest(f"Idempotency-Key must be 1 to {MAX_KEY} printable ASCII characters.")
    return key


def _new_run(body: ChatRequest, owner: Owner, key: str | None, longest: int) -> NewRun:
    message = None if body.message is None else clean_text(body.message)
    if message is None and body.suggestion_id is None and body.replaces is None:
        raise BadRequest("Send a 'message', or the 'suggestion_id' of a quick reply.")
    if message is not None and is_blank(message):
        raise BadRequest("The message is empty. Write something to answer.")
    if message is not None and len(message) > longest:
        raise PayloadTooLarge(f"The message has {len(message):,} characters; {longest:,} are allowed.")
    return NewRun(
        owner=owner,
        message=message,
        conversation_id=None if body.conversation_id is None else checked_id(body.conversation_id, "conversation"),
        suggestion_id=None if body.suggestion_id is None else checked_id(body.suggestion_id, "quick reply"),
        temporary=body.temporary,
        idempotency_key=key,
        if_busy=body.if_busy,
        replaces=None if body.replaces is None else checked_id(body.replaces, "run to replace"),
    )
