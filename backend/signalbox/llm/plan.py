"""The seam between what a request is for and which models may answer it, in which order."""

from dataclasses import dataclass
from typing import Protocol

from signalbox.llm.base import ModelRequest, Tier


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model at a provider, as settings write it: ``name@provider``. ``provider`` is "groq", "local", "offline",
    "scripted" or a name from the settings.
    """

    name: str
    provider: str

    def __str__(self) -> str:
        return f"{self.name}@{self.provider}"


@dataclass(frozen=True, slots=True)
class Choice:
    """``chain``: the model to ask, then those to ask where it cannot be reached. ``why`` is for the books."""

    tier: Tier
    chain: tuple[ModelRef, ...]
    why: str
    escalated: bool = False
    control: bool = False


class Plan(Protocol):
    """The same request of the same plan always gets the same choice."""

    def choose(self, request: ModelRequest) -> Choice: ...
