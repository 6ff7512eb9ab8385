"""The packaged messages of an evaluation: which agent is asked what, and which tool it takes to answer it. Pure."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

_BLANK = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Scene:
    """``before``: what was said in the conversation until now, as (agent, message)."""

    agent: str
    tool: str
    message: str
    before: tuple[tuple[str, str], ...] = ()


def packaged_scenes() -> tuple[Scene, ...]:
    """Every message with its blanks filled; of each tool those of different kinds first."""
    told = json.loads((resources.files("signalbox.data") / "evals" / "scenes.json").read_text("utf-8"))
    return scenes_of(told["scenes"], told["fill"])


def scenes_of(entries: Sequence[Mapping[str, object]], fill: Mapping[str, Sequence[str]]) -> tuple[Scene, ...]:
    by_tool: dict[str, list[list[Scene]]] = {}
    for entry in entries:
        by_tool.setdefault(str(entry["tool"]), []).append(list(_filled(entry, fill)))
    return tuple(
        scene
        for kinds in by_tool.values()
        for row in itertools.zip_longest(*kinds)
        for scene in row
        if scene is not None
    )


def _filled(entry: Mapping[str, object], fill: Mapping[str, Sequence[str]]) -> Iterator[Scene]:
    before = [(str(agent), str(text)) for agent, text in entry.get("before", ())]  # type: ignore[attr-defined]
    messages = [str(text) for text in entry["messages"]]  # type: ignore[attr-defined]
    blanks = sorted({name for text in [*messages, *(text for _, text in before)] for name in _BLANK.findall(text)})
    rows = list(itertools.product(*(fill[name] for name in blanks)))
    said: set[tuple[str, tuple[str, ...]]] = set()
    # Turn about, so that the first few of them differ in wording and in what they are about.
    for shift in range(len(rows)):
        for number, text in enumerate(messages):
            values = dict(zip(blanks, rows[(shift + number) % len(rows)], strict=True))
            earlier = tuple((agent, said_then.format(**values)) for agent, said_then in before)
            scene = Scene(str(entry["agent"]), str(entry["tool"]), text.format(**values), earlier)
            key = (scene.message, tuple(text for _, text in earlier))
            if key not in said:
                said.add(key)
                yield scene
