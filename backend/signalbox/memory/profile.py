"""What is known of a user: facts, preferences and hard constraints, each with the message that said it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from signalbox.blocks import ProfileFact
from signalbox.db import Database

Kind = Literal["fact", "preference", "constraint"]

# One value at a time; a new one replaces the old. Every other key collects values.
SINGLE: Final = frozenset(
    {
        *("name", "title", "seniority", "seniority_min", "years", "salary_min", "currency", "remote", "location"),
        *("relocation", "office_days", "company_size_min", "company_size_max"),
    }
)


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


_CURRENT: Final = """
SELECT fact_id, kind, key, value, source_message_id FROM profile_fact
WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND retired_at IS NULL ORDER BY created_at, fact_id
"""

_RETIRE: Final = """
UPDATE profile_fact SET retired_at = now()
WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND retired_at IS NULL
  AND key = %(key)s AND lower(value) = lower(%(value)s)
RETURNING fact_id, kind, key, value, source_message_id
"""

_RETIRE_OTHERS: Final = """
UPDATE profile_fact SET retired_at = now()
WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND retired_at IS NULL AND key = %(key)s
  AND CASE WHEN lower(value) = lower(%(value)s) THEN kind <> %(kind)s ELSE %(any_value)s END
RETURNING fact_id, kind, key, value, source_message_id
"""

_ADD: Final = """
INSERT INTO profile_fact (fact_id, tenant, user_id, kind, key, value, source_message_id)
VALUES (%(fact_id)s, %(tenant)s, %(user_id)s, %(kind)s, %(key)s, %(value)s, %(message_id)s)
ON CONFLICT DO NOTHING RETURNING fact_id, kind, key, value, source_message_id
"""


_LOCK: Final = """
SELECT pg_advisory_xact_lock(hashtextextended('profile ' || %(tenant)s || ' ' || %(user_id)s, 0))
"""


class ProfileStore:
    """Profile facts in PostgreSQL. Nothing is overwritten: a replaced fact is retired and stays on record.

    Every method raises ``StoreUnavailable``.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    async def facts(self, owner: Owner) -> tuple[ProfileFact, ...]:
        """Current facts, oldest first."""
        rows = await self._db.fetch(_CURRENT, {"tenant": owner.tenant, "user_id": owner.user_id})
        return tuple(_facts(rows))

    async def apply(
        self, owner: Owner, add: Sequence[NewFact], remove: Sequence[NewFact], *, message_id: str
    ) -> Change:
        """Add and retire facts in one transaction. Applying the same message again changes nothing."""
        added: list[ProfileFact] = []
        removed: list[ProfileFact] = []
        async with self._db.transaction() as conn:
            # A CV that is uploaded at the same moment changes the same facts.
            await conn.execute(_LOCK, {"tenant": owner.tenant, "user_id": owner.user_id})
            for fact in remove:
                same = _named(owner, fact)
                removed += _facts(await (await conn.execute(_RETIRE, same)).fetchall())
            for number, fact in enumerate(add):
                # A single-valued key gives up its old value; any key gives up the same value of another kind.
                stale = {**_named(owner, fact), "any_value": fact.key in SINGLE}
                removed += _facts(await (await conn.execute(_RETIRE_OTHERS, stale)).fetchall())
                new = {**_named(owner, fact), "fact_id": f"f_{message_id}_{number}", "message_id": message_id}
                added += _facts(await (await conn.execute(_ADD, new)).fetchall())
        return Change(tuple(added), tuple(removed))


def _named(owner: Owner, fact: NewFact) -> dict[str, object]:
    return {"tenant": owner.tenant, "user_id": owner.user_id, **asdict(fact)}


def _facts(rows: Sequence[Mapping[str, Any]]) -> list[ProfileFact]:
    return [ProfileFact(**row) for row in rows]
