"""What a tool of an MCP server is defined as: checked, bounded, named in our way, and known by its digest. Pure."""

import difflib
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types
from pydantic import ValidationError

from signalbox.tools.calling import canonical, digest_of
from signalbox.tools.mcp.cleaning import bounded_text, one_line, visible_json
from signalbox.tools.mcp.schemas import MAX_SCHEMA_BYTES, MAX_SCHEMA_NODES, Unfit, check_schema

MOST_TOOLS: Final = 256
LONGEST_DESCRIPTION: Final = 4_000
# No server's word: where the tool is found, which is pinned with what is found there.
ENDPOINT: Final = "signalbox:endpoint"
_TOOL: Final = re.compile(r"[A-Za-z0-9_./-]{1,128}")
# What model providers take as a function's name.
LONGEST_NAME: Final = 64


@dataclass(frozen=True, slots=True)
class Definition:
    """``raw`` is what is pinned: all that the server says of the tool, as it came, and where that server is.
    ``description`` and ``parameters`` are what a model is told of it: cleaned, and still only data. ``whose``: the one
    user that it was approved for, if that was not everybody.
    """

    server: str
    tool: str
    raw: Mapping[str, Any]
    digest: str
    whose: str = ""

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


def checked(server: str, said: Mapping[str, Any], endpoint: str = "") -> Definition:
    """``said`` is the tool as the server listed it. Raises ``Unfit``."""
    try:
        tool = types.Tool.model_validate(dict(said), by_name=False)
    except (ValidationError, RecursionError) as exc:
        raise Unfit("its definition is not of the protocol") from exc
    if not _TOOL.fullmatch(tool.name):
        raise Unfit("its name is not 1 to 128 letters, digits, '_', '-', '.' or '/'")
    raw = {**said, ENDPOINT: endpoint}
    if "icons" in said:
        raw["icons"] = digest_of(said["icons"])  # nobody looks at them, and they may be large
    if len(canonical(raw).encode("utf-8", "surrogatepass")) > 2 * MAX_SCHEMA_BYTES:
        raise Unfit(f"its definition is larger than {2 * MAX_SCHEMA_BYTES:,} bytes")
    check_schema(tool.input_schema)
    return Definition(server, tool.name, raw, digest_of(raw))


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Both as JSON, line by line, as ``diff -u`` shows it; what is invisible is escaped."""
    return "\n".join(difflib.unified_diff(_lines(old), _lines(new), "approved", "now", lineterm="", n=2))


def _lines(definition: Mapping[str, Any]) -> list[str]:
    told = json.dumps(definition, indent=2, sort_keys=True, ensure_ascii=True)
    return told.replace("\\n", "\\n\n").splitlines()
