"""Faults on purpose: tools that time out, fail, answer in part or claim that there is nothing, by name and rate.

Never active without being asked for (``SIGNALBOX_FAULTS``, or ``Faults`` handed over by a test). A fault is raised
inside the tool's call as the exception it would be, so that it meets the same limits and the same classification.
"""

import asyncio
import hashlib
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, Literal, cast, get_args

import httpx

from signalbox.errors import ConfigurationError
from signalbox.tools.base import Tool
from signalbox.tools.calling import digest_of, empty_note, run_tool, settled
from signalbox.tools.fault_points import INSIDE, InjectedBug
from signalbox.tools.result import Empty, Err, Missed, Ok, Result

FaultKind = Literal[
    "timeout",
    "connection",
    "server_error",
    "rate_limit",
    "auth",
    "not_found",
    "bug",
    "partial",
    "truncated",
    "empty",
    "latency",
]
Where = Literal["call", "inside"]

KINDS: Final[dict[FaultKind, str]] = {
    "timeout": "no answer within the tool's time",
    "connection": "the connection is refused",
    "server_error": "the other side answers with status 500",
    "rate_limit": "the other side answers with status 429",
    "auth": "the other side answers with status 401",
    "not_found": "the other side answers with status 404",
    "bug": "the tool stops with an error of its own",
    "partial": "one of the sources cannot be asked, and half of what was found is lost",
    "truncated": "the answer is cut short, with more behind it",
    "empty": "the tool says that there is nothing, though it never looked",
    "latency": "the answer comes later, after so many ms",
}
ALIASES: Final[dict[str, FaultKind]] = {"500": "server_error", "429": "rate_limit", "401": "auth", "404": "not_found"}
# What can be injected below the tool: into the HTTP client of job boards, and into the embedder of searches.
INSIDE_KINDS: Final[tuple[FaultKind, ...]] = (
    "timeout", "connection", "server_error", "rate_limit", "auth", "not_found", "partial", "truncated",
)  # fmt: skip
# A cut list claims that there is this much more behind it.
BEHIND: Final = 2_260
LOST: Final = "a part of the sources"
_STATUS: Final[dict[FaultKind, int]] = {"server_error": 500, "rate_limit": 429, "auth": 401, "not_found": 404}
_LISTS: Final = ("hits", "passages", "companies", "rows", "counts", "kinds")
_ENTRY = re.compile(
    r"(?P<tool>\*|[A-Za-z][\w.-]{0,99})\s*=\s*(?P<kind>[a-z_0-9]+)(?P<inside>@inside)?(?::(?P<much>.+))?"
)
_LATENCY = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,3})?)\s*(?P<unit>ms|s)")
_LONGEST_S: Final = 600.0
_EXAMPLE: Final = "search_jobs=timeout:0.5,*=latency:200ms"


@dataclass(frozen=True, slots=True)
class Fault:
    """``tool``: a name, or ``*`` for all. ``rate``: the share of calls it meets. ``where``: in place of the tool's
    call, or below the tool, in what it asks.
    """

    tool: str
    kind: FaultKind
    rate: float = 1.0
    latency_s: float = 0.0
    where: Where = "call"

    def __str__(self) -> str:
        much = f":{self.latency_s * 1000:g}ms" if self.kind == "latency" else f":{self.rate:g}" if self.rate < 1 else ""
        return f"{self.tool}={self.kind}{'@inside' if self.where == 'inside' else ''}{much}"


@dataclass(frozen=True, slots=True)
class Faults:
    """A set of faults and the chance they are drawn with: the same calls with the same arguments under the same
    ``seed`` meet the same faults, whatever runs beside them. ``met`` counts what was injected, by tool and kind.
    """

    faults: tuple[Fault, ...] = ()
    seed: int = 0
    met: Counter[tuple[str, FaultKind]] = field(default_factory=Counter, compare=False)
    _calls: Counter[tuple[str, str]] = field(default_factory=Counter, compare=False, repr=False)

    @classmethod
    def parse(cls, spec: str | Iterable[str], *, seed: int = 0, tools: Iterable[str] = ()) -> "Faults":
        """``tool=kind[@inside][:rate or latency]``, separated by commas. With ``tools`` every name has to be one of
        them, or of the form ``server__tool``.

        Raises ``ConfigurationError`` naming each entry that is wrong and what it may be.
        """
        entries = spec.split(",") if isinstance(spec, str) else list(spec)
        known = frozenset(tools)
        read = [_read(entry.strip(), known) for entry in entries if entry.strip()]
        if problems := [each for each in read if isinstance(each, str)]:
            lines = "\n".join(f"  {problem}" for problem in problems)
            raise ConfigurationError(f"SIGNALBOX_FAULTS is not valid:\n{lines}\nWrite it like {_EXAMPLE}.")
        return cls(tuple(each for each in read if isinstance(each, Fault)), seed)

    @property
    def active(self) -> bool:
        return bool(self.faults)

    @property
    def told(self) -> tuple[str, ...]:
        """Each fault as it is written in a specification."""
        return tuple(map(str, self.faults))

    def of(self, tool: str) -> tuple[Fault, ...]:
        """Those that a call of ``tool`` may meet."""
        return tuple(fault for fault in self.faults if fault.tool in {"*", tool})

    def wrap(self, tools: Mapping[str, Tool[Any, Any]]) -> dict[str, Tool[Any, Any]]:
        """The same tools, each behind the faults that name it; others are left as they are."""
        return {
            name: cast("Tool[Any, Any]", Faulty(tool, self)) if self.of(name) else tool for name, tool in tools.items()
        }

    def draw(self, tool: str, arguments: Any) -> list[Fault]:
        """The faults that this call meets: all latencies drawn, and the first other one."""
        digest = digest_of(arguments)
        self._calls[tool, digest] += 1
        number = self._calls[tool, digest]
        drawn = [
            fault for place, fault in enumerate(self.faults)
            if fault.tool in {"*", tool} and self._chance(tool, digest, number, place) < fault.rate
        ]  # fmt: skip
        others = [fault for fault in drawn if fault.kind != "latency"][:1]
        found = [*(fault for fault in drawn if fault.kind == "latency"), *others]
        self.met.update((tool, fault.kind) for fault in found)
        return found

    def _chance(self, *parts: Any) -> float:
        text = "/".join(map(str, (self.seed, *parts)))
        return random.Random(hashlib.sha256(text.encode()).digest()).random()  # noqa: S311 - chance, not a secret


class Faulty:
    """A tool behind faults. It is the tool in all else: whatever else is asked of it, the tool answers."""

    def __init__(self, tool: Tool[Any, Any], faults: Faults) -> None:
        self.wrapped = tool
        self._faults = faults

    def __getattr__(self, name: str) -> Any:
        return getattr(self.wrapped, name)

    async def run(self, arguments: Any, key: str = "") -> Result[Any]:
        drawn = self._faults.draw(self.wrapped.name, arguments.model_dump(mode="json"))
        late = sum(fault.latency_s for fault in drawn)
        if late:
            await asyncio.sleep(late)
        fault = next((fault for fault in drawn if fault.kind != "latency"), None)
        if fault is None:
            return await self._ask(arguments, key)
        if fault.where == "inside":
            # Whoever is asked below reads it in this task and in those begun by it.
            token = INSIDE.set(fault.kind)
            try:
                return await self._ask(arguments, key)
            finally:
                INSIDE.reset(token)
        if fault.kind == "empty":
            return Empty(empty_note(self.wrapped))
        if fault.kind not in {"partial", "truncated"}:
            raise exception_of(fault.kind)
        result = await self._ask(arguments, key)
        return in_part(result) if fault.kind == "partial" else cut_short(result)

    async def _ask(self, arguments: Any, key: str) -> Result[Any]:
        return settled(self.wrapped, await run_tool(self.wrapped, arguments, key))


def exception_of(kind: FaultKind) -> Exception:
    """What a real failure of that kind raises."""
    request = httpx.Request("GET", "http://fault.invalid/")
    match kind:
        case "timeout":
            return TimeoutError("a fault on purpose")
        case "connection":
            return httpx.ConnectError("a fault on purpose", request=request)
        case "server_error" | "rate_limit" | "auth" | "not_found":
            response = httpx.Response(_STATUS[kind], request=request)
            return httpx.HTTPStatusError("a fault on purpose", request=request, response=response)
        case _:
            return InjectedBug("a fault on purpose")


def in_part(result: Result[Any]) -> Result[Any]:
    """``result`` as it would be had one of the sources not been asked."""
    missed = (Missed(LOST, "timeout", "it did not answer in time"),)
    match result:
        case Ok(value):
            fewer = _halved(value)
            if _has_total(fewer) and not result.truncated:
                fewer = replace(cast("Any", fewer), total=_length(fewer))
            total = result.total if result.truncated else _length(fewer)
            return replace(result, value=fewer, total=total, missed=(*result.missed, *missed))
        case Empty(note):
            return Empty(note, missed)
        case Err():
            return result


def cut_short(result: Result[Any], behind: int = BEHIND) -> Result[Any]:
    """``result`` as it would be had there been many more. What is no list stays as it is."""
    if not isinstance(result, Ok):
        return result
    fewer = _halved(result.value)
    if _length(fewer) is None:
        return result
    total = max(behind, result.total or 0)
    value = replace(cast("Any", fewer), total=total) if _has_total(fewer) else fewer
    return replace(result, value=value, truncated=True, total=total)


def _halved(value: Any) -> Any:
    """The first half of what is listed in it, but at least one."""
    if isinstance(value, tuple | list):
        return value[: max(1, len(value) // 2)]
    if isinstance(value, Mapping):
        return dict(list(value.items())[: max(1, len(value) // 2)])
    name = _list_in(value)
    return replace(cast("Any", value), **{name: _halved(getattr(value, name))}) if name else value


def _length(value: Any) -> int | None:
    if isinstance(value, tuple | list | Mapping):
        return len(value)
    name = _list_in(value)
    return len(getattr(value, name)) if name else None


def _list_in(value: Any) -> str | None:
    if not is_dataclass(value):
        return None
    return next((each for each in _LISTS if isinstance(getattr(value, each, None), tuple)), None)


def _has_total(value: Any) -> bool:
    return is_dataclass(value) and any(each.name == "total" for each in fields(value))


def _read(entry: str, tools: frozenset[str]) -> Fault | str:  # noqa: PLR0911 - one return a mistake
    """One entry, or what is wrong with it."""
    parts = _ENTRY.fullmatch(entry)
    if parts is None:
        return f"'{entry}' is not of the form tool=kind or tool=kind:rate"
    name = ALIASES.get(parts["kind"], parts["kind"])
    if name not in get_args(FaultKind):
        return f"'{entry}': there is no fault '{parts['kind']}'; use one of {', '.join((*KINDS, *ALIASES))}"
    kind = cast("FaultKind", name)
    if tools and parts["tool"] != "*" and parts["tool"] not in tools and "__" not in parts["tool"]:
        return f"'{entry}': there is no tool '{parts['tool']}'; the tools are {', '.join(sorted(tools))}"
    if parts["inside"] and kind not in INSIDE_KINDS:
        return f"'{entry}': only {', '.join(INSIDE_KINDS)} can be injected inside"
    where: Where = "inside" if parts["inside"] else "call"
    if kind == "latency":
        seconds = _seconds(parts["much"] or "")
        if seconds is None:
            return f"'{entry}': a latency is written like latency:200ms or latency:1.5s, up to {_LONGEST_S:g}s"
        return Fault(parts["tool"], kind, latency_s=seconds)
    rate = _rate(parts["much"])
    if rate is None:
        return f"'{entry}': a rate is a number above 0 and up to 1, such as {parts['tool']}={parts['kind']}:0.5"
    return Fault(parts["tool"], kind, rate, where=where)


def _rate(text: str | None) -> float | None:
    if text is None:
        return 1.0
    found = re.fullmatch(r"(?:0?\.\d{1,6}|1(?:\.0+)?)", text.strip())
    return float(found[0]) or None if found else None


def _seconds(text: str) -> float | None:
    found = _LATENCY.fullmatch(text.strip())
    if found is None:
        return None
    seconds = float(found["number"]) / (1000 if found["unit"] == "ms" else 1)
    return seconds if 0 < seconds <= _LONGEST_S else None


def all_of(kinds: Sequence[FaultKind], tool: str = "*") -> dict[FaultKind, Faults]:
    """For evaluations: one set of faults for each kind, each meeting every call of ``tool``."""
    return {kind: Faults((Fault(tool, kind),)) for kind in kinds}
