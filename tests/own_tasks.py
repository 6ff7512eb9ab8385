"""The tasks that a test began, and those that they began: whatever else is on the session's loop begins some, too."""

import asyncio
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

Tasks: TypeAlias = weakref.WeakSet[asyncio.Task[Any]]
_whose: ContextVar[object] = ContextVar("_whose", default=None)


@contextmanager
def own_tasks() -> Iterator[Tasks]:
    """Filled for as long as the block."""
    loop = asyncio.get_running_loop()
    before, found, me = loop.get_task_factory(), Tasks(), object()

    def made(loop: asyncio.AbstractEventLoop, coro: Any, **more: Any) -> "asyncio.Task[Any]":
        task = before(loop, coro, **more) if before is not None else asyncio.Task(coro, loop=loop, **more)
        if _whose.get() is me:
            found.add(task)
        return task

    _whose.set(me)
    loop.set_task_factory(made)
    try:
        yield found
    finally:
        loop.set_task_factory(before)
        _whose.set(None)


def undone(tasks: Tasks) -> "set[asyncio.Task[Any]]":
    return {task for task in tasks if not task.done()}
