"""The profile over HTTP: what is known and from where, taking it back, and the CV it may come from."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, StrictBool
from starlette.datastructures import FormData, Headers, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.api.deps import checked_id, json_object, principal, read_body, services
from signalbox.api.guard import Guard, Principal
from signalbox.blocks import ProfileFact
from signalbox.encoding import clean_text
from signalbox.errors import BadRequest, NotFound, PayloadTooLarge
from signalbox.memory.profile_history import PastChange, ProfileHistory, SourcedFact
from signalbox.memory.resume.intake import ResumeIntake, TakenIn
from signalbox.memory.resume.json_resume import is_json_resume
from signalbox.memory.resume.model import PASTED, Resume
from signalbox.memory.resume.reading import MAX_BYTES, ResumeReader, ResumeTooLarge, UnsupportedResume, kind_of
from signalbox.memory.resume.store import ResumeStore, StoredResume
from signalbox.memory.resume.text import ResumeReading
from signalbox.tools.vocabulary import packaged_vocabulary

router = APIRouter()

# A form's own words around the file, and JSON's escapes around a text.
_MARGIN: Final = 100_000
_UNDO_BYTES: Final = 10_000
_MEDIA: Final = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "json": "application/json",
    "text": "text/plain",
}
_HOW: Final = (
    "Send multipart/form-data with the CV in the field 'file', or JSON: {\"text\": …} or a JSON Resume object."
)
UPLOAD: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            },
            "application/json": {
                "schema": {
                    "type": "object",
                    "description": "{text} with the pasted CV, or a JSON Resume object (jsonresume.org).",
                    "properties": {"text": {"type": "string"}},
                }
            },
        },
    }
}


class UndoRequest(BaseModel):
    """``change_id``: which change is meant, as ``GET /v1/profile`` gives it; the newest if absent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    change_id: str | None = None


class Amendment(BaseModel):
    """What is given is changed. ``pinned``: whether it is told to the assistant whatever is talked about."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: str | None = None
    pinned: StrictBool | None = None


@router.get("/v1/profile", summary="What is known of you, and where it comes from")
async def profile(request: Request) -> Response:
    """``newest_change`` is what an undo would take back; ``resume`` names the CV there is. With ``settings.remember``
    false, nothing of it is used or added to.
    """
    who, db = principal(request), services(request).db
    history = ProfileHistory(db)
    facts = await history.facts(who.owner)
    newest = await history.newest(who.owner)
    stored = await ResumeStore(db).current(who.owner)
    content = {
        "facts": [_sourced(each) for each in facts],
        "newest_change": _change(newest) if newest else None,
        "resume": _named(stored) if stored else None,
        "settings": {"remember": await services(request).profiles.remembers(who.owner)},
    }
    return _left(request, who, JSONResponse(content))


@router.delete("/v1/profile/facts/{fact_id}", summary="Forget one fact", status_code=204)
async def forget(request: Request, fact_id: str) -> Response:
    """Forgetting it again is no error. It can be undone."""
    who, history = principal(request), ProfileHistory(services(request).db)
    await history.forget(who.owner, _fact_id(fact_id))
    return _left(request, who, Response(status_code=204))


@router.patch(
    "/v1/profile/facts/{fact_id}",
    summary="Correct one fact, or pin it",
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/json": {"schema": Amendment.model_json_schema()}}}
    },
)
async def amend(request: Request, fact_id: str) -> Response:
    """A new ``value`` replaces the fact by one under a new id, which the answer holds; it can be undone."""
    who, history = principal(request), ProfileHistory(services(request).db)
    asked = Amendment.model_validate(json_object(await read_body(request, _UNDO_BYTES)))
    if asked.value is None and asked.pinned is None:
        raise BadRequest("There is nothing to change. Send 'value', 'pinned' or both.")
    value = clean_text(asked.value) if asked.value is not None else None
    fact = await history.amend(who.owner, _fact_id(fact_id), value=value, pinned=asked.pinned)
    return _left(request, who, JSONResponse(fact.model_dump(mode="json")))


@router.post(
    "/v1/profile/undo",
    summary="Take the newest change of your profile back",
    openapi_extra={
        "requestBody": {"required": False, "content": {"application/json": {"schema": UndoRequest.model_json_schema()}}}
    },
)
async def undo(request: Request) -> Response:
    """With a ``change_id`` it may be repeated: one change is taken back once, and answered the same each time.

    Taking an upload back makes the CV before it the current one again, or none.
    """
    who, history = principal(request), ProfileHistory(services(request).db)
    body = await read_body(request, _UNDO_BYTES)
    asked = UndoRequest.model_validate(json_object(body)) if body.strip() else UndoRequest()
    wanted = checked_id(asked.change_id, "change") if asked.change_id is not None else None
    undone = await history.undo(who.owner, wanted)
    facts = await history.facts(who.owner)
    content = {
        "change_id": undone.change_id,
        "changed_at": undone.changed_at.isoformat(),
        "removed": _dumped(undone.added),
        "restored": _dumped(undone.removed),
        "facts": [_sourced(each) for each in facts],
    }
    return _left(request, who, JSONResponse(content))


@router.post("/v1/profile/resume", summary="Upload or paste your CV", openapi_extra=UPLOAD, status_code=201)
async def upload(request: Request) -> Response:
    """PDF, DOCX, Markdown, text or JSON Resume, at most 5 MB and 30 pages. It replaces the CV there was; contact data
    is not kept, and what it says of you goes into your profile.
    """
    who, found = principal(request), services(request)
    read, media_type = await _read(request)
    intake = ResumeIntake(ResumeStore(found.db), packaged_vocabulary())
    taken = await intake.take(who.owner, read, media_type=media_type)
    return _left(request, who, JSONResponse(_taken(taken), 201))


@router.get("/v1/profile/resume", summary="Your CV as it was understood")
async def resume(request: Request) -> Response:
    who, store = principal(request), ResumeStore(services(request).db)
    stored = await store.current(who.owner)
    if stored is None:
        raise NotFound("There is no CV. Upload one with POST /v1/profile/resume.")
    return JSONResponse(_stored(stored))


@router.delete("/v1/profile/resume", summary="Erase your CV and forget what only it said", status_code=204)
async def erase(request: Request) -> Response:
    """All CVs of yours, older ones too, are deleted for good; it cannot be undone. Erasing none is no error."""
    who, store = principal(request), ResumeStore(services(request).db)
    await store.erase(who.owner)
    return _left(request, who, Response(status_code=204))


# -- reading what is sent


async def _read(request: Request) -> tuple[ResumeReading, str]:
    """The CV in the body, and its media type."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        body = await read_body(request, MAX_BYTES + _MARGIN)
    except PayloadTooLarge as exc:
        raise ResumeTooLarge from exc
    reader = _reader(request)
    if kind == "multipart/form-data":
        data, name = await _file_of(request.headers, body)
        return await reader.file(data, name), _MEDIA[kind_of(data)]
    if kind not in {"", "application/json", "application/x-www-form-urlencoded"}:
        raise UnsupportedResume(_HOW)
    value = await asyncio.to_thread(json_object, body)
    if is_json_resume(value):
        return await reader.json(value, PASTED), _MEDIA["json"]
    text = value.get("text")
    if not isinstance(text, str) or set(value) != {"text"}:
        raise BadRequest(_HOW)
    return await reader.text(text), _MEDIA["text"]


async def _file_of(headers: Headers, body: bytes) -> tuple[bytes, str]:
    """The bytes and the name of the field ``file``."""

    async def whole() -> AsyncGenerator[bytes, None]:
        yield body

    try:
        form = await MultiPartParser(headers, whole(), max_files=1, max_fields=5, max_part_size=_MARGIN).parse()
    except (MultiPartException, HTTPException, KeyError, UnicodeError, ValueError) as exc:
        raise BadRequest(f"The form could not be read. {_HOW}") from exc
    try:
        return await _field(form)
    finally:
        await form.close()


async def _field(form: FormData) -> tuple[bytes, str]:
    file = form.get("file")
    if not isinstance(file, UploadFile):
        raise BadRequest(f"The form has no file in the field 'file'. {_HOW}")
    data = await file.read()
    if len(data) > MAX_BYTES:
        raise ResumeTooLarge
    return data, _file_name(file.filename or "")


def _file_name(sent: str) -> str:
    """The last part of the name, since some browsers send a path."""
    name = PurePosixPath(PureWindowsPath(clean_text(sent)).name).name
    shown = "".join(char for char in name if char.isprintable()).strip()
    return shown[:120] or "CV"


def _reader(request: Request) -> ResumeReader:
    """One for the whole process, since it bounds how many files are open at a time."""
    state = request.app.state
    if not hasattr(state, "resume_reader"):
        state.resume_reader = ResumeReader()
    reader: ResumeReader = state.resume_reader
    return reader


def _fact_id(text: str) -> str:
    """A fact's id holds its message's id and a number, so it may be longer than others."""
    if len(text) > 200 or not text.isascii() or not text.replace("_", "").replace("-", "").isalnum():
        raise NotFound("There is no fact under that id in your profile.")
    return text


# -- showing


def _left(request: Request, who: Principal, response: Response) -> Response:
    guard: Guard = request.app.state.guard
    guard.leave(who, response)
    return response


def _sourced(each: SourcedFact) -> dict[str, Any]:
    source: dict[str, Any] | None = None
    if each.resume_id is not None:
        source = {"kind": "resume", "resume_id": each.resume_id, "file_name": each.file_name}
    elif each.message is not None:
        source = {
            "kind": "message",
            "message_id": each.fact.source_message_id,
            "conversation_id": each.conversation_id,
            "text": each.message,
        }
    return {**each.fact.model_dump(mode="json"), "created_at": each.created_at.isoformat(), "source": source}


def _change(change: PastChange) -> dict[str, Any]:
    return {
        "change_id": change.change_id,
        "changed_at": change.changed_at.isoformat(),
        "added": _dumped(change.added),
        "removed": _dumped(change.removed),
    }


def _dumped(facts: tuple[ProfileFact, ...]) -> list[dict[str, Any]]:
    return [fact.model_dump(mode="json") for fact in facts]


def _taken(taken: TakenIn) -> dict[str, Any]:
    return {
        **_stored(taken.stored),
        "added": _dumped(taken.change.added),
        "removed": _dumped(taken.change.removed),
        "warnings": list(taken.warnings),
    }


def _stored(stored: StoredResume) -> dict[str, Any]:
    shown: Resume = stored.resume
    return {**_named(stored), "resume": shown.model_dump(mode="json")}


def _named(stored: StoredResume) -> dict[str, Any]:
    return {
        "resume_id": stored.resume_id,
        "file_name": stored.file_name,
        "media_type": stored.media_type,
        "created_at": stored.created_at.isoformat(),
    }
