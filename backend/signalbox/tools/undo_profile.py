"""Takes the newest change of a user's profile back."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Final, Self

from signalbox.blocks import ProfileFact
from signalbox.errors import Conflict
from signalbox.memory.profile import Owner, ProfileStore
from signalbox.memory.profile_history import PastChange, ProfileHistory
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Err, Ok, Result

# "Forget everything" erases the CV a moment before it retires the facts.
_SAME_MOMENT: Final = timedelta(seconds=10)


class NewestChange(Arguments):
    """There is nothing to choose: changes are taken back one by one, the newest first."""


@dataclass(frozen=True, slots=True)
class UndoneChange:
    """``restored`` came back, ``removed`` went. ``resume_lost``: the CV was erased with that change or since."""

    restored: tuple[ProfileFact, ...]
    removed: tuple[ProfileFact, ...]
    profile: tuple[ProfileFact, ...]
    resume_lost: bool = False


class UndoProfile:
    """Undoes the newest change of the profile that is not undone yet, whatever made it and however long ago.

    Repeating the call for the same message undoes nothing further and reports the same. A temporary conversation
    changes nothing. ``Empty``: no change is left.
    """

    name: ClassVar[str] = "undo_profile"
    effect: ClassVar[Effect] = "idempotent"
    timeout_s: ClassVar[float] = 10.0

    def __init__(
        self, history: ProfileHistory, store: ProfileStore, owner: Owner, message_id: str, *, temporary: bool
    ) -> None:
        self._history = history
        self._store = store
        self._owner = owner
        self._message_id = message_id
        self._temporary = temporary

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(ProfileHistory(kit.db), kit.profiles, kit.owner, kit.message_id, temporary=kit.temporary)

    async def run(self, arguments: NewestChange) -> Result[UndoneChange]:  # noqa: ARG002 - the port's shape
        if self._temporary:
            return Err("invalid_arguments", "a temporary chat changes nothing", retryable=False)
        try:
            change = await self._history.undo(self._owner, message_id=self._message_id)
        except Conflict as nothing_left:
            return Empty(nothing_left.public)  # truth: the history was read, and no change is left
        profile = await self._store.facts(self._owner) if await self._store.remembers(self._owner) else ()
        return Ok(UndoneChange(change.removed, change.added, profile, resume_lost=await self._is_resume_lost(change)))

    async def _is_resume_lost(self, change: PastChange) -> bool:
        erased_at = await self._history.resume_erased_at(self._owner)
        return erased_at is not None and erased_at > change.changed_at - _SAME_MOMENT
