"""What the tracker's agent found and did in one turn: all that its reply may claim."""

from datetime import date
from typing import Literal

from signalbox.agents.tracking.letter_wish import Letter
from signalbox.agents.turn import Facts
from signalbox.blocks import Application

Outcome = Literal[
    "listed", "told", "removed", "advised", "which", "none", "ask_company", "untracked", "no_company", "gone",
    "unavailable", "temporary", "not_stored", "unread",
]  # fmt: skip


class Done(Facts):
    """One thing stored. ``known``: all of it was on the tracker; ``added``: something of it was new. ``before``: the
    status it had, if it was on the tracker.
    """

    how: Literal["new", "known", "added", "changed", "same"]
    application: Application
    before: str = ""


class TrackerFacts(Facts):
    """``application``: the one this turn is about. ``among``: those of which the user has to choose. ``failed``: the
    employers told of that could not be stored. ``consoled``: a rejection was answered in this conversation before;
    ``count_said``: how many it were, in the user's words. ``today`` is what days count from.
    ``partly``: not all of the tracker could be read. ``to_come``: a day was named that cannot have been yet.
    ``manner``: how the draft was asked to be; ``only_changed``: this turn does nothing but change the last one.
    """

    outcome: Outcome
    today: date
    applications: tuple[Application, ...] = ()
    application: Application | None = None
    done: tuple[Done, ...] = ()
    among: tuple[Application, ...] = ()
    failed: tuple[str, ...] = ()
    letter: Letter | None = None
    manner: tuple[str, ...] = ()
    only_changed: bool = False
    draft: str = ""
    placeholders: tuple[str, ...] = ()
    asked: bool = False
    consoled: bool = False
    count_said: str = ""
    removing: bool = False
    partly: bool = False
    title: str = ""
    pending: str = ""
    to_come: bool = False
