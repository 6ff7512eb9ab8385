"""Many runs over several processes: none is worked on twice, and nobody waits for another's backlog."""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, Final

import httpx
from chaos_crew import Crew
from chaos_readers import Reader, check_whole

from signalbox.db import Database

OF_ALICE: Final = 200
OF_BOB: Final = 100
WORKERS: Final = 3
ROOM: Final = 4
PER_USER: Final = 8
AT_ONCE: Final = 8
# Nobody dies here: a machine that is busy elsewhere must not cost a run its worker.
LEASE_S: Final = 30
# Every so many runs have a reader that is connected throughout.
READ_EVERY: Final = 10


async def test_300_runs_of_two_users_over_five_processes_run_once_each_and_in_fair_turns(
    crew: Crew, http: httpx.AsyncClient, database: Database, free_port
):
    apis = await asyncio.gather(*(crew.api(free_port()) for _ in range(2)))
    url = cycle([api.url for api in apis])
    readers: list[asyncio.Task[None]] = []

    async def read(api: str, run_id: str, headers: Mapping[str, str]) -> None:
        async with httpx.AsyncClient(headers=headers, timeout=60) as mine:
            check_whole(await Reader(mine, lambda: api, run_id).read())

    async def post(user: str, number: int) -> list[str]:
        headers = {"Authorization": f"Bearer key-of-{user}"}
        turns = asyncio.Semaphore(AT_ONCE)

        async def one(nth: int) -> str:
            async with turns:
                api = next(url)
                response = await http.post(f"{api}/v1/chat", json={"message": "/chaos_short"}, headers=headers)
            assert response.status_code == 202, response.text
            run_id: str = response.json()["run_id"]
            if nth % READ_EVERY == 0:  # by the other process than the one that took the message
                readers.append(asyncio.create_task(read(next(url), run_id, headers)))
            return run_id

        return await asyncio.gather(*(one(nth) for nth in range(number)))

    of_alice = await post("alice", OF_ALICE)
    of_bob = await post("bob", OF_BOB)
    # Only now does anybody work: the whole of her backlog is older than the first of his messages.
    opened = time.time()
    await asyncio.gather(
        *(crew.worker(max_runs=ROOM, max_runs_per_user=PER_USER, lease_s=LEASE_S) for _ in range(WORKERS))
    )
    async with asyncio.timeout(60):
        while len({entry["pid"] for entry in crew.diary.read("begin")}) < WORKERS:  # noqa: ASYNC110 - they write it
            await asyncio.sleep(0.05)
    (crew.folder / "open").touch()  # each has its first runs, however late it came
    async with asyncio.timeout(240):
        await asyncio.gather(*readers)
        rows = await _over(database, [*of_alice, *of_bob])
    assert {(row["status"], row["attempt"]) for row in rows} == {("succeeded", 1)}

    begun, ended = crew.diary.read("begin"), crew.diary.read("end")
    assert Counter(entry["message_id"] for entry in begun) == dict.fromkeys((r["user_message_id"] for r in rows), 1)
    assert Counter(entry["message_id"] for entry in ended) == dict.fromkeys((r["user_message_id"] for r in rows), 1)
    assert len({entry["pid"] for entry in begun}) == WORKERS
    for user in ("alice", "bob"):
        assert _most_at_once(begun, ended, user) <= PER_USER
    _check_fair(begun, ended, opened)


async def _over(database: Database, run_ids: Sequence[str]) -> list[Any]:
    while True:
        rows = await database.fetch(
            "SELECT status, attempt, user_message_id FROM run WHERE run_id = ANY(%s)", (list(run_ids),)
        )
        if all(row["status"] not in {"pending", "running"} for row in rows):
            return rows
        await asyncio.sleep(0.2)


def _most_at_once(begun: Sequence[Mapping[str, Any]], ended: Sequence[Mapping[str, Any]], user: str) -> int:
    moments = [(entry["at"], 1) for entry in begun if entry["user"] == user]
    moments += [(entry["at"], -1) for entry in ended if entry["user"] == user]
    most = now = 0
    for _, change in sorted(moments):
        now += change
        most = max(most, now)
    return most


def _check_fair(begun: Sequence[Mapping[str, Any]], ended: Sequence[Mapping[str, Any]], opened: float) -> None:
    """Bob came after all of Alice's messages: he is served at once, and as often as she is."""
    ends = {user: sorted(entry["at"] for entry in ended if entry["user"] == user) for user in ("alice", "bob")}
    first = {user: min(entry["at"] for entry in begun if entry["user"] == user) for user in ends}
    meanwhile = sum(at <= ends["bob"][-1] for at in ends["alice"])
    print(  # noqa: T201 - figures
        f"\n{OF_ALICE} messages of Alice, then {OF_BOB} of Bob: his first answer begins "
        f"{first['bob'] - first['alice']:.2f} s after her first; all of his are done after "
        f"{ends['bob'][-1] - opened:.1f} s, when {meanwhile} of hers are; hers are after "
        f"{ends['alice'][-1] - opened:.1f} s"
    )
    before = sum(entry["at"] < first["bob"] for entry in begun if entry["user"] == "alice")
    assert before <= WORKERS * ROOM, "he waits for no more than were begun when the workers came"
    assert meanwhile < 1.5 * OF_BOB
