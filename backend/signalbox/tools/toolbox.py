"""The tools of one run, made for its user. A tool is one class with ``make`` in one file of this package."""

import functools
import importlib
import inspect
import pkgutil
from typing import Any, cast, get_args

import signalbox.tools
from signalbox.errors import ConfigurationError
from signalbox.tools.base import Effect, Kit, Makeable, Tool


@functools.cache
def find_tools() -> tuple[type[Makeable], ...]:
    """Every tool class of the package's modules. Raises ``ConfigurationError`` when two share a name."""
    found: dict[str, type[Makeable]] = {}
    for info in sorted(pkgutil.iter_modules(signalbox.tools.__path__), key=lambda module: module.name):
        module = importlib.import_module(f"signalbox.tools.{info.name}")
        for _, value in inspect.getmembers(module, inspect.isclass):
            if value.__module__ != module.__name__ or not (hasattr(value, "make") and hasattr(value, "run")):
                continue
            kind = cast("type[Makeable]", value)
            if getattr(value, "effect", None) not in get_args(Effect):
                raise ConfigurationError(
                    f"The tool '{kind.name}' must declare its 'effect': {', '.join(get_args(Effect))}."
                )
            if kind.name in found:
                raise ConfigurationError(f"Two tools are called '{kind.name}': {module.__name__} has one.")
            found[kind.name] = kind
    return tuple(found.values())


def build_tools(kit: Kit) -> dict[str, Tool[Any, Any]]:
    """Every tool by its name. Opens nothing and costs microseconds: it is called for each message."""
    tools = {kind.name: cast("Tool[Any, Any]", kind.make(kit)) for kind in find_tools()}
    return tools | {tool.name: tool for tool in kit.boards}
