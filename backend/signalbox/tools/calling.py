"""Runs a tool within its time limit; what goes wrong outside becomes an ``Err``."""

import asyncio
import hashlib
import inspect
import json
from collections.abc import Awaitable
from typing import Any, TypeVar, cast

from signalbox.errors import Fenced, SignalboxError, StoreUnavailable
from signalbox.tools.base import Arguments, Tool
from signalbox.tools.result import Err, Result

A = TypeVar("A", bound=Arguments)
T = TypeVar("T")


def canonical(value: Any) -> str:
    """JSON with one spelling: the same value gives the same text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest_of(value: Any) -> str:
    """SHA-256 (hex) of the value's canonical JSON."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


async def bounded(tool: Tool[A, T], arguments: A, key: str = "") -> Result[T]:
    """The tool's result within its ``timeout_s``. Raises only for bugs, and ``Fenced``."""
    try:
        async with asyncio.timeout(tool.timeout_s):
            return await _run(tool, arguments, key)
    except TimeoutError:
        note = f"no answer within {tool.timeout_s:g} seconds"
        if tool.effect in {"non_idempotent", "irreversible"}:
            note += "; it may have happened all the same"
        return Err("timeout", note, retryable=tool.effect in {"read", "idempotent"})
    except StoreUnavailable:
        return Err("unavailable", "the database cannot be reached")
    except Fenced:
        raise
    except SignalboxError as exc:
        return Err("unavailable", exc.public, retryable=exc.retry)


async def _run(tool: Tool[A, T], arguments: A, key: str) -> Result[T]:
    run: Any = tool.run
    more = {"key": key} if key and "key" in inspect.signature(run).parameters else {}
    if inspect.iscoroutinefunction(run):
        return await cast("Awaitable[Result[T]]", run(arguments, **more))
    return cast("Result[T]", await asyncio.to_thread(run, arguments, **more))
