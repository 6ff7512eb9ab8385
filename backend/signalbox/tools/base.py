"""A tool: named, with validated arguments and a declared effect; it answers ``Ok | Empty | Err``."""

from collections.abc import Awaitable
from typing import ClassVar, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from signalbox.tools.result import Result

Effect = Literal["read", "idempotent", "non_idempotent", "irreversible"]


class Arguments(BaseModel):
    """Base of a tool's arguments."""

    model_config = ConfigDict(frozen=True, extra="forbid")


A_contra = TypeVar("A_contra", bound=Arguments, contravariant=True)
T = TypeVar("T")


class Tool(Protocol, Generic[A_contra, T]):
    """``run`` may be ``async`` or, if it blocks, a plain method, which is then run in a thread.

    It returns ``Err`` for every expected failure (``kind`` says which) and raises only for bugs. Cancelling
    abandons the call; a tool that has an effect must make repeating it harmless.
    """

    name: ClassVar[str]
    effect: ClassVar[Effect]
    timeout_s: ClassVar[float]

    def run(self, arguments: A_contra) -> Awaitable[Result[T]] | Result[T]: ...
