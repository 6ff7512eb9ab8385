"""What humans decide on approvals: once, in time, their own, and about the very arguments they were shown."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, Literal

from psycopg.types.json import Json
from pydantic import ValidationError

from signalbox.db import Database
from signalbox.encoding import clean_json, clean_text
from signalbox.errors import BadRequest, Decided, NotFound, said_by_check
from signalbox.memory.profile import Owner
from signalbox.tools.base import Arguments
from signalbox.tools.calling import arguments_kind
from signalbox.tools.toolbox import find_tools

# By the name of a tool that is none of the catalogue's: what makes its arguments of what somebody wrote, or raises
# ``ValueError``.
Readers = Mapping[str, Callable[[Mapping[str, Any]], Arguments]]
_NONE: Final[Readers] = MappingProxyType({})
Decision = Literal["approve", "edit", "reject"]
_STORED: Final[Mapping[str, str]] = {"approve": "approved", "edit": "edited", "reject": "rejected"}
WHOLE: Final = 1_000_000
# Readers hear of a question just before its worker stores it: so long an answer waits for that.
ASKED_S: Final = 5.0
_COLUMNS: Final = (
    "approval_id, run_id, tool, arguments, digest, risk, expires_at, decision, edited, note, decided_at, created_at"
)


@dataclass(frozen=True, slots=True)
class ApprovalRow:
    """``arguments`` are what the user is shown, ``edited`` what they made of them; ``digest`` names the former."""

    approval_id: str
    run_id: str
    tool: str
    arguments: Mapping[str, Any]
    digest: str
    risk: str
    expires_at: datetime
    decision: str | None
    edited: Mapping[str, Any] | None
    note: str
    decided_at: datetime | None
    created_at: datetime


class ApprovalStore:
    """Raises ``StoreUnavailable`` from every method, ``NotFound`` for what is unknown or another user's."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def of_run(self, owner: Owner, run_id: str) -> Sequence[ApprovalRow]:
        """A run's questions, oldest first."""
        rows = await self._db.fetch(
            f"SELECT {_COLUMNS} FROM approval WHERE run_id = %s AND tenant = %s AND user_id = %s "  # noqa: S608
            "ORDER BY created_at",
            (run_id, owner.tenant, owner.user_id),
        )
        return [ApprovalRow(**row) for row in rows]

    async def decide(
        self,
        owner: Owner,
        run_id: str,
        approval_id: str,
        decision: Decision,
        *,
        arguments: Mapping[str, Any] | None = None,
        digest: str | None = None,
        note: str = "",
        readers: Readers = _NONE,
    ) -> ApprovalRow:
        """Store the decision; the run goes on with it. ``digest``: that of the arguments the user saw, if they say.
        ``readers``: for edited arguments of tools that are none of the catalogue's.

        Raises ``BadRequest`` (edited arguments that the tool does not take), ``Decided``.
        """
        await self._until_asked(owner, run_id, approval_id)
        async with self._db.transaction() as conn:
            # The run first, as the worker that parks it does: one of the two sees the other's work.
            run = await conn.fetch_one(
                "SELECT status FROM run WHERE run_id = %s AND tenant = %s AND user_id = %s FOR UPDATE",
                (run_id, owner.tenant, owner.user_id),
            )
            row = await conn.fetch_one(
                f"SELECT {_COLUMNS}, expires_at <= now() AS late FROM approval "  # noqa: S608
                "WHERE approval_id = %s AND run_id = %s AND tenant = %s AND user_id = %s FOR UPDATE",
                (approval_id, run_id, owner.tenant, owner.user_id),
            )
            if row is None or run is None:
                raise NotFound("There is no approval under that id in this run.")
            if row["decision"] is not None:
                if row["decision"] == "expired":
                    raise Decided("The time to decide on this has run out, so it was not done. Ask for it again.")
                raise Decided(f"This approval was {row['decision']} before. What was decided first stands.")
            if run["status"] not in {"pending", "running", "waiting"}:
                raise Decided("The run that asked is over, so there is nothing to decide any more.")
            if row["late"]:
                raise Decided("The time to decide on this has run out, so it was not done. Ask for it again.")
            if digest is not None and digest != row["digest"]:
                raise Decided("The digest is not that of the arguments to approve. Read them again and decide anew.")
            edited = await asyncio.to_thread(_edited, row, arguments, readers) if decision == "edit" else None
            if decision != "edit" and arguments is not None:
                raise BadRequest("Arguments belong to the decision 'edit' only.")
            decided = await conn.fetch_one(
                "UPDATE approval SET decision = %s, edited = %s, note = %s, decided_at = now() "  # noqa: S608
                f"WHERE approval_id = %s RETURNING {_COLUMNS}",
                (_STORED[decision], Json(edited) if edited is not None else None, clean_text(note), approval_id),
            )
            await conn.execute("UPDATE run SET status = 'pending' WHERE run_id = %s AND status = 'waiting'", (run_id,))
        assert decided is not None
        return ApprovalRow(**decided)

    async def _until_asked(self, owner: Owner, run_id: str, approval_id: str) -> None:
        """While the run goes on, what it has just said may be on its way to the store."""
        give_up, pause = time.monotonic() + ASKED_S, 0.05
        while time.monotonic() < give_up:
            coming = await self._db.fetch_one(
                "SELECT 1 FROM run WHERE run_id = %s AND tenant = %s AND user_id = %s AND status = 'running' "
                "AND NOT EXISTS (SELECT FROM approval WHERE approval_id = %s AND approval.run_id = run.run_id)",
                (run_id, owner.tenant, owner.user_id, approval_id),
            )
            if coming is None:
                return
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.5)


def _edited(row: Mapping[str, Any], arguments: Mapping[str, Any] | None, readers: Readers) -> dict[str, Any]:
    """``arguments`` laid over those asked about, as the tool takes them."""
    if not arguments:
        raise BadRequest("The decision 'edit' needs 'arguments': the ones to change, with their new values.")
    name: str = row["tool"]
    whole = clean_json({**row["arguments"], **arguments}, longest=WHOLE, most=WHOLE)
    ours = next((tool for tool in find_tools() if tool.name == name), None)
    try:
        if ours is not None:
            checked = arguments_kind(ours).model_validate(whole)
        elif (reader := readers.get(name)) is not None:
            checked = reader(whole)
        else:
            raise BadRequest(f"What '{name}' takes is not known to this server: approve or reject it as it stands.")
    except ValidationError as exc:
        fault = exc.errors(include_url=False, include_input=False, include_context=False)[0]
        # A field that is none of the tool's may be anything, of any length.
        where = ".".join(str(part)[:64] for part in fault["loc"])
        why = said_by_check(fault["msg"])
        raise BadRequest(f"The arguments do not fit '{name}': {where}: {why}.") from exc
    except ValueError as exc:
        raise BadRequest(f"The arguments do not fit '{name}': {exc}.") from exc
    told: dict[str, Any] = clean_json(checked.model_dump(mode="json"), longest=WHOLE, most=WHOLE)
    return told
