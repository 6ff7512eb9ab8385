"""What a run began with and keeps, whatever is deployed meanwhile: texts a model is given, and what tools may do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

E = TypeVar("E", bound=str)


@dataclass(frozen=True, slots=True)
class Pinned:
    """``prompts`` and their ``versions`` by name, ``effects`` by tool; what is not in them is as the code has it.

    ``models``: the plan of models, as it tells itself; empty if none was kept.
    """

    prompts: Mapping[str, str] = field(default_factory=dict)
    effects: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, Any] = field(default_factory=dict)

    def prompt(self, name: str, text: str) -> str:
        return self.prompts.get(name, text)

    def effect(self, tool: str, effect: E) -> E:
        return self.effects.get(tool, effect)  # type: ignore[return-value]
