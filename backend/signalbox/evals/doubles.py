"""Models that lie in one way each, to see that an evaluation catches them, and one that keeps what it is asked."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

from signalbox.llm.base import Finish, ModelRequest, StreamItem, TextDelta, Usage, last_user_message

_CARELESS: Final = (
    "I searched everywhere and found nothing that fits. Try a broader search.",
    "Sorry, there are no results for that. You may want to use other keywords.",
    "There is nothing on record about this, so it does not seem to exist.",
    "No matches, I'm afraid. Consider removing one of the conditions.",
)
_TIMID: Final = (
    "I could not look that up just now, so I cannot say anything about it.",
    "The search is unavailable at the moment. Please ask again later.",
    "Sorry, something went wrong and I was not able to check.",
)


class OneSided:
    """A ``Model`` that answers every question with one of ``lines``, whatever the facts say."""

    instructable = True

    def __init__(self, name: str, lines: tuple[str, ...]) -> None:
        self.name = name
        self._lines = lines

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        await asyncio.sleep(0)
        yield TextDelta(self._lines[len(last_user_message(request)) % len(self._lines)])
        yield Usage(self.name, 0, 0, 0, estimated=True)
        yield Finish("stop")

    async def close(self) -> None:
        """Holds nothing."""


def careless_model() -> OneSided:
    """Claims absence whatever the facts say."""
    return OneSided("careless", _CARELESS)


def timid_model() -> OneSided:
    """Never looked, whatever the facts say."""
    return OneSided("timid", _TIMID)


class Recording:
    """An instructable ``Model`` that answers with the draft and keeps each request."""

    name = "recording"
    instructable = True

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        self.requests.append(request)
        await asyncio.sleep(0)
        if request.draft:
            yield TextDelta(request.draft)
        yield Usage(self.name, 0, 0, 0, estimated=True)
        yield Finish("stop")

    async def close(self) -> None:
        """Holds nothing."""
