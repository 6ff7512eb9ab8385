"""What a tool says: found, nothing found, or could not look. The three are never confused, nor is a part taken for the
whole: what was not asked successfully is named.
"""

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final, Generic, Literal, TypeVar

T = TypeVar("T")

ErrKind = Literal[
    "timeout",
    "connection",
    "server_error",
    "unavailable",
    "rate_limit",
    "auth",
    "invalid_arguments",
    "not_found",
    "incomplete",
    "bug",
    "rejected",
    "expired",
]

# Of something that was to be done: it certainly was not, or it may have been, and nobody can tell.
Done = Literal["no", "unknown"]
# Kinds that come before anything is done, unless an ``Err`` says otherwise.
BEFORE_DOING: Final[frozenset[ErrKind]] = frozenset({"invalid_arguments", "rejected", "expired"})

# What each kind means, in words that can stand behind "could not look:". None of them speaks of what exists.
KIND_WORDS: Final[dict[ErrKind, str]] = {
    "timeout": "it did not answer in time",
    "connection": "it could not be reached",
    "server_error": "it failed on its own side",
    "unavailable": "it is out of service just now",
    "rate_limit": "it asks to be left alone for a while",
    "auth": "it refused access",
    "invalid_arguments": "it was asked in a way that it does not take",
    "not_found": "the address that was asked is not in use",
    "incomplete": "it could be looked through only in part",
    "bug": "the look-up itself is faulty",
    "rejected": "the user did not approve it",
    "expired": "the approval did not come in time",
}


@dataclass(frozen=True, slots=True)
class Missed:
    """A source, or one way of looking, that was not asked successfully: what it would have told is not known.
    ``source`` is fit to show.
    """

    source: str
    kind: ErrKind = "unavailable"
    note: str = ""

    @property
    def told(self) -> str:
        return f"{self.source} ({self.note or KIND_WORDS[self.kind]})"


@dataclass(frozen=True, slots=True)
class Ok(Generic[T]):
    """The look-up worked and found ``value``. ``truncated``: there is more than was returned, ``total`` if known.
    ``as_of``: the day or moment that the value tells of, where that is not now. ``missed``: there may be more than was
    found, since these were not asked successfully.
    """

    value: T
    truncated: bool = False
    total: int | None = None
    as_of: datetime | date | None = None
    missed: tuple[Missed, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Empty:
    """The look-up worked and there is nothing; ``note`` says what was looked for. With something ``missed`` it is no
    absence: ``conclusive`` makes an ``Err`` of it before anybody can take it for one.
    """

    note: str
    missed: tuple[Missed, ...] = ()


@dataclass(frozen=True, slots=True)
class Err:
    """The look-up could not be made: nothing may be concluded about what exists. An effect that needs an approval
    was not done: a human said no (``rejected``) or did not answer in time (``expired``). ``incomplete``: it was made in
    part only, and that part held nothing; ``missed`` names the rest.

    ``done`` is for effects. A tool says ``"no"`` where it knows that it did not come to doing it, and ``"unknown"``
    where the outcome is open; where it says neither, ``calling.bounded`` takes ``done_of`` the failed effect.
    """

    kind: ErrKind
    note: str
    retryable: bool = True
    missed: tuple[Missed, ...] = ()
    done: Done | None = None


Result = Ok[T] | Empty | Err


def done_of(err: Err) -> Done:
    """Whether a failed effect was certainly not done. Where nobody said so, it is open."""
    return err.done or ("no" if err.kind in BEFORE_DOING else "unknown")


def conclusive(result: Result[T]) -> Result[T]:
    """``result``, but nothing found in a part of what was to be asked is ``incomplete``: an ``Empty`` that comes from
    here always means that there is nothing.
    """
    if isinstance(result, Empty) and result.missed:
        note = f"only part of it could be looked through; not asked: {'; '.join(each.told for each in result.missed)}"
        return Err("incomplete", note, retryable=True, missed=result.missed)
    return result
