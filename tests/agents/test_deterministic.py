"""A run that is taken over is performed again: all an agent does must follow from its turn and what it looked up."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import recital

from signalbox.agents.finding import find_agents

TESTS = Path(__file__).parents[1]
# Look-ups that go on side by side are shown as they end, so what is shown of them has no order of its own.
LOOK_UPS = {"tool_call", "tool_result"}


async def recited(hash_seed: str, *how: str) -> bytes:
    """The turns as another process performs them; nothing if it fails."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        recital.__file__,
        *how,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(TESTS)},
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    return out if process.returncode == 0 else b""


@pytest.fixture(scope="module")
async def performances() -> list[list[dict[str, Any]]]:
    told = await asyncio.gather(recited("1"), recited("2", "again"))
    assert all(told), "a process failed; it has said why"
    return [[json.loads(line) for line in lines.splitlines()] for lines in told]


def _look_ups(turn: Mapping[str, Any]) -> list[str]:
    return sorted(json.dumps(event) for event in turn["events"] if event["type"] in LOOK_UPS)


async def test_every_agent_performs_the_same_again_in_another_process(performances):
    first, second = performances
    assert {turn["agent"] for turn in first} == set(find_agents())
    for one, other in zip(first, second, strict=True):
        assert (one["agent"], one["message"]) == (other["agent"], other["message"])
        shown = [[event for event in turn["events"] if event["type"] not in LOOK_UPS] for turn in (one, other)]
        assert shown[0] == shown[1], one["message"]
        assert json.dumps(shown[0]) == json.dumps(shown[1]), one["message"]
        assert _look_ups(one) == _look_ups(other), one["message"]


async def test_a_model_is_told_the_same_again(performances):
    first, second = performances
    assert sum(len(turn["told"]) for turn in first) > len(first)
    for one, other in zip(first, second, strict=True):
        assert one["told"] == other["told"], one["message"]


async def test_the_recital_is_a_varied_one(performances):
    """Else nothing would be proven: most tools are used, look-ups succeed and fail, and blocks of many types show."""
    events = [event for turn in performances[0] for event in turn["events"]]
    used = {event["tool"] for event in events if event["type"] == "tool_call"}
    assert len(used) >= 18, sorted(used)
    assert {event["status"] for event in events if event["type"] == "tool_result"} == {"ok", "empty", "error"}
    assert len({event["type"] for event in events}) >= 16


async def test_no_agent_reads_a_clock_or_throws_dice():
    """What day it is a turn says; an agent that asks a clock says something else when its run is taken over."""
    folder = Path(find_agents.__code__.co_filename).parent
    forbidden = ("datetime.now(", "date.today(", "time.time(", "import random", "import secrets", "import uuid")
    found = [
        f"{path.relative_to(folder)}: {word}"
        for path in sorted(folder.rglob("*.py"))
        for word in forbidden
        if word in path.read_text(encoding="utf-8") and path.name not in {"base.py", "turn.py"}
    ]
    assert not found
