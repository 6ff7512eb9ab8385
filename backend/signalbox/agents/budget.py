"""How many tokens a run's prompts may take: worked out when the first one is made, and kept for the whole run.

The window is the smallest of all models that may have to answer, so that a fallback can read what the first one could.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from signalbox.llm.base import ChatMessage, Usage
from signalbox.llm.catalogue import Catalogue
from signalbox.llm.gguf import token_count
from signalbox.llm.tokens import PER_MESSAGE, PER_REQUEST, Count, TokenRatios, counting, estimated
from signalbox.settings import Settings
from signalbox.tools.journal import Journal, Unrecorded

# For a model that reads no prompt, and so cannot be told too much.
BOUNDLESS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """``window`` is the model's, in tokens; ``prompt`` and ``answer`` bound what it is told and what it may say.
    ``ratio``: reported to estimated tokens. ``contact_data``: whether it is told e-mail addresses and the like.
    """

    window: int = 8_192
    prompt: int = 6_000
    answer: int = 1_024
    ratio: float = 1.0
    contact_data: bool = False

    @property
    def output(self) -> int:
        """What the answer gets: never more than half of a small window."""
        return min(self.answer, self.window // 2)

    @property
    def room(self) -> int:
        """The window as far as it may be used."""
        return min(self.window, self.prompt + self.output)


@dataclass(slots=True)
class RunBudget:
    """The budget of one run. ``now`` is what this process would go by; what an earlier attempt went by wins.

    ``model``: whose tokens are counted; ``exact``: its own tokenizer, if that is at hand.
    """

    now: Budget = field(default_factory=Budget)
    model: str = ""
    journal: Journal = field(default_factory=Unrecorded)
    ratios: TokenRatios = field(default_factory=TokenRatios)
    exact: Count | None = None
    _settled: Budget | None = None
    _settling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def settled(self) -> Budget:
        """The same for every worker that goes on with the run: all its prompts come out the same, byte by byte.

        It is written before anything is asked by it: most workers that die do so in their first answer.
        """
        async with self._settling:
            if self._settled is None:
                self._settled = await self._decided()
            return self._settled

    async def _decided(self) -> Budget:
        async def told() -> Budget:
            return replace(self.now, ratio=self.ratios.of(self.model))

        position = self.journal.position("model", "budget")
        return await self.journal.step(position, "decision", told, _BudgetCodec(), about={"model": self.model})

    def count(self, budget: Budget) -> Count:
        return counting(budget.ratio, self.exact)

    async def learn(self, messages: tuple[ChatMessage, ...], usage: Usage) -> None:
        """What the provider reported of a request corrects the estimate of later runs."""
        if not usage.estimated and usage.input_tokens:
            # A long prompt takes tens of milliseconds.
            guessed = await asyncio.to_thread(_guessed, messages)
            for name in {self.model, usage.model}:
                self.ratios.learn(name, guessed=guessed, reported=usage.input_tokens)


def _guessed(messages: tuple[ChatMessage, ...]) -> float:
    return PER_REQUEST + sum(PER_MESSAGE + estimated(message.content) for message in messages)


class _BudgetCodec:
    def dump(self, value: Budget, /) -> Any:
        return asdict(value)

    def load(self, told: Any, /) -> Budget:
        return Budget(**told)


class PromptBudgets:
    """Where runs get their budgets from; one per process. Opening it reads files. Raises ``ConfigurationError``.

    ``exact``: the tokenizers that are at hand, by model.
    """

    def __init__(self, settings: Settings, catalogue: Catalogue, exact: Mapping[str, Count] | None = None) -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._exact = exact or {}
        self._ratios = TokenRatios()

    @classmethod
    def open(cls, settings: Settings) -> "PromptBudgets":
        count = None if settings.local_model is None else token_count(settings.local_model)
        return cls(settings, Catalogue.open(settings), {} if count is None else {"local": count})

    def of_run(self, model: str, plan: Mapping[str, Any], journal: Journal) -> RunBudget:
        """``plan``: the run's plan of models as it tells itself, empty if it has none but ``model``."""
        chains = plan.get("models") or {}
        names = {name for chain in chains.values() for name in chain} or {model}
        window = min(self._catalogue.card(name).room for name in names)
        budget = Budget(
            window=window,
            prompt=self._settings.prompt_tokens,
            answer=self._settings.answer_tokens,
            contact_data=self._settings.prompt_contact_data,
        )
        return RunBudget(budget, model, journal, self._ratios, self._exact.get(model.partition("@")[0]))
