"""How long a model may go on calling tools: bounds on turns, time and tokens, judged once and then kept for the run."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from signalbox.tools.journal import AsIs, Journal

Stop = Literal["", "turns", "time", "tokens", "stuck", "broken", "silent"]

# Turns in a row in which nothing that was asked for could be carried out.
MOST_FRUITLESS: Final = 3

WHY: Final[dict[Stop, str]] = {
    "turns": "the number of turns with tools is used up",
    "time": "the time for looking things up is over",
    "tokens": "what may be read and written for one answer is used up",
    "stuck": "nothing of what was asked for lately could be carried out",
    "broken": "the last attempt broke off",
    "silent": "none was called, and nothing was said",
}


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """Of one answer. ``turns`` of the model in which it may call tools; ``seconds`` that they may take, waiting for
    approvals not counted; ``step_s`` for one look-up; ``tokens`` read and written. After each of them comes one last
    turn without tools. ``calls``: most that are carried out of one turn, ``together``: reads side by side.
    """

    turns: int = 10
    seconds: float = 180.0
    step_s: float = 30.0
    tokens: int = 80_000
    calls: int = 16
    together: int = 8


@dataclass(slots=True)
class LoopClock:
    """What was used so far. The time that earlier attempts of a run took counts; that between them does not."""

    limits: LoopLimits
    journal: Journal
    turn: int
    now: Callable[[], float] = time.monotonic
    turns: int = 0
    tokens: int = 0
    fruitless: int = 0
    _before: float = 0.0
    _since: float = field(default=-1.0)

    @property
    def left(self) -> float:
        """Seconds, never less than one: what is begun gets a chance."""
        return max(1.0, self.limits.seconds - self._elapsed())

    async def stop(self, *, time_only: bool = False) -> Stop:
        """Why it must not go on, "" if it may. The same for every worker that goes on with the run. ``time_only``: in
        the middle of a turn, whose calls are within all other bounds.
        """
        position = self.journal.position(str(self.turn), "tools.clock")

        async def judged() -> Any:
            return {"stop": self._judged(time_only=time_only), "elapsed": round(self._elapsed(), 3)}

        told = await self.journal.step(position, "decision", judged, AsIs(), lazily=True)
        self._before, self._since = told["elapsed"], self.now()
        stop: Stop = told["stop"]
        return stop

    def _elapsed(self) -> float:
        if self._since < 0:
            self._since = self.now()
        return self._before + self.now() - self._since

    def _judged(self, *, time_only: bool) -> Stop:
        if self._elapsed() >= self.limits.seconds:
            return "time"
        if time_only:
            return ""
        if self.turns >= self.limits.turns:
            return "turns"
        if self.tokens >= self.limits.tokens:
            return "tokens"
        return "stuck" if self.fruitless >= MOST_FRUITLESS else ""
