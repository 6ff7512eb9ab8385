"""What is known of a user: facts, preferences and hard constraints, each with the message that said it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from signalbox.db import Database
from signalbox.events import ProfileFact

Kind = Literal["fact", "preference", "constraint"]

# One value at a time; a new one replaces the old. Every other key collects values.
SINGLE: Final = frozenset({"name", "title", "seniority", "years", "salary_min", "currency", "remote", "location"})


@dataclass(frozen=True, slots=True)
class Owner:
    tenant: str
    user_id: str


@dataclass(frozen=True, slots=True)
class NewFact:
    kind: Kind
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Change:
    added: tuple[ProfileFact, ...]
    removed: tuple[ProfileFact, ...]


_COLUMNS: Final = "fact_id, kind, key, value, source_message_id"


class ProfileStore:
    """Profile facts in PostgreSQL. Nothing is overwritten: a replaced fact is retired and stays on record.

    Every method raises ``StoreUnavailable``.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    async def facts(self, owner: Owner) -> tuple[ProfileFact, ...]:
        """Current facts, oldest first."""
        rows = await self._db.fetch(
            f"SELECT {_COLUMNS} FROM profile_fact WHERE tenant = %s AND user_id = %s "  # noqa: S608
            "AND retired_at IS NULL ORDER BY created_at, fact_id",
            (owner.tenant, owner.user_id),
        )
        return tuple(ProfileFact(**row) for row in rows)

    async def apply(
        self, owner: Owner, add: Sequence[NewFact], remove: Sequence[NewFact], *, message_id: str
    ) -> Change:
        """Add and retire facts in one transaction. Applying the same message again changes nothing."""
        added: list[ProfileFact] = []
        removed: list[ProfileFact] = []
        async with self._db.transaction() as conn:
            for fact in (*remove, *(f for f in add if f.key in SINGLE)):
                keep = fact.value if fact in add else None
                cursor = await conn.execute(
                    "UPDATE profile_fact SET retired_at = now() WHERE tenant = %s AND user_id = %s "
                    "AND key = %s AND retired_at IS NULL AND (%s::text IS NULL OR lower(value) <> lower(%s)) "
                    "AND (%s::boolean OR lower(value) = lower(%s)) "
                    "RETURNING fact_id, kind, key, value, source_message_id",
                    (owner.tenant, owner.user_id, fact.key, keep, keep, keep is not None, fact.value),
                )
                removed += [ProfileFact(**row) for row in await cursor.fetchall()]
            for number, fact in enumerate(add):
                cursor = await conn.execute(
                    "INSERT INTO profile_fact (fact_id, tenant, user_id, kind, key, value, source_message_id) "
                    "VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING "
                    "RETURNING fact_id, kind, key, value, source_message_id",
                    (
                        f"f_{message_id}_{number}",
                        owner.tenant,
                        owner.user_id,
                        fact.kind,
                        fact.key,
                        fact.value,
                        message_id,
                    ),
                )
                added += [ProfileFact(**row) for row in await cursor.fetchall()]
        return Change(tuple(added), tuple(removed))
