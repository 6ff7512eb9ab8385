"""A model that goes on when its test says so, however slow the machine is."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from signalbox.llm.base import ModelRequest, StreamItem, last_user_message
from signalbox.llm.scripted import ScriptedModel

HELD = "/general until told"


class HeldModel(ScriptedModel):
    """Answers ``HELD`` once ``go`` is set, and anything else at once."""

    def __init__(self) -> None:
        super().__init__({"until told": ["It ", "was ", "told."]})
        self.go = asyncio.Event()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        async with aclosing(super().stream(request)) as items:
            async for item in items:
                if "until told" in last_user_message(request):
                    await self.go.wait()
                yield item
