"""Conversations: list, find, read, follow all runs over one connection, rename, delete."""

import re
from datetime import UTC, datetime
from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.api.deps import checked_id, is_blank, json_object, parameter, principal, read_body, services
from signalbox.api.events import READING, SSE, read
from signalbox.api.guard import Guard
from signalbox.api.sse import STORED, Ask, cursor_of, types_of
from signalbox.encoding import clean_text
from signalbox.envelope import Part
from signalbox.errors import BadRequest, LogUnavailable
from signalbox.events import Snapshot
from signalbox.runs.searching import Search, words_of
from signalbox.services import Services
from signalbox.stream.log import Cursor, Page

router = APIRouter()

MAX_PAGE: Final = 100
MAX_QUERY: Final = 200
MAX_TITLE: Final = 200
MAX_RENAME_BYTES: Final = 16_384
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@router.get(
    "/v1/conversations",
    summary="Your conversations, newest first",
    openapi_extra={
        "parameters": [
            parameter("query", "limit", f"How many, from 1 to {MAX_PAGE}."),
            parameter("query", "before", "Only those older than this updated_at."),
            parameter("query", "q", "Only those with all of these words in the title or in one message."),
        ]
    },
)
async def conversations(request: Request) -> Response:
    """``?limit`` (1 to 100), ``?before`` (an ``updated_at`` to go on from), ``?q`` (rows then have a ``match``)."""
    found, who = services(request), principal(request)
    limit, before, words = _limit(request), _before(request), _words(request)
    if words:
        rows = await found.conversations.search(who.owner, Search(words, limit, before))
    else:
        rows = await found.conversations.page(who.owner, limit=limit, before=before)
    response = JSONResponse({"conversations": [_shown(row) for row in rows]})
    guard: Guard = request.app.state.guard
    guard.leave(who, response)
    return response


@router.get("/v1/conversations/{conversation_id}", summary="One conversation")
async def conversation(request: Request, conversation_id: str) -> Response:
    found, who = services(request), principal(request)
    row = await found.conversations.get(who.owner, checked_id(conversation_id, "conversation"))
    return JSONResponse(_shown(row))


class Rename(Part):
    title: str


@router.patch(
    "/v1/conversations/{conversation_id}",
    summary="Rename a conversation",
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/json": {"schema": Rename.model_json_schema()}}}
    },
)
async def rename(request: Request, conversation_id: str) -> Response:
    """Its place in the list stays."""
    found, who = services(request), principal(request)
    checked_id(conversation_id, "conversation")
    body = Rename.model_validate(json_object(await read_body(request, MAX_RENAME_BYTES)))
    row = await found.conversations.rename(who.owner, conversation_id, _title(body.title))
    return JSONResponse(_shown(row))


@router.get("/v1/conversations/{conversation_id}/messages", summary="Its messages, and where to stream on from")
async def messages(request: Request, conversation_id: str) -> Response:
    """``cursor`` closes the gap between loading and following: everything after it is not in ``messages``."""
    found, who = services(request), principal(request)
    checked_id(conversation_id, "conversation")
    # The log first: an event between the two looks is then streamed again rather than missed.
    try:
        page = await found.log.position(conversation_id)
    except LogUnavailable:
        page = None  # truth: the messages are in the database; a reader starts with what the log has later
    snapshot = await found.conversations.snapshot(who.owner, conversation_id)
    at = Cursor(page.epoch, page.last) if page else STORED
    if page is not None:
        at = await _beginning(found, page, conversation_id, snapshot) or at
    body = snapshot.model_dump(mode="json", include={"messages", "runs", "omitted"})
    return JSONResponse({"conversation_id": conversation_id, **body, "cursor": str(at)})


async def _beginning(found: Services, page: Page, conversation_id: str, snapshot: Snapshot) -> Cursor | None:
    """Where the events of the first run start that is in progress, and so not (or not whole) in the messages."""
    for run in snapshot.runs:
        if run.status not in {"pending", "running", "waiting"}:
            continue
        at = await found.log.position(conversation_id, run_id=run.run_id)
        if at is None or at.run is None:
            continue
        if run.status == "waiting" and 0 < at.run.closed <= page.last and at.epoch == page.epoch:
            continue  # all it said before it waited is in the messages
        return Cursor(at.epoch, at.run.first - 1)
    return None


@router.head("/v1/conversations/{conversation_id}/events", include_in_schema=False)
@router.get(
    "/v1/conversations/{conversation_id}/events",
    summary="All its events, over all runs",
    responses=SSE,
    openapi_extra=READING,
)
async def conversation_events(request: Request, conversation_id: str) -> Response:
    """Stays open between runs."""
    found, who = services(request), principal(request)
    await found.conversations.get(who.owner, checked_id(conversation_id, "conversation"))
    ask = Ask(who.owner, conversation_id, None, cursor_of(request), types_of(request))
    return await read(request, who, ask)


@router.delete("/v1/conversations/{conversation_id}", summary="Delete a conversation and all it holds", status_code=204)
async def delete(request: Request, conversation_id: str) -> Response:
    found, who = services(request), principal(request)
    going = await found.conversations.delete(who.owner, checked_id(conversation_id, "conversation"))
    for run_id in going:
        await found.runner.stop(run_id)
    await found.log.delete(conversation_id)
    await found.runner.forgotten(conversation_id)
    return Response(status_code=204)


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", "50")
    if not text.isascii() or not text.isdecimal() or len(text) > 6 or not 1 <= int(text) <= MAX_PAGE:
        raise BadRequest(f"'limit' must be a number from 1 to {MAX_PAGE}.")
    return int(text)


def _words(request: Request) -> list[str]:
    text = clean_text(request.query_params.get("q", ""))
    if len(text) > MAX_QUERY:
        raise BadRequest(f"'q' has {len(text):,} characters; {MAX_QUERY} are allowed. Search for a few words.")
    return words_of(text)


def _title(text: str) -> str:
    """On one line, without control characters and those that turn a line's direction."""
    title = _CONTROLS.sub("", " ".join(clean_text(text).split())).strip()
    if is_blank(title):
        raise BadRequest("The title is empty. Give the conversation a name.")
    if len(title) > MAX_TITLE:
        raise BadRequest(f"The title has {len(title):,} characters; {MAX_TITLE} are allowed.")
    return title


def _before(request: Request) -> datetime | None:
    text = request.query_params.get("before")
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError as exc:
        raise BadRequest("'before' must be a time in ISO 8601, as 'updated_at' shows it.") from exc
    if moment.tzinfo is None:
        raise BadRequest("'before' needs a time zone, as 'updated_at' shows it.")
    try:
        return moment.astimezone(UTC)  # PostgreSQL knows fewer time zones than Python
    except OverflowError as exc:
        raise BadRequest("'before' is out of range.") from exc


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items()}
