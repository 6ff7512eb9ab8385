"""A user's job applications: what was sent where, how it stands, and every change with the message that told of it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal

import psycopg

from signalbox.db import Database
from signalbox.errors import Conflict
from signalbox.memory.profile import LOCK, Owner

Status = Literal["applied", "acknowledged", "interview", "offer", "rejected", "withdrawn", "accepted"]
OPEN: Final[frozenset[Status]] = frozenset({"applied", "acknowledged", "interview", "offer"})


@dataclass(frozen=True, slots=True)
class TrackedApplication:
    """``last_contact_on``: the last sign of life, from either side; the day of an interview may lie ahead."""

    application_id: str
    company: str
    title: str
    job_id: str | None
    status: Status
    applied_on: date | None
    last_contact_on: date | None

    @property
    def open(self) -> bool:
        return self.status in OPEN


@dataclass(frozen=True, slots=True)
class NewApplication:
    company: str
    title: str = ""
    job_id: str | None = None
    status: Status = "applied"
    applied_on: date | None = None
    last_contact_on: date | None = None


_COLUMNS: Final = "application_id, company, title, job_id, status, applied_on, last_contact_on"
_MINE: Final = "tenant = %(tenant)s AND user_id = %(user_id)s"
_OPEN_FIRST: Final = "status IN ('rejected', 'withdrawn', 'accepted'), position"

_SAME: Final = f"""
SELECT {_COLUMNS} FROM application WHERE {_MINE} AND lower(company) = lower(%(company)s)
  AND (application_id = %(application_id)s OR status NOT IN ('rejected', 'withdrawn', 'accepted'))
  AND (lower(title) = lower(%(title)s) OR title = '' OR %(title)s = '') ORDER BY position DESC LIMIT 1 FOR UPDATE
"""  # noqa: S608 - constants
_ADD: Final = f"""
INSERT INTO application (application_id, tenant, user_id, company, title, job_id, status, applied_on, last_contact_on,
                         source_message_id)
VALUES (%(application_id)s, %(tenant)s, %(user_id)s, %(company)s, %(title)s, %(job_id)s, %(status)s, %(applied_on)s,
        %(last_contact_on)s, %(message_id)s)
ON CONFLICT (application_id) DO UPDATE SET company = excluded.company
WHERE application.tenant = excluded.tenant AND application.user_id = excluded.user_id RETURNING {_COLUMNS}
"""  # noqa: S608 - constants
_FILL: Final = f"""
UPDATE application SET title = CASE WHEN title = '' THEN %(title)s ELSE title END,
    job_id = coalesce(job_id, %(job_id)s), applied_on = coalesce(%(applied_on)s, applied_on),
    status = CASE WHEN %(status)s = 'applied' THEN status ELSE %(status)s END,
    last_contact_on = greatest(last_contact_on, %(last_contact_on)s), updated_at = now()
WHERE application_id = %(application_id)s AND {_MINE} RETURNING {_COLUMNS}
"""  # noqa: S608 - constants
_CHANGE: Final = f"""
UPDATE application SET status = %(status)s, last_contact_on = coalesce(%(on)s, last_contact_on), updated_at = now()
WHERE application_id = %(application_id)s AND {_MINE} RETURNING {_COLUMNS}
"""  # noqa: S608 - constants
_EVENT: Final = """
INSERT INTO application_event (application_id, happened_on, status, note, source_message_id)
SELECT %(application_id)s, coalesce(%(on)s, current_date), %(status)s, %(note)s, %(message_id)s
WHERE NOT EXISTS (SELECT FROM application_event WHERE application_id = %(application_id)s
                  AND source_message_id = %(message_id)s AND status = %(status)s)
"""


class ApplicationStore:
    """Applications in PostgreSQL. Telling the same thing again by the same message changes nothing.

    Every method raises ``StoreUnavailable``.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    async def all(self, owner: Owner) -> tuple[TrackedApplication, ...]:
        """Open ones first, each group in the order of recording."""
        rows = await self._db.fetch(
            f"SELECT {_COLUMNS} FROM application WHERE {_MINE} ORDER BY {_OPEN_FIRST}",  # noqa: S608
            _named(owner),
        )
        return tuple(TrackedApplication(**row) for row in rows)

    async def record(
        self, owner: Owner, new: NewApplication, *, message_id: str, note: str = ""
    ) -> tuple[TrackedApplication, bool]:
        """The application, and whether it is new. One that is open at the same company for the same title (or where
        either names none) is the same one, and learns what it did not know. That it was sent takes nothing back of
        what happened since. Raises ``Conflict`` if its user was erased, with the message that told of it.
        """
        values: dict[str, Any] = {
            **_named(owner),
            "application_id": _id_of(message_id, new),
            "message_id": message_id,
            "company": new.company,
            "title": new.title,
            "job_id": new.job_id,
            "status": new.status,
            "applied_on": new.applied_on,
            "last_contact_on": new.last_contact_on or new.applied_on,
            "note": note,
        }
        async with self._db.transaction() as conn:
            # Two messages of one user may tell of the same application at once.
            await conn.execute(LOCK, values)
            same = await _one(conn, _SAME, values)
            if same is not None:
                values["application_id"] = same["application_id"]
            row = await _one(conn, _FILL if same is not None else _ADD, values)
            if row is None:
                raise Conflict("Everything that is stored of you was erased meanwhile, so nothing was recorded.")
            await conn.execute(_EVENT, {**values, "on": values["last_contact_on"]})
        return TrackedApplication(**row), same is None

    async def change(
        self, owner: Owner, application_id: str, status: Status, *, on: date | None, note: str, message_id: str
    ) -> TrackedApplication | None:
        """The application after the change; None when there is none under that id."""
        values = {
            **_named(owner),
            "application_id": application_id,
            "status": status,
            "on": on,
            "note": note,
            "message_id": message_id,
        }
        async with self._db.transaction() as conn:
            row = await _one(conn, _CHANGE, values)
            if row is not None:
                await conn.execute(_EVENT, values)
        return TrackedApplication(**row) if row is not None else None

    async def remove(self, owner: Owner, application_id: str) -> TrackedApplication | None:
        """Forget one for good; None when there is none under that id."""
        row = await self._db.fetch_one(
            f"DELETE FROM application WHERE application_id = %(application_id)s AND {_MINE} RETURNING {_COLUMNS}",  # noqa: S608
            {**_named(owner), "application_id": application_id},
        )
        return TrackedApplication(**row) if row is not None else None


async def _one(
    conn: psycopg.AsyncConnection[dict[str, Any]], sql: str, values: Mapping[str, Any]
) -> dict[str, Any] | None:
    return await (await conn.execute(sql, values)).fetchone()


def _id_of(message_id: str, new: NewApplication) -> str:
    """The same for the same application told by the same message, which may tell of several."""
    told = f"{new.company.casefold()}\n{new.title.casefold()}"
    return f"a_{message_id}_{hashlib.sha256(told.encode()).hexdigest()[:8]}"


def _named(owner: Owner) -> dict[str, Any]:
    return {"tenant": owner.tenant, "user_id": owner.user_id}
