"""What a run began with and keeps, whatever is deployed meanwhile: texts a model is given, and what tools may do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

E = TypeVar("E", bound=str)


@dataclass(frozen=True, slots=True)
class Pinned:
    """``prompts`` by name, ``effects`` by tool; what is not in them is as the code has it."""

    prompts: Mapping[str, str] = field(default_factory=dict)
    effects: Mapping[str, str] = field(default_factory=dict)

    def prompt(self, name: str, text: str) -> str:
        return self.prompts.get(name, text)

    def effect(self, tool: str, effect: E) -> E:
        return self.effects.get(tool, effect)  # type: ignore[return-value]
