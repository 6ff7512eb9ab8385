"""The seam every language model stands behind: what is asked, and the typed items that stream back.

It knows no vendor. A part that wants another model implements ``Model`` and nothing else.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant"]
FinishReason: TypeAlias = Literal["stop", "length", "content_filter", "tool_calls", "other"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model.

    ``task`` names what it is for ("answer", "summary"): routing and telemetry read it, the prompt does not.
    ``draft`` is the reply the agent's own template composed from facts; the offline model streams it, others
    may ignore it. ``max_tokens`` bounds the output.
    """

    task: str
    messages: tuple[ChatMessage, ...]
    draft: str
    max_tokens: int = 1024
    temperature: float = 0.3


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the answered request. ``model`` is the configured name, the key to its prices.

    ``cached_tokens`` are part of ``input_tokens``. ``estimated`` says the provider reported nothing and the
    numbers were worked out from the length of the text.
    """

    model: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    estimated: bool


@dataclass(frozen=True, slots=True)
class Finish:
    """Why the answer ended. ``length`` means it stopped in mid-sentence and the reader should be told. ``request_id``:
    the provider's own name for this answer, for asking them about it.
    """

    reason: FinishReason
    request_id: str = field(default="", compare=False)


StreamItem: TypeAlias = TextDelta | Usage | Finish


class Model(Protocol):
    """A source of streamed text.

    ``stream`` yields any number of ``TextDelta``, then at most one ``Usage``, then exactly one ``Finish``, which
    is always the last item. It guarantees:

    - a delta is never empty and is well-formed Unicode that every store accepts: lone surrogates and NUL
      arrive as U+FFFD, a pair split over two deltas arrives whole;
    - a model's private reasoning is never in the text;
    - text once yielded is never taken back or repeated: after the first delta nothing is retried;
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


def last_user_message(request: ModelRequest) -> str:
    """The content of the newest user message, or an empty text when there is none."""
    return next((message.content for message in reversed(request.messages) if message.role == "user"), "")
