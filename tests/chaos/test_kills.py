"""Workers are killed at every point of a run, over and over: each run still ends once, and as if nothing had been.

``CHAOS_KILLS`` says how many (``make chaos N=500``).
"""

import asyncio
import math
import os
import random
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
from typing import Any, Final

import httpx
from chaos_crew import Crew, Member
from chaos_figures import Figures
from chaos_human import deciding, if_not_done, meanwhile
from chaos_points import Plan
from chaos_readers import Reader, check_whole, differences, folded, normal
from redis.asyncio import Redis

from live import Event
from signalbox.db import Database
from signalbox.runs.journal import MAYBE_DONE

KILLS: Final = int(os.environ.get("CHAOS_KILLS", "60"))
WORKERS: Final = 4
ROOM: Final = 4  # so one death does not set all runs back
IN_FLIGHT: Final = 12
# A run may be unlucky for long, and is to be given up by nobody here.
ATTEMPTS: Final = 100
MESSAGES: Final = ("/chaos once ask", "/chaos", "/chaos once ask", "/chaos once", "/chaos ask")
SIDES: Final = ("before", "inside", "after")
CALLS: Final = (
    "chaos_look", "chaos_count_again", "chaos_count_once", "chaos_count_for_good", "model",
    "commit_tool_result", "commit_effect", "commit_model_turn", "commit_decision", "intend", "ask", "park",
    "append", "append_complete", "finish", "claim", "take_over", "history", "renew",
)  # fmt: skip
# What happens many times in one run is struck now early, now late.
OFTEN: Final = {"append": 60, "commit_tool_result": 4, "commit_effect": 4, "model": 4, "renew": 4, "chaos_look": 4}
POINTS: Final = {f"{call}.{side}" for call in CALLS for side in SIDES}
POINTS_AT_ONCE: Final = 3
ANY_MOMENT: Final = "any moment"
ANY_MOMENT_SHARE: Final = 0.2
PATIENCE_S: Final = 4.0
# What a run gets to end in once nobody is killed any more; and all kills together, on whatever machine.
END_S: Final = 240.0
REAPING_S: Final = 600.0 + 5 * KILLS
TEST_LIMIT_S: Final = REAPING_S + 2 * END_S  # instead of that of all tests
LEASE_S: Final = 1.0
LONG_LEASE_S: Final = 30.0  # of those whom nobody kills: none of their runs is taken over
MOMENT_S: Final = (0.3, 1.5)


@dataclass(frozen=True, slots=True)
class Told:
    """A run as its reader, the store and the world outside saw it."""

    run_id: str
    message_id: str
    message: str
    reader: Reader
    seconds: float

    @property
    def events(self) -> list[Event]:
        return self.reader.events

    def state(self) -> dict[str, Any]:
        return normal(folded(self.events), self.run_id, self.message_id)


class Chaos:
    """One chaos test: its processes, the runs posted to them, and what was counted."""

    def __init__(self, crew: Crew, http: httpx.AsyncClient, database: Database, port: int) -> None:
        self.crew = crew
        self.http = http
        self.database = database
        self.figures = Figures()
        self._port = port
        self.api: Member | None = None
        self.deaths: dict[int, float] = {}
        # Nobody is killed. Until then a run may be unlucky for as long as it takes.
        self.calm = asyncio.Event()
        self.calm.set()

    async def serve(self) -> None:
        self.api = await self.crew.api(self._port)

    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def ask(self, message: str) -> Told:
        """Post it and follow it to its end."""
        began = time.monotonic()
        key = {"Idempotency-Key": os.urandom(8).hex()}
        while True:
            try:
                response = await self.http.post(f"{self.url()}/v1/chat", json={"message": message}, headers=key)
                if response.status_code != 503 or not response.json()["retry"]:
                    break
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.1)
        assert response.status_code == 202, response.text
        run_id = response.json()["run_id"]
        reader = Reader(self.http, self.url, run_id)
        await self._read(reader)
        row = await self.database.fetch_one("SELECT user_message_id FROM run WHERE run_id = %s", (run_id,))
        assert row is not None
        return Told(run_id, row["user_message_id"], message, reader, time.monotonic() - began)

    async def _read(self, reader: Reader) -> None:
        """To its end."""
        reading = asyncio.create_task(reader.read())
        calm = asyncio.create_task(self.calm.wait())
        try:
            await asyncio.wait([reading, calm], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([reading], timeout=END_S)
            assert reading.done(), await self._standing(reader)
            await reading
        finally:
            calm.cancel()
            reading.cancel()

    async def _standing(self, reader: Reader) -> str:
        """Where a run stands that does not end."""
        row = await self.database.fetch_one(
            "SELECT status, attempt, lease_token, lease_until - now() AS lease, count(position) AS steps, "
            "max(committed_at) - now() AS last FROM run r LEFT JOIN run_step USING (run_id) WHERE run_id = %s "
            "GROUP BY run_id",
            (reader.run_id,),
        )
        return f"{reader.run_id} does not end: {row}, its reader has {[event.type for event in reader.events][-5:]}"

    async def reap(self) -> None:
        """One place for a worker: whoever holds it is killed, and another one comes, until there were enough kills and
        each point had one.
        """
        while self.figures.killed < KILLS or self._left():
            plan = self._plan()
            worker = await self.crew.worker(plan, max_attempts=ATTEMPTS, max_runs=ROOM)
            if await worker.gone(PATIENCE_S if plan is not None else random.uniform(*MOMENT_S)):
                struck = [entry for entry in self.crew.diary.read("kill") if entry["pid"] == worker.pid]
                assert struck, worker.log.read_text()
                self.deaths[worker.pid] = struck[0]["at"]
                self.figures.kills[struck[0]["point"]] += 1
            else:
                self.deaths[worker.pid] = time.time()
                worker.strike()
                assert await worker.gone(60)
                self.figures.kills[ANY_MOMENT] += 1

    def _left(self) -> set[str]:
        return POINTS - self.figures.kills.keys()

    def _plan(self) -> Plan | None:
        """Any moment, or some points, first those where nobody died yet."""
        if self.figures.killed < KILLS and random.random() < ANY_MOMENT_SHARE:
            return None
        points = sorted(self._left() or POINTS)
        chosen = random.sample(points, min(POINTS_AT_ONCE, len(points)))
        return Plan({point: random.randint(1, OFTEN.get(point.partition(".")[0], 1)) for point in chosen})

    async def kill_apis(self) -> None:
        """Now and then the readers' own process dies, too."""
        while True:
            await asyncio.sleep(random.uniform(8, 12))
            assert self.api is not None
            self.api.strike()
            assert await self.api.gone(60)
            await self.serve()


async def test_runs_whose_workers_are_killed_end_once_and_as_if_nothing_had_been(
    crew: Crew, http: httpx.AsyncClient, database: Database, redis: Redis, free_port
):
    chaos = Chaos(crew, http, database, free_port())
    await chaos.serve()
    async with deciding(database, redis, if_not_done(crew.diary)):
        unbroken = {told.message: told for told in await _unbroken(chaos)}
        async with meanwhile(chaos.kill_apis()):
            told = await _broken(chaos)
    print(f"\n{await _counted(chaos, told)}")  # noqa: T201 - figures
    for one in told:
        await _check_readers(chaos, one)
        assert list(differences(one.state(), unbroken[one.message].state())) == []
        await _check_steps(chaos, one, unbroken[one.message])
        await _check_effects(chaos, one)
    await _check_turns_apart(chaos, told)


async def _broken(chaos: Chaos) -> list[Told]:
    """Runs without end, and kills, until there were enough; then all that were begun are let finish."""
    began = time.monotonic()
    told: list[Told] = []
    posting = True

    async def post(number: int) -> None:
        for message in cycle([*MESSAGES[number:], *MESSAGES[:number]]):
            if not posting:
                return
            told.append(await chaos.ask(message))

    chaos.calm.clear()
    async with asyncio.TaskGroup() as posters:
        for number in range(IN_FLIGHT):
            posters.create_task(post(number % len(MESSAGES)))
        async with asyncio.timeout(REAPING_S), asyncio.TaskGroup() as reapers:
            for _ in range(WORKERS):
                reapers.create_task(chaos.reap())
        posting = False
        await chaos.crew.worker(max_attempts=ATTEMPTS, lease_s=LONG_LEASE_S)
        chaos.calm.set()
    chaos.figures.seconds = time.monotonic() - began
    return told


async def _unbroken(chaos: Chaos) -> list[Told]:
    worker = await chaos.crew.worker(lease_s=LONG_LEASE_S)
    told = await asyncio.gather(*(chaos.ask(message) for message in set(MESSAGES)))
    worker.strike()
    assert await worker.gone(60)
    assert all("rewind" not in [event.type for event in one.events] for one in told)
    return told


async def _counted(chaos: Chaos, told: Sequence[Told]) -> Figures:
    figures = chaos.figures
    rows = await chaos.database.fetch(
        "SELECT sum(attempt - 1) AS takeovers, (SELECT count(*) FROM approval a WHERE a.run_id = ANY(%s) "
        "AND a.risk LIKE %s) AS doubts FROM run WHERE run_id = ANY(%s)",
        ([one.run_id for one in told], f"{MAYBE_DONE}%", [one.run_id for one in told]),
    )
    figures.runs = len(told)
    figures.takeovers, figures.doubts = int(rows[0]["takeovers"]), rows[0]["doubts"]
    figures.rewinds = sum(event.type == "rewind" for one in told for event in one.events)
    figures.connections = sum(one.reader.connections for one in told)
    figures.longest_s = max(one.seconds for one in told)
    mine = {one.message_id for one in told}
    effects = [entry for entry in chaos.crew.diary.read("effect") if entry["message_id"] in mine]
    figures.repeats = len(effects) - len({entry["key"] for entry in effects})
    return figures


async def _check_readers(chaos: Chaos, one: Told) -> None:
    """Connected throughout, come late, resumed anywhere, reloaded: the same events, the same state."""
    check_whole(one.events)
    late = Reader(chaos.http, chaos.url, one.run_id, hangs_up=False)
    assert [event.data for event in await late.read()] == [event.data for event in one.events]
    at = random.randint(1, len(one.events) - 1)
    resumed = Reader(chaos.http, chaos.url, one.run_id, cursor=one.events[at - 1].id, hangs_up=False)
    rest = await resumed.read()
    state = folded(one.events)
    assert folded([*one.events[:at], *rest]) == state
    conversation_id = one.events[0].data["conversation_id"]
    stored = (await chaos.http.get(f"{chaos.url()}/v1/conversations/{conversation_id}/messages")).json()["messages"]
    answers = [message for message in stored if message["role"] == "assistant"]
    assert [(m["message_id"], m["content"]) for m in answers] == [
        (m["message_id"], m["text"]) for m in state["answers"]
    ]
    assert [b["type"] for m in answers for b in m["blocks"]] == [block["type"] for block in state["blocks"]]


async def _check_steps(chaos: Chaos, one: Told, unbroken: Told) -> None:
    """The story in the store: succeeded, without a hole, and the model was asked the very same."""
    row = await chaos.database.fetch_one("SELECT status FROM run WHERE run_id = %s", (one.run_id,))
    assert row == {"status": "succeeded"}
    mine, theirs = await _steps(chaos, one), await _steps(chaos, unbroken)
    assert [step["seq"] for step in mine] == list(range(1, len(mine) + 1))
    # Questions again, and their answers, are all that may have come in between.
    more = {step["position"] for step in mine} - {step["position"] for step in theirs}
    assert all("/approval/" in position or "/decision/" in position for position in more)
    assert {step["position"] for step in theirs} <= {step["position"] for step in mine}
    asked = {step["position"]: step["payload"]["request_sha256"] for step in mine if step["kind"] == "model_turn"}
    assert asked == {
        step["position"]: step["payload"]["request_sha256"] for step in theirs if step["kind"] == "model_turn"
    }


async def _steps(chaos: Chaos, one: Told) -> Sequence[Mapping[str, Any]]:
    return await chaos.database.fetch(
        "SELECT seq, kind, position, payload, committed_at FROM run_step WHERE run_id = %s ORDER BY seq", (one.run_id,)
    )


async def _check_effects(chaos: Chaos, one: Told) -> None:
    """One key an effect; only an idempotent one was ever repeated, and none after its step was committed."""
    done = [entry for entry in chaos.crew.diary.read("effect") if entry["message_id"] == one.message_id]
    by_use: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for entry in done:
        by_use[entry["tool"], entry["n"]].append(entry)
    wanted = {("chaos_count_again", 1), ("chaos_count_again", 4)}
    wanted |= {("chaos_count_once", 2)} if "once" in one.message else set()
    wanted |= {("chaos_count_for_good", 3)} if "ask" in one.message else set()
    assert set(by_use) == wanted
    for (tool, _), entries in by_use.items():
        assert len({entry["key"] for entry in entries}) == 1
        assert tool == "chaos_count_again" or len(entries) == 1, f"{tool} happened twice"
        for earlier in entries[:-1]:
            assert earlier["pid"] in chaos.deaths, "only a dead worker's effect is repeated"
    committed = {
        (step["payload"]["tool"], step["payload"]["arguments"]["n"]): step["committed_at"].timestamp()
        for step in await _steps(chaos, one)
        if step["kind"] == "tool_result"
    }
    for use, entries in by_use.items():
        late = [entry for entry in entries if entry["at"] > committed[use]]
        # Who has lost its lease and does not know it yet can be kept from all but what may be repeated.
        assert all(use[0] == "chaos_count_again" and _had_no_lease(chaos, one, entry) for entry in late), (
            "an effect after its step was committed"
        )


def _had_no_lease(chaos: Chaos, one: Told, entry: Mapping[str, Any]) -> bool:
    held = [
        each["since"]
        for each in chaos.crew.diary.read("held")
        if each["pid"] == entry["pid"] and one.run_id in each["run_ids"] and each["at"] <= entry["at"]
    ]
    return max(held) + LEASE_S <= entry["at"]


async def _check_turns_apart(chaos: Chaos, told: Sequence[Told]) -> None:
    """No run was worked on twice at once: when an attempt begins, the worker of the one before it is dead, has parked
    the run for a human, was refused, or has not come to renew its lease in time.
    """
    begun = defaultdict(list)
    for entry in chaos.crew.diary.read("begin"):
        begun[entry["message_id"]].append(entry)
    parked = defaultdict(list)
    for entry in chaos.crew.diary.read("park"):
        parked[entry["run_id"]].append(entry["at"])
    refused = defaultdict(list)
    for entry in chaos.crew.diary.read("refused"):
        refused[entry["pid"]].append(entry["at"])
    held, claimed = defaultdict(list), defaultdict(list)
    for entry in chaos.crew.diary.read("held"):
        for run_id in entry["run_ids"]:
            held[entry["pid"], run_id].append(entry["since"])
            if entry["by"] == "claim":
                claimed[entry["pid"], run_id].append(entry["since"])
    for one in told:
        for earlier, later in pairwise(begun[one.message_id]):
            dead = chaos.deaths.get(earlier["pid"], math.inf) <= later["at"]
            waited = any(earlier["at"] <= at <= later["at"] for at in parked[one.run_id])
            lost = any(at >= earlier["at"] for at in refused[earlier["pid"]])
            end = later["at"]
            if earlier["pid"] == later["pid"]:  # who claims what it has lost itself holds it anew from then on
                end = max(at for at in claimed[later["pid"], one.run_id] if at <= end)
            since = max(at for at in held[earlier["pid"], one.run_id] if at < end)
            late = since + LEASE_S <= later["at"]
            near = [each for each in chaos.crew.diary.all() if earlier["at"] - 2 <= each["at"] <= later["at"] + 1]
            assert dead or waited or lost or late, f"{one.run_id} was worked on twice at once: {earlier} {later} {near}"
