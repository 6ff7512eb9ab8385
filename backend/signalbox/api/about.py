"""What a client should know before it sends anything: who answers, how one signs in, what is too large."""

from importlib.metadata import version
from typing import Final, Literal

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.requests import Request

from signalbox.api.deps import services
from signalbox.api.guard import Guard
from signalbox.errors import Unauthorized
from signalbox.memory.resume.reading import MAX_BYTES

router = APIRouter()

VERSION: Final = version("signalbox")


class MessageLimits(BaseModel):
    """The longest message in characters, the largest CV in bytes."""

    message_chars: int
    resume_bytes: int


class About(BaseModel):
    """``offline``: answers come from templates, not from a language model. ``auth``: anybody is a user of their own by
    a cookie, or a key is needed. ``signed_in``: this request had a valid one. ``mail``: approved e-mails are sent.
    ``faults``: what is injected into tools on purpose, as ``SIGNALBOX_FAULTS`` names it; nothing in earnest use.
    """

    name: str
    version: str
    model: str
    offline: bool
    auth: Literal["cookie", "key"]
    signed_in: bool
    limits: MessageLimits
    mail: bool
    faults: tuple[str, ...] = ()


@router.get("/v1/about", summary="What this server is")
async def about(request: Request) -> About:
    """Needs no key, and makes nobody a user."""
    found = services(request)
    settings = found.settings
    guard: Guard = request.app.state.guard
    return About(
        name="signalbox",
        version=VERSION,
        model=found.runner.model,
        offline=settings.provider() == "offline",
        auth="key" if guard.asks_for_key else "cookie",
        signed_in=_signed_in(guard, request),
        limits=MessageLimits(message_chars=settings.max_message_chars, resume_bytes=MAX_BYTES),
        mail=settings.smtp_url is not None,
        faults=found.faults.told,
    )


def _signed_in(guard: Guard, request: Request) -> bool:
    try:
        return guard.principal(request).new_cookie is None
    except Unauthorized:
        return False
