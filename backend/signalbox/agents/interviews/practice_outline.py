"""A worked outline for a practice question: what a good answer holds, what the guides teach on it, what the CV gives.

Nothing is added to the user's story: it is put into an order, in the words of the CV.
"""

import re
from typing import Final

from signalbox.agents.turn import Facts
from signalbox.agents.words.knowledge_text import Passage, Quote, quoted, source_line
from signalbox.agents.words.own_cv import best_line, place_of
from signalbox.agents.words.phrases import plain
from signalbox.memory.resume.model import Resume
from signalbox.memory.words import words_in

_LEAD: Final = re.compile(r"^a good answer\s+", re.IGNORECASE)
# "…, and says what it does not mean", "…, and then chooses a treatment": each is a point of its own.
_JOINT: Final = re.compile(r",\s+(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?")
_TAIL: Final = re.compile(r",?\s*(?:and|then|and then)?\s*$")


# What guides say that an answer does; other words in "-s" are things.
_DEEDS: Final = words_in(
    """accepts acknowledges acts adds admits agrees allows asks assesses avoids begins brings calculates calls chooses
    clarifies combines compares connects considers contains corrects covers credits decides declines defines delegates
    describes discusses does ends escalates estimates explains explores finds fits follows gets gives goes handles has
    hides includes informs involves is isolates keeps knows leads learns links listens looks makes matches measures
    mentions moves names narrows offers picks prevents promises protects puts ranks reads recounts redirects refers
    reports reserves respects says seeks separates sets shares shows speaks splits starts states stays stops suggests
    supports takes tells ties traces uses weighs welcomes works"""
)


class Worked(Facts):
    """``points``: what a good answer does, in order. ``about_you``: an introduction's parts out of the CV."""

    points: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    passages: tuple[Passage, ...] = ()
    about_you: tuple[str, ...] = ()


def points_of(hint: str) -> tuple[str, ...]:
    """The deeds that a guide names: of "A good answer is correct, and says what it does not mean" there are two."""
    match = _LEAD.match(hint)
    if match is None:
        return ()
    told = hint[match.end() :].rstrip(" .")
    # "names the measure, unit and size": a list within a point is no point.
    starts = [0, *(joint.end() for joint in _JOINT.finditer(told) if _is_deed(told[joint.end() :]))]
    ends = [*starts[1:], len(told)]
    return tuple(f"It {_TAIL.sub('', told[start:end])}." for start, end in zip(starts, ends, strict=True))


def _is_deed(piece: str) -> bool:
    return piece.split(maxsplit=1)[0].casefold().rstrip(",.") in _DEEDS


def about_you(resume: Resume, role: str) -> tuple[str, ...]:
    """Now, before, a result, and where to: an introduction of oneself in the facts of the CV."""
    dated = sorted(resume.work, key=lambda item: (item.current, item.start or ""), reverse=True)
    if not dated:
        return ()
    now, *earlier = dated
    since = f", since {now.start[:4]}" if now.current and now.start else ""
    parts = [f"**{'Now' if now.current else 'Last'}:** {plain(place_of(now))}{since}."]
    if earlier:
        parts.append(f"**Before:** {plain(place_of(earlier[0]))}, in one sentence: what it taught you for this post.")
    if line := best_line(resume):
        parts.append(f"**A result:** “{plain(line[1], 300)}”.")
    target = f"the post as {plain(role)}" if role else "this post"
    parts.append(f"**Why here:** one sentence on why {target} is the next step; only you know that.")
    return tuple(parts)


def worked_text(worked: Worked, first: int) -> str:
    """The outline in Markdown but for its points; quotes are marked from ``first`` on."""
    parts = []
    if worked.about_you:
        parts.append("\n".join(["**With the facts of your CV:**", *(f"- {part}" for part in worked.about_you)]))
    for place, (each, passage) in enumerate(zip(worked.quotes, worked.passages, strict=True)):
        number = first + place
        marked = quoted(each.model_copy(update={"number": number}))
        parts.append(f"**What my guides say on it:** {marked}\n\n*{source_line(number, passage)}*")
    return "\n\n".join(parts)
