"""Where a claim comes from: the record behind the id of a citation."""

from dataclasses import asdict

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from signalbox.api.deps import checked_id, principal, services
from signalbox.encoding import clean_json
from signalbox.errors import NotFound

router = APIRouter()


@router.get("/v1/sources/{source_id}", summary="What a citation's id leads to")
async def source(request: Request, source_id: str) -> Response:
    """A passage, posting, company or wage row, whole: ``kind`` says which, ``record`` is what is stored."""
    found, who = services(request), principal(request)
    wanted = checked_id(source_id, "source")
    one = await found.sources.find(wanted, tenant=who.owner.tenant)
    if one is None:
        raise NotFound("There is no source under that id; it may have left the catalogue since it was cited.")
    return JSONResponse(clean_json(asdict(one)))
