"""Runs a tool within its time limit and settles what it says: whatever goes wrong becomes an ``Err`` of its kind, and
what is empty is so because the tool declares it, never because a value looks like nothing.
"""

import asyncio
import hashlib
import inspect
import json
import typing
from collections.abc import Awaitable, Collection, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

import structlog
from pydantic import ValidationError

from signalbox.errors import Fenced, said_by_check
from signalbox.tools.base import Arguments, Effect, PlainTool, Tool
from signalbox.tools.failures import classified
from signalbox.tools.fault_points import InjectedBug
from signalbox.tools.result import Empty, Err, Ok, Result, conclusive, done_of

logger = structlog.get_logger(__name__)

A = TypeVar("A", bound=Arguments)
T = TypeVar("T")

NOTHING_FITS = "nothing fits what was looked for"
_MOST_TOLD = 5


class UndeclaredEmpty(TypeError):
    """A tool answered with ``None`` or an empty collection and does not say what that means. A bug of the tool."""

    def __init__(self, tool: str, value: object) -> None:
        super().__init__(
            f"the tool '{tool}' answered {value!r}, which may mean that there is nothing or that it could not look: "
            "declare 'empty_when', or return Empty or Err"
        )


def canonical(value: Any) -> str:
    """JSON with one spelling: the same value gives the same text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest_of(value: Any) -> str:
    """SHA-256 (hex) of the value's canonical JSON."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


async def bounded(
    tool: Tool[A, T] | PlainTool[A, T], arguments: A, key: str = "", *, strict: bool = False
) -> Result[T]:
    """The tool's result within its ``timeout_s``. Raises only ``Fenced``; with ``strict`` a bug too, of whatever kind.

    An ``Empty`` from here always means that everything was asked and there is nothing; an ``Err`` of an effect says
    whether it was certainly not done (``done``).
    """
    result = await _answer(tool, arguments, key, strict=strict)
    return of_effect(result, tool.effect) if isinstance(result, Err) else result


def of_effect(err: Err, effect: Effect) -> Err:
    """``err`` of a tool with that effect. What may have been done is not tried again, unless a repetition is told by
    its key.
    """
    if effect == "read":
        return err
    done = done_of(err)
    return replace(err, done=done, retryable=err.retryable and (done == "no" or effect == "idempotent"))


async def _answer(tool: Tool[A, T] | PlainTool[A, T], arguments: A, key: str, *, strict: bool) -> Result[T]:
    try:
        async with asyncio.timeout(tool.timeout_s):
            returned = await run_tool(tool, arguments, key)
        return settled(tool, returned)
    except TimeoutError:
        note = f"no answer within {tool.timeout_s:g} seconds"
        if tool.effect in {"non_idempotent", "irreversible"}:
            note += "; it may have happened all the same"
        return Err("timeout", note)
    except Fenced:
        raise
    except Exception as exc:  # the boundary of tools: a faulty one must not cost the whole answer
        err = classified(exc)
        if err.kind == "bug":
            if isinstance(exc, InjectedBug):
                return err
            if strict:
                raise
            logger.exception("a tool is faulty", tool=tool.name, error=type(exc).__name__)
        return err


def settled(tool: Tool[A, T] | PlainTool[A, T], returned: Result[T] | T) -> Result[T]:
    """What ``returned`` means by the tool's own declaration. ``0``, ``False`` and ``""`` are values like others.

    Raises ``UndeclaredEmpty``.
    """
    if isinstance(returned, Empty | Err):
        return conclusive(returned)
    found = cast("Ok[T]", returned if isinstance(returned, Ok) else Ok(returned))
    empty_when = getattr(tool, "empty_when", None)
    if empty_when is None:
        if _is_bare(found.value):
            raise UndeclaredEmpty(tool.name, found.value)
        return found
    if empty_when(found.value):
        return conclusive(Empty(empty_note(tool), found.missed))
    return found


def empty_note(tool: Tool[Any, Any] | PlainTool[Any, Any]) -> str:
    """What the tool says when there is nothing."""
    return str(getattr(tool, "empty_note", NOTHING_FITS))


def arguments_kind(tool: Any) -> type[Arguments]:
    """The class of what ``run`` of a tool, or of a class of tools, takes: the annotation of its first argument. Raises
    ``TypeError``.
    """
    name = next((name for name in inspect.signature(tool.run).parameters if name != "self"), "")
    kind = typing.get_type_hints(tool.run).get(name)
    if not (isinstance(kind, type) and issubclass(kind, Arguments)):
        raise TypeError(f"the tool '{tool.name}' must annotate what its 'run' takes with a class of Arguments")
    return kind


def arguments_of(kind: type[A], given: Mapping[str, Any]) -> A | Err:
    """``given``, as a model wrote them, as a tool's arguments; or what is wrong with them, in words it can act on."""
    try:
        # From JSON text, so that strictness takes a list for a tuple and a text for a day, but never "5" for 5.
        return kind.model_validate_json(json.dumps(given), strict=True)
    except ValidationError as exc:
        problems = [_problem(detail) for detail in exc.errors(include_url=False, include_input=False)]
        more = [f"and {len(problems) - _MOST_TOLD} more"] if len(problems) > _MOST_TOLD else []
        names = ", ".join(kind.model_fields) or "none"
        told = "; ".join(problems[:_MOST_TOLD] + more)
        return Err("invalid_arguments", f"{told}. It takes these arguments: {names}", retryable=False)


def _problem(detail: Any) -> str:
    place = ".".join(str(step) for step in detail["loc"]) or "the arguments"
    message = said_by_check(detail["msg"])
    return f"{place}: {message[:1].lower()}{message[1:]}"


async def run_tool(tool: Tool[A, T] | PlainTool[A, T], arguments: A, key: str) -> Result[T] | T:
    """What the tool returns, unbounded and as it is: in a thread if it blocks, with the key if it takes one."""
    run: Any = tool.run
    more = {"key": key} if key and "key" in inspect.signature(run).parameters else {}
    if inspect.iscoroutinefunction(run):
        return await cast("Awaitable[Result[T] | T]", run(arguments, **more))
    return cast("Result[T] | T", await asyncio.to_thread(run, arguments, **more))


def _is_bare(value: object) -> bool:
    """Whether it may mean "nothing" as well as "could not look"."""
    if value is None:
        return True
    return isinstance(value, Collection) and not isinstance(value, str | bytes) and not value
