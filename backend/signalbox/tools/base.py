"""A tool: named, with validated arguments and a declared effect; it answers ``Ok | Empty | Err``."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict

from signalbox.db import Database
from signalbox.llm.embedding import Embedder
from signalbox.memory.profile import Owner, ProfileStore
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.tools.mailing import Mailer
from signalbox.tools.result import Result

Effect = Literal["read", "idempotent", "non_idempotent", "irreversible"]
# When a model's look-up is asked about though nothing changes: never; where it tells of the user, or always, once a
# text that others wrote was read.
Guard = Literal["never", "personal", "always"]


def stricter(one: Effect, other: Effect) -> Effect:
    """Of two effects the one that asks for more care."""
    order: tuple[Effect, ...] = get_args(Effect)
    return max(one, other, key=order.index)


class Arguments(BaseModel):
    """Base of a tool's arguments."""

    model_config = ConfigDict(frozen=True, extra="forbid")


A_contra = TypeVar("A_contra", bound=Arguments, contravariant=True)
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Tool(Protocol, Generic[A_contra, T]):
    """``run`` may be ``async`` or, if it blocks, a plain method, which is then run in a thread.

    It returns ``Err`` for the failures it knows better than an exception does (``failures`` classifies those), and
    raises for all others. Cancelling abandons the call.

    What empty means is declared, never guessed. A tool returns ``Empty`` itself, or it has a static method
    ``empty_when`` that tells whether a value found is nothing, and ``empty_note``, what to say then. One that answers
    ``None`` or an empty collection without either is faulty, and nobody learns anything from it.

    ``effect`` says what a second run of the same call would do, and with it what happens when a worker is lost in
    the middle: a ``read`` or ``idempotent`` one is simply done again (an idempotent one under the same key), a
    ``non_idempotent`` one asks a human first whether to do it again, an ``irreversible`` one asks before every run.
    An effect's ``run`` may take a second argument ``key``: the same for every try of this one call, to hand on to
    whoever can tell a repetition by it.
    """

    name: ClassVar[str]
    effect: ClassVar[Effect]
    timeout_s: ClassVar[float]

    def run(self, arguments: A_contra) -> Awaitable[Result[T]] | Result[T]: ...


class PlainTool(Protocol, Generic[A_contra, T_co]):
    """A tool whose ``run``, a coroutine, returns the value itself: ``empty_when`` tells which values mean that there is
    nothing.
    """

    name: ClassVar[str]
    effect: ClassVar[Effect]
    timeout_s: ClassVar[float]
    empty_note: ClassVar[str]

    @staticmethod
    def empty_when(value: Any, /) -> bool: ...

    def run(self, arguments: A_contra) -> Awaitable[T_co]: ...


@dataclass(frozen=True, slots=True)
class Kit:
    """What tools are made from, once for each message. ``boards`` are the tools of live job boards, made at start;
    ``mailer`` is None where no mail server is set up.

    Stores are cheap views of ``db``: a tool makes the one it needs.
    """

    db: Database
    embedder: Embedder
    index: JobIndex
    profiles: ProfileStore
    vocabulary: SkillVocabulary
    owner: Owner
    message_id: str
    temporary: bool
    boards: tuple[Tool[Any, Any], ...] = ()
    mailer: Mailer | None = None


class Makeable(Protocol):
    """What ``find_tools`` looks for: a tool class that can be made from a ``Kit``, in microseconds, opening nothing."""

    name: ClassVar[str]

    @classmethod
    def make(cls, kit: Kit) -> Self: ...
