"""What the log holds: no contact data, also where a library's error quotes what it was given."""

import asyncio
import json
import subprocess
import sys
from types import SimpleNamespace

import psycopg
import pytest
import structlog
from pydantic import BaseModel, ValidationError
from structlog.testing import capture_logs

from signalbox.errors import StoreUnavailable
from signalbox.runs import afterwards as afterwards_module
from signalbox.runs.afterwards import Afterwards
from signalbox.runs.records import StartedRun
from signalbox.telemetry import told_of, traced

PROGRAM = """
import structlog
from signalbox.memory.contact_data import without_contact_data
from signalbox.telemetry import configure_logging
configure_logging("info", as_json=True, scrub=without_contact_data)
logger = structlog.get_logger("x")
logger.warning("it failed", error="could not send to jane@example.org", run_id="r_0207946095800000", n=3)
try:
    raise ValueError("Key (phone)=(+44 20 7946 0958) exists")
except ValueError:
    logger.exception("run failed")
"""


def test_contact_data_in_errors_is_taken_out_and_ids_stay():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    first, second = (json.loads(line) for line in done.stderr.splitlines())
    assert (first["error"], first["run_id"]) == ("could not send to [e-mail address]", "r_0207946095800000")
    assert second["exception"].endswith("ValueError")
    assert 'File "<string>", line 9' in second["exception"]
    assert "7946" not in second["exception"]


def test_a_traceback_says_where_and_of_what_kind_but_quotes_no_values():
    class Pair(BaseModel):
        number: int

    secret = f"said-{hash('a text of a user')}"

    def broken():
        try:
            Pair.model_validate({"number": secret})
        except ValidationError as exc:
            raise KeyError(secret) from exc

    with pytest.raises(KeyError) as met:
        broken()
    told = traced((met.type, met.value, met.tb))
    assert secret not in told
    assert told.index("ValidationError\n") < told.index("led to") < told.rindex("in broken") < told.rindex("KeyError")


async def test_what_the_database_says_of_a_row_is_told_by_its_code(database):
    with pytest.raises(psycopg.Error) as met:
        await database.execute("SELECT %s::int", ("a SECRET",))
    assert told_of(met.value) == "InvalidTextRepresentation (22P02)"
    assert "refused" in told_of(ConnectionRefusedError("refused"))
    assert "database" in told_of(StoreUnavailable())


async def test_work_after_a_run_that_fails_logs_no_values(database, monkeypatch):
    monkeypatch.setattr(afterwards_module, "logger", structlog.get_logger())  # one that no other test has used

    async def work(_: StartedRun) -> None:
        await database.execute("SELECT %s::int", ("a SECRET",))

    afterwards = Afterwards(work)
    serving = asyncio.create_task(afterwards.serve())
    with capture_logs() as logs:
        afterwards.add(SimpleNamespace(run_id="r_1"))
        await afterwards.drain(10)
    serving.cancel()
    await asyncio.wait({serving})
    (line,) = logs
    assert (line["event"], line["error"]) == (
        "work after a run was not done; the next run makes it good", "InvalidTextRepresentation (22P02)",
    )  # fmt: skip
