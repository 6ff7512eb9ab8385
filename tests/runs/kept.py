"""Runs as the store keeps them, written straight into it."""

import secrets
from datetime import UTC, datetime

from psycopg.types.json import Json, Jsonb

ERA = datetime(2001, 1, 1, tzinfo=UTC)
ROUTED = {
    "result": {
        "plan": [{"intent": "cold_email", "message": "write to jane"}],
        "route": {"intent": "cold_email", "confidence": 0.98, "source": "model"},
        "usage": None,
    }
}
LOOKED_UP = {
    "tool": "find_company",
    "arguments": {"name": "Northwind", "country": None},
    "result": {"status": "empty", "note": "no company of that name is on record"},
}
WRITTEN = {
    "model": "llama",
    "task": "answer",
    "request_sha256": "0" * 64,
    "result": {
        "text": "Here is a mail.\n\nDear \x1b[31mJane", "finish": "stop",
        "usage": {"model": "llama", "input_tokens": 120, "output_tokens": 30, "cached_tokens": 0, "estimated": False},
    },
}  # fmt: skip
MAIL = {"to": ["jane@example.com"], "subject": "Hello"}
ASKED = {"approval_id": "ap", "tool": "send_email", "arguments": MAIL, "digest": "", "risk": "It is sent."}
DECIDED = {"approval_id": "ap", "decision": "edited", "edited": {"subject": "Hi"}, "note": "shorter"}
SENT = {"tool": "send_email", "arguments": MAIL, "result": {"status": "ok", "value": {"to": 1}, "total": None}}
STEPS = [
    ("decision", "route/intent/1", ROUTED),
    ("tool_result", "1/find_company:1/1", LOOKED_UP),
    ("model_turn", "model/answer/1", WRITTEN),
    ("approval", "1/send_email/1/approval/1", ASKED),
    ("decision", "1/send_email/1/decision/1", DECIDED),
    ("tool_result", "1/send_email/1", SENT),
]


async def keep_run(
    database, *, status="succeeded", finished=ERA, user="someone", conversation=None, pins=None, temporary=False,
    message="write to jane", error=None,
) -> str:  # fmt: skip
    """A run with six steps, an effect and an approval; returns its id."""
    run = f"r_{secrets.token_hex(6)}"
    conversation = conversation or f"c_{run}"
    await database.execute(
        "INSERT INTO conversation (conversation_id, tenant, user_id, temporary) VALUES (%s, 't', %s, %s) "
        "ON CONFLICT DO NOTHING",
        (conversation, user, temporary),
    )
    await database.execute(
        "INSERT INTO run (run_id, conversation_id, tenant, user_id, user_message_id, status, request_digest, "
        "started_at, created_at, finished_at, pins, profile, model, lease_owner, error_code, error_text) "
        "VALUES (%s, %s, 't', %s, %s, %s, '', %s, %s, %s, %s, '[]', 'llama', 'host-1', %s, %s)",
        (
            run, conversation, user, f"m_{run}", status, ERA, ERA, finished, pins or f"pins-{run}", error,
            error and "It stopped.",
        ),
    )  # fmt: skip
    await database.execute(
        "INSERT INTO message (message_id, conversation_id, run_id, tenant, user_id, role, content) "
        "VALUES (%s, %s, %s, 't', %s, 'user', %s)",
        (f"m_{run}", conversation, run, user, message),
    )
    for number, (kind, position, payload) in enumerate(STEPS, start=1):
        await database.execute(
            "INSERT INTO run_step (run_id, seq, kind, position, payload, request_id, attempt, began_at, log_offset) "
            "VALUES (%s, %s, %s, %s, %s, %s, 1, now(), %s)",
            (run, number, kind, position, Json(payload), "req-7" if kind == "model_turn" else None, number * 3),
        )
    await database.execute(
        "INSERT INTO effect (effect_key, run_id, position, tool, class, arguments, status) "
        "VALUES (%s, %s, '1/send_email/1', 'send_email', 'irreversible', %s, 'intended')",
        (f"key-{run}", run, Jsonb(MAIL)),
    )
    await database.execute(
        "INSERT INTO approval (approval_id, run_id, tenant, user_id, position, tool, arguments, digest, risk, "
        "expires_at, decision, edited, note) VALUES (%s, %s, 't', %s, 'p', 'send_email', %s, '', 'It is sent.', "
        "now(), 'edited', %s, 'shorter')",
        (f"ap_{run}", run, user, Jsonb(MAIL), Jsonb({"subject": "Hi"})),
    )
    return run


async def left_of(database, run: str) -> dict[str, int]:
    """How many rows of each kind the store still has of the run."""
    row = await database.fetch_one(
        "SELECT (SELECT count(*) FROM run WHERE run_id = %(run)s) AS runs, "
        "(SELECT count(*) FROM message WHERE run_id = %(run)s) AS messages, "
        "(SELECT count(*) FROM run_step WHERE run_id = %(run)s) AS steps, "
        "(SELECT count(*) FROM effect WHERE run_id = %(run)s) AS effects, "
        "(SELECT count(*) FROM approval WHERE run_id = %(run)s) AS approvals",
        {"run": run},
    )
    return dict(row)
