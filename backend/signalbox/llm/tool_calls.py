"""Puts the fragments of tool calls together into whole ones, for servers that disagree on how calls are told apart.

Pure: the same fragments give the same calls. What a call means, and whether its arguments are valid, others decide.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from signalbox.encoding import clean_text
from signalbox.llm.base import ToolRequest

MAX_CALLS: Final = 128
MAX_ARGUMENT_CHARS: Final = 256_000
_EMPTY: Final[Mapping[str, Any]] = {}


class BadCallError(ValueError):
    """What was sent is no tool call: it has no name, or it passed every bound. The text is safe to log."""


@dataclass(slots=True)
class _Call:
    index: int
    call_id: str
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether the arguments are complete, so that another named fragment cannot belong to them."""
        if not self.arguments or not self.arguments[-1].rstrip().endswith("}"):
            return False
        try:
            return isinstance(json.loads("".join(self.arguments)), dict)
        except (ValueError, RecursionError):
            return False


class ToolCalls:
    """``take`` the ``tool_calls`` of each delta, ``take_legacy`` its ``function_call``; ``requests`` are the calls.

    A fragment belongs to the call of its ``index``. Servers that break the rule are understood as well:

    - without an index it belongs to the call of its id, else to the newest one;
    - an index that comes with another id and a name, or with a name once the arguments are complete, is a new call
      (some servers number every call 0);
    - an id or a name that is repeated is not doubled; a name may come in pieces, or longer each time;
    - the same whole call sent twice under one id is one call;
    - arguments may be an object instead of its text, and none at all are ``{}``.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._chars = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, fragments: object, *, whole: bool = False) -> None:
        """``whole``: each entry is a call of its own, as in an answer that is not streamed. Raises ``BadCallError``."""
        for fragment in fragments if isinstance(fragments, list) else ():
            if isinstance(fragment, dict):
                function = fragment.get("function")
                self._add(fragment, function if isinstance(function, dict) else _EMPTY, new=whole)

    def take_legacy(self, function: object) -> None:
        """The older form: one call, without id or index. Raises ``BadCallError``."""
        if isinstance(function, dict):
            self._add(_EMPTY, function, new=False)

    def requests(self) -> tuple[ToolRequest, ...]:
        """The calls in the order of their indexes, each with an id of its own. Raises ``BadCallError``."""
        found: list[ToolRequest] = []
        for number, call in enumerate(sorted(self._calls, key=lambda call: call.index)):
            if not call.name.strip():
                raise BadCallError("a tool call without a name")
            call_id = clean_text(call.call_id) or f"call_{number}"
            if any(call_id == other.call_id for other in found):
                call_id = f"{call_id}-{number}"
            arguments = clean_text("".join(call.arguments))
            found.append(ToolRequest(call_id, clean_text(call.name.strip()), arguments if arguments.strip() else "{}"))
        return tuple(found)

    def texts(self) -> str:
        """All that was written of the calls, to estimate its tokens."""
        return "".join(part for call in self._calls for part in (call.name, *call.arguments))

    def _add(self, fragment: Mapping[str, Any], function: Mapping[str, Any], *, new: bool) -> None:
        index, call_id, name = _index(fragment.get("index")), _text(fragment.get("id")), _text(function.get("name"))
        call = None if new else self._begun(index, call_id, name)
        if call is None:
            if len(self._calls) == MAX_CALLS:
                raise BadCallError("more tool calls than any answer has")
            call = _Call(len(self._calls) if index is None else index, call_id)
            self._calls.append(call)
        call.call_id = call.call_id or call_id
        call.name = _joined(call.name, name)
        self._argue(call, _arguments(function.get("arguments")), named=bool(name))

    def _begun(self, index: int | None, call_id: str, name: str) -> _Call | None:
        """The call that a fragment goes on with; None if it begins one."""
        newest_first = reversed(self._calls)
        if index is not None:
            call = next((call for call in newest_first if call.index == index), None)
        elif call_id:
            call = next((call for call in newest_first if call.call_id == call_id), None)
            # An unknown id without a name: a server that makes up another id for every fragment.
            call = call or (self._calls[-1] if self._calls and not name else None)
        else:
            call = self._calls[-1] if self._calls else None
        return None if call is None or (name and _is_another(call, call_id)) else call

    def _argue(self, call: _Call, text: str, *, named: bool) -> None:
        if not text or (named and call.whole and text == "".join(call.arguments)):
            return
        self._chars += len(text)
        if self._chars > MAX_ARGUMENT_CHARS:
            raise BadCallError("arguments beyond any tool call's size")
        call.arguments.append(text)


def _is_another(call: _Call, call_id: str) -> bool:
    """Whether a named fragment that could go on with ``call`` is the head of another one."""
    if call_id and call.call_id:
        return call_id != call.call_id
    return call.whole


def _joined(name: str, piece: str) -> str:
    return piece if piece.startswith(name) else name + piece  # repeated or longer, else the next part


def _index(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 9:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _arguments(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, dict) else ""
