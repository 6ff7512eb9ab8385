"""The user's CV in an agent's hands: read once, and which of its lines can be told. Nothing is added to them."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from signalbox.agents.base import TurnContext
from signalbox.agents.turn import Turn
from signalbox.agents.words.knowledge_text import subject_of
from signalbox.memory.resume.model import Resume, WorkItem
from signalbox.tools.read_resume import ReadResume, WholeResume
from signalbox.tools.result import Empty, Err, Ok

_LEAST_WORDS: Final = 4
_NUMBER = re.compile(r"\d")


async def read_resume(turn: Turn, ctx: TurnContext) -> tuple[Resume | None, bool]:
    """The CV if there is one, and whether it could not be looked at. A temporary chat does not look."""
    if turn.temporary:
        return None, False
    match await ctx.call(ReadResume, WholeResume()):
        case Ok(resume):
            return resume, False
        case Empty():
            return None, False
        case Err():
            return None, True


def place_of(item: WorkItem) -> str:
    """``Data Analyst at Northwind``."""
    if item.title and item.company:
        return f"{item.title} at {item.company}"
    return item.title or item.company or "one of your jobs"


def telling_lines(resume: Resume) -> Iterator[tuple[WorkItem, str]]:
    """Lines of the CV long enough to tell of, those with a number first, each with its job."""
    pairs = [(item, line) for item in resume.work for line in item.highlights if len(line.split()) >= _LEAST_WORDS]
    yield from sorted(pairs, key=lambda pair: _NUMBER.search(pair[1]) is None)


def nearest_line(question: str, resume: Resume, skills: Sequence[str] = ()) -> tuple[WorkItem, str] | None:
    """The line of the CV that speaks of what ``question`` is about, with its job; None if no line does."""
    wanted = subject_of(" ".join((question, *skills)))
    best: tuple[int, int, WorkItem, str] | None = None
    for item in resume.work:
        for line in item.highlights:
            shared = len(wanted & subject_of(line))
            measured = int(_NUMBER.search(line) is not None)
            if shared and (best is None or (shared, measured) > best[:2]):
                best = (shared, measured, item, line)
    return (best[2], best[3]) if best else None


def best_line(resume: Resume) -> tuple[WorkItem, str] | None:
    """The line of the CV that lends itself to telling: one with a number, else the first."""
    lines = list(telling_lines(resume))
    return lines[0] if lines else None
