"""Which definitions of MCP tools an operator has approved. A definition is known by the digest of all that its server
says of it, and of where that server is.
"""

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
    """One definition of a tool that was seen. Only an approved one may be called. ``whose``: the user whose connection
    showed it, or whom alone it was approved for; "" for everybody. For each of these a tool has one approved at most.
    """

    server: str
    tool: str
    digest: str
    whose: str
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
            "SELECT server, tool, digest, whose, definition, status, approved_by, seen_at, decided_at FROM mcp_tool "
            "WHERE server = ANY(%s) ORDER BY server, tool, seen_at DESC",
            (list(servers),),
        )
        return [Pin(**row) for row in rows]

    async def approved(self, servers: Sequence[str]) -> Sequence[Definition]:
        rows = await self._db.fetch(
            "SELECT server, tool, definition, digest, whose FROM mcp_tool "
            "WHERE server = ANY(%s) AND status = 'approved' ORDER BY server, tool, whose",
            (list(servers),),
        )
        names = ("server", "tool", "definition", "digest", "whose")
        return [Definition(*(row[name] for name in names)) for row in rows]

    async def see(
        self, server: str, definitions: Sequence[Definition], *, trust_first_use: bool, whose: str = ""
    ) -> None:
        """Keep those that were never seen as pending; with ``trust_first_use`` the first one of a tool as approved, for
        everybody. ``whose`` connection shows them: a server may show a user something else.
        """
        async with self._db.transaction() as conn:
            # Two workers see the same server's tools at once: one of them is first.
            await conn.execute("SELECT pg_advisory_xact_lock(hashtext('mcp'), hashtext(%s))", (server,))
            rows = await conn.fetch("SELECT tool, digest, whose, status FROM mcp_tool WHERE server = %s", (server,))
            known = {
                (row["tool"], row["digest"])
                for row in rows
                if row["status"] == "pending" or (row["status"] != "superseded" and row["whose"] in {"", whose})
            }
            tools = {row["tool"] for row in rows}
            for definition in definitions:
                if (definition.tool, definition.digest) in known:
                    continue
                if trust_first_use and definition.tool not in tools:
                    await self._keep(conn, definition, "approved", "")
                else:
                    await self._keep(conn, definition, "pending", whose)

    async def _keep(self, conn: Connection, definition: Definition, status: Status, whose: str) -> None:
        # One waits at most: a server that defines a tool anew each time fills no table.
        await conn.execute(
            "DELETE FROM mcp_tool WHERE server = %s AND tool = %s AND whose = %s "
            "AND (status = 'pending' OR digest = %s)",
            (definition.server, definition.tool, whose, definition.digest),
        )
        await conn.execute(
            "INSERT INTO mcp_tool (server, tool, digest, whose, definition, status, approved_by, decided_at) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s, CASE WHEN %s = 'approved' THEN now() END)",
            (
                definition.server,
                definition.tool,
                definition.digest,
                whose,
                Jsonb(clean_json(definition.raw, longest=WHOLE, most=WHOLE)),
                status,
                FIRST_USE if status == "approved" else "",
                status,
            ),
        )

    async def decide(self, server: str, tool: str, digest: str, *, approve: bool, by: str, whose: str = "") -> None:
        """For everybody, or for one user alone. An approval takes the place of the one before, which would have to be
        approved anew; what is refused to everybody is refused to each. Raises ``NotFound``.
        """
        one = (server, tool, digest)
        async with self._db.transaction() as conn:
            await conn.execute("SELECT pg_advisory_xact_lock(hashtext('mcp'), hashtext(%s))", (server,))
            if approve:
                await conn.execute(
                    "UPDATE mcp_tool SET status = 'superseded', decided_at = now() "
                    "WHERE server = %s AND tool = %s AND status = 'approved' AND digest <> %s AND whose = %s",
                    (*one, whose),
                )
            done = await conn.execute(
                "INSERT INTO mcp_tool (server, tool, digest, whose, definition, status, approved_by, decided_at) "
                "SELECT server, tool, digest, %s, definition, %s, %s, now() FROM mcp_tool "
                "WHERE server = %s AND tool = %s AND digest = %s LIMIT 1 ON CONFLICT (server, tool, digest, whose) "
                "DO UPDATE SET status = EXCLUDED.status, approved_by = EXCLUDED.approved_by, decided_at = now()",
                (whose, "approved" if approve else "denied", by, *one),
            )
            if not done.rowcount:
                raise NotFound(f"The server '{server}' has no tool '{tool}' with that definition.")
            if not whose:
                await conn.execute(
                    "DELETE FROM mcp_tool WHERE server = %s AND tool = %s AND digest = %s AND whose <> ''", one
                )
