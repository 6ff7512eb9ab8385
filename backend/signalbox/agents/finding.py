"""Finds the agents there are: one class in one file of the package, or of a folder of the operator's own."""

import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Final, cast

import signalbox.agents
from signalbox.agents.base import Agent
from signalbox.errors import ConfigurationError

_ATTRIBUTES: Final = {"name": str, "label": str, "when_to_use": str, "examples": tuple, "instructions": str}
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")


def find_agents(folder: Path | None = None) -> dict[str, Agent]:
    """One instance of every agent class in this package's modules, by name, in alphabetical order; then those in the
    Python files of ``folder``, which may also replace one of the package's.

    Raises ``ConfigurationError`` for two agents of one name in one place, and for a file that cannot be loaded.
    """
    if folder is not None and not folder.is_dir():
        raise ConfigurationError(f"There is no folder {folder} to find agents in. Check SIGNALBOX_AGENTS_DIR.")
    names = sorted(info.name for info in pkgutil.iter_modules(signalbox.agents.__path__))
    found = _agents_of(importlib.import_module(f"signalbox.agents.{name}") for name in names)
    return found | (_agents_of(map(_loaded, sorted(folder.glob("*.py")))) if folder is not None else {})


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"signalbox_agents_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"{path} is no Python file that could hold an agent.")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and Pydantic look up the names in annotations there.
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as exc:  # whatever a stranger's file does at import, the file is to be named
        del sys.modules[spec.name]
        raise ConfigurationError(f"The agent in {path} cannot be loaded: {type(exc).__name__}: {exc}") from exc
    return module


def _agents_of(modules: Iterable[ModuleType]) -> dict[str, Agent]:
    found: dict[str, Agent] = {}
    for module in modules:
        for _, value in inspect.getmembers(module, inspect.isclass):
            if value.__module__ != module.__name__ or not hasattr(value, "respond") or value is Agent:
                continue
            agent = _made(value, module)
            if agent.name in found:
                raise ConfigurationError(f"Two agents are called '{agent.name}': {module.__name__} is one.")
            found[agent.name] = agent
    return found


def _made(kind: type[Any], module: ModuleType) -> Agent:
    where = f"The agent {kind.__name__} in {module.__file__ or module.__name__}"
    for name, wanted in _ATTRIBUTES.items():
        if not isinstance(getattr(kind, name, None), wanted):
            what = "a tuple of texts" if wanted is tuple else "a text"
            raise ConfigurationError(f"{where} needs '{name}', {what}.")
    if not _NAME.fullmatch(kind.name):
        raise ConfigurationError(f"{where}: '{kind.name}' is no name for an agent: use a-z, 0-9 and _, at most 40.")
    if not inspect.iscoroutinefunction(kind.respond):
        raise ConfigurationError(f"{where} needs 'async def respond(self, turn, ctx)'.")
    try:
        return cast("Agent", kind())
    except TypeError as exc:
        raise ConfigurationError(f"{where} must be made without arguments: {exc}") from exc
