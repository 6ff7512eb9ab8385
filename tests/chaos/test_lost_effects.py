"""A worker dies after an effect and before its commit: what can be repeated is, about the rest a human is asked."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from chaos_crew import Crew
from chaos_human import decide_once
from chaos_points import Plan
from chaos_readers import Reader, ended
from redis.asyncio import Redis

from live import Event
from signalbox.db import Database
from signalbox.runs.approvals import ApprovalRow, Decision
from signalbox.runs.journal import MAYBE_DONE

# On a busy machine a worker may lose its lease without dying.
ATTEMPTS = 100


@dataclass
class Lost:
    """One run whose worker died right after ``tool`` had done its work; another worker has it."""

    crew: Crew
    http: httpx.AsyncClient
    database: Database
    redis: Redis
    port: int

    async def begin(self, message: str, tool: str, *, decisions: int = 0) -> "Running":
        api = await self.crew.api(self.port)
        worker = await self.crew.worker(Plan({f"{tool}.inside": 1}), max_attempts=ATTEMPTS)
        response = await self.http.post(f"{api.url}/v1/chat", json={"message": message})
        reader = Reader(self.http, lambda: api.url, response.json()["run_id"], hangs_up=False)
        running = Running(self, reader, asyncio.create_task(reader.read()))
        for _ in range(decisions):
            await running.decide("approve")
        assert await worker.gone(120)
        await self.crew.worker(lease_s=30, max_attempts=ATTEMPTS)  # it lives, so nothing of its own is to be repeated
        return running


@dataclass
class Running:
    lost: Lost
    reader: Reader
    reading: asyncio.Task[list[Event]]

    async def decide(self, decision: Decision) -> ApprovalRow:
        """Wait for a question, and answer it."""
        asked: list[ApprovalRow] = []

        def judge(question: ApprovalRow, _: str) -> Decision:
            asked.append(question)
            return decision

        async with asyncio.timeout(120):
            while not await decide_once(self.lost.database, self.lost.redis, judge):  # noqa: ASYNC110 - as a human looks
                await asyncio.sleep(0.05)
        return asked[0]

    async def end(self) -> list[Event]:
        async with asyncio.timeout(120):
            events = await self.reading
        assert sum(ended(event) for event in events) == 1
        return events

    def done(self, tool: str, n: int) -> list[str]:
        """The keys under which the effect was done, in order."""
        return [e["key"] for e in self.lost.crew.diary.read("effect") if (e["tool"], e["n"]) == (tool, n)]


@pytest.fixture
def lost(crew: Crew, http: httpx.AsyncClient, database: Database, redis: Redis, free_port) -> Lost:
    return Lost(crew, http, database, redis, free_port())


def results(events: list[Event], tool: str) -> list[Any]:
    return [(e.data["status"], e.data["kind"]) for e in events if e.type == "tool_result" and e.data["tool"] == tool]


async def test_an_idempotent_effect_is_repeated_under_the_same_key(lost: Lost):
    run = await lost.begin("/chaos", "chaos_count_again")
    events = await run.end()
    assert events[-1].data["status"] == "succeeded"
    keys = run.done("chaos_count_again", 1)
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert Counter(run.done("chaos_count_again", 4)).most_common(1)[0][1] == 1
    assert results(events, "chaos_count_again") == [("ok", None)] * 2


@pytest.mark.parametrize(
    ("message", "tool", "n", "decisions"),
    [("/chaos once", "chaos_count_once", 2, 0), ("/chaos ask", "chaos_count_for_good", 3, 1)],
)
async def test_an_effect_that_must_not_be_repeated_is_asked_about_and_a_no_leaves_it_at_once(
    lost: Lost, message: str, tool: str, n: int, decisions: int
):
    run = await lost.begin(message, tool, decisions=decisions)
    question = await run.decide("reject")
    assert question.tool == tool
    assert question.risk.startswith(MAYBE_DONE)
    events = await run.end()
    assert len(run.done(tool, n)) == 1
    assert results(events, tool) == [("error", "rejected")]
    shown = [e.data["risk"] for e in events if e.type == "approval_required"]
    assert shown[-1] == question.risk
    assert [e.data["decision"] for e in events if e.type == "approval_resolved"][-1] == "rejected"
    *waits, end = [e.data["status"] for e in events if e.type == "complete"]
    assert end == "succeeded"
    # A decision that comes while the run is being parked is not waited for.
    assert waits == ["waiting"] * len(waits)
    assert len(waits) <= len(shown)


@pytest.mark.parametrize(
    ("message", "tool", "n", "decisions"),
    [("/chaos once", "chaos_count_once", 2, 0), ("/chaos ask", "chaos_count_for_good", 3, 1)],
)
async def test_an_effect_that_a_human_wants_again_is_done_once_more_under_its_key(
    lost: Lost, message: str, tool: str, n: int, decisions: int
):
    run = await lost.begin(message, tool, decisions=decisions)
    assert (await run.decide("approve")).risk.startswith(MAYBE_DONE)
    events = await run.end()
    keys = run.done(tool, n)
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert results(events, tool) == [("ok", None)]
    effects = await lost.database.fetch(
        "SELECT effect_key, status, tries FROM effect WHERE run_id = %s AND tool = %s", (run.reader.run_id, tool)
    )
    assert effects == [{"effect_key": keys[0], "status": "done", "tries": 2}]
