"""Deletes the CV of the user it was made for."""

from dataclasses import dataclass
from typing import ClassVar, Self

from signalbox.blocks import ProfileFact
from signalbox.memory.profile import Owner, ProfileStore
from signalbox.memory.resume.store import ResumeStore
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Err, Ok, Result


class EveryResume(Arguments):
    """There is nothing to choose: older versions go with the current one."""


@dataclass(frozen=True, slots=True)
class ErasedResume:
    """``removed``: what only the CV had said."""

    removed: tuple[ProfileFact, ...]
    profile: tuple[ProfileFact, ...]


class EraseResume:
    """All CVs of the user, deleted for good; no undo brings them back. A temporary conversation deletes none.

    Repeating the call is harmless. ``Empty``: there is no CV.
    """

    name: ClassVar[str] = "erase_resume"
    effect: ClassVar[Effect] = "idempotent"  # what is erased twice is erased; the user asked for it in so many words
    timeout_s: ClassVar[float] = 10.0
    empty_note: ClassVar[str] = "no CV is stored"

    def __init__(self, resumes: ResumeStore, profiles: ProfileStore, owner: Owner, *, temporary: bool) -> None:
        self._resumes = resumes
        self._profiles = profiles
        self._owner = owner
        self._temporary = temporary

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(ResumeStore(kit.db), kit.profiles, kit.owner, temporary=kit.temporary)

    async def run(self, arguments: EveryResume) -> Result[ErasedResume]:  # noqa: ARG002 - the port's shape
        if self._temporary:
            return Err("invalid_arguments", "a temporary chat does not touch the stored CV", retryable=False)
        removed = await self._resumes.erase(self._owner)
        if removed is None:
            return Empty(self.empty_note)
        profile = await self._profiles.facts(self._owner) if await self._profiles.remembers(self._owner) else ()
        return Ok(ErasedResume(removed, profile))
