"""Reads what is stored of the user it was made for."""

from typing import ClassVar, Self

from signalbox.blocks import ProfileFact
from signalbox.memory.profile import Owner, ProfileStore
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Err, Ok, Result


class WholeProfile(Arguments):
    """There is nothing to choose: a profile is read whole."""


class ReadProfile:
    """One user's current facts, oldest first. A temporary conversation reads nothing. ``Err("rejected")``: the user has
    switched remembering off, so what is stored of them stays unread.
    """

    name: ClassVar[str] = "read_profile"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 5.0
    empty_note: ClassVar[str] = "the profile is empty"

    def __init__(self, store: ProfileStore, owner: Owner, *, temporary: bool) -> None:
        self._store = store
        self._owner = owner
        self._temporary = temporary

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(kit.profiles, kit.owner, temporary=kit.temporary)

    async def run(self, arguments: WholeProfile) -> Result[tuple[ProfileFact, ...]]:  # noqa: ARG002 - the port's shape
        if self._temporary:
            return Err("invalid_arguments", "a temporary chat does not read the profile", retryable=False)
        if not await self._store.remembers(self._owner):
            return Err("rejected", "the user has switched remembering off: the profile is not read", retryable=False)
        facts = await self._store.facts(self._owner)
        return Ok(facts, total=len(facts)) if facts else Empty(self.empty_note)
