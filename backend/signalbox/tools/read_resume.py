"""Reads the CV of the user it was made for."""

from typing import ClassVar, Self

from signalbox.memory.profile import Owner
from signalbox.memory.resume.model import Resume
from signalbox.memory.resume.store import ResumeStore
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Err, Ok, Result


class WholeResume(Arguments):
    """There is nothing to choose: a CV is read whole."""


class ReadResume:
    """The user's current CV, without contact data. A temporary conversation reads none.

    ``Empty``: there is no CV.
    """

    name: ClassVar[str] = "read_resume"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 5.0
    empty_note: ClassVar[str] = "no CV is stored"

    def __init__(self, store: ResumeStore, owner: Owner, *, temporary: bool) -> None:
        self._store = store
        self._owner = owner
        self._temporary = temporary

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(ResumeStore(kit.db), kit.owner, temporary=kit.temporary)

    async def run(self, arguments: WholeResume) -> Result[Resume]:  # noqa: ARG002 - the port's shape
        if self._temporary:
            return Err("invalid_arguments", "a temporary chat does not read the stored CV", retryable=False)
        stored = await self._store.current(self._owner)
        return Ok(stored.resume) if stored else Empty(self.empty_note)
