"""What the tools take that stand in agents' own files: for who reads arguments that somebody wrote for them."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from signalbox.agents.base import Agent
from signalbox.tools.base import Arguments
from signalbox.tools.calling import arguments_kind


def own_readers(agents: Iterable[Agent]) -> dict[str, Callable[[Mapping[str, Any]], Arguments]]:
    """By a tool's name, what makes its arguments of what somebody wrote, or raises ``ValidationError``: of every class
    of tools that an agent's file defines or imports. A name that stands for several kinds of arguments is left out.
    """
    kinds: dict[str, set[type[Arguments]]] = {}
    for agent in agents:
        for tool in _tools_beside(agent):
            try:
                kind = arguments_kind(tool)
            except (TypeError, NameError, AttributeError, ValueError):
                continue  # truth: it says nowhere what it takes, so nobody else can tell
            kinds.setdefault(tool.name, set()).add(kind)
    return {name: kind.model_validate for name, (kind, *others) in kinds.items() if not others}


def _tools_beside(agent: Agent) -> Iterator[Any]:
    """The classes of tools among the names of the module that the agent stands in."""
    names: Mapping[str, Any] = inspect.unwrap(type(agent).respond).__globals__
    for value in list(names.values()):
        if inspect.isclass(value) and callable(getattr(value, "run", None)):
            named = isinstance(getattr(value, "name", None), str)
            if named and isinstance(getattr(value, "effect", None), str):
                yield value
