"""The fixed texts a model is given, by name: a run keeps those it began with, whatever is deployed meanwhile."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Prompts:
    """``pinned`` holds a run's own wording; what is not in it is as the code has it."""

    pinned: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str, text: str) -> str:
        return self.pinned.get(name, text)
