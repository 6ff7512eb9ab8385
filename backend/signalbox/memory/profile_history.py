"""A profile with where each fact comes from, and taking changes back, the newest first.

A change is all that one transaction did, so its rows share one moment: what it added was created then, what it
removed was retired then. The CV of an upload is part of its change, as the facts are that it brought.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from psycopg.types.json import Jsonb

from signalbox.blocks import ProfileFact
from signalbox.db import Connection, Database
from signalbox.errors import BadRequest, Conflict, NotFound
from signalbox.memory.profile import FACT_COLUMNS, LOCK, MOST_PINNED_CHARS, Owner, facts_of, parameters_of, pins_left
from signalbox.memory.profile_values import checked_value, wanted_of

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_SOURCED: Final = f"""
SELECT {FACT_COLUMNS}, f.created_at,
       m.content AS message, m.conversation_id, r.file_name, r.resume_id
FROM profile_fact f
LEFT JOIN message m ON m.message_id = f.source_message_id AND m.tenant = f.tenant AND m.user_id = f.user_id
LEFT JOIN resume r ON r.resume_id = f.source_message_id AND r.tenant = f.tenant AND r.user_id = f.user_id
WHERE f.tenant = %(tenant)s AND f.user_id = %(user_id)s AND f.retired_at IS NULL
ORDER BY f.created_at, f.fact_id
"""  # noqa: S608 - constants only

# What an erased CV said cannot come back.
_REVIVABLE: Final = """
(f.source_message_id IS NULL OR f.source_message_id NOT LIKE 'cv\\_%%'
 OR EXISTS (SELECT FROM resume r WHERE r.resume_id = f.source_message_id))
"""

_NEWEST: Final = f"""
SELECT at FROM (
    SELECT f.created_at AS at FROM profile_fact f
    WHERE f.tenant = %(tenant)s AND f.user_id = %(user_id)s AND f.retired_at IS NULL
    UNION
    SELECT f.retired_at FROM profile_fact f
    WHERE f.tenant = %(tenant)s AND f.user_id = %(user_id)s AND f.retired_at IS NOT NULL AND {_REVIVABLE}
    UNION
    SELECT coalesce(r.retired_at, r.created_at) FROM resume r
    WHERE r.tenant = %(tenant)s AND r.user_id = %(user_id)s
) change
WHERE NOT EXISTS (SELECT FROM profile_undo u WHERE u.tenant = %(tenant)s AND u.user_id = %(user_id)s
                  AND at IN (u.changed_at, u.undone_at))
ORDER BY at DESC LIMIT 1
"""  # noqa: S608 - constants only

_ADDED_THEN: Final = f"""
SELECT {FACT_COLUMNS} FROM profile_fact f
WHERE f.tenant = %(tenant)s AND f.user_id = %(user_id)s AND f.created_at = %(at)s AND f.retired_at IS NULL
ORDER BY f.fact_id
"""  # noqa: S608 - constants only

_REMOVED_THEN: Final = f"""
SELECT {FACT_COLUMNS} FROM profile_fact f
WHERE f.tenant = %(tenant)s AND f.user_id = %(user_id)s AND f.retired_at = %(at)s AND {_REVIVABLE}
ORDER BY f.created_at, f.fact_id
"""  # noqa: S608 - constants only

_UNDONE: Final = """
SELECT change_id, changed_at, result FROM profile_undo
WHERE tenant = %(tenant)s AND user_id = %(user_id)s
  AND (change_id = %(change_id)s::text OR result->>'message_id' = %(message_id)s::text)
"""

_ERASED: Final = """
SELECT changed_at AS erased_at FROM profile_undo
WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND change_id LIKE 'erased\\_%%'
  AND NOT EXISTS (SELECT FROM resume WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND retired_at IS NULL)
ORDER BY changed_at DESC LIMIT 1
"""

_RETIRE: Final = """
UPDATE profile_fact SET retired_at = now() WHERE fact_id = ANY(%(ids)s) AND retired_at IS NULL
"""

_REVIVE: Final = """
UPDATE profile_fact f SET retired_at = NULL, replaced_by = NULL WHERE fact_id = ANY(%(ids)s)
  AND NOT EXISTS (SELECT FROM profile_fact o WHERE o.tenant = f.tenant AND o.user_id = f.user_id AND o.key = f.key
                  AND lower(o.value) = lower(f.value) AND o.retired_at IS NULL)
RETURNING fact_id
"""

_RETIRE_RESUME: Final = """
UPDATE resume SET retired_at = now()
WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND created_at = %(at)s AND retired_at IS NULL
"""

_REVIVE_RESUME: Final = """
UPDATE resume r SET retired_at = NULL
WHERE r.tenant = %(tenant)s AND r.user_id = %(user_id)s AND r.retired_at = %(at)s
  AND NOT EXISTS (SELECT FROM resume o WHERE o.tenant = r.tenant AND o.user_id = r.user_id AND o.retired_at IS NULL)
"""

_LOOK: Final = f"""
SELECT {FACT_COLUMNS}, f.retired_at FROM profile_fact f
WHERE f.tenant = %(tenant)s AND f.user_id = %(user_id)s AND f.fact_id = %(fact_id)s FOR UPDATE
"""  # noqa: S608 - constants only

# What the user writes themselves is said by them, whatever it was before.
_REPLACE: Final = """
WITH old AS (
    UPDATE profile_fact SET retired_at = now(), replaced_by = %(new_id)s WHERE fact_id = %(fact_id)s
)
INSERT INTO profile_fact (fact_id, tenant, user_id, kind, key, value, pinned)
VALUES (%(new_id)s, %(tenant)s, %(user_id)s, %(kind)s, %(key)s, %(value)s, %(pinned)s)
"""

_PIN: Final = "UPDATE profile_fact SET pinned = %(pinned)s WHERE fact_id = %(fact_id)s"

_TWIN: Final = """
SELECT 1 FROM profile_fact WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND retired_at IS NULL
  AND key = %(key)s AND lower(value) = lower(%(value)s) AND fact_id <> %(fact_id)s
"""

_FORGET: Final = """
UPDATE profile_fact SET retired_at = coalesce(retired_at, now())
WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND fact_id = %(fact_id)s
RETURNING fact_id
"""


@dataclass(frozen=True, slots=True)
class SourcedFact:
    """``message`` and ``conversation_id``: what said it, while that exists; or ``resume_id`` and ``file_name``."""

    fact: ProfileFact
    created_at: datetime
    message: str | None
    conversation_id: str | None
    resume_id: str | None
    file_name: str | None


@dataclass(frozen=True, slots=True)
class PastChange:
    """``change_id`` names it for good: undoing it twice undoes it once."""

    change_id: str
    changed_at: datetime
    added: tuple[ProfileFact, ...]
    removed: tuple[ProfileFact, ...]


class ProfileHistory:
    """Every method raises ``StoreUnavailable``."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def facts(self, owner: Owner) -> tuple[SourcedFact, ...]:
        """Current facts, oldest first, each with its source."""
        return tuple(_sourced(row) for row in await self._db.fetch(_SOURCED, parameters_of(owner)))

    async def forget(self, owner: Owner, fact_id: str) -> None:
        """Retire one fact; one that is retired already stays so. Raises ``NotFound``."""
        if await self._db.fetch_one(_FORGET, {**parameters_of(owner), "fact_id": fact_id}) is None:
            raise NotFound("There is no fact under that id in your profile.")

    async def amend(self, owner: Owner, fact_id: str, *, value: str | None, pinned: bool | None) -> ProfileFact:
        """The fact with another value, or pinned or not, as its user wants it. A new value replaces the fact by one
        under a new id, and can be undone.

        Raises ``NotFound``, ``Conflict`` (it was replaced or forgotten, or the profile says the same already) and
        ``BadRequest`` (no such value for such a fact).
        """
        where = {**parameters_of(owner), "fact_id": fact_id}
        async with self._db.transaction() as conn:
            await conn.execute(LOCK, where)
            row = await conn.fetch_one(_LOOK, where)
            if row is None:
                raise NotFound("There is no fact under that id in your profile.")
            if row.pop("retired_at") is not None:
                raise Conflict("This fact was replaced or forgotten. Load your profile again.")
            return await _amend(conn, owner, ProfileFact(**row), value, pinned=pinned)

    async def newest(self, owner: Owner) -> PastChange | None:
        """The change that ``undo`` would take back, if there is one."""
        async with self._db.connection() as conn:
            return await _newest(conn, owner)

    async def undo(self, owner: Owner, change_id: str | None = None, *, message_id: str | None = None) -> PastChange:
        """Take the newest change back: what it added goes, what it removed returns. Undoing again goes one further.
        An upload goes with its CV: the one before it is current again, or none.

        With ``change_id`` only that change is meant: one already taken back is returned as it was then. With
        ``message_id``, the message that asks for it, the same message takes back one change however often. Raises
        ``Conflict`` if there is nothing to undo, or if something newer than that change came in between.
        """
        async with self._db.transaction() as conn:
            await conn.execute(LOCK, parameters_of(owner))
            if done := await _undone(conn, owner, change_id, message_id):
                return done
            newest = await _newest(conn, owner)
            if newest is None:
                raise Conflict("There is no change of your profile left to undo.")
            if change_id not in {None, newest.change_id}:
                raise Conflict("Your profile has changed since. Load it again, and undo its newest change.")
            then = {**parameters_of(owner), "at": newest.changed_at}
            await conn.execute(_RETIRE_RESUME, then)
            await conn.execute(_REVIVE_RESUME, then)
            await conn.execute(_RETIRE, {"ids": [fact.fact_id for fact in newest.added]})
            revived: list[str] = []
            for fact in newest.removed:
                # One by one: two that differ in case only cannot both be current.
                cursor = await conn.execute(_REVIVE, {"ids": [fact.fact_id]})
                revived += [row["fact_id"] for row in await cursor.fetchall()]
            undone = PastChange(
                newest.change_id,
                newest.changed_at,
                newest.added,
                tuple(fact for fact in newest.removed if fact.fact_id in revived),
            )
            await _remember(conn, owner, undone, message_id)
            return undone

    async def resume_erased_at(self, owner: Owner) -> datetime | None:
        """When the CV was erased last, if there is none today."""
        row = await self._db.fetch_one(_ERASED, parameters_of(owner))
        return row["erased_at"] if row else None


async def _amend(
    conn: Connection, owner: Owner, old: ProfileFact, value: str | None, *, pinned: bool | None
) -> ProfileFact:
    if value is not None:
        checked = checked_value(old.key, value)
        if checked is None:
            raise BadRequest(f"'{value[:40]}' is no value for '{old.key}'. {wanted_of(old.key)}")
        value = checked
    keeps = old.pinned if pinned is None else pinned
    had = len(old.value) if old.pinned else 0
    if keeps and len(value or old.value) > had and len(value or old.value) > had + await pins_left(conn, owner):
        raise BadRequest(
            f"What is pinned goes into every prompt, so it may have {MOST_PINNED_CHARS:,} characters in all. Unpin or "
            "forget something first."
        )
    where = {**parameters_of(owner), "fact_id": old.fact_id, "kind": old.kind, "key": old.key, "pinned": keeps}
    if value is None or value == old.value:
        await conn.execute(_PIN, where)
        return old.model_copy(update={"pinned": keeps})
    new = {**where, "value": value, "new_id": f"f_edit_{secrets.token_hex(8)}"}
    if await conn.fetch_one(_TWIN, new) is not None:
        raise Conflict("Your profile says that already, in another fact. Forget one of the two.")
    await conn.execute(_REPLACE, new)
    row = await conn.fetch_one(_LOOK, {**where, "fact_id": new["new_id"]})
    assert row is not None
    del row["retired_at"]
    return ProfileFact(**row)


async def _newest(conn: Connection, owner: Owner) -> PastChange | None:
    row = await (await conn.execute(_NEWEST, parameters_of(owner))).fetchone()
    if row is None:
        return None
    then = {**parameters_of(owner), "at": row["at"]}
    added = await (await conn.execute(_ADDED_THEN, then)).fetchall()
    removed = await (await conn.execute(_REMOVED_THEN, then)).fetchall()
    return PastChange(_change_id(row["at"]), row["at"], facts_of(added), facts_of(removed))


async def _undone(conn: Connection, owner: Owner, change_id: str | None, message_id: str | None) -> PastChange | None:
    """The change of that id, or the one that the message asked for, if it has been taken back."""
    if change_id is None and message_id is None:
        return None
    cursor = await conn.execute(_UNDONE, {**parameters_of(owner), "change_id": change_id, "message_id": message_id})
    row = await cursor.fetchone()
    if row is None:
        return None
    added, removed = (facts_of(row["result"].get(part, [])) for part in ("added", "removed"))
    return PastChange(row["change_id"], row["changed_at"], added, removed)


async def _remember(conn: Connection, owner: Owner, undone: PastChange, message_id: str | None) -> None:
    result = {
        "added": [fact.model_dump(mode="json") for fact in undone.added],
        "removed": [fact.model_dump(mode="json") for fact in undone.removed],
        "message_id": message_id,
    }
    await conn.execute(
        "INSERT INTO profile_undo (tenant, user_id, change_id, changed_at, result) "
        "VALUES (%(tenant)s, %(user_id)s, %(change_id)s, %(changed_at)s, %(result)s)",
        {
            **parameters_of(owner),
            "change_id": undone.change_id,
            "changed_at": undone.changed_at,
            "result": Jsonb(result),
        },
    )


def _change_id(at: datetime) -> str:
    return f"ch_{(at - _EPOCH) // timedelta(microseconds=1):x}"


def _sourced(row: Mapping[str, Any]) -> SourcedFact:
    fact = ProfileFact(**{name: row[name] for name in ProfileFact.model_fields})
    return SourcedFact(
        fact, row["created_at"], row["message"], row["conversation_id"], row["resume_id"], row["file_name"]
    )
