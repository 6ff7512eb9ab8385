"""What a tool says: found, nothing found, or could not look. The three are never confused."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

T = TypeVar("T")

ErrKind = Literal[
    "timeout",
    "unavailable",
    "rate_limit",
    "auth",
    "invalid_arguments",
    "not_found",
    "bug",
    "rejected",
    "expired",
]


@dataclass(frozen=True, slots=True)
class Ok(Generic[T]):
    """The look-up worked and found ``value``. ``truncated``: there is more than was returned, ``total`` if known."""

    value: T
    truncated: bool = False
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Empty:
    """The look-up worked and there is nothing; ``note`` says what was looked for."""

    note: str


@dataclass(frozen=True, slots=True)
class Err:
    """The look-up could not be made: nothing may be concluded about what exists. An effect that needs an approval
    was not done: a human said no (``rejected``) or did not answer in time (``expired``).
    """

    kind: ErrKind
    note: str
    retryable: bool = True


Result = Ok[T] | Empty | Err
