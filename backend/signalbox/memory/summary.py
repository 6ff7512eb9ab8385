"""What was said in a conversation before its recent turns, as a typed summary whose every entry names its source.

What a newer version of the program has added to a stored one is left aside by an older worker.
"""

from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

KINDS: Final = (
    *("hard_constraints", "current_goal", "job_preferences", "mentioned_companies", "decisions"),
    "open_questions",
)


class Noted(BaseModel):
    """One entry; ``sources`` are the ids of the messages that said it. ``means``: what rules read in it, as (key,
    value) of a profile fact; where nothing was read, it is told and held against nothing.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    sources: tuple[str, ...]
    means: tuple[tuple[str, str], ...] = ()


class ConversationSummary(BaseModel):
    """``hard_constraints`` are the user's own words, verbatim; only the user's own words can remove one. What they
    later said of the same thing stands behind it, after an arrow.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    job_preferences: tuple[Noted, ...] = ()
    hard_constraints: tuple[Noted, ...] = ()
    mentioned_companies: tuple[Noted, ...] = ()
    current_goal: Noted | None = None
    decisions: tuple[Noted, ...] = ()
    open_questions: tuple[Noted, ...] = ()

    def lines(self) -> Iterator[tuple[str, str]]:
        """(kind, text) of every entry, hard constraints first."""
        for note in self.hard_constraints:
            yield "hard constraint", note.text
        if self.current_goal is not None:
            yield "current goal", self.current_goal.text
        for kind, notes in (
            ("preference", self.job_preferences),
            ("company", self.mentioned_companies),
            ("decision", self.decisions),
            ("open question", self.open_questions),
        ):
            for note in notes:
                yield kind, note.text

    def of(self, kind: str) -> tuple[Noted, ...]:
        """The entries of one of ``KINDS``."""
        found = getattr(self, kind)
        return found if isinstance(found, tuple) else (found,) if found is not None else ()


def changes(before: ConversationSummary, after: ConversationSummary) -> dict[str, Any]:
    """What came and what went, by kind, as JSON: ``{"hard_constraints": {"added": [...], "removed": [...]}}``. A kind
    in which nothing changed is left out.
    """
    told: dict[str, Any] = {}
    for kind in KINDS:
        old, new = before.of(kind), after.of(kind)
        texts_before, texts_after = {note.text for note in old}, {note.text for note in new}
        added = [_told(note) for note in new if note.text not in texts_before]
        removed = [_told(note) for note in old if note.text not in texts_after]
        if added or removed:
            told[kind] = {"added": added, "removed": removed}
    return told


def _told(note: Noted) -> dict[str, Any]:
    return {"text": note.text, "sources": list(note.sources)}
