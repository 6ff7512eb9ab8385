"""All that is stored of one user as one JSON document, piece by piece: a long history takes no more memory than a page.

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

_MINE: Final = "tenant = %(tenant)s AND user_id = %(user_id)s"


@dataclass(frozen=True, slots=True)
class _Section:
    """``sql`` yields (key, item) in the order of ``key``, beginning behind ``after``."""

    name: str
    sql: str
    first: str | int = ""


def _section(name: str, columns: str, table: str, key: str, first: str | int = "") -> _Section:
    sql = (
        f"SELECT {key} AS key, to_jsonb(item) AS item FROM (SELECT {columns} FROM {table} "  # noqa: S608 - constants only
        f"WHERE {_MINE} AND {key} > %(after)s ORDER BY {key} LIMIT %(most)s) item ORDER BY {key}"
    )
    return _Section(name, sql, first)


_SECTIONS: Final = (
    _section(
        "facts",
        "fact_id, kind, key, value, confidence, origin, pinned, source_message_id, created_at, retired_at, replaced_by",
        "profile_fact",
        "fact_id",
    ),
    _section("undone_changes", "change_id, changed_at, undone_at, result", "profile_undo", "change_id"),
    _section("resumes", "resume_id, file_name, media_type, content, created_at, retired_at", "resume", "resume_id"),
    _section(
        "applications",
        "application_id, company, title, job_id, contact, status, applied_on, last_contact_on, created_at, updated_at, "
        "(SELECT coalesce(jsonb_agg(to_jsonb(e) - 'application_id' ORDER BY e.position), '[]') "
        "FROM application_event e WHERE e.application_id = application.application_id) AS events",
        "application",
        "application_id",
    ),
    _section("conversations", "conversation_id, title, temporary, created_at, updated_at", "conversation",
             "conversation_id"),
    _section(
        "messages",
        "position, message_id, conversation_id, run_id, role, content, status, agent, blocks, citations, created_at",
        "message",
        "position",
        0,
    ),
    _section(
        "answers",
        "position, run_id, conversation_id, status, intent, agent, model, usage, created_at, finished_at",
        "run",
        "position",
        0,
    ),
    _section(
        "summaries",
        "conversation_id || '/' || lpad(version::text, 9, '0') AS summary, conversation_id, version, content, made_by, "
        "created_at",
        "conversation_summary",
        "conversation_id || '/' || lpad(version::text, 9, '0')",
    ),
    _section(
        "approvals",
        "approval_id, run_id, tool, arguments, risk, decision, edited, note, created_at, decided_at",
        "approval",
        "approval_id",
    ),
    _Section(
        "spending",
        "SELECT item.key, to_jsonb(item) - 'key' AS item FROM (SELECT * FROM ("  # noqa: S608 - constants only
        "SELECT (called_at AT TIME ZONE 'UTC')::date::text || ' ' || provider || ' ' || model || ' ' || task AS key, "
        "(called_at AT TIME ZONE 'UTC')::date AS day, provider, model, task, count(*) AS calls, "
        "sum(input_tokens) AS input_tokens, sum(cached_tokens) AS cached_tokens, sum(output_tokens) AS output_tokens, "
        f"sum(cost_usd) AS cost_usd FROM model_call WHERE {_MINE} GROUP BY 1, 2, 3, 4, 5) spent "
        "WHERE key > %(after)s ORDER BY key LIMIT %(most)s) item ORDER BY key",
    ),
)  # fmt: skip


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
        }
        yield _json(head)[:-1]
        for section in _SECTIONS:
            yield f',\n"{section.name}": ['.encode()
            async for piece in self._items(section, owner):
                yield piece
            yield b"]"
        yield b"}\n"

    async def _items(self, section: _Section, owner: Owner) -> AsyncIterator[bytes]:
        after: str | int = section.first
        comma = b""
        while True:
            where = {**parameters_of(owner), "after": after, "most": PAGE}
            rows = await self._db.fetch(section.sql, where)
            for row in rows:
                yield comma + b"\n" + _json(row["item"])
                comma = b","
            if len(rows) < PAGE:
                return
            after = rows[-1]["key"]


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace")
