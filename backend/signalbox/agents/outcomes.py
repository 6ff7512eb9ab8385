"""What came of a turn's look-ups, kept for what is told at its end: no part is presented as the whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from signalbox.agents.turn import Facts, LookUps
from signalbox.tools.result import Ok, Result
from signalbox.tools.telling import amount, conclusions_of, headline


@dataclass(frozen=True, slots=True)
class Called:
    """What came of a call. ``edited``: all its arguments as the user made them before they approved it; None: it was
    not asked about, or they took it as it was.
    """

    result: Result[Any]
    edited: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Why something found is not all there is. ``name``: by which a reply mentions it."""

    name: str
    told: str


@dataclass(slots=True)
class Outcomes:
    """By position of the call, in the order in which the calls were made, whichever is answered first: every worker
    that goes on with the run comes to the same. ``acted``: something was to be changed, in whichever turn.
    """

    acted: bool = False
    _tools: dict[str, str] = field(default_factory=dict)
    _results: dict[str, Result[Any]] = field(default_factory=dict)

    def begun(self, position: str, tool: str, *, changes: bool = False) -> None:
        self._tools[position] = tool
        self.acted = self.acted or changes

    def came(self, position: str, result: Result[Any]) -> None:
        self._results[position] = result

    def any(self, turn: int) -> bool:
        """Whether anything was looked up."""
        return any(position.startswith(f"{turn}/") for position in self._tools)

    def beside(self, facts: Facts, turn: int) -> Facts:
        """``facts`` with how each look-up went, unless all of them found all there is: then the facts say it."""
        looked = self._of(turn)
        conclusions = conclusions_of(result for _, result in looked)
        if not conclusions:
            return facts
        return LookUps(
            look_ups=tuple(f"{tool}: {headline(result)}" for tool, result in looked),
            conclusions=conclusions,
            not_looked_at=tuple(part.told for part in self.parts(turn)),
            found=facts,
        )

    def parts(self, turn: int) -> tuple[Part, ...]:
        """What could not be asked and what was cut short, each once. A value that carries its own total is left to its
        agent; a bare list has nobody else to say that it is none.
        """
        found: dict[str, Part] = {}
        for tool, result in self._of(turn):
            if not isinstance(result, Ok):
                continue
            for missed in result.missed:
                found.setdefault(missed.source, Part(missed.source, f"could not ask {missed.told}"))
            if result.truncated and isinstance(result.value, Sequence | Mapping):
                total = f"{result.total:,}" if result.total is not None else tool
                found.setdefault(f"{tool} cut", Part(total, f"{tool.replace('_', ' ')}: only {amount(result)}"))
        return tuple(found.values())

    def _of(self, turn: int) -> list[tuple[str, Result[Any]]]:
        own = f"{turn}/"
        return [
            (tool, self._results[position])
            for position, tool in self._tools.items()
            if position.startswith(own) and position in self._results
        ]


def with_parts(draft: str, parts: Sequence[Part]) -> str:
    """``draft`` with a sentence on each part that it does not speak of."""
    unsaid = [part.told for part in parts if part.name.casefold() not in draft.casefold()]
    if not draft or not unsaid:
        return draft
    return f"{draft}\n\nThis is not all there may be: {'; '.join(unsaid)}."
