"""Where a claim comes from: the record behind the id of a citation."""

from dataclasses import asdict
from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.api.deps import principal, services
from signalbox.encoding import clean_json
from signalbox.errors import NotFound

router = APIRouter()


# A posting's id holds its feed's name and id, whatever signs those have.
MAX_ID_CHARS: Final = 300


@router.get("/v1/sources/{source_id:path}", summary="What a citation's id leads to")
async def source(request: Request, source_id: str) -> Response:
    """A passage, posting, company or wage row, whole: ``kind`` says which, ``record`` is what is stored."""
    found, who = services(request), principal(request)
    known = len(source_id) <= MAX_ID_CHARS and source_id.isprintable()
    one = await found.sources.find(source_id, tenant=who.owner.tenant) if known else None
    if one is None:
        raise NotFound("There is no source under that id; it may have left the catalogue since it was cited.")
    return JSONResponse(clean_json(asdict(one)))
