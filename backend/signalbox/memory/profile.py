"""What is known of a user: facts, preferences and hard constraints, each with the message that said it.

Whether anything may be kept of a user at all is their setting, and is looked at where it would be kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from signalbox.blocks import ProfileFact
from signalbox.db import Connection, Database
from signalbox.memory.sameness import says_same

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
    """``pinned``: it is to be remembered, said in so many words. Two that say the same are the same."""

    kind: Kind
    key: str
    value: str
    pinned: bool = field(default=False, compare=False)
    confidence: float = field(default=1.0, compare=False)


@dataclass(frozen=True, slots=True)
class Change:
    """``remembering`` is False for a user who wants nothing remembered: then nothing was added."""

    added: tuple[ProfileFact, ...]
    removed: tuple[ProfileFact, ...]
    remembering: bool = True


@dataclass(frozen=True, slots=True)
class Said:
    """What said it: a message, the run that answered it, and when that began."""

    message_id: str
    run_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Unread:
    """A message that is to be looked through for facts. ``position`` is its place among all messages."""

    message: str
    position: int
    said: Said


@dataclass(frozen=True, slots=True)
class Overdue:
    """Which messages nobody can be at work on any more: those of runs that ended, and that somebody began with, longer
    than ``after`` ago. They are tried ``tries`` times in all, ``most`` at a time, and after ``within`` not any more.
    """

    after: timedelta = timedelta(minutes=3)
    within: timedelta = timedelta(days=7)
    tries: int = 3
    most: int = 5


# What is pinned stands in every prompt, also in that of a small model: about 1,500 tokens of it.
MOST_PINNED_CHARS: Final = 6_000

# Of ``profile_fact f``, as ``ProfileFact`` takes them.
FACT_COLUMNS: Final = (
    "f.fact_id, f.kind, f.key, f.value, f.source_message_id, f.confidence, f.origin, f.pinned, "
    "(f.created_at AT TIME ZONE 'UTC')::date AS noted_on"
)
_MINE: Final = "f.tenant = %(tenant)s AND f.user_id = %(user_id)s AND f.retired_at IS NULL"

CURRENT: Final = f"SELECT {FACT_COLUMNS} FROM profile_fact f WHERE {_MINE} ORDER BY f.created_at, f.fact_id"  # noqa: S608

_RETIRE: Final = f"""
UPDATE profile_fact f SET retired_at = now() WHERE {_MINE} AND f.key = %(key)s AND lower(f.value) = lower(%(value)s)
RETURNING {FACT_COLUMNS}
"""  # noqa: S608 - constants only

_RETIRE_OTHERS: Final = f"""
UPDATE profile_fact f SET retired_at = %(at)s, replaced_by = %(fact_id)s WHERE {_MINE} AND f.key = %(key)s
  AND CASE WHEN lower(f.value) = lower(%(value)s) THEN f.kind <> %(kind)s ELSE %(any_value)s END
RETURNING {FACT_COLUMNS}
"""  # noqa: S608 - constants only

_ADD: Final = f"""
INSERT INTO profile_fact AS f (fact_id, tenant, user_id, kind, key, value, source_message_id, confidence, origin,
                               pinned, created_at)
VALUES (%(fact_id)s, %(tenant)s, %(user_id)s, %(kind)s, %(key)s, %(value)s, %(message_id)s, %(confidence)s, %(origin)s,
        %(pinned)s, %(at)s)
ON CONFLICT DO NOTHING RETURNING {FACT_COLUMNS}
"""  # noqa: S608 - constants only

# What is known already and now is to be remembered, or was only concluded and now is said.
_PINNED: Final = """
SELECT coalesce(sum(length(value)), 0) AS chars FROM profile_fact
WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND pinned AND retired_at IS NULL"""
_PIN: Final = f"""
UPDATE profile_fact f SET pinned = f.pinned OR %(pinned)s, origin = 'said', confidence = 1
WHERE {_MINE} AND f.key = %(key)s AND lower(f.value) = lower(%(value)s)
  AND (%(pinned)s > f.pinned OR f.origin = 'extracted')
"""  # noqa: S608 - constants only

# Nor from what was said before its user let anything be remembered (again).
_CONSENTED: Final = """
NOT EXISTS (SELECT FROM user_setting s WHERE s.tenant = r.tenant AND s.user_id = r.user_id
            AND (NOT s.remember OR s.updated_at > r.created_at))
"""

# As whoever takes the message back or erases its user: what they delete, nobody learns from any more.
_STILL_SAID: Final = f"""
UPDATE run r SET learn_tries = NULL
WHERE r.run_id = %(run_id)s AND r.tenant = %(tenant)s AND r.user_id = %(user_id)s AND NOT r.rolled_back
  AND {_CONSENTED}
RETURNING r.run_id
"""  # noqa: S608 - constants only

# One statement takes them and counts the try: of two processes one gets a message, and a deadly one is left alone.
_UNREAD: Final = f"""
WITH due AS MATERIALIZED (
    SELECT r.run_id, r.user_message_id, r.started_at FROM run r JOIN conversation c USING (conversation_id)
    WHERE r.tenant = %(tenant)s AND r.user_id = %(user_id)s AND r.learn_tries IS NOT NULL
      AND r.status IN ('succeeded', 'failed', 'dead') AND NOT r.rolled_back AND NOT c.temporary
      AND (r.run_id = %(run_id)s AND r.learn_tries = 0 OR r.learn_tries < %(tries)s
           AND coalesce(r.learn_begun, r.finished_at) < now() - %(after)s::interval
           AND r.finished_at > now() - %(within)s::interval)
      AND NOT EXISTS (SELECT FROM suggestion g WHERE g.chosen_by_run = r.run_id)
      AND {_CONSENTED}
    ORDER BY r.run_id = %(run_id)s DESC, r.position LIMIT %(most)s FOR UPDATE OF r SKIP LOCKED
), begun AS (
    UPDATE run r SET learn_tries = r.learn_tries + 1, learn_begun = now() FROM due WHERE r.run_id = due.run_id
)
SELECT due.run_id, due.started_at, m.message_id, m.content, m.position
FROM due JOIN message m ON m.message_id = due.user_message_id ORDER BY m.position
"""  # noqa: S608 - constants only

_READ: Final = """
UPDATE run SET learn_tries = NULL WHERE run_id = %(run_id)s AND tenant = %(tenant)s AND user_id = %(user_id)s
"""

_SAID_SINCE: Final = """
SELECT m.content FROM conversation c JOIN message m USING (conversation_id)
WHERE c.tenant = %(tenant)s AND c.user_id = %(user_id)s AND c.updated_at >= %(at)s
  AND m.position > %(position)s AND m.role = 'user'
ORDER BY m.position LIMIT %(most)s
"""

# All that one message did is one change: what is concluded from it is taken back with what it said.
_MOMENT: Final = """
SELECT coalesce(min(said.at), %(at)s) AS at, EXISTS (
    SELECT FROM profile_undo u WHERE u.tenant = %(tenant)s AND u.user_id = %(user_id)s
      AND u.changed_at = coalesce(min(said.at), %(at)s)) AS undone
FROM (SELECT created_at AS at FROM profile_fact WHERE tenant = %(tenant)s AND user_id = %(user_id)s
      AND source_message_id = %(message_id)s AND origin = 'said') said
"""

_RETIRE_OLDER: Final = f"""
UPDATE profile_fact f SET retired_at = %(at)s, replaced_by = %(fact_id)s
WHERE {_MINE} AND f.fact_id = %(old)s AND f.created_at < %(at)s RETURNING {FACT_COLUMNS}
"""  # noqa: S608 - constants only

# Newer wins: what was said after that message stands, also that something is not so any more.
_SINCE: Final = """
SELECT f.value, f.retired_at IS NULL AS stands, f.created_at >= %(at)s AS newer FROM profile_fact f
WHERE f.tenant = %(tenant)s AND f.user_id = %(user_id)s AND f.key = %(key)s
  AND (f.retired_at IS NULL OR f.retired_at > %(at)s)
"""

_KNOWN: Final = f"SELECT f.key, f.value FROM profile_fact f WHERE {_MINE} ORDER BY f.created_at, f.fact_id"  # noqa: S608

LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended('profile ' || %(tenant)s || ' ' || %(user_id)s, 0))"

_REMEMBERS: Final = """
SELECT NOT EXISTS (SELECT FROM user_setting WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND NOT remember) AS yes
"""


class ProfileStore:
    """Profile facts in PostgreSQL. Nothing is overwritten: a replaced fact is retired and stays on record.

    Every method raises ``StoreUnavailable``.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    async def facts(self, owner: Owner) -> tuple[ProfileFact, ...]:
        """Current facts, oldest first."""
        return facts_of(await self._db.fetch(CURRENT, parameters_of(owner)))

    async def remembers(self, owner: Owner) -> bool:
        """Whether the user lets anything be kept of them, and what is kept be used."""
        async with self._db.connection() as conn:
            return await remembers(conn, owner)

    async def remember(self, owner: Owner, wanted: bool) -> None:  # noqa: FBT001 - the setting itself
        """Switch remembering on or off. What is stored stays as it is."""
        async with self._db.transaction() as conn:
            # Whoever is adding facts now is done, or sees the new setting.
            await conn.execute(LOCK, parameters_of(owner))
            await conn.execute(
                "INSERT INTO user_setting (tenant, user_id, remember) VALUES (%(tenant)s, %(user_id)s, %(remember)s) "
                "ON CONFLICT (tenant, user_id) DO UPDATE SET remember = excluded.remember, updated_at = now()",
                {**parameters_of(owner), "remember": wanted},
            )

    async def apply(
        self, owner: Owner, add: Sequence[NewFact], remove: Sequence[NewFact], *, message_id: str
    ) -> Change:
        """Add and retire facts in one transaction. Applying the same message again changes nothing, nor does it to add
        what is known in other words; to a user who wants nothing remembered nothing is added.
        """
        added: list[ProfileFact] = []
        removed: list[ProfileFact] = []
        async with self._db.transaction() as conn:
            # A CV that is uploaded at the same moment changes the same facts.
            await conn.execute(LOCK, parameters_of(owner))
            remembering = await remembers(conn, owner)
            at = await _now(conn)
            for fact in remove:
                removed += facts_of(await conn.fetch(_RETIRE, {**parameters_of(owner), **asdict(fact)}))
            known = await _known(conn, owner) if remembering and add else []
            room = await pins_left(conn, owner) if any(fact.pinned for fact in add) else 0
            for number, fact in enumerate(add if remembering else ()):
                told = _as_known(fact, known)
                if told.pinned:
                    # Beyond what every prompt has room for it is remembered like anything else.
                    room -= len(told.value)
                    told = replace(told, pinned=room >= 0)
                change = await _add(conn, owner, told, f"f_{message_id}_{number}", message_id, at)
                added += change.added
                removed += change.removed
        return Change(tuple(added), tuple(removed), remembering)

    async def learn(
        self, owner: Owner, add: Sequence[NewFact], replace: Sequence[tuple[str, NewFact | None]], *, said: Said
    ) -> Change:
        """Take in what was concluded from a message, after the fact: new facts, and by their ids old ones that go, with
        what stands in their place. It counts as part of what the message did, and what was said since then stands.

        Nothing happens if the message was taken back or undone, if its user wants nothing remembered or did not when
        they said it, or again. The message counts as read with it.
        """
        nothing = Change((), ())
        async with self._db.transaction() as conn:
            where = {**parameters_of(owner), "message_id": said.message_id, "run_id": said.run_id, "at": said.at}
            await conn.execute(LOCK, where)
            if not await remembers(conn, owner):
                return Change((), (), remembering=False)
            if await conn.fetch_one(_STILL_SAID, where) is None:
                return nothing
            moment = await conn.fetch_one(_MOMENT, where)
            if moment is None or moment["undone"]:
                return nothing
            learning = _Learning(conn, owner, said.message_id, moment["at"])
            for old, new in replace:
                await learning.replace(old, new)
            for fact in add:
                await learning.add(fact)
        return Change(tuple(learning.added), tuple(learning.removed))

    async def unread(self, owner: Owner, run_id: str | None, overdue: Overdue) -> list[Unread]:
        """Take up the user's messages that nobody has read to its end: that of ``run_id``, and those that were left
        by a process that died. Oldest first. None of temporary conversations, of quick replies, or of a time when
        nothing was to be remembered. Whoever has read one calls ``read`` or ``learn``; it is taken up again if not.
        """
        where = {**parameters_of(owner), **asdict(overdue), "run_id": run_id}
        return [
            Unread(row["content"], row["position"], Said(row["message_id"], row["run_id"], row["started_at"]))
            for row in await self._db.fetch(_UNREAD, where)
        ]

    async def read(self, owner: Owner, run_id: str) -> None:
        """Nothing is left to be learned from the message of that run."""
        await self._db.execute(_READ, {**parameters_of(owner), "run_id": run_id})

    async def said_since(self, owner: Owner, unread: Unread, most: int) -> list[str]:
        """The user's messages after that one, in all their conversations, the oldest ``most``."""
        where = {**parameters_of(owner), "at": unread.said.at, "position": unread.position, "most": most}
        return [row["content"] for row in await self._db.fetch(_SAID_SINCE, where)]


class _Learning:
    """Facts concluded from one message, on their way in; ``at``: when it was said."""

    def __init__(self, conn: Connection, owner: Owner, message_id: str, at: datetime) -> None:
        self.added: list[ProfileFact] = []
        self.removed: list[ProfileFact] = []
        self._conn = conn
        self._owner = owner
        self._message_id = message_id
        self._at = at
        self._number = 0

    async def add(self, fact: NewFact) -> None:
        where = {**parameters_of(self._owner), "key": fact.key, "at": self._at}
        for row in await self._conn.fetch(_SINCE, where):
            newer = row["stands"] and row["newer"] and fact.key in SINGLE
            if newer or says_same(fact.key, row["value"], fact.value):
                return
        change = await _add(self._conn, self._owner, fact, self._next_id(), self._message_id, self._at, "extracted")
        self.added += change.added
        self.removed += change.removed

    async def replace(self, old: str, new: NewFact | None) -> None:
        """The old one goes first; only if it does has the new one a place."""
        fact_id = f"x_{self._message_id}_{self._number}" if new is not None else None
        where = {**parameters_of(self._owner), "old": old, "at": self._at, "fact_id": fact_id}
        gone = facts_of(await self._conn.fetch(_RETIRE_OLDER, where))
        self.removed += gone
        if gone and new is not None:
            await self.add(new)

    def _next_id(self) -> str:
        self._number += 1
        return f"x_{self._message_id}_{self._number - 1}"


async def _add(  # noqa: PLR0917 - one row
    conn: Connection,
    owner: Owner,
    fact: NewFact,
    fact_id: str,
    message_id: str,
    at: datetime,
    origin: Literal["said", "extracted"] = "said",
) -> Change:
    new = {
        **parameters_of(owner),
        **asdict(fact),
        "fact_id": fact_id,
        "message_id": message_id,
        "at": at,
        "origin": origin,
        # A single-valued key gives up its old value; any key gives up the same value of another kind.
        "any_value": fact.key in SINGLE,
    }
    removed = facts_of(await conn.fetch(_RETIRE_OTHERS, new))
    if origin == "said":
        await conn.execute(_PIN, new)
    return Change(facts_of(await conn.fetch(_ADD, new)), removed)


async def _known(conn: Connection, owner: Owner) -> list[tuple[str, str]]:
    return [(row["key"], row["value"]) for row in await conn.fetch(_KNOWN, parameters_of(owner))]


def _as_known(fact: NewFact, known: list[tuple[str, str]]) -> NewFact:
    """The fact in the words of the one in ``known`` that says the same; else it becomes known as it is."""
    same = [value for key, value in known if key == fact.key and says_same(key, value, fact.value)]
    if not same:
        known.append((fact.key, fact.value))
    # Its own spelling is what the database goes by.
    spelled = any(value.lower() == fact.value.lower() for value in same)
    return replace(fact, value=same[0]) if same and not spelled else fact


async def pins_left(conn: Connection, owner: Owner) -> int:
    """How many characters of facts may be pinned yet: those are in every prompt, whatever is talked about."""
    row = await conn.fetch_one(_PINNED, parameters_of(owner))
    assert row is not None
    return MOST_PINNED_CHARS - int(row["chars"])


async def remembers(conn: Connection, owner: Owner) -> bool:
    """As ``ProfileStore.remembers``, within a transaction."""
    row = await conn.fetch_one(_REMEMBERS, parameters_of(owner))
    return row is None or bool(row["yes"])


async def _now(conn: Connection) -> datetime:
    """The transaction's moment, which all it does shares."""
    row = await conn.fetch_one("SELECT now() AS at")
    assert row is not None
    at: datetime = row["at"]
    return at


def parameters_of(owner: Owner) -> dict[str, Any]:
    return {"tenant": owner.tenant, "user_id": owner.user_id}


def facts_of(rows: Sequence[Mapping[str, Any]]) -> tuple[ProfileFact, ...]:
    return tuple(ProfileFact(**row) for row in rows)
