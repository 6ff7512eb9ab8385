"""Tools of the chaos tests, one a class: each effect writes what it did, and under which key, into the diary."""

import asyncio
import os
import signal
from typing import Any, ClassVar, Final, Self

from chaos_points import points

from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.result import Ok, Result

EFFECT_S: Final = 0.03


class Number(Arguments):
    n: int


class _Counting:
    name: ClassVar[str]
    timeout_s: ClassVar[float] = 10

    def __init__(self, message_id: str) -> None:
        self._message_id = message_id

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(kit.message_id)

    async def _count(self, n: int, key: str) -> Result[dict[str, Any]]:
        points.reached(f"{self.name}.before")
        points.diary.write("effect", message_id=self._message_id, tool=self.name, n=n, key=key)
        points.reached(f"{self.name}.inside")
        await asyncio.sleep(EFFECT_S)
        points.reached(f"{self.name}.after")
        return Ok({"counted": n})


class Look(_Counting):
    name = "chaos_look"
    effect: ClassVar[Effect] = "read"

    async def run(self, arguments: Number) -> Result[dict[str, Any]]:
        points.reached(f"{self.name}.before")
        await asyncio.sleep(EFFECT_S)
        points.reached(f"{self.name}.inside")
        await asyncio.sleep(0)
        points.reached(f"{self.name}.after")
        return Ok({"seen": arguments.n * 10, "words": ["one", "two"]})


class CountAgain(_Counting):
    name = "chaos_count_again"
    effect: ClassVar[Effect] = "idempotent"

    async def run(self, arguments: Number, key: str) -> Result[dict[str, Any]]:
        return await self._count(arguments.n, key)


class CountOnce(_Counting):
    name = "chaos_count_once"
    effect: ClassVar[Effect] = "non_idempotent"

    async def run(self, arguments: Number, key: str) -> Result[dict[str, Any]]:
        return await self._count(arguments.n, key)


class CountForGood(_Counting):
    name = "chaos_count_for_good"
    effect: ClassVar[Effect] = "irreversible"
    risk: ClassVar[str] = "Counting cannot be undone."

    async def run(self, arguments: Number, key: str) -> Result[dict[str, Any]]:
        return await self._count(arguments.n, key)


class Poison(_Counting):
    """Kills its process, as an out-of-memory kill would, until an antidote lies beside the diary."""

    name = "chaos_poison"
    effect: ClassVar[Effect] = "read"

    async def run(self, arguments: Number) -> Result[dict[str, Any]]:
        if not points.diary.path.with_name("antidote").exists():
            points.diary.write("poison", message_id=self._message_id)
            os.kill(os.getpid(), signal.SIGKILL)
        return Ok({"survived": arguments.n})
