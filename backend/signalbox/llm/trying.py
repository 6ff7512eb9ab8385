"""One request to one model while it is under way: its first word, the rest of it, and what the books are told."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final, TypeAlias

import structlog

from signalbox.errors import ProviderCut, ProviderTimeout
from signalbox.llm.base import Attempt, Finish, Model, ModelRequest, StreamItem, TextDelta, ToolRequest, Usage
from signalbox.llm.breaker import Admission
from signalbox.llm.plan import Choice, ModelRef
from signalbox.llm.tokens import Length, usage_by_length

# What a reader can see, or the end of the answer.
Spoken: TypeAlias = TextDelta | ToolRequest | Finish

CANCELLED: Final = "cancelled"
# The provider had the request and worked on it, whatever came of that. What it refuses or fails at, it does not bill.
_BEGUN: Final = frozenset({CANCELLED, ProviderCut.code, ProviderTimeout.code})
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom a try asks: the ``index``-th model of the chain, and how the breaker let it."""

    ref: ModelRef
    index: int
    number: int
    admission: Admission


class Try:
    """``first`` is a task that ends with the first word, or with the error that came instead. Then ``next`` gives each
    word, that one included. Whoever made it calls ``close``, whatever happens.
    """

    def __init__(self, asked: Asked, model: Model, request: ModelRequest) -> None:
        self.asked = asked
        self.began = _now()
        self.usage: Usage | None = None
        self.spoke_at: float | None = None
        self._left = False
        self._request = request
        self._said = Length()
        self._items: AsyncGenerator[StreamItem, None] = model.stream(request)
        self._held: Spoken | None = None
        self.first = asyncio.create_task(self._speak(), name=f"first word of {asked.ref}")

    async def next(self) -> Spoken:
        """Raises ``ProviderError``."""
        if self._held is not None:
            held, self._held = self._held, None
            return held
        async for item in self._items:
            match item:
                case TextDelta(text):
                    self._said.add(text)
                    return item
                case ToolRequest():
                    self._said.add(item.name + item.arguments)
                    return item
                case Finish():
                    return item
                case Usage():
                    self.usage = item
                case _:
                    pass  # an adapter of one model has nothing to tell of others
        raise ProviderCut  # the generator ended without a Finish: its model breaks the contract

    def leave(self) -> None:
        """Begin to hang up."""
        if not self._left:  # a second cancel would reach into the closing of its connection
            self._left = True
            self.first.cancel()

    async def close(self) -> None:
        """Hang up. Returns once the connection is closed and no task is left."""
        self.leave()
        await asyncio.gather(self.first, return_exceptions=True)
        await self._items.aclose()

    def attempt(self, choice: Choice, outcome: str) -> Attempt:
        """What is told of it once it is over; also logged, without a word of prompt or answer.

        Of one that was cut nobody reports what it took: that is told by the length of what was asked and heard. What a
        model thought before its first word is in no such count.
        """
        usage = self.usage
        if usage is None and (outcome in _BEGUN or (self.spoke_at is not None and outcome != "ok")):
            usage = usage_by_length(self.asked.ref.name, self._request, self._said)
        attempt = Attempt(
            number=self.asked.number,
            provider=self.asked.ref.provider,
            model=self.asked.ref.name,
            tier=choice.tier,
            outcome=outcome,
            first_token_s=None if self.spoke_at is None else self.spoke_at - self.began,
            duration_s=_now() - self.began,
            usage=usage,
            escalated=choice.escalated,
            control=choice.control,
        )
        logged(attempt)
        return attempt

    async def _speak(self) -> None:
        self._held = await self.next()
        self.spoke_at = _now()


def refused(choice: Choice, ref: ModelRef, number: int) -> Attempt:
    """An attempt that was not made, because the breaker is open."""
    attempt = Attempt(
        number=number,
        provider=ref.provider,
        model=ref.name,
        tier=choice.tier,
        outcome="open",
        first_token_s=None,
        duration_s=0.0,
        escalated=choice.escalated,
        control=choice.control,
    )
    logged(attempt)
    return attempt


def logged(attempt: Attempt) -> None:
    tell = _log.info if attempt.outcome in {"ok", CANCELLED} else _log.warning
    tell(
        "model_attempt",
        model=attempt.model,
        provider=attempt.provider,
        tier=attempt.tier,
        outcome=attempt.outcome,
        number=attempt.number,
        first_token_s=None if attempt.first_token_s is None else round(attempt.first_token_s, 3),
        seconds=round(attempt.duration_s, 3),
    )


def _now() -> float:
    return asyncio.get_running_loop().time()
