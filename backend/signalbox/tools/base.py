"""A tool: named, with validated arguments and a declared effect; it answers ``Ok | Empty | Err``."""

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
    """``run`` returns ``Err`` for every expected failure (``kind`` says which); it raises only for bugs.

    Cancelling ``run`` abandons the call; a tool that has an effect must make repeating it harmless.
    """

    name: ClassVar[str]
    effect: ClassVar[Effect]
    timeout_s: ClassVar[float]

    async def run(self, arguments: A_contra) -> Result[T]: ...
