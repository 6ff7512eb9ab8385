"""Takes a run and all later ones of its conversation back, so that another message can stand in their place.

What they said and answered is gone from the store with the transaction; what they did outside stays done.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, LiteralString

from signalbox.db import Connection
from signalbox.errors import NotFound, TakenBack
from signalbox.runs.records import NewRun, Orphan, title_of

# The conversation before its runs, as everybody does who locks both; the endings of runs lock it weakly enough to pass.
_LOCK: Final = """
    SELECT conversation_id FROM conversation
    WHERE conversation_id = (SELECT conversation_id FROM run WHERE run_id = %(replaces)s AND tenant = %(tenant)s
                             AND user_id = %(user_id)s)
      AND tenant = %(tenant)s AND user_id = %(user_id)s
      AND (%(conversation_id)s::text IS NULL OR conversation_id = %(conversation_id)s)
    FOR NO KEY UPDATE"""

_PRIOR: Final = """
    SELECT run_id FROM run WHERE idempotency_key = %(key)s AND tenant = %(tenant)s AND user_id = %(user_id)s"""

# A statement of its own: what an ending that held one of them has stored is seen by the next ones.
_RUNS: Final = """
    SELECT run_id, rolled_back FROM run
    WHERE conversation_id = %(conversation_id)s
      AND position >= (SELECT position FROM run WHERE run_id = %(replaces)s)
    ORDER BY position FOR UPDATE"""

_ASKED: Final = """
    SELECT m.content AS message, s.suggestion_id FROM message m LEFT JOIN suggestion s ON s.chosen_by_run = m.run_id
    WHERE m.run_id = %(replaces)s AND m.role = 'user'"""

# Ended at once is what no worker has; the new token refuses what the last worker of the others may still say of them.
_TAKE_BACK: Final = """
    WITH mine AS (
        SELECT run_id, finished_at IS NOT NULL AS over,
               status = 'waiting' OR (status = 'pending' AND started_at IS NULL) AS idle
        FROM run WHERE run_id = ANY(%(runs)s)
    )
    UPDATE run SET rolled_back = true, cancel_requested = cancel_requested OR NOT mine.over,
        status = CASE WHEN mine.idle THEN 'cancelled' ELSE status END,
        finished_at = CASE WHEN mine.idle THEN now() ELSE finished_at END,
        lease_token = lease_token + CASE WHEN mine.over OR mine.idle THEN 1 ELSE 0 END,
        told = told AND NOT (mine.over OR mine.idle)
    FROM mine WHERE run.run_id = mine.run_id
    RETURNING run.run_id, run.conversation_id, run.lease_token, run.status, run.position,
              run.user_message_id AS retracted, mine.over OR mine.idle AS ended"""

_REJECT: Final = """
    UPDATE approval SET decision = 'rejected', note = 'the run was taken back', decided_at = now()
    WHERE run_id = ANY(%(runs)s) AND decision IS NULL RETURNING run_id, approval_id"""

# A run that goes on keeps its messages until its worker ends it: whoever takes it over must find what it is about.
_FORGET: Final[tuple[LiteralString, ...]] = (
    "DELETE FROM message WHERE run_id = ANY(%(ended)s)",
    "DELETE FROM suggestion WHERE run_id = ANY(%(runs)s)",
    "DELETE FROM classification WHERE run_id = ANY(%(runs)s)",
    # Where the first message is replaced, the title that was made of it is, too.
    """
    UPDATE conversation c SET title = %(title)s WHERE conversation_id = %(conversation_id)s AND title = %(old_title)s
        AND NOT EXISTS (SELECT FROM run r WHERE r.conversation_id = c.conversation_id AND NOT r.rolled_back)""",
)

# A quick reply that started a run which is taken back can be chosen again.
REOPEN: Final = """
    WITH reopened AS (
        UPDATE suggestion SET chosen_by_run = NULL WHERE chosen_by_run = ANY(%(runs)s) RETURNING run_id
    )
    UPDATE classification c SET outcome = 'clarified', chosen_intent = NULL
    FROM reopened WHERE c.run_id = reopened.run_id AND c.outcome IN ('chosen', 'chose_other')"""


@dataclass(frozen=True, slots=True)
class Replaced:
    """What was taken back: runs that are over, whose readers are to be told, and those whose worker is to stop."""

    ended: tuple[Orphan, ...] = ()
    going: tuple[str, ...] = ()


async def take_back(conn: Connection, new: NewRun) -> tuple[NewRun, Replaced]:
    """Take back what ``new`` replaces, and say what it asks in its place: without a text of its own the same again,
    by the same quick reply if it was one.

    Does nothing if the idempotency key was used before. Raises ``NotFound`` and ``TakenBack``.
    """
    assert new.replaces is not None
    parameters: dict[str, Any] = {
        "tenant": new.owner.tenant,
        "user_id": new.owner.user_id,
        "replaces": new.replaces,
        "conversation_id": new.conversation_id,
        "key": new.idempotency_key,
    }
    found = await conn.fetch_one(_LOCK, parameters)
    if found is None:
        raise NotFound("There is no run to replace under that id in this conversation.")
    parameters |= found
    new = replace(new, conversation_id=found["conversation_id"])
    if new.idempotency_key is not None and await conn.fetch_one(_PRIOR, parameters) is not None:
        return new, Replaced()
    runs = await conn.fetch(_RUNS, parameters)
    if runs[0]["rolled_back"]:
        raise TakenBack
    asked = await conn.fetch_one(_ASKED, parameters)
    assert asked is not None  # only taking a run back removes what it was asked
    parameters["runs"] = [run["run_id"] for run in runs if not run["rolled_back"]]
    new = _asked_again(new, asked)
    return new, await _forget(conn, new, asked["message"], parameters)


def _asked_again(new: NewRun, asked: Mapping[str, Any]) -> NewRun:
    if new.suggestion_id is not None or new.message not in {None, asked["message"]}:
        return new
    if asked["suggestion_id"] is not None:
        return replace(new, message=asked["message"], suggestion_id=asked["suggestion_id"])
    return replace(new, message=asked["message"])


async def _forget(conn: Connection, new: NewRun, old_message: str, parameters: dict[str, Any]) -> Replaced:
    rows = sorted(await conn.fetch(_TAKE_BACK, parameters), key=lambda row: row["position"])
    ended = [row for row in rows if row["ended"]]
    unanswered = await conn.fetch(_REJECT, {"runs": [row["run_id"] for row in ended]})
    await conn.execute(REOPEN, parameters)
    parameters |= {
        "ended": [row["run_id"] for row in ended],
        "title": title_of(old_message if new.message is None else new.message),
        "old_title": title_of(old_message),
    }
    for statement in _FORGET:
        await conn.execute(statement, parameters)
    return Replaced(
        ended=tuple(_orphan(row, unanswered) for row in ended),
        going=tuple(row["run_id"] for row in rows if not row["ended"]),
    )


def _orphan(row: Mapping[str, Any], unanswered: Sequence[Mapping[str, Any]]) -> Orphan:
    return Orphan(
        run_id=row["run_id"],
        conversation_id=row["conversation_id"],
        lease_token=row["lease_token"],
        status=row["status"],
        retracted=row["retracted"],
        unanswered=tuple(a["approval_id"] for a in unanswered if a["run_id"] == row["run_id"]),
    )
