"""The seam between what an agent does and what is remembered of it, so that no run does a thing twice.

It knows no database: ``runs.journal`` keeps steps, ``Unrecorded`` keeps nothing.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from signalbox.tools.base import Effect

StepKind = Literal["model_turn", "tool_result", "approval", "decision"]
T = TypeVar("T")


class Codec(Protocol[T]):
    """A step's value as JSON and back."""

    def dump(self, value: T, /) -> Any: ...

    def load(self, told: Any, /) -> T: ...


class AsIs:
    """For values that are JSON already."""

    def dump(self, value: Any, /) -> Any:
        return value

    def load(self, told: Any, /) -> Any:
        return told


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a tool that changes something outside the run. ``arguments`` are JSON."""

    position: str
    tool: str
    effect: Effect
    arguments: Mapping[str, Any]
    risk: str = ""


class Journal(Protocol):
    """What one run has done. The same calls in the same order get the same positions, in every attempt."""

    def position(self, turn: str, name: str, digest: str = "") -> str:
        """The next free place for ``name`` in that turn. Take it before anything is awaited."""
        ...

    def call_id(self, position: str) -> str:
        """An id for what happens there, the same in every attempt."""
        ...

    async def step(
        self,
        position: str,
        kind: StepKind,
        do: Callable[[], Awaitable[T]],
        codec: Codec[T],
        *,
        about: Mapping[str, Any] | None = None,
        lazily: bool = False,
    ) -> T:
        """What was recorded there; else what ``do`` returns, recorded before this returns.

        ``lazily``: recorded with the next step that is not, for what can be worked out again the same way.
        """
        ...

    async def effect(self, call: Call, do: Callable[[Mapping[str, Any], str], Awaitable[T]], codec: Codec[T]) -> T:
        """The same for an effect. ``do`` gets the arguments (a human may have edited them) and the idempotency key.

        An irreversible one waits for a human's approval first.
        """
        ...

    def edited(self, position: str) -> Mapping[str, Any] | None:
        """All the arguments that a human made of those they were asked about there; None: they took them as they were,
        or were not asked. The same in every attempt, once the effect there is told.
        """
        ...


class Unrecorded:
    """Does everything at once and remembers nothing: for agents outside a run."""

    def __init__(self) -> None:
        self._uses: dict[str, int] = {}

    def position(self, turn: str, name: str, digest: str = "") -> str:
        return next_position(self._uses, turn, name, digest)

    def call_id(self, position: str) -> str:
        return f"call_{position}"

    async def step(
        self,
        position: str,  # noqa: ARG002 - nothing is kept under it
        kind: StepKind,  # noqa: ARG002
        do: Callable[[], Awaitable[T]],
        codec: Codec[T],  # noqa: ARG002
        *,
        about: Mapping[str, Any] | None = None,  # noqa: ARG002
        lazily: bool = False,  # noqa: ARG002
    ) -> T:
        return await do()

    async def effect(
        self,
        call: Call,
        do: Callable[[Mapping[str, Any], str], Awaitable[T]],
        codec: Codec[T],  # noqa: ARG002
    ) -> T:
        return await do(call.arguments, call.position)

    def edited(self, position: str) -> Mapping[str, Any] | None:  # noqa: ARG002 - nobody is asked
        return None


def next_position(uses: dict[str, int], turn: str, name: str, digest: str) -> str:
    """``turn/name/1``, then ``/2``; with the digest of its input for what may go on side by side."""
    place = f"{turn}/{name}:{digest}" if digest else f"{turn}/{name}"
    uses[place] = uses.get(place, 0) + 1
    return f"{place}/{uses[place]}"
