"""The application tracker of the user a tool was made for: reads it whole, and records what happened."""

from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Literal, Self

from signalbox.memory.applications import ApplicationStore, NewApplication, Status, TrackedApplication
from signalbox.memory.profile import Owner
from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Empty, Err, Ok, Result

_TEMPORARY = "a temporary chat neither reads nor stores applications"


class WholeTracker(Arguments):
    """There is nothing to choose: the tracker is read whole."""


class ReadApplications:
    """All applications, open ones first. ``Empty``: none was ever recorded."""

    name: ClassVar[str] = "read_applications"
    effect: ClassVar[Effect] = "read"
    timeout_s: ClassVar[float] = 5.0
    empty_note: ClassVar[str] = "no application is recorded"

    def __init__(self, store: ApplicationStore, owner: Owner, *, temporary: bool) -> None:
        self._store = store
        self._owner = owner
        self._temporary = temporary

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(ApplicationStore(kit.db), kit.owner, temporary=kit.temporary)

    async def run(self, arguments: WholeTracker) -> Result[tuple[TrackedApplication, ...]]:  # noqa: ARG002
        if self._temporary:
            return Err("invalid_arguments", _TEMPORARY, retryable=False)
        found = await self._store.all(self._owner)
        return Ok(found, total=len(found)) if found else Empty(self.empty_note)


class ApplicationChange(Arguments):
    """``record`` wants a ``company``; ``change`` and ``remove`` an ``application_id``. ``on``: when it happened."""

    action: Literal["record", "change", "remove"]
    application_id: str = ""
    company: str = ""
    title: str = ""
    job_id: str | None = None
    status: Status = "applied"
    applied_on: date | None = None
    on: date | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Tracked:
    """``new``: it was not on the tracker before."""

    application: TrackedApplication
    new: bool = False


class TrackApplication:
    """Records, changes or removes one application, on behalf of one message; repeating the call changes nothing."""

    name: ClassVar[str] = "track_application"
    effect: ClassVar[Effect] = "idempotent"
    timeout_s: ClassVar[float] = 10.0
    empty_note: ClassVar[str] = "that application is not on the tracker"

    def __init__(self, store: ApplicationStore, owner: Owner, message_id: str, *, temporary: bool) -> None:
        self._store = store
        self._owner = owner
        self._message_id = message_id
        self._temporary = temporary

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(ApplicationStore(kit.db), kit.owner, kit.message_id, temporary=kit.temporary)

    async def run(self, arguments: ApplicationChange) -> Result[Tracked]:
        if self._temporary:
            return Err("invalid_arguments", _TEMPORARY, retryable=False)
        if arguments.action == "record":
            return await self._record(arguments)
        if arguments.action == "remove":
            gone = await self._store.remove(self._owner, arguments.application_id)
        else:
            gone = await self._store.change(
                self._owner,
                arguments.application_id,
                arguments.status,
                on=arguments.on,
                note=arguments.note,
                message_id=self._message_id,
            )
        return Ok(Tracked(gone)) if gone is not None else Empty(self.empty_note)

    async def _record(self, arguments: ApplicationChange) -> Result[Tracked]:
        if not arguments.company.strip():
            return Err("invalid_arguments", "an application needs the name of the company", retryable=False)
        new = NewApplication(
            company=arguments.company,
            title=arguments.title,
            job_id=arguments.job_id,
            status=arguments.status,
            applied_on=arguments.applied_on,
            last_contact_on=arguments.on,
        )
        application, fresh = await self._store.record(
            self._owner, new, message_id=self._message_id, note=arguments.note
        )
        return Ok(Tracked(application, fresh))
