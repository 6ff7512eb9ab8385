"""Doubles for the tests of resilience: models that play a script each time they are asked, and a plan over them."""

import asyncio
from contextlib import aclosing

from signalbox.errors import ProviderError
from signalbox.llm.base import ChatMessage, Finish, ModelRequest, Restart, TextDelta, ToolRequest, Usage
from signalbox.llm.breaker import Breaker, MemoryMarks
from signalbox.llm.plan import Choice, ModelRef
from signalbox.llm.resilient import Patience, ResilientModel, Retries

REQUEST = ModelRequest("answer", (ChatMessage("user", "How do I ask for a raise?"),), draft="", temperature=0.8)
CALL = ToolRequest("call_1", "search", "{}")


class Voice:
    """Each request plays the next line, the last one again and again: a text, a tool request, a usage, a pause in
    seconds, an error, or a function to call. A line that ends without an error ends with a ``Finish``.
    """

    instructable = True

    def __init__(self, *lines):
        self.name = "voice"
        self.lines = lines
        self.requests = []
        self.open = 0

    async def stream(self, request):
        self.requests.append(request)
        self.open += 1
        try:
            for item in self.lines[min(len(self.requests), len(self.lines)) - 1]:
                match item:
                    case str():
                        yield TextDelta(item)
                    case Exception():
                        raise item
                    case int() | float():
                        await asyncio.sleep(item)
                    case ToolRequest() | Usage():
                        yield item
                    case _:
                        item()
            yield Finish("stop")
        finally:
            try:
                await asyncio.sleep(0)  # closing a connection takes a turn of the loop
            finally:
                self.open -= 1

    async def close(self):
        """Holds nothing."""


class Chain:
    """A plan of one chain for whatever is asked."""

    def __init__(self, *refs):
        self.refs = refs

    def choose(self, request):
        return Choice("standard", self.refs, "task")


class Naps:
    """A sleep that only remembers."""

    def __init__(self):
        self.taken = []

    async def __call__(self, seconds):
        self.taken.append(seconds)
        await asyncio.sleep(0)


class LongNap:
    """A sleep that lasts, and says when it began."""

    def __init__(self):
        self.taken = False

    async def __call__(self, seconds):
        self.taken = True
        await asyncio.sleep(3_600)


async def until(true):
    async with asyncio.timeout(30):
        while not true():  # noqa: ASYNC110 - of objects that tell nobody
            await asyncio.sleep(0.005)


class Cast:
    """A resilient model over voices; those whose name has no ``@provider`` are groq's."""

    def __init__(
        self, *, attempts=3, budget=5.0, hedge_s=0.0, slow=(), breaker=None, sleep=None, chance=lambda: 1.0, **voices
    ):
        self.voices = {_ref(name): voice for name, voice in voices.items()}
        self.naps = Naps()
        self.breaker = breaker or Breaker(MemoryMarks(), failures=100)
        self.model = ResilientModel(
            Chain(*self.voices),
            self.voices.__getitem__,
            self.breaker,
            name="voice",
            patience=Patience(Retries(attempts, budget), hedge_s, dict(slow)),
            sleep=sleep or self.naps,
            chance=chance,
        )

    async def ask(self, request=REQUEST):
        """The items, and the error they ended in."""
        items = []
        try:
            async with aclosing(self.model.stream(request)) as stream:
                async for item in stream:
                    items.append(item)  # noqa: PERF401 - kept when it raises
        except ProviderError as error:
            return items, error
        finally:
            assert not any(voice.open for voice in self.voices.values())
        return items, None

    def asked(self):
        return [len(voice.requests) for voice in self.voices.values()]


def _ref(name):
    model, _, provider = name.partition("_at_")
    return ModelRef(model, provider or "groq")


def shown(items) -> str:
    """What a reader is left with."""
    text = ""
    for item in items:
        match item:
            case TextDelta(piece):
                text += piece
            case Restart():
                text = ""
    return text


def outcomes(items):
    return [(item.model, item.outcome) for item in items if hasattr(item, "outcome")]


def kinds(items):
    return [type(item).__name__ for item in items]
