"""What users decide about what is kept of them: whether to remember, all of it to take away, all of it erased."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from signalbox.api.deps import json_object, principal, read_body, services
from signalbox.api.guard import COOKIE, Guard, Principal
from signalbox.errors import BadRequest
from signalbox.runs.erasure import Erased
from signalbox.runs.exporting import Export

router = APIRouter()

_BYTES: Final = 10_000
_HOW_TO_ERASE: Final = (
    'Nothing was erased. To have everything erased for good, send {"erase": "everything"} as the body of this request; '
    "GET /v1/profile/export first gives you a copy."
)
_KEPT: Final = "What your answers cost stays in the operator's books, without your name."


class Wishes(BaseModel):
    """``remember``: whether facts about you are stored, and those that are stored are used."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    remember: bool


class EraseRequest(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    erase: Literal["everything"]


def _body_of(model: type[BaseModel]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": model.model_json_schema()}}}}


@router.get("/v1/profile/settings", summary="Whether facts about you are remembered")
async def settings(request: Request) -> Response:
    who, found = principal(request), services(request)
    return _left(request, who, JSONResponse({"remember": await found.profiles.remembers(who.owner)}))


@router.put(
    "/v1/profile/settings", summary="Switch remembering facts about you on or off", openapi_extra=_body_of(Wishes)
)
async def change_settings(request: Request) -> Response:
    """Off: nothing more about you is stored in your profile, whoever would, and nothing of it is used. What is stored
    stays until you erase it.
    """
    who, found = principal(request), services(request)
    wanted = Wishes.model_validate(json_object(await read_body(request, _BYTES)))
    await found.profiles.remember(who.owner, wanted.remember)
    return _left(request, who, JSONResponse({"remember": wanted.remember}))


@router.get("/v1/profile/export", summary="What is stored of you, as JSON")
async def export(request: Request) -> Response:
    """One document, streamed; its `not_included` says what is left out. If it breaks off, it is no valid JSON: fetch
    it again.
    """
    who, found = principal(request), services(request)
    pieces = await Export(found.db).begin(who.owner)
    name = f"signalbox-{datetime.now(UTC):%Y-%m-%d}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return _left(request, who, StreamingResponse(pieces, media_type="application/json", headers=headers))


@router.delete(
    "/v1/profile", summary="Erase everything that is stored of you, for good", openapi_extra=_body_of(EraseRequest)
)
async def erase(request: Request) -> Response:
    """Answers that go on are cancelled first. It may be repeated: a second time there is nothing left to erase."""
    who, found = principal(request), services(request)
    body = await read_body(request, _BYTES)
    if not body.strip():
        raise BadRequest(_HOW_TO_ERASE)
    try:
        EraseRequest.model_validate(json_object(body))
    except ValidationError as exc:
        raise BadRequest(_HOW_TO_ERASE) from exc
    if who.new_cookie is not None:  # somebody without an id: nothing can be stored of them
        return JSONResponse({"erased": asdict(Erased()), "kept": _KEPT})
    erased = await found.erasure.erase(who.owner)
    response = JSONResponse({"erased": asdict(erased), "kept": _KEPT})
    if COOKIE in request.cookies:
        response.delete_cookie(COOKIE, path="/")  # whoever comes back is somebody new
    return response


def _left(request: Request, who: Principal, response: Response) -> Response:
    guard: Guard = request.app.state.guard
    guard.leave(who, response)
    return response
