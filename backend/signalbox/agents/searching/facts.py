"""What is known of a search when its answer is written."""

from datetime import date
from typing import Literal

from pydantic import Field

from signalbox.agents.searching.notes import LeftOut, Understood
from signalbox.agents.turn import Facts
from signalbox.blocks import Job

Outcome = Literal["found", "all_shown", "nothing", "ruled_out", "unavailable", "which"]


class SearchFacts(Facts):
    """``which``: nothing was searched for yet, since the user is to say which of the conditions ``offered`` may go.
    ``ruled_out``: there are postings, and each breaks a hard rule of the profile. ``total_is_exact``: false when
    more postings exist than could be compared, so that ``total`` may be too high. ``conditions``: name and wording of
    each. ``seen``: how many were shown before. ``unknown``: postings that say too little to be held against a rule;
    ``sizes_failed``: the sizes of companies could not be looked up.
    ``searched``: the sources that answered; ``unasked``: those that could not be asked, and why: the list is partial
    then. ``boards``: the boards' names by what their postings carry as source. ``unseen``: what was not looked through
    of a source that answered. ``first``: nothing was searched for in this conversation before. ``closed``: shown
    postings whose day to apply by has passed, by id. ``pay_floor``: the least pay a year that was asked for.
    ``understood``: how the message was read, where that is not plain. ``also``: the further searches that one message
    asks for; their postings follow these in the list.
    """

    outcome: Outcome
    subject: str
    today: date
    conditions: dict[str, str] = Field(default_factory=dict)
    rules: tuple[str, ...] = ()
    refined: bool = False
    by_profile: bool = False
    jobs: tuple[Job, ...] = ()
    total: int = 0
    total_is_exact: bool = True
    left_out: tuple[LeftOut, ...] = ()
    scored_against: Literal["profile", "query"] = "query"
    degraded: str = ""
    seen: int = 0
    unknown: tuple[LeftOut, ...] = ()
    sizes_failed: bool = False
    searched: tuple[str, ...] = ()
    unasked: dict[str, str] = Field(default_factory=dict)
    boards: dict[str, str] = Field(default_factory=dict)
    unseen: dict[str, str] = Field(default_factory=dict)
    first: bool = True
    closed: dict[str, date] = Field(default_factory=dict)
    pay_floor: float | None = None
    understood: Understood = Field(default_factory=Understood)
    offered: tuple[str, ...] = ()
    also: tuple["SearchFacts", ...] = ()


def wanted(facts: SearchFacts) -> str:
    """All that was looked for, in one phrase."""
    return " ".join([facts.subject, *facts.conditions.values()])


def has_more(facts: SearchFacts) -> bool:
    return facts.total > facts.seen + len(facts.jobs)
