"""The seam every language model stands behind: what is asked, and the typed items that stream back.

It knows no vendor. A part that wants another model implements ``Model`` and nothing else.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
# How much a call may cost: sorting and labelling, ordinary answers, what only the best model does well.
Tier: TypeAlias = Literal["cheap", "standard", "strong"]
FinishReason: TypeAlias = Literal["stop", "length", "content_filter", "tool_calls", "other"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it; ``parameters`` is the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One call the model asks for, whole. ``arguments`` is its JSON text as written, which may be no valid JSON."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """``tool_calls``: what an assistant message asked for; ``tool_call_id``: which of them a tool message answers."""

    role: Role
    content: str
    tool_calls: tuple[ToolRequest, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class PromptRef:
    """The template a request was made from; ``digest`` is the SHA-256 (hex) of its text."""

    id: str
    version: str
    digest: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model.

    ``task`` names what it is for (classify, answer, write, summarise, extract): tiers and telemetry read it, the
    prompt does not. ``draft`` is the reply the agent's own template composed from facts; the offline model streams
    it, others may ignore it. ``max_tokens`` bounds the output. ``tier`` asks for another than the task's own, as when
    a cheaper model's answer was no good. ``prompts``, ``agent`` and ``about`` (JSON: what did not fit, and so on) are
    recorded with the step and not sent. ``reusable``: the same question of the same user may get the same answer.
    ``owed``: the user is told at least the draft, whatever may be spent: it says what was done, or all there is to say.
    ``unheard`` is told each ``Attempt`` that a reader who leaves early can no longer be given: it has its price, too.
    """

    task: str
    messages: tuple[ChatMessage, ...]
    draft: str
    max_tokens: int = 1024
    temperature: float = 0.3
    tools: tuple[ToolSpec, ...] = ()
    tier: Tier | None = None
    agent: str = ""
    prompts: tuple[PromptRef, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    reusable: bool = False
    owed: bool = False
    unheard: "Callable[[Attempt], None] | None" = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class Restart:
    """All that was yielded before is void: another try begins anew. ``reason`` is safe to show."""

    reason: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the answered request. ``model`` is the configured name, the key to its prices.

    ``cached_tokens`` are part of ``input_tokens``. ``estimated`` says the provider reported nothing and the
    numbers were worked out from the length of the text. ``cost_usd`` is None where no price is known.
    """

    model: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    estimated: bool
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request that was made to one model, however it went; seconds. For the books, never for a reader.

    ``outcome``: "ok", the code of its error, "cancelled", "open" (the breaker refused it unasked) or "cached".
    ``control``: it was given a strong model at random, for comparison.
    """

    number: int
    provider: str
    model: str
    tier: Tier
    outcome: str
    first_token_s: float | None
    duration_s: float
    usage: Usage | None = None
    escalated: bool = False
    control: bool = False


@dataclass(frozen=True, slots=True)
class Finish:
    """Why the answer ended. ``length`` means it stopped in mid-sentence and the reader should be told. ``request_id``:
    the provider's own name for this answer, for asking them about it.
    """

    reason: FinishReason
    request_id: str = field(default="", compare=False)


StreamItem: TypeAlias = TextDelta | ToolRequest | Restart | Attempt | Usage | Finish


class Model(Protocol):
    """A source of streamed text.

    ``stream`` yields any number of ``TextDelta`` and, if ``tools`` were offered, ``ToolRequest``, then at most one
    ``Usage``, then exactly one ``Finish``, which is always the last item. It guarantees:

    - a delta is never empty and is well-formed Unicode that every store accepts: lone surrogates and NUL
      arrive as U+FFFD, a pair split over two deltas arrives whole;
    - a model's private reasoning is never in the text;
    - text once yielded is only ever taken back by a ``Restart``, and then all of it; an adapter of one provider never
      yields one, nor an ``Attempt``: those are for whoever stands above several;
    - anything but a ``Finish`` raises a subclass of ``ProviderError`` whose text is safe to show;
    - cancelling the reading task, or closing the generator, closes the provider's connection before it returns.

    A reader that may leave the loop early wraps the generator in ``contextlib.aclosing``. ``stream`` may be
    called many times at once. After ``close`` it must not be called again; ``close`` may be.
    """

    name: str
    # Whether it follows instructions of its own: one that only streams the draft need not be asked anything else.
    instructable: bool

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]: ...

    async def close(self) -> None: ...


@runtime_checkable
class Judging(Protocol):
    """A model that wants to know whether its answers were any good, for comparing models by."""

    def judged(self, request: ModelRequest, *, kept: bool) -> None:
        """Whether the answer to ``request`` was used, or refused and asked for again, or dropped. Never fails."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer that was read to its end: what stood after the last ``Restart``."""

    text: str
    calls: tuple[ToolRequest, ...]
    usage: Usage | None
    finish: FinishReason


async def read_whole(model: Model, request: ModelRequest) -> Reading:
    """The whole answer, for a question that nobody watches being answered. Raises ``ProviderError``."""
    parts: list[str] = []
    calls: list[ToolRequest] = []
    usage: Usage | None = None
    finish: FinishReason = "other"
    async with aclosing(model.stream(request)) as stream:
        async for item in stream:
            match item:
                case TextDelta(text):
                    parts.append(text)
                case ToolRequest():
                    calls.append(item)
                case Restart():
                    parts.clear()
                    calls.clear()
                case Usage():
                    usage = item
                case Attempt():
                    pass
                case Finish(reason):
                    finish = reason
    return Reading("".join(parts), tuple(calls), usage, finish)


def last_user_message(request: ModelRequest) -> str:
    """The content of the newest user message, or an empty text when there is none."""
    return next((message.content for message in reversed(request.messages) if message.role == "user"), "")
