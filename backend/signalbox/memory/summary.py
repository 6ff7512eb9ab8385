"""What was said in a conversation before its recent turns, as a typed summary whose every entry names its source."""

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict


class Noted(BaseModel):
    """One entry; ``sources`` are the ids of the messages that said it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    sources: tuple[str, ...]


class ConversationSummary(BaseModel):
    """``hard_constraints`` are the user's own words, verbatim; only the user's own words can remove one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

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
