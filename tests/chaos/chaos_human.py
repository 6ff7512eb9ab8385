"""The human of the chaos tests: looks what was done and approves only what was not."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from chaos_points import Diary
from redis.asyncio import Redis

from signalbox.db import Database
from signalbox.memory.profile import Owner
from signalbox.runs.approvals import ApprovalRow, ApprovalStore, Decision
from signalbox.stream.hub import CONTROL

LOOKS_EVERY_S: Final = 0.1

Judge = Callable[[ApprovalRow, str], Decision]


@asynccontextmanager
async def deciding(database: Database, redis: Redis, judge: Judge) -> AsyncIterator[None]:
    """Every question is answered soon."""

    async def decide_all() -> None:
        while True:
            await asyncio.sleep(LOOKS_EVERY_S)
            await decide_once(database, redis, judge)

    async with meanwhile(decide_all()):
        yield


@asynccontextmanager
async def meanwhile(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """``work`` goes on for as long as the block; its failure is the block's."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)
        try:
            yield
        finally:
            task.cancel()


async def decide_once(database: Database, redis: Redis, judge: Judge) -> int:
    """Answer the questions that are open now; how many there were. ``judge`` gets the question and the message's id."""
    open_ones = await database.fetch(
        "SELECT a.run_id, a.approval_id, r.tenant, r.user_id, r.user_message_id "
        "FROM approval a JOIN run r USING (run_id) WHERE a.decision IS NULL AND r.status IN ('running', 'waiting')"
    )
    store = ApprovalStore(database)
    for row in open_ones:
        owner = Owner(row["tenant"], row["user_id"])
        question = next(q for q in await store.of_run(owner, row["run_id"]) if q.approval_id == row["approval_id"])
        await store.decide(owner, row["run_id"], row["approval_id"], judge(question, row["user_message_id"]))
        await redis.publish(CONTROL, "work:")
    return len(open_ones)


def if_not_done(diary: Diary) -> Judge:
    """Approve what the diary does not have yet."""

    def judge(question: ApprovalRow, message_id: str) -> Decision:
        done = any(_is(entry, question.tool, question.arguments, message_id) for entry in diary.read("effect"))
        return "reject" if done else "approve"

    return judge


def _is(entry: Mapping[str, Any], tool: str, arguments: Mapping[str, Any], message_id: str) -> bool:
    return (entry["tool"], entry["n"], entry["message_id"]) == (tool, arguments["n"], message_id)
