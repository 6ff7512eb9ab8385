"""Where a process of the chaos tests may die or stop, and the diary it keeps of what it did and what it was refused.

Everything is written with one ``write`` each, so that a SIGKILL right after it loses nothing.
"""

import asyncio
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

SIGNALS: Final = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}
# "Inside" a call: a few moments after it began, on its way to a server or back.
SOON_S: Final = (0.0, 0.003)


@dataclass(frozen=True, slots=True)
class Plan:
    """Die (or ``stop``) at the first of these points that is reached so often."""

    at: Mapping[str, int]
    how: str = "kill"


class Diary:
    """A file of JSON lines, shared by all processes of a test."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, what: str, **more: Any) -> None:
        line = json.dumps({"what": what, "at": time.time(), "pid": os.getpid(), **more}) + "\n"
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, line.encode())
        os.close(handle)

    def read(self, what: str) -> list[dict[str, Any]]:
        return [entry for entry in self.all() if entry["what"] == what]

    def all(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []


class Points:
    """The points of one process. ``reached`` is called from everywhere that may be one."""

    def __init__(self) -> None:
        self.diary = Diary(Path(os.devnull))
        self.plan: Plan | None = None
        self._seen: Counter[str] = Counter()

    def open(self, diary: Path, plan: Plan | None) -> None:
        self.diary, self.plan = Diary(diary), plan

    def reached(self, point: str) -> None:
        if self._due(point):
            self._strike(point)

    def soon(self, point: str) -> None:
        """The same, for a point that is reached a moment from now."""
        if self._due(point):
            asyncio.get_running_loop().call_later(random.uniform(*SOON_S), self._strike, point)

    def _due(self, point: str) -> bool:
        if self.plan is None or point not in self.plan.at:
            return False
        self._seen[point] += 1
        return self._seen[point] == self.plan.at[point]

    def _strike(self, point: str) -> None:
        assert self.plan is not None
        self.diary.write(self.plan.how, point=point)
        os.kill(os.getpid(), SIGNALS[self.plan.how])


points: Final = Points()


def around(
    owner: type,
    name: str,
    label: Callable[..., str | None],
    *,
    counts: Callable[[Any], bool] = lambda _: True,
    holds: Callable[[Any], list[str]] = lambda _: [],
) -> None:
    """Make the call of ``owner.name`` a point before, inside and, if its value ``counts``, after; what it refuses, and
    the runs that it ``holds`` the lease of from now on, go into the diary.
    """
    original = getattr(owner, name)

    async def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        point = label(*args, **kwargs)
        if point is None:
            return await original(self, *args, **kwargs)
        points.reached(f"{point}.before")
        since = time.time()
        points.soon(f"{point}.inside")
        try:
            value = await original(self, *args, **kwargs)
        except BaseException as exc:  # a cancelled write is one that was not made, too
            points.diary.write("refused", by=point, error=type(exc).__name__)
            raise
        if held := holds(value):
            points.diary.write("held", by=point, since=since, run_ids=held)
        for refused in _refusals(value):
            points.diary.write("refused", by=point, error=refused)
        if counts(value):
            points.reached(f"{point}.after")
        return value

    setattr(owner, name, call)


def _refusals(value: Any) -> list[str]:
    results = value if isinstance(value, list) else [value]
    return [kind for one in results if (kind := type(one).__name__) in {"FencedOff", "AlreadyClosed"}]
