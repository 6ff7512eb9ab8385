"""What a tool of an MCP server is defined as: checked, bounded, named in our way, and known by its digest. Pure."""

import difflib
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types
from jsonschema import Draft202012Validator, SchemaError
from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from signalbox.tools.calling import canonical, digest_of
from signalbox.tools.mcp.cleaning import bounded_text, one_line, visible_json

MOST_TOOLS: Final = 256
MAX_SCHEMA_BYTES: Final = 65_536
MAX_SCHEMA_DEPTH: Final = 24
MAX_SCHEMA_NODES: Final = 4_000
LONGEST_DESCRIPTION: Final = 4_000
MAX_PATTERN: Final = 500
_TOOL: Final = re.compile(r"[A-Za-z0-9_./-]{1,128}")
# What model providers take as a function's name.
LONGEST_NAME: Final = 64


class Unfit(ValueError):
    """The definition cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Definition:
    """``raw`` is what is pinned: all that the server says of the tool. ``description`` and ``parameters`` are what a
    model is told of it: cleaned, and still only data.
    """

    server: str
    tool: str
    raw: Mapping[str, Any]
    digest: str

    @property
    def name(self) -> str:
        return namespaced(self.server, self.tool)

    @property
    def description(self) -> str:
        return bounded_text(str(self.raw.get("description") or ""), LONGEST_DESCRIPTION)[0]

    @property
    def title(self) -> str:
        return one_line(str(self.raw.get("title") or ""), 100)

    @property
    def parameters(self) -> dict[str, Any]:
        told: dict[str, Any] = visible_json(self.raw["inputSchema"], longest=2_000, most=MAX_SCHEMA_NODES)
        return told


def namespaced(server: str, tool: str) -> str:
    """``server__tool``, in characters and length that every model provider takes; never a built-in tool's name."""
    name = f"{server}__{re.sub('[./]', '_', tool)}"
    if len(name) <= LONGEST_NAME and name == f"{server}__{tool}":
        return name
    mark = hashlib.sha256(tool.encode()).hexdigest()[:8]
    return f"{name[: LONGEST_NAME - 9]}_{mark}"


def checked(server: str, tool: types.Tool) -> Definition:
    """Raises ``Unfit``."""
    if not _TOOL.fullmatch(tool.name):
        raise Unfit("its name is not 1 to 128 letters, digits, '_', '-', '.' or '/'")
    raw = tool.model_dump(by_alias=True, mode="json", exclude_none=True, exclude={"icons", "meta"})
    if len(canonical(raw).encode("utf-8", "surrogatepass")) > 2 * MAX_SCHEMA_BYTES:
        raise Unfit(f"its definition is larger than {2 * MAX_SCHEMA_BYTES:,} bytes")
    check_schema(tool.input_schema)
    return Definition(server, tool.name, raw, digest_of(raw))


def check_schema(schema: Any) -> None:
    """Whether it is a JSON Schema of an object, of a size and depth that validating stays cheap. Raises ``Unfit``."""
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        raise Unfit("its input schema does not describe an object")
    for nodes, (depth, key, value) in enumerate(_walk(schema), start=1):
        if depth > MAX_SCHEMA_DEPTH:
            raise Unfit(f"its input schema is nested deeper than {MAX_SCHEMA_DEPTH}")
        if nodes > MAX_SCHEMA_NODES:
            raise Unfit(f"its input schema has more than {MAX_SCHEMA_NODES:,} parts")
        if key in {"$ref", "$dynamicRef"} and isinstance(value, str) and not value.startswith("#"):
            raise Unfit("its input schema refers to another document")
        if key == "pattern" and isinstance(value, str):
            _check_pattern(value)
    if len(canonical(schema).encode("utf-8", "surrogatepass")) > MAX_SCHEMA_BYTES:
        raise Unfit(f"its input schema is larger than {MAX_SCHEMA_BYTES:,} bytes")
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except SchemaError as exc:
        raise Unfit(f"its input schema is not valid: {one_line(exc.message, 200)}") from exc
    except (RecursionError, Unresolvable, re.error) as exc:
        raise Unfit("its input schema cannot be followed") from exc


def _check_pattern(pattern: str) -> None:
    """A pattern runs over a model's arguments: one that can take exponential time would hold up a thread for good."""
    if len(pattern) > MAX_PATTERN:
        raise Unfit(f"a pattern in its input schema is longer than {MAX_PATTERN} characters")
    if re.search(r"[+*}]\)?[+*]|\([^()]*[+*{][^()]*\)[+*{]", pattern):
        raise Unfit("a pattern in its input schema repeats what repeats already, which can take for ever")


def _walk(value: Any) -> Iterator[tuple[int, str, Any]]:
    stack: list[tuple[int, str, Any]] = [(1, "", value)]
    while stack:
        depth, key, item = stack.pop()
        yield depth, key, item
        if isinstance(item, dict):
            stack.extend((depth + 1, str(name), part) for name, part in item.items())
        elif isinstance(item, list):
            stack.extend((depth + 1, "", part) for part in item)


def validator_of(schema: Mapping[str, Any]) -> Validator:
    """For arguments; looks nothing up anywhere else."""
    kind = validator_for(schema, default=Draft202012Validator)
    return kind(schema, registry=Registry())


def misfit(validator: Validator, arguments: Mapping[str, Any]) -> str | None:
    """What is wrong with the arguments, in one sentence that names the place; None if they fit."""
    try:
        error = best_match(validator.iter_errors(arguments))
    except (RecursionError, Unresolvable):
        return "the tool's schema cannot be followed for these arguments"
    if error is None:
        return None
    place = ".".join(str(part)[:60] for part in error.absolute_path)
    return f"{place + ': ' if place else ''}{one_line(error.message, 300)}"


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Both as JSON, line by line, as ``diff -u`` shows it; what is invisible is escaped."""
    return "\n".join(difflib.unified_diff(_lines(old), _lines(new), "approved", "now", lineterm="", n=2))


def _lines(definition: Mapping[str, Any]) -> list[str]:
    told = json.dumps(definition, indent=2, sort_keys=True, ensure_ascii=True)
    return told.replace("\\n", "\\n\n").splitlines()
