"""The CV of each user in PostgreSQL: one current one, the older retired, and all of them really gone when erased.

A CV and the facts it gives the profile are one change, in one transaction: neither is ever there without the other.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from psycopg.types.json import Jsonb

from signalbox.blocks import ProfileFact
from signalbox.db import Connection, Database
from signalbox.encoding import clean_json, clean_text
from signalbox.memory.profile import (
    CURRENT,
    FACT_COLUMNS,
    LOCK,
    Change,
    NewFact,
    Owner,
    facts_of,
    parameters_of,
    remembers,
)
from signalbox.memory.resume.facts import Merge, merge
from signalbox.memory.resume.model import Resume

# More than the longest text a parser returns, so that nothing is cut.
_LONGEST: Final = 300_000
_MOST_VALUES: Final = 100_000
_LONGEST_NAME: Final = 120

_CURRENT: Final = """
SELECT resume_id, file_name, media_type, content, digest, created_at FROM resume
WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND retired_at IS NULL
"""
_RETIRE: Final = """
UPDATE resume SET retired_at = now() WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND retired_at IS NULL
"""
_INSERT: Final = """
INSERT INTO resume (resume_id, tenant, user_id, file_name, media_type, content, digest)
VALUES (%(resume_id)s, %(tenant)s, %(user_id)s, %(file_name)s, %(media_type)s, %(content)s, %(digest)s)
RETURNING resume_id, file_name, media_type, content, digest, created_at
"""
_IDS: Final = "SELECT resume_id FROM resume WHERE tenant = %(tenant)s AND user_id = %(user_id)s"
_RETIRE_FACTS: Final = f"""
UPDATE profile_fact f SET retired_at = now() WHERE fact_id = ANY(%(ids)s) AND retired_at IS NULL
RETURNING {FACT_COLUMNS}
"""  # noqa: S608 - constants only
# What the user said in the same words is theirs, and stays.
_ADD_FACT: Final = f"""
INSERT INTO profile_fact AS f (fact_id, tenant, user_id, kind, key, value, source_message_id, origin)
VALUES (%(fact_id)s, %(tenant)s, %(user_id)s, %(kind)s, %(key)s, %(value)s, %(resume_id)s, 'resume')
ON CONFLICT DO NOTHING RETURNING {FACT_COLUMNS}
"""  # noqa: S608 - constants only
_ANY: Final = "SELECT resume_id FROM resume WHERE tenant = %(tenant)s AND user_id = %(user_id)s LIMIT 1"
_ERASE: Final = f"""
WITH gone AS (
    DELETE FROM resume WHERE tenant = %(tenant)s AND user_id = %(user_id)s RETURNING resume_id
), marked AS (
    INSERT INTO profile_undo (tenant, user_id, change_id, changed_at)
    SELECT %(tenant)s, %(user_id)s, %(change_id)s, now() WHERE EXISTS (SELECT FROM gone)
)
UPDATE profile_fact f SET retired_at = now()
WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND retired_at IS NULL
  AND source_message_id IN (SELECT resume_id FROM gone)
RETURNING {FACT_COLUMNS}
"""  # noqa: S608 - constants only


@dataclass(frozen=True, slots=True)
class StoredResume:
    resume_id: str
    file_name: str
    media_type: str
    resume: Resume
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Kept:
    """``change`` is empty if the CV was the current one already, and if the user wants nothing remembered: then a CV is
    kept to be worked with, and the profile stays as it is. ``disputed``: what the user says otherwise.
    """

    stored: StoredResume
    change: Change
    disputed: tuple[tuple[ProfileFact, NewFact], ...] = ()


_ERASE_READ: Final = """
    DELETE FROM run_step s USING run r
    WHERE r.run_id = s.run_id AND r.tenant = %(tenant)s AND r.user_id = %(user_id)s AND r.finished_at IS NOT NULL
      AND s.kind = 'tool_result' AND s.payload ->> 'tool' = 'read_resume'"""


class ResumeStore:
    """Every method raises ``StoreUnavailable``."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def current(self, owner: Owner) -> StoredResume | None:
        row = await self._db.fetch_one(_CURRENT, parameters_of(owner))
        return _stored(row) if row else None

    async def keep(self, owner: Owner, resume: Resume, facts: Sequence[NewFact] = (), *, media_type: str) -> Kept:
        """Make ``resume`` the owner's current one, and ``facts`` what the profile has of it instead of an older one's.

        The same content again changes nothing: facts taken out of the profile since do not come back. Several
        at once are taken one after the other.
        """
        content = clean_json(resume, longest=_LONGEST, most=_MOST_VALUES)
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        async with self._db.transaction() as conn:
            await conn.execute(LOCK, parameters_of(owner))
            there = await _one(conn, _CURRENT, parameters_of(owner))
            if there is not None and there["digest"] == digest:
                return Kept(_stored(there), Change((), ()))
            older = frozenset(row["resume_id"] for row in await _all(conn, _IDS, parameters_of(owner)))
            await conn.execute(_RETIRE, parameters_of(owner))
            new = {
                **parameters_of(owner),
                "resume_id": f"cv_{secrets.token_hex(10)}",
                "file_name": clean_text(resume.source)[:_LONGEST_NAME],
                "media_type": media_type,
                "content": Jsonb(content),
                "digest": digest,
            }
            row = await _one(conn, _INSERT, new)
            assert row is not None
            if not await remembers(conn, owner):
                return Kept(_stored(row), Change((), (), remembering=False))
            merged = merge(facts, facts_of(await _all(conn, CURRENT, parameters_of(owner))), older)
            change = await _change(conn, owner, merged, row["resume_id"])
        return Kept(_stored(row), change, merged.kept)

    async def erase(self, owner: Owner) -> tuple[ProfileFact, ...] | None:
        """Delete all CVs of the owner and retire what only they said: those facts, or None if there was no CV.

        It cannot be undone: nothing is left to undo it from.
        """
        async with self._db.transaction() as conn:
            await conn.execute(LOCK, parameters_of(owner))
            if await _one(conn, _ANY, parameters_of(owner)) is None:
                return None
            # What was read from it is kept with the steps of runs; one that goes on still needs its own.
            await conn.execute("SELECT set_config('signalbox.erasing', 'on', true)")
            await conn.execute(_ERASE_READ, parameters_of(owner))
            cursor = await conn.execute(
                _ERASE, {**parameters_of(owner), "change_id": f"erased_{secrets.token_hex(10)}"}
            )
            return facts_of(await cursor.fetchall())


async def _change(conn: Connection, owner: Owner, merged: Merge, resume_id: str) -> Change:
    gone = await _all(conn, _RETIRE_FACTS, {"ids": [fact.fact_id for fact in merged.remove]})
    added: list[ProfileFact] = []
    for number, fact in enumerate(merged.add):
        new = {**parameters_of(owner), **asdict(fact), "fact_id": f"f_{resume_id}_{number}", "resume_id": resume_id}
        added += facts_of(await _all(conn, _ADD_FACT, new))
    return Change(tuple(added), facts_of(gone))


async def _all(conn: Connection, sql: Any, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    return await (await conn.execute(sql, parameters)).fetchall()


async def _one(conn: Connection, sql: Any, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    return await (await conn.execute(sql, parameters)).fetchone()


def _stored(row: Mapping[str, Any]) -> StoredResume:
    return StoredResume(
        row["resume_id"],
        row["file_name"],
        row["media_type"],
        Resume.model_validate_json(json.dumps(row["content"])),
        row["created_at"],
    )
