"""A run that kills every process it meets is given up after so many of them, and hinders nobody else."""

import asyncio

import httpx
from chaos_crew import Crew
from chaos_human import meanwhile
from chaos_readers import Reader, check_whole

from signalbox.db import Database
from signalbox.runs.claims import ClaimStore

ATTEMPTS = 3
# Long enough that a worker loses its runs by dying only.
LEASE_S = 5


async def test_a_poisonous_run_is_dead_after_its_attempts_while_others_succeed_and_can_be_given_back(
    crew: Crew, http: httpx.AsyncClient, database: Database, free_port
):
    api = await crew.api(free_port())

    async def ask(message: str) -> Reader:
        response = await http.post(f"{api.url}/v1/chat", json={"message": message})
        return Reader(http, lambda: api.url, response.json()["run_id"], hangs_up=False)

    async def replace_the_dead() -> None:
        """What an orchestrator of containers does."""
        while True:
            worker = await crew.worker(max_attempts=ATTEMPTS, lease_s=LEASE_S)
            while not await worker.gone(0.1):
                pass

    async with meanwhile(replace_the_dead()), meanwhile(replace_the_dead()):
        poison = await ask("/chaos_poison")
        others = [await ask("/chaos") for _ in range(4)]
        async with asyncio.timeout(180):
            events = await poison.read()
            for other in others:
                check_whole(await other.read())
                assert other.events[-1].data["status"] == "succeeded"
        check_whole(events)
        assert [event.type for event in events[-2:]] == ["error", "complete"]
        assert events[-2].data["code"] == "run_dead"
        assert events[-1].data["status"] == "failed"
        assert len(crew.diary.read("poison")) == ATTEMPTS
        row = await database.fetch_one(
            "SELECT status, attempt, error_code FROM run WHERE run_id = %s", (poison.run_id,)
        )
        assert row == {"status": "dead", "attempt": ATTEMPTS, "error_code": "run_dead"}

        (crew.folder / "antidote").touch()
        claims = ClaimStore(database, lease_owner="an operator", lease_s=1)
        assert await claims.requeue(poison.run_id)
        assert not await claims.requeue(poison.run_id)
        again = Reader(http, lambda: api.url, poison.run_id, cursor=events[-1].id, hangs_up=False)
        async with asyncio.timeout(120):
            more = await again.read()
        assert more[-1].data["status"] == "succeeded"
        assert "Alive: True." in next(event.data["content"] for event in more if event.type == "message")
        assert len(crew.diary.read("poison")) == ATTEMPTS
