"""Whether what a model reads of a failed look-up differs from what it reads of an empty one, for every tool.

The prompts are those of real answers, rendered as for a model that follows instructions.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from signalbox.evals.doubles import Recording
from signalbox.evals.performing import Theatre
from signalbox.evals.scenes import Scene
from signalbox.tools.faults import FaultKind

Outcome = Literal["apart", "equal", "unsteady", "not asked"]
PER_TOOL: Final = 3
# What is made anew for every message and says nothing.
_ID: Final = re.compile(r"\b[a-z]{0,4}_?[0-9a-f]{12,64}\b|\b(?:[a-z]{1,2}_)*m_\w+|\bactor_\d+")


@dataclass(frozen=True, slots=True)
class Pair:
    """``unsteady``: the same case rendered twice came out differently, so that a difference would prove nothing."""

    tool: str
    agent: str
    message: str
    outcome: Outcome
    failed: str = ""
    empty: str = ""


async def compared(theatre: Theatre, scenes: Sequence[Scene], per_tool: int = PER_TOOL) -> list[Pair]:
    """For each tool up to ``per_tool`` messages of each agent that uses it."""
    found: list[Pair] = []
    taken: dict[tuple[str, str], int] = {}
    for scene in scenes:
        kind = (scene.tool, scene.agent)
        if taken.get(kind, 0) >= per_tool:
            continue
        taken[kind] = taken.get(kind, 0) + 1
        found.append(await _pair(theatre, scene))
    return found


async def _pair(theatre: Theatre, scene: Scene) -> Pair:
    failed, again = [await _prompt(theatre, scene, "timeout") for _ in range(2)]
    empty = await _prompt(theatre, scene, "empty")
    outcome: Outcome = "apart"
    if not failed or not empty:
        outcome = "not asked"
    elif failed != again:
        outcome = "unsteady"
    elif failed == empty:
        outcome = "equal"
    return Pair(scene.tool, scene.agent, scene.message, outcome, failed, empty)


async def _prompt(theatre: Theatre, scene: Scene, fault: FaultKind) -> str:
    """All that a model was told, request after request; "" where nothing was asked of it after the look-up."""
    model = Recording()
    seen = await theatre.perform(scene, fault, model)
    if not seen.met:
        return ""
    told = "\n\n".join(
        f"[{message.role}]\n{message.content}" for request in model.requests for message in request.messages
    )
    return _ID.sub("…", told)
