"""Kills by point, and the other figures of a chaos test, as one table."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Figures:
    kills: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    takeovers: int = 0
    rewinds: int = 0
    doubts: int = 0
    repeats: int = 0
    connections: int = 0
    longest_s: float = 0.0
    seconds: float = 0.0

    @property
    def killed(self) -> int:
        return sum(self.kills.values())

    def __str__(self) -> str:
        head = (
            f"{self.killed} kills in {self.seconds:.0f} s at {len(self.kills)} points: {self.runs} runs, "
            f"{self.takeovers} takeovers, {self.rewinds} rewinds, {self.doubts} questions whether an effect had "
            "happened, "
            f"{self.repeats} idempotent effects repeated under their key, {self.connections} connections of readers; "
            f"the slowest run took {self.longest_s:.1f} s"
        )
        return "\n".join([head, *(f"  {count:4d}  {point}" for point, count in sorted(self.kills.items()))])
