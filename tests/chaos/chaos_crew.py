"""The processes of a chaos test: forked within milliseconds from a server that has imported everything, and struck."""

import asyncio
import multiprocessing
import os
import pkgutil
import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

from chaos_child import Job, run
from chaos_points import Diary, Plan

import signalbox.agents
import signalbox.tools

READY_S: Final = 60

# Processes are made from one that has imported everything, and holds no threads, no loop and no connection yet.
FORKS: Final = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "signalbox.serving",
        "signalbox.llm.scripted",
        "uvloop",
        *(f"signalbox.agents.{found.name}" for found in pkgutil.iter_modules(signalbox.agents.__path__)),
        *(f"signalbox.tools.{found.name}" for found in pkgutil.iter_modules(signalbox.tools.__path__)),
    ]
)


@dataclass(frozen=True, slots=True)
class Member:
    """One process. ``url`` is an API's."""

    process: BaseProcess
    wire: Connection
    log: Path
    url: str = ""

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    @property
    def alive(self) -> bool:
        return self.process.is_alive()

    def strike(self, how: int = signal.SIGKILL) -> None:
        os.kill(self.pid, how)

    async def gone(self, within: float) -> bool:
        """Whether it has ended within that time."""
        await asyncio.to_thread(self.process.join, within)
        return not self.alive


class Crew:
    """Starts processes on the same stores; ``close`` ends all that are left."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self.folder = folder
        self.diary = Diary(folder / "diary")
        self._settings = settings
        self._members: list[Member] = []

    async def worker(self, plan: Plan | None = None, **settings: Any) -> Member:
        return await self._start(plan, None, settings)

    async def api(self, port: int) -> Member:
        return await self._start(None, port, {"max_runs": 0})

    async def _start(self, plan: Plan | None, port: int | None, settings: dict[str, Any]) -> Member:
        mine, theirs = FORKS.Pipe()
        log = self.folder / f"log-{len(self._members)}"
        job = Job({**self._settings, **settings}, self.diary.path, log, plan, port)
        process = FORKS.Process(target=run, args=(job, theirs), daemon=True)
        await asyncio.to_thread(process.start)
        theirs.close()
        member = Member(process, mine, log, f"http://127.0.0.1:{port}" if port else "")
        self._members.append(member)
        ready = await asyncio.to_thread(mine.poll, READY_S)
        # A process may be struck before it is ready: then it says nothing, and its end is what its plan was.
        assert ready, log.read_text()
        return member

    async def close(self) -> None:
        for member in self._members:
            if member.alive:
                member.strike()
        for member in self._members:
            await member.gone(10)
            member.wire.close()
            member.process.close()
