"""All that is stored of one user, but for what ``NOT_INCLUDED`` names, as one JSON document, piece by piece: a long
history takes no more memory than a page.

Every page is a statement of its own, so a slow reader holds no connection.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from signalbox.db import Database
from signalbox.memory.profile import Owner, parameters_of

FORMAT: Final = "signalbox-export/1"
PAGE: Final = 200
# A step holds a whole prompt.
PAGE_OF_STEPS: Final = 20

_MINE: Final = "tenant = %(tenant)s AND user_id = %(user_id)s"
# What the program notes to do its work. It says nothing of the user beyond what the rest of the row says.
BOOKKEEPING: Final[dict[str, tuple[str, ...]]] = {
    "run": ("request_digest", "lease_owner", "lease_token", "lease_until", "attempt", "cancel_requested", "epoch",
            "first_offset", "last_offset", "pins", "told", "burials", "learn_tries", "learn_begun"),
    "run_step": ("attempt", "request_id", "log_epoch", "log_offset"),
    "resume": ("digest",),
    "approval": ("digest",),
}  # fmt: skip
NOT_INCLUDED: Final = (
    "events of recent answers, kept for readers that come back: they say what 'messages', 'answers' and 'steps' say",
    "cached answers, if this server keeps any: copies of answers to repeated questions, until they expire",
    "bookkeeping of the program: leases, offsets, digests, which version worked",
    "what each model call cost, one by one: 'spending' has the sums by day and model",
)


@dataclass(frozen=True, slots=True)
class Section:
    """``sql`` yields (key, item) in the order of ``key``, beginning behind ``after``."""

    name: str
    table: str
    sql: str
    first: str | int = ""
    page: int = PAGE


def _all_of(table: str, name: str, key: str, *, first: str | int = "", more: str = "") -> Section:
    """Whole rows, but for bookkeeping: a column that is new is exported until somebody decides otherwise."""
    out = ",".join(("tenant", "user_id", *BOOKKEEPING.get(table, ())))
    sql = (
        f"SELECT {key} AS key, to_jsonb(t) - '{{{out}}}'::text[] {more} AS item FROM {table} t "  # noqa: S608 - constants
        f"WHERE {_MINE} AND {key} > %(after)s ORDER BY {key} LIMIT %(most)s"
    )
    return Section(name, table, sql, first)


_EVENTS: Final = """|| jsonb_build_object('events', (
    SELECT coalesce(jsonb_agg(to_jsonb(e) - 'application_id' ORDER BY e.position), '[]')
    FROM application_event e WHERE e.application_id = t.application_id))"""
# Their JSON is told as it was written: not all that is JSON is a value of PostgreSQL's.
_STEPS: Final = f"""
SELECT key, to_json(item) AS item FROM (
    SELECT lpad(r.position::text, 20, '0') || '/' || lpad(s.seq::text, 9, '0') AS key, s.run_id, s.seq, s.kind,
           s.position, s.began_at, s.committed_at, s.payload, s.events
    FROM run r JOIN run_step s ON s.run_id = r.run_id
    WHERE {_MINE} AND r.position >= split_part(%(after)s, '/', 1)::bigint) item
WHERE key > %(after)s ORDER BY key LIMIT %(most)s"""  # noqa: S608 - constants
_APPROVALS: Final = f"""
SELECT approval_id AS key, to_json(item) AS item FROM (
    SELECT approval_id, run_id, position, tool, arguments, risk, decision, edited, note, expires_at, created_at,
           decided_at
    FROM approval WHERE {_MINE} AND approval_id > %(after)s ORDER BY approval_id LIMIT %(most)s) item
ORDER BY key"""  # noqa: S608 - constants
_EFFECTS: Final = f"""
SELECT effect_key AS key, to_jsonb(e) AS item FROM effect e JOIN run USING (run_id)
WHERE {_MINE} AND effect_key > %(after)s ORDER BY effect_key LIMIT %(most)s"""  # noqa: S608 - constants
_SPENDING: Final = f"""
SELECT item.key, to_jsonb(item) - 'key' AS item FROM (SELECT * FROM (
    SELECT (called_at AT TIME ZONE 'UTC')::date::text || ' ' || provider || ' ' || model || ' ' || task AS key,
           (called_at AT TIME ZONE 'UTC')::date AS day, provider, model, task, count(*) AS calls,
           sum(input_tokens) AS input_tokens, sum(cached_tokens) AS cached_tokens,
           sum(output_tokens) AS output_tokens, sum(cost_usd) AS cost_usd
    FROM model_call WHERE {_MINE} GROUP BY 1, 2, 3, 4, 5) spent
WHERE key > %(after)s ORDER BY key LIMIT %(most)s) item ORDER BY key"""  # noqa: S608 - constants

SECTIONS: Final = (
    _all_of("profile_fact", "facts", "fact_id"),
    _all_of("profile_undo", "undone_changes", "change_id"),
    _all_of("resume", "resumes", "resume_id"),
    _all_of("application", "applications", "application_id", more=_EVENTS),
    _all_of("conversation", "conversations", "conversation_id"),
    _all_of("message", "messages", "position", first=0),
    _all_of("run", "answers", "position", first=0),
    _all_of("classification", "routing", "run_id"),
    _all_of("suggestion", "quick_replies", "suggestion_id"),
    _all_of("conversation_summary", "summaries", "conversation_id || '/' || lpad(version::text, 9, '0')"),
    Section("approvals", "approval", _APPROVALS),
    Section("effects", "effect", _EFFECTS),
    Section("steps", "run_step", _STEPS, f"{0:020}/", PAGE_OF_STEPS),
    Section("spending", "model_call", _SPENDING),
)


class Export:
    """Raises ``StoreUnavailable``; a document that broke off is no valid JSON, so nobody takes a part for the whole."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def begin(self, owner: Owner) -> AsyncIterator[bytes]:
        """The document's pieces; the first look into the store is done before this returns."""
        row = await self._db.fetch_one(
            f"SELECT remember, updated_at FROM user_setting WHERE {_MINE}",  # noqa: S608 - constants only
            parameters_of(owner),
        )
        settings = {"remember": row["remember"] if row else True}
        return self._pieces(owner, settings)

    async def _pieces(self, owner: Owner, settings: dict[str, Any]) -> AsyncIterator[bytes]:
        head = {
            "format": FORMAT,
            "exported_at": datetime.now(UTC).isoformat(),
            "user": {"tenant": owner.tenant, "user_id": owner.user_id},
            "settings": settings,
            "not_included": NOT_INCLUDED,
        }
        yield _json(head)[:-1]
        for section in SECTIONS:
            yield f',\n"{section.name}": ['.encode()
            async for piece in self._items(section, owner):
                yield piece
            yield b"]"
        yield b"}\n"

    async def _items(self, section: Section, owner: Owner) -> AsyncIterator[bytes]:
        after: str | int = section.first
        comma = b""
        while True:
            where = {**parameters_of(owner), "after": after, "most": section.page}
            rows = await self._db.fetch(section.sql, where)
            for row in rows:
                yield comma + b"\n" + _json(row["item"])
                comma = b","
            if len(rows) < section.page:
                return
            after = rows[-1]["key"]


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace")
