"""The tools that a model is offered: how it is told of them, and how what it asks for becomes a call of one.

What they say of themselves may be a foreign server's words, and what is asked for a model's: both are bounded data.
"""

import difflib
import inspect
import json
import typing
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeAlias

from signalbox.agents.tools_ranked import ranked
from signalbox.encoding import clean_json
from signalbox.llm.base import ToolRequest, ToolSpec
from signalbox.llm.tokens import Count
from signalbox.memory.fencing import defused
from signalbox.tools.base import Arguments, Effect, Guard, Tool
from signalbox.tools.calling import arguments_kind, arguments_of, canonical
from signalbox.tools.result import Err, Result

# The longest descriptions of a tool and of one of its arguments: where there is room, and where there is little.
_FULL: Final = (800, 300)
_SHORT: Final = (240, 80)
LONGEST_ARGUMENTS: Final = 65_536
MOST_NAMED: Final = 12
Bounds: TypeAlias = tuple[int, int]
_NAMES: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_REMARKS: Final = frozenset({"title", "$comment", "examples", "deprecated", "readOnly", "writeOnly"})
_WHOLE: Final = 100_000_000
_ON_ITS_OWN: Final = (
    "The assistant wants this done of its own accord. Look at what it is to be done with: a text that it read may have "
    "suggested it."
)


@dataclass(frozen=True, slots=True)
class Offer:
    """``changes``: it does more than look. ``guard``: when a look-up is asked about all the same."""

    spec: ToolSpec
    changes: bool
    guard: Guard = "never"


@dataclass(frozen=True, slots=True)
class Offered:
    """``left_out``: names of tools that had no room, by their rank; ``tokens``: what they would have taken."""

    offers: tuple[Offer, ...]
    left_out: tuple[str, ...] = ()
    tokens: int = 0

    def about(self) -> dict[str, Any]:
        """What was left out, as a step tells of the parts of its prompt."""
        if not self.left_out:
            return {}
        what = list(self.left_out[:MOST_NAMED])
        gone = {"part": "tools", "items": len(self.left_out), "tokens": self.tokens, "why": "room", "what": what}
        return {"dropped": [gone]}


class OfferedCodec:
    """What was offered as JSON and back."""

    def dump(self, value: Offered, /) -> Any:
        offers = [asdict(offer) for offer in value.offers]
        return {"offers": offers, "left_out": list(value.left_out), "tokens": value.tokens}

    def load(self, told: Any, /) -> Offered:
        offers = tuple(Offer(**each | {"spec": ToolSpec(**each["spec"])}) for each in told["offers"])
        return Offered(offers, tuple(told["left_out"]), told["tokens"])


def offered(tools: Sequence[Tool[Any, Any]], asked: str, room: int, count: Count) -> Offered:
    """As many of the tools as can be told in ``room`` tokens, the first of each name: chosen by their rank for what is
    ``asked``, told in their own order, so that the same choice is the same prompt. Where not all have room they are
    told in fewer words, and one that does not fit makes place for those after it.
    """
    named = {tool.name: tool for tool in reversed(tools)}
    ordered = list({tool.name: named[tool.name] for tool in tools}.values())
    specs = {tool.name: _spec_of(tool, _FULL) for tool in ordered}
    if sum(spec_tokens([spec], count) for spec in specs.values()) > room:
        specs = {tool.name: _spec_of(tool, _SHORT) for tool in ordered}
    chosen: set[str] = set()
    left_out: dict[str, int] = {}
    for tool in ranked(ordered, asked):
        tokens = spec_tokens([specs[tool.name]], count)
        if tokens > room:
            left_out[tool.name] = tokens
        else:
            chosen.add(tool.name)
            room -= tokens
    offers = [Offer(specs[each.name], *_care(each)) for each in ordered if each.name in chosen]
    return Offered(tuple(offers), tuple(left_out), sum(left_out.values()))


def _care(tool: Tool[Any, Any]) -> tuple[bool, Guard]:
    guard: Guard = getattr(tool, "guard", "never")
    return tool.effect != "read", guard


def spec_tokens(specs: Collection[ToolSpec], count: Count) -> int:
    return sum(count(spec.name + spec.description + json.dumps(spec.parameters, ensure_ascii=False)) for spec in specs)


def arguments_for(tool: Tool[Any, Any], request: ToolRequest) -> Arguments | Err:
    """What ``request`` asks ``tool`` for; or what is wrong with it, in words by which a model can mend it."""
    given = _given(request.arguments or "{}")
    if isinstance(given, Err):
        return given
    parse = getattr(tool, "parse", None)
    if parse is None:
        return arguments_of(arguments_kind(inner(tool)), given)
    try:
        return typing.cast("Arguments", parse(given))
    except ValueError as exc:
        return _wrong(str(exc))


def _given(text: str) -> dict[str, Any] | Err:
    if len(text) > LONGEST_ARGUMENTS:
        return _wrong(f"the arguments have {len(text):,} characters; at most {LONGEST_ARGUMENTS:,} fit")
    try:
        given = json.loads(text)
    except RecursionError:
        return _wrong("the arguments are nested too deeply")
    except ValueError as exc:
        return _wrong(f"the arguments are not valid JSON: {str(exc)[:120]}; write one JSON object")
    if not isinstance(given, dict):
        return _wrong(f"the arguments are {_kind_word(given)}; write one JSON object, such as {{}}")
    return typing.cast("dict[str, Any]", clean_json(given, longest=_WHOLE, most=_WHOLE))


def unknown(name: str, names: Sequence[str]) -> str:
    """What a model is told that called a tool which it was not offered."""
    near = difflib.get_close_matches(name[:64], names, 1)
    meant = f" Did you mean '{near[0]}'?" if near else ""
    listed = ", ".join(names[:MOST_NAMED]) + (" and others" if len(names) > MOST_NAMED else "")
    return f"'{defused(name[:64])}' is not one of your tools.{meant} They are: {listed}"


class Hurried:
    """A tool that gets no more than ``timeout_s``; else it is as it was."""

    def __init__(self, tool: Tool[Any, Any], timeout_s: float) -> None:
        self.timeout_s = min(tool.timeout_s, timeout_s)
        self.wrapped = inner(tool)
        self._tool = tool

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)


class Asking:
    """A tool whose every run a human approves first: here a model decides, with texts in mind that others wrote."""

    effect: Effect = "irreversible"

    def __init__(self, tool: Tool[Any, Any], why: str = _ON_ITS_OWN) -> None:
        self.wrapped = inner(tool)
        said: str = getattr(tool, "risk", "")
        self.risk = said if said and why == _ON_ITS_OWN else f"{said} {why}".strip()
        self._tool = tool

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)


class Gone:
    """In place of a tool that this worker does not have: what it did before is told again, else that it is away."""

    timeout_s = 1.0

    def __init__(self, name: str, effect: Effect) -> None:
        self.name = name
        self.effect = effect

    def parse(self, given: Mapping[str, Any]) -> Arguments:
        return _Whatever.model_validate(given)

    async def run(self, arguments: Arguments) -> Result[Any]:  # noqa: ARG002 - the port's shape
        return Err("unavailable", "this tool is not offered any more", retryable=False)


class _Whatever(Arguments):
    model_config = Arguments.model_config | {"extra": "allow"}


def inner(tool: Tool[Any, Any]) -> Any:
    """The tool behind what wraps it, whose annotations count."""
    return getattr(tool, "wrapped", tool)


def key_of(name: str, arguments: Mapping[str, Any]) -> str:
    """The same for the same call, however it was written. ``arguments`` as JSON has them."""
    return f"{name} {canonical(arguments)}"


def _spec_of(tool: Tool[Any, Any], bounds: Bounds) -> ToolSpec:
    spec: ToolSpec | None = getattr(tool, "spec", None)
    if spec is None:
        said = getattr(tool, "description", "") or inspect.getdoc(type(inner(tool))) or ""
        spec = ToolSpec(tool.name, said.partition("\n\n")[0], arguments_kind(inner(tool)).model_json_schema())
        return ToolSpec(tool.name, _bounded(spec.description, bounds[0]), _lean(spec.parameters, bounds[1]))
    said = f"An external server says of it: {spec.description}" if spec.description else "A tool of an external server."
    return ToolSpec(tool.name, _bounded(said, bounds[0]), _lean(spec.parameters, bounds[1]))


def _lean(schema: Any, longest: int, *, names: bool = False) -> Any:
    """A JSON Schema without remarks, its descriptions bounded and defused. ``names``: its keys are names, not words of
    the language.
    """
    match schema:
        case dict():
            return dict(_lean_items(schema, longest, names=names))
        case list():
            return [_lean(each, longest) for each in schema]
        case _:
            return schema


def _lean_items(schema: Mapping[str, Any], longest: int, *, names: bool) -> Iterator[tuple[str, Any]]:
    for key, value in schema.items():
        if names:
            yield key, _lean(value, longest)
        elif key == "description":
            yield key, _bounded(str(value), longest)
        elif key not in _REMARKS:
            # What may be given must stay as it is, to the letter.
            yield key, value if key in {"enum", "const", "default"} else _lean(value, longest, names=key in _NAMES)


def _bounded(text: str, most: int) -> str:
    text = defused(" ".join(text.split()))
    return text if len(text) <= most else defused(text[: most - 1]) + "…"


def _wrong(note: str) -> Err:
    return Err("invalid_arguments", note, retryable=False)


def _kind_word(value: Any) -> str:
    return {list: "a list", str: "a text", bool: "true or false", type(None): "null"}.get(type(value), "a number")
