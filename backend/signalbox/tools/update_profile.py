"""Writes what a user said of themselves into their profile, and takes out what they want forgotten."""

from dataclasses import dataclass
from typing import ClassVar, Final, Self

from pydantic import BaseModel, ConfigDict

from signalbox.blocks import ProfileFact
from signalbox.memory.profile import Kind, NewFact, Owner, ProfileStore
from signalbox.memory.resume.store import ResumeStore
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Err, Ok, Result

SWITCHED_OFF: Final = "the user has switched remembering off: nothing of them is stored"


class Statement(BaseModel):
    """One fact as it was said. ``pinned``: it is to be remembered, said in so many words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    key: str
    value: str
    pinned: bool = False


class ProfileChange(Arguments):
    """``everything`` retires the whole profile and erases the CV; ``remove`` is then not looked at."""

    add: tuple[Statement, ...] = ()
    remove: tuple[Statement, ...] = ()
    everything: bool = False


@dataclass(frozen=True, slots=True)
class UpdatedProfile:
    """``resume_erased``: a CV was deleted too, which no undo brings back. ``remembering`` is False for a user who wants
    nothing remembered: then nothing was added, and ``profile`` is not told.
    """

    added: tuple[ProfileFact, ...]
    removed: tuple[ProfileFact, ...]
    profile: tuple[ProfileFact, ...]
    resume_erased: bool = False
    remembering: bool = True


class UpdateProfile:
    """One user's profile, changed on behalf of one message. A temporary conversation stores nothing.

    Repeating the call for the same message changes nothing and reports the same additions.
    ``Empty``: the profile already says all of it, and there was nothing to take out. ``Err("rejected")``: there is
    something to add, and the user wants nothing remembered.
    """

    name: ClassVar[str] = "update_profile"
    effect: ClassVar[Effect] = "idempotent"
    timeout_s: ClassVar[float] = 10.0

    def __init__(
        self,
        store: ProfileStore,
        owner: Owner,
        message_id: str,
        *,
        temporary: bool,
        resumes: ResumeStore | None = None,
    ) -> None:
        self._store = store
        self._resumes = resumes
        self._owner = owner
        self._message_id = message_id
        self._temporary = temporary

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(kit.profiles, kit.owner, kit.message_id, temporary=kit.temporary, resumes=ResumeStore(kit.db))

    async def run(self, arguments: ProfileChange) -> Result[UpdatedProfile]:
        if self._temporary:
            return Err("invalid_arguments", "a temporary chat stores nothing", retryable=False)
        of_resume: tuple[ProfileFact, ...] | None = None
        if arguments.everything:
            if self._resumes is not None:
                of_resume = await self._resumes.erase(self._owner)
            remove = [NewFact(f.kind, f.key, f.value) for f in await self._store.facts(self._owner)]
        else:
            remove = [_new(statement) for statement in arguments.remove]
        change = await self._store.apply(
            self._owner, [_new(statement) for statement in arguments.add], remove, message_id=self._message_id
        )
        profile = await self._store.facts(self._owner) if change.remembering else ()
        # After a repeated call the store adds nothing new, yet these facts still come from this message.
        added = tuple(
            fact for fact in profile if fact.source_message_id == self._message_id and fact.origin != "extracted"
        )
        removed = (*change.removed, *(of_resume or ()))
        if not added and not removed and of_resume is None and not change.remembering and arguments.add:
            return Err("rejected", SWITCHED_OFF, retryable=False)
        if not added and not removed and of_resume is None:
            return Empty("nothing to change: the profile already says so")
        return Ok(
            UpdatedProfile(added, removed, profile, resume_erased=of_resume is not None, remembering=change.remembering)
        )


def _new(statement: Statement) -> NewFact:
    return NewFact(statement.kind, statement.key, statement.value, pinned=statement.pinned)
