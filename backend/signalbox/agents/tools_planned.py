"""Decides what becomes of each call a model asks for: carried out, or refused with a reason it can act on. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from signalbox.agents.tools_offered import arguments_for, key_of, unknown
from signalbox.llm.base import ToolRequest
from signalbox.tools.base import Arguments
from signalbox.tools.result import Err, Result

# Of one turn of the model; what is asked for beyond is not even looked at.
MOST_IDS: Final = 64
MOST_TRIES: Final = 2
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


@dataclass(frozen=True, slots=True)
class Planned:
    """A call that is to be carried out, or why it is not."""

    request: ToolRequest
    tool: Any = None
    arguments: Arguments | None = None
    key: str = ""
    refusal: str = ""

    @property
    def asked(self) -> Mapping[str, Any]:
        """The arguments as JSON has them."""
        return {} if self.arguments is None else self.arguments.model_dump(mode="json")

    @property
    def reads(self) -> bool:
        return self.tool is not None and self.tool.effect == "read"


@dataclass(slots=True)
class _Done:
    """A call that was carried out, ``tries`` times. ``again``: it only looked, and may get an answer the next time."""

    call_id: str
    tries: int = 1
    again: bool = False


class Plan:
    """Of one answer: it knows every call made for it. ``tools`` by name; ``most`` are carried out of one turn."""

    def __init__(self, tools: Mapping[str, Any], most: int) -> None:
        self._tools = tools
        self._most = most
        self._done: dict[str, _Done] = {}
        self._ids: set[str] = set()
        self._turn = 0

    def planned(self, calls: Sequence[ToolRequest]) -> list[Planned]:
        """Each call with an id of its own, in order."""
        self._turn += 1
        planned: list[Planned] = []
        for number, call in enumerate(calls[:MOST_IDS], start=1):
            request = replace(call, call_id=self._id_of(call.call_id, number))
            if number > self._most:
                planned.append(Planned(request, refusal=f"At most {self._most} calls are carried out at once."))
            else:
                planned.append(self._plan(request))
        if len(calls) > MOST_IDS:
            more = f"{planned[-1].refusal} Of {len(calls)} calls the last {len(calls) - MOST_IDS} were not even read."
            planned[-1] = replace(planned[-1], refusal=more)
        return planned

    def came(self, planned: Planned, result: Result[Any], edited: Mapping[str, Any] | None = None) -> None:
        """A look-up that failed may be tried once more; nothing else is repeated, nor what the user made of it."""
        done = self._done[planned.key]
        if edited is not None:
            self._done.setdefault(key_of(planned.request.name, edited), done)
        done.again = planned.reads and isinstance(result, Err) and result.retryable and done.tries < MOST_TRIES

    def _plan(self, request: ToolRequest) -> Planned:
        tool = self._tools.get(request.name)
        if tool is None:
            return Planned(request, refusal=unknown(request.name, list(self._tools)))
        arguments = arguments_for(tool, request)
        if isinstance(arguments, Err):
            return Planned(request, refusal=f"{arguments.note}. Mend the arguments and call again.")
        key = key_of(request.name, arguments.model_dump(mode="json"))
        done = self._done.get(key)
        if done is None:
            self._done[key] = _Done(request.call_id)
        elif done.again:
            self._done[key] = _Done(request.call_id, done.tries + 1)
        elif tool.effect == "read":
            return Planned(request, refusal=f"This is the same call as {done.call_id}: use the result of that one.")
        else:
            told = f"This was asked for already, in {done.call_id}, and is not done twice: say what came of that one."
            return Planned(request, refusal=told)
        return Planned(request, tool, arguments, key)

    def _id_of(self, given: str, number: int) -> str:
        """The model's own id if it can be told from all others."""
        call_id = given
        while not _ID.fullmatch(call_id) or call_id in self._ids:
            call_id = f"call_{self._turn}_{number}"
            number += MOST_IDS
        self._ids.add(call_id)
        return call_id


def groups(planned: Sequence[Planned]) -> Iterator[list[Planned]]:
    """What can be done at once, in order: reads up to the next effect, and each effect alone."""
    reads: list[Planned] = []
    for each in planned:
        if each.refusal:
            continue
        if each.reads:
            reads.append(each)
            continue
        if reads:
            yield reads
        reads = []
        yield [each]
    if reads:
        yield reads
