"""How the provider tests ask: a model with short deadlines at a loopback provider, and what came of it."""

import contextlib
import traceback

from loopback import Loopback, Reply, data

from signalbox import errors
from signalbox.llm.base import ChatMessage, ModelRequest, TextDelta
from signalbox.llm.groq import Deadlines, GroqModel

KEY = "gsk_TopSecretKey0123456789"
SECRET = "secret words of the provider"
REQUEST = ModelRequest("answer", (ChatMessage("system", "Be short."), ChatMessage("user", "Hi")), draft="")


def model_at(url: str, **changes) -> GroqModel:
    settings = {
        "api_key": KEY,
        "base_url": url,
        "deadlines": Deadlines(first_token=10.0, gap=10.0, total=30.0),
        **changes,
    }
    return GroqModel("m", **settings)


async def ask(model: GroqModel, request: ModelRequest = REQUEST):
    async with contextlib.aclosing(model.stream(request)) as items:
        return [item async for item in items]


async def answer(*replies: Reply, **changes):
    """Items the model gives for these replies."""
    async with Loopback(*replies) as provider:
        model = model_at(provider.url, **changes)
        try:
            return await ask(model)
        finally:
            await model.close()


async def fails(*replies: Reply, **changes):
    """What was shown, the error and the provider, for replies that must fail."""
    async with Loopback(*replies) as provider:
        model = model_at(provider.url, **changes)
        shown, raised = await read(model)
        await model.close()
    assert isinstance(raised, errors.ProviderError)
    assert_no_secret(raised)
    return shown, raised, provider


async def gather(model: GroqModel, request: ModelRequest = REQUEST):
    """All items that came, and the provider's error if one ended them."""
    items = []
    try:
        async for item in model.stream(request):
            items.append(item)  # noqa: PERF401 - what came before an error counts
    except errors.ProviderError as error:
        return items, error
    return items, None


async def read(model: GroqModel):
    """The text shown, and what came last: an item, or the provider's error."""
    items, error = await gather(model)
    return text_of(items), error or (items[-1] if items else None)


def assert_no_secret(error: BaseException) -> None:
    told = "".join(traceback.format_exception(error)) + repr(error) + str(getattr(error, "public", ""))
    link: BaseException | None = error
    while link is not None:
        told += repr(link) + repr(link.args)
        link = link.__cause__ or link.__context__
    assert KEY not in told
    assert SECRET not in told


def text_of(items) -> str:
    return "".join(item.text for item in items if isinstance(item, TextDelta))


def body_of(*chunks) -> bytes:
    return b"".join(item if isinstance(item, bytes) else data(item) for item in chunks)


async def outcome(reply: Reply):
    """Text and last item, or text and the class of the error."""
    async with Loopback(reply) as provider:
        model = model_at(provider.url)
        shown, end = await read(model)
        await model.close()
    return shown, type(end) if isinstance(end, Exception) else end
