"""Which definitions of MCP tools an operator has approved. A definition is known by the digest of all of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from psycopg.types.json import Jsonb

from signalbox.db import Connection, Database
from signalbox.encoding import clean_json
from signalbox.errors import NotFound
from signalbox.tools.mcp.definitions import Definition

Status = Literal["pending", "approved", "denied", "superseded"]
FIRST_USE: Final = "first use"
WHOLE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Pin:
    """One definition of a tool that was seen. Only an approved one may be called; a tool has one of these at most."""

    server: str
    tool: str
    digest: str
    definition: Mapping[str, Any]
    status: Status
    approved_by: str
    seen_at: datetime
    decided_at: datetime | None


class PinStore:
    """Raises ``StoreUnavailable`` from every method."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def all(self, servers: Sequence[str]) -> Sequence[Pin]:
        """Of these servers, the newest of a tool first."""
        rows = await self._db.fetch(
            "SELECT server, tool, digest, definition, status, approved_by, seen_at, decided_at FROM mcp_tool "
            "WHERE server = ANY(%s) ORDER BY server, tool, seen_at DESC",
            (list(servers),),
        )
        return [Pin(**row) for row in rows]

    async def approved(self, servers: Sequence[str]) -> Sequence[Definition]:
        rows = await self._db.fetch(
            "SELECT server, tool, definition, digest FROM mcp_tool WHERE server = ANY(%s) AND status = 'approved' "
            "ORDER BY server, tool",
            (list(servers),),
        )
        return [Definition(row["server"], row["tool"], row["definition"], row["digest"]) for row in rows]

    async def see(self, server: str, definitions: Sequence[Definition], *, trust_first_use: bool) -> None:
        """Keep those that were never seen as pending; with ``trust_first_use`` the first one of a tool as approved."""
        async with self._db.transaction() as conn:
            # Two workers see the same server's tools at once: one of them is first.
            await conn.execute("SELECT pg_advisory_xact_lock(hashtext('mcp'), hashtext(%s))", (server,))
            rows = await conn.fetch("SELECT tool, digest, status FROM mcp_tool WHERE server = %s", (server,))
            known = {(row["tool"], row["digest"]): row["status"] for row in rows}
            tools = {row["tool"] for row in rows}
            for definition in definitions:
                status = known.get((definition.tool, definition.digest))
                if status in {"approved", "denied", "pending"}:
                    continue
                first = trust_first_use and definition.tool not in tools
                await self._keep(conn, definition, "approved" if first else "pending")

    async def _keep(self, conn: Connection, definition: Definition, status: Status) -> None:
        # One waits at most: a server that defines a tool anew each time fills no table.
        await conn.execute(
            "DELETE FROM mcp_tool WHERE server = %s AND tool = %s AND (status = 'pending' OR digest = %s)",
            (definition.server, definition.tool, definition.digest),
        )
        await conn.execute(
            "INSERT INTO mcp_tool (server, tool, digest, definition, status, approved_by, decided_at) "
            "VALUES (%s, %s, %s, %s, %s, %s, CASE WHEN %s = 'approved' THEN now() END)",
            (
                definition.server,
                definition.tool,
                definition.digest,
                Jsonb(clean_json(definition.raw, longest=WHOLE, most=WHOLE)),
                status,
                FIRST_USE if status == "approved" else "",
                status,
            ),
        )

    async def decide(self, server: str, tool: str, digest: str, *, approve: bool, by: str) -> None:
        """An approval takes the place of the one before, which would have to be approved anew. Raises ``NotFound``."""
        async with self._db.transaction() as conn:
            await conn.execute("SELECT pg_advisory_xact_lock(hashtext('mcp'), hashtext(%s))", (server,))
            if approve:
                await conn.execute(
                    "UPDATE mcp_tool SET status = 'superseded', decided_at = now() "
                    "WHERE server = %s AND tool = %s AND status = 'approved' AND digest <> %s",
                    (server, tool, digest),
                )
            done = await conn.execute(
                "UPDATE mcp_tool SET status = %s, approved_by = %s, decided_at = now() "
                "WHERE server = %s AND tool = %s AND digest = %s",
                ("approved" if approve else "denied", by, server, tool, digest),
            )
            if not done.rowcount:
                raise NotFound(f"The server '{server}' has no tool '{tool}' with that definition.")
