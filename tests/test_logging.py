"""What the log holds: no contact data, also where a library's error quotes what it was given."""

import json
import subprocess
import sys

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
    assert "ValueError: Key (phone)=([phone number]) exists" in second["exception"]
    assert "7946" not in second["exception"]
