"""What is known of each model: its window, its longest answer, its prices. Data from a file, with a date and a source.

A price that is not known is None and never a guess; what a call cost is then unknown, too.
"""

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from signalbox.errors import ConfigurationError, said_by_check
from signalbox.llm.base import Attempt, Finish, Model, ModelRequest, StreamItem, Usage
from signalbox.settings import Settings

logger = structlog.get_logger(__name__)

# Small enough for any model of today: nobody is told more than an unknown one can hold.
UNKNOWN_WINDOW: Final = 8_192
MILLION: Final = Decimal(1_000_000)
CENT_PARTS: Final = Decimal("0.00000001")  # what the books keep
FREE: Final = ("local", "offline", "scripted")
DEFAULT_PROVIDER: Final = "groq"
MOST_BYTES: Final = 4_000_000
# Fields of a request that no card may set.
OURS: Final = frozenset(
    {"model", "messages", "stream", "stream_options", "tools", "tool_choice", "temperature", "n"}
    | {"max_tokens", "max_completion_tokens"}
)


@dataclass(frozen=True, slots=True)
class ModelCard:
    """Sizes in tokens, prices in US dollars for a million tokens. ``max_output``: None where only the window bounds
    it. ``cached_usd``: of input that the provider had seen before; None means that no other price than for input is
    known. ``options`` are fields of each request to it; ``reasoning_tokens`` are what its unseen reasoning may take of
    the output: they are added to what an answer may have.
    """

    name: str
    window: int
    max_output: int | None = None
    input_usd: Decimal | None = None
    cached_usd: Decimal | None = None
    output_usd: Decimal | None = None
    as_of: date | None = None
    source: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    reasoning_tokens: int = 0

    @property
    def room(self) -> int:
        """The window without what the model reasons unseen."""
        return self.window - self.reasoning_tokens


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=200)
    providers: tuple[str, ...] = Field(min_length=1)
    window: int = Field(ge=256, le=100_000_000)
    max_output: int | None = Field(None, ge=1, le=100_000_000)
    input_usd: Decimal | None = Field(None, ge=0, le=100_000, allow_inf_nan=False)
    cached_usd: Decimal | None = Field(None, ge=0, le=100_000, allow_inf_nan=False)
    output_usd: Decimal | None = Field(None, ge=0, le=100_000, allow_inf_nan=False)
    as_of: date
    source: str = Field(min_length=1, max_length=1_000)
    options: dict[str, Any] = Field(default_factory=dict, max_length=20)
    reasoning_tokens: int = Field(0, ge=0, le=1_000_000)

    @field_validator("name")
    @classmethod
    def _no_provider(cls, name: str) -> str:
        if "@" in name:
            raise ValueError("is written with its provider; put that into 'providers'")
        return name

    @field_validator("options")
    @classmethod
    def _not_ours(cls, options: dict[str, Any]) -> dict[str, Any]:
        if taken := OURS & set(options):
            raise ValueError(f"sets {', '.join(sorted(taken))}, which is set for each request")
        return options

    @model_validator(mode="after")
    def _leaves_room(self) -> "_Entry":
        if self.reasoning_tokens > min(self.window, self.max_output or self.window) // 2:
            raise ValueError("'reasoning_tokens' are more than half of what the model can hold or write")
        return self

    def card(self) -> ModelCard:
        return ModelCard(**self.model_dump(exclude={"providers"}))


class _Sheet(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    models: tuple[_Entry, ...]


class Catalogue:
    """Cards by name and provider. Later cards win over earlier ones of the same name and provider."""

    def __init__(self, cards: Mapping[tuple[str, str], ModelCard]) -> None:
        self._cards = dict(cards)
        self._said: set[str] = set()

    @classmethod
    def open(cls, settings: Settings) -> "Catalogue":
        """The packaged cards, under the operator's own. Reads files. Raises ``ConfigurationError``."""
        packaged = files("signalbox.data").joinpath("models.json").read_text(encoding="utf-8")
        cards = dict(_cards(packaged, "the packaged model cards"))
        for name in FREE:
            window = settings.local_context if name == "local" else 1_000_000
            nothing = Decimal(0)
            cards[name, name] = ModelCard(name, window, None, nothing, nothing, nothing, None, "runs in this process")
        if settings.model_cards is not None:
            cards |= _cards(_text(settings.model_cards), f"The model cards {settings.model_cards}")
        return cls(cards)

    def card(self, name: str, provider: str = "") -> ModelCard:
        """What is known of a model, written as ``name`` or ``name@provider``. Of an unknown one, that nothing is.

        Where only another provider's card is known, its sizes hold; its prices and options do not, except for the
        default provider's prices: its address may be set to any other.
        """
        plain, _, at = name.rpartition("@") if "@" in name and not provider else (name, "", provider)
        provider = at or DEFAULT_PROVIDER
        found = self._cards.get((plain, provider))
        if found is not None:
            return found
        alike = next((card for (known, _), card in self._cards.items() if known == plain), None)
        if alike is None:
            self._say(f"{plain}@{provider}", "this model has no card: no price, and a window of 8,192 tokens")
            return ModelCard(plain, UNKNOWN_WINDOW)
        alike = replace(alike, options={})
        if provider == DEFAULT_PROVIDER:
            return alike
        self._say(f"{plain}@{provider}", "the prices of this model at this provider are not known")
        return replace(alike, input_usd=None, cached_usd=None, output_usd=None)

    def priced(self, usage: Usage, provider: str = "") -> Usage:
        """``usage`` with what it cost, where it took anything, and that is known and not yet said."""
        if usage.cost_usd is not None or not (usage.input_tokens or usage.output_tokens):
            return usage
        price = cost(self.card(usage.model, provider), usage)
        return usage if price is None else replace(usage, cost_usd=float(price))

    def _say(self, name: str, what: str) -> None:
        if name not in self._said:
            self._said.add(name)
            logger.warning(what, model=name, setting="SIGNALBOX_MODEL_CARDS")


def cost(card: ModelCard, usage: Usage) -> Decimal | None:
    """US dollars for ``usage``; None where a price that it needs is not known. Cached tokens are part of the input,
    and cost as much as the rest of it where no price of their own is known.
    """
    cached = min(usage.cached_tokens, usage.input_tokens)
    parts = (
        (usage.input_tokens - cached, card.input_usd),
        (cached, card.input_usd if card.cached_usd is None else card.cached_usd),
        (usage.output_tokens, card.output_usd),
    )
    total = Decimal(0)
    for tokens, price in parts:
        if tokens and price is None:
            return None
        total += tokens * (price or Decimal(0))
    return (total / MILLION).quantize(CENT_PARTS)


class PricedModel:
    """A ``Model`` over another that writes what they cost into its ``Attempt`` and ``Usage`` items."""

    def __init__(self, model: Model, catalogue: Catalogue) -> None:
        self.name = model.name
        self.instructable = model.instructable
        self._model = model
        self._catalogue = catalogue

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        provider = ""
        usage: Usage | None = None
        if (tell := request.unheard) is not None:
            request = replace(request, unheard=lambda attempt: tell(_priced(attempt, self._catalogue)))
        async with aclosing(self._model.stream(request)) as stream:
            async for item in stream:
                match item:
                    case Attempt():
                        provider = item.provider
                        yield _priced(item, self._catalogue)
                    case Usage():
                        usage = item  # until it is known whose it is: its attempt may be told after it
                    case Finish():
                        if usage is not None:
                            yield self._catalogue.priced(usage, provider)
                        yield item
                    case _:
                        yield item

    async def close(self) -> None:
        await self._model.close()


def _priced(attempt: Attempt, catalogue: Catalogue) -> Attempt:
    if attempt.usage is None:
        return attempt
    # By the attempt's own names: a usage only has the model's.
    priced = catalogue.priced(replace(attempt.usage, model=attempt.model), attempt.provider)
    return replace(attempt, usage=replace(attempt.usage, cost_usd=priced.cost_usd))


def _cards(text: str, whose: str) -> Mapping[tuple[str, str], ModelCard]:
    try:
        sheet = _Sheet.model_validate_json(text)
    except ValidationError as error:
        raise ConfigurationError(f"{whose} cannot be used: {'; '.join(_faults(error))}.") from None
    return {(entry.name, provider): entry.card() for entry in sheet.models for provider in entry.providers}


def _faults(error: ValidationError) -> Iterable[str]:
    for fault in error.errors(include_input=False, include_url=False)[:5]:
        place = ".".join(str(part) for part in fault["loc"])
        yield f"{place + ': ' if place else ''}{said_by_check(fault['msg'])}"


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ConfigurationError(f"The model cards {path} are larger than {MOST_BYTES:,} bytes.")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"The model cards {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"The model cards {path} are no UTF-8 text.") from error
